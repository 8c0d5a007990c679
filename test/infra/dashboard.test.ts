import { globSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { consumers } from '../../functions/consumers.ts';
import { contracts } from '../../functions/contracts.ts';
import { hosts } from '../../shared/contracts/contract.ts';
import { accessMetrics, type Measurement, metricList, platformMetrics } from '../../shared/contracts/metrics.ts';
import { tableIndexes } from '../../shared/contracts/table.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { measure } from '../../shared/runtime/metrics.ts';
import { eventOf } from '../support/call.ts';
import { type Json, synthesized, synthesizedApp, textOf } from './support/synthesized.ts';

interface Widget {
  readonly properties: {
    readonly title?: string;
    readonly metrics?: readonly (readonly (string | { readonly expression?: string; readonly stat?: string })[])[];
  };
}

const stage = 'sandbox';
const app = synthesized(stage);
const text = bodyOf(app.only('AWS::CloudWatch::Dashboard').Properties.DashboardBody);
const { widgets }: { widgets: readonly Widget[] } = JSON.parse(text);
const lines = widgets.flatMap(({ properties }) => properties.metrics ?? []);
const expressions = lines.flatMap(([first]) => (typeof first === 'object' ? [first.expression ?? ''] : []));

/** Joins the body of the dashboard as CloudFormation does, but with the name of each reference, not its value. */
function bodyOf(body: Json | undefined): string {
  const { 'Fn::Join': join } = body as { readonly 'Fn::Join'?: readonly [string, readonly Json[]] };
  return (join?.[1] ?? []).map((part) => (typeof part === 'string' ? part : textOf(part))).join('');
}

/** A metric as text: its name, and its dimensions in the order of their names. */
const nameOf = (metric: string, dimensions: readonly string[]) => `${metric}(${dimensions.toSorted().join()})`;

/** The platform's own metrics on the dashboard, with their dimensions. */
const shown = new Set([
  ...lines.flatMap(([namespace, metric, ...rest]) => {
    if (namespace !== `RewardsPlatform/${stage}`) return [];
    const dimensions = rest.filter((part) => typeof part === 'string').filter((_, position) => position % 2 === 0);
    return [nameOf(String(metric), dimensions)];
  }),
  ...expressions.flatMap((expression) => {
    const [, dimension, metric] = /\{"RewardsPlatform\/sandbox","(\w+)"\} MetricName="(\w+)"/.exec(expression) ?? [];
    return dimension && metric ? [nameOf(metric, [dimension])] : [];
  }),
]);

interface Emf {
  readonly _aws: {
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string }[];
    }[];
  };
}

/** The metrics that were written since the spy was set. */
function written(spy: { readonly mock: { readonly calls: readonly (readonly unknown[])[] } }): string[] {
  const all = spy.mock.calls.flatMap(([chunk]) => String(chunk).split('\n')).filter((line) => line.includes('_aws'));
  return all.flatMap((line) => {
    const { _aws }: Emf = JSON.parse(line);
    return _aws.CloudWatchMetrics.flatMap(({ Dimensions, Metrics, Namespace }) => {
      expect(Namespace).toBe(`RewardsPlatform/${stage}`);
      return Metrics.map(({ Name }) => nameOf(Name, Dimensions.flat()));
    });
  });
}

/** One measurement of each metric that functions emit. A metric with a dimension has one for every value. */
const measurements: readonly Measurement[] = Object.entries(platformMetrics).flatMap(([name, metric]) => {
  if ('message' in metric) return [];
  const parts: readonly (string | undefined)[] = 'by' in metric ? metric.by.values : [undefined];
  return parts.map((part) => ({ name: name as Measurement['name'], values: [1], ...(part !== undefined && { part }) }));
});

describe('the dashboard of a stage', () => {
  let spy: ReturnType<typeof vi.spyOn>;
  beforeEach(() => {
    vi.stubEnv('POWERTOOLS_METRICS_NAMESPACE', `RewardsPlatform/${stage}`);
    vi.stubEnv('POWERTOOLS_SERVICE_NAME', 'base/get-openapi');
    vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'false');
    vi.stubEnv('POWERTOOLS_LOG_LEVEL', 'SILENT');
    spy = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  });
  afterEach(() => {
    spy.mockRestore();
    vi.unstubAllEnvs();
  });

  it('shows only metrics that a function emits or a log filter counts', async () => {
    const [contract] = contracts.filter(({ name }) => name === 'get-openapi');
    if (!contract) throw new Error('no contract');
    const broken = endpoint(contract, {}, () => Promise.reject(new Error('broken')));
    await broken(eventOf(contract, {}), {} as never);
    measure(measurements);
    const emitted = written(spy);
    const filtered = app.ofType('AWS::Logs::MetricFilter').flatMap(({ Properties }) => {
      const [made] = Properties.MetricTransformations as unknown as {
        readonly MetricName: string;
        readonly Dimensions?: readonly { readonly Key: string }[];
      }[];
      return made
        ? [
            nameOf(
              made.MetricName,
              (made.Dimensions ?? []).map(({ Key }) => Key),
            ),
          ]
        : [];
    });

    expect([...shown].filter((metric) => ![...emitted, ...filtered].includes(metric))).toEqual([]);
  });

  it('shows every listed metric of the deployed consumers', () => {
    const present = new Set(consumers.map(({ name }) => name));
    for (const { name, by, consumers: writers } of metricList) {
      if (!writers.some((writer) => present.has(writer))) continue;
      expect([...shown].filter((metric) => metric.startsWith(`${name}(`))).toHaveLength(1);
      for (const value of by?.values ?? []) expect(text).toContain(JSON.stringify(value));
    }
    for (const name of Object.values(accessMetrics)) expect(shown).toContain(nameOf(name, []));
  });

  it('shows every host, every endpoint, the table and each index', () => {
    for (const host of hosts) {
      for (const metric of ['Count', '4XXError', '5XXError', 'Latency']) {
        const own = lines.filter(([, name, , api]) => name === metric && api === `rewards-${stage}-${host}`);
        expect({ host, metric, graphs: own.length }).toEqual({ host, metric, graphs: metric === 'Latency' ? 2 : 1 });
      }
    }
    for (const { host, name } of contracts) expect(text).toContain(JSON.stringify(`${host}/${name}`));
    for (const index of Object.keys(tableIndexes)) expect(text).toContain(JSON.stringify(index));
    const statistics = lines.flatMap((line) =>
      line.flatMap((part) => (typeof part === 'object' ? (part.stat ?? []) : [])),
    );
    expect(statistics).toEqual(expect.arrayContaining(['p50', 'p99']));
  });

  it('finds functions and queues by the name of their stack', () => {
    const searches = expressions.filter((expression) => expression.includes('SEARCH') && expression.includes('AWS/'));
    expect(searches).not.toEqual([]);
    for (const expression of searches) {
      const words = [...expression.matchAll(/(?:Function|Queue)Name=(\w+)/g)].map(([, word]) => word);
      expect(words.slice(0, 2)).toEqual(['rewards', stage]);
      expect([...hosts, 'consumers', 'data']).toContain(words[2]);
    }
  });

  it('keeps to the limits of CloudWatch for widgets and metrics', () => {
    expect(widgets.length).toBeLessThanOrEqual(500);
    expect(lines.length).toBeLessThanOrEqual(2_500);
    for (const { properties } of widgets) expect((properties.metrics ?? []).length).toBeLessThanOrEqual(500);
  });

  it('imports nothing from other stacks', () => {
    const imports = JSON.stringify(app.only('AWS::CloudWatch::Dashboard')).match(/Fn::ImportValue/g) ?? [];
    expect(imports).toEqual([]);
    const fewer = synthesizedApp(stage, { contracts, consumers: consumers.slice(1) });
    expect(fewer.node.findAll().some(({ node }) => node.id === 'Dashboard')).toBe(true);
  });
});

describe('the metrics that are counted in logs', () => {
  const sources = globSync('shared/operations/**/*.ts').map((file) => readFileSync(file, 'utf8'));
  const counted = metricList.flatMap(({ name, message, by }) => (message ? [{ name, ...message, by }] : []));

  it.each(counted)(
    'include $name: a function logs "$text" with the fields that the log filter reads',
    ({ text: message, value, by }) => {
      const calls = sources.flatMap((source) => source.match(new RegExp(`log\\.\\w+\\('${message}', .*`, 'g')) ?? []);
      expect(calls).not.toEqual([]);
      for (const field of [value, by?.dimension]) if (field) expect(calls.join()).toMatch(new RegExp(`\\b${field}\\b`));
    },
  );
});

describe('the tags of a stage', () => {
  const tagsOf = (tags: Json | undefined) =>
    Array.isArray(tags)
      ? Object.fromEntries(tags.map((tag) => Object.values(tag as Record<string, string>)))
      : (tags as Record<string, string> | undefined);

  it('name stage, service and part of every tagged resource', () => {
    const tagged = app.all.filter(({ Properties }) => Properties?.Tags !== undefined && !Properties.RoleName);
    expect(new Set(tagged.map(({ Type }) => Type)).size).toBeGreaterThanOrEqual(15);
    for (const { id, Properties } of tagged) {
      const tags = tagsOf(Properties.Tags);
      expect({ id, ...tags }).toMatchObject({ service: 'rewards-platform', part: expect.any(String) });
      if (tags?.part !== 'account') expect({ id, stage: tags?.stage }).toEqual({ id, stage });
    }
    expect(textOf(app.only('AWS::DynamoDB::GlobalTable').Properties.Replicas)).toContain('rewards-platform');
  });

  it('are on all resources of a type or on none', () => {
    const withTags = new Set(
      app.all.filter(({ Properties }) => Properties?.Tags !== undefined).map(({ Type }) => Type),
    );
    const without = app.all.filter(({ Type, Properties }) => withTags.has(Type) && Properties?.Tags === undefined);
    expect(without.map(({ id }) => id)).toEqual([]);
  });
});
