import { describe, expect, it } from 'vitest';
import { consumers } from '../../functions/consumers.ts';
import { contracts } from '../../functions/contracts.ts';
import { managementResources } from '../../functions/management/contracts.ts';
import { triggers } from '../../functions/triggers.ts';
import { stageSettings } from '../../infra/stages.ts';
import { statementsOf } from './support/policy.ts';
import { folderOf, type Json, type JsonObject, type Resource, synthesized, textOf } from './support/synthesized.ts';

const folders = [
  ...contracts.map(({ host, name }) => `${host}/${name}`),
  ...Object.keys(managementResources).map((resource) => `management/${resource}`),
  ...consumers.map(({ name }) => `consumers/${name}`),
  ...triggers.map(({ name }) => `identity/${name}`),
];

function environmentOf({ Properties }: Resource): JsonObject {
  return (Properties.Environment as { Variables: JsonObject }).Variables;
}

describe.each(['sandbox', 'production'] as const)('the functions of the stage %s', (stage) => {
  const app = synthesized(stage);
  const lambdas = app.ofType('AWS::Lambda::Function');

  it('are exactly the declared ones', () => {
    expect(lambdas.map(({ Properties }) => folderOf(Properties)).toSorted()).toEqual(folders.toSorted());
  });

  it('run on Node 24 and ARM, with traces', () => {
    for (const { Properties } of lambdas) {
      expect(Properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        TracingConfig: { Mode: 'Active' },
      });
    }
  });

  it('reserve concurrency exactly where the stage says so', () => {
    const reserved = lambdas.flatMap(({ Properties }): [string, Json][] => {
      const { ReservedConcurrentExecutions: number } = Properties;
      return number === undefined ? [] : [[folderOf(Properties) ?? '', number]];
    });
    expect(Object.fromEntries(reserved)).toEqual(stageSettings(stage).reservedConcurrency);
  });

  it('have one log group each, with the stage’s retention', () => {
    const groups = lambdas.map(({ Properties }) => app.referredBy((Properties.LoggingConfig as JsonObject).LogGroup));

    expect(new Set(groups).size).toBe(lambdas.length);
    for (const { Properties } of groups) expect(Properties.RetentionInDays).toBe(stageSettings(stage).logRetentionDays);
  });

  it('receive stage, table and service as variables', () => {
    for (const lambda of lambdas) {
      expect(environmentOf(lambda)).toMatchObject({
        STAGE: stage,
        TABLE_NAME: expect.anything(),
        WEBHOOK_HTTP_HOSTS: '',
        POWERTOOLS_SERVICE_NAME: folderOf(lambda.Properties),
        POWERTOOLS_METRICS_NAMESPACE: `RewardsPlatform/${stage}`,
      });
    }
  });

  it.each(contracts)('include $host/$name, which receives its host’s URL', ({ host, name }) => {
    const url = textOf(environmentOf(app.functionIn(`${host}/${name}`)).BASE_URL);
    const api = app.ofType('AWS::ApiGateway::RestApi').find((one) => url.includes(one.id));
    expect(api?.Properties).toMatchObject({ Name: `rewards-${stage}-${host}` });
    expect(url).toMatch(
      new RegExp(`^https://${api?.id}[.]execute-api[.]${stageSettings(stage).region}[.]AWS::URLSuffix/${stage}$`),
    );
  });

  it.each(contracts)('include $host/$name, which may publish to the bus only if its contract says so', (contract) => {
    const { host, name } = contract;
    const publishes = contract.publishes !== undefined;
    const lambda = app.functionIn(`${host}/${name}`);
    const may = statementsOf(app.referredBy(lambda.Properties.Role)).flatMap(({ actions }) => actions);
    expect('BUS_NAME' in environmentOf(lambda)).toBe(publishes);
    expect(may.includes('events:PutEvents')).toBe(publishes);
  });

  it.each(consumers)(
    'include $name, with exactly its declared queues, bus and schedules',
    ({ name, sendsTo = [], publishes, schedules }) => {
      const lambda = app.functionIn(`consumers/${name}`);
      const variables = Object.keys(environmentOf(lambda));
      const may = statementsOf(app.referredBy(lambda.Properties.Role)).flatMap(({ actions }) => actions);

      const urls = variables.filter((variable) => variable.startsWith('QUEUE_URL_'));
      expect(urls).toEqual(sendsTo.map((queue) => `QUEUE_URL_${queueVariables[queue]}`));
      expect(variables.includes('BUS_NAME')).toBe(publishes !== undefined);
      expect(may.includes('events:PutEvents')).toBe(publishes !== undefined);
      expect(variables.some((variable) => variable.startsWith('SCHEDULE_'))).toBe(schedules !== undefined);
      const isScheduling = may.some((action) => action.startsWith('scheduler:') || action.startsWith('iam:'));
      expect(isScheduling).toBe(schedules !== undefined);
    },
  );
});

const queueVariables = { deliver: 'DELIVER', deliverSlow: 'DELIVER_SLOW', endpoint: 'ENDPOINT', program: 'PROGRAM' };

describe('the rules of the stage local', () => {
  const app = synthesized('local');
  const partnerBuses = app.ofType('AWS::Events::EventBus').filter(({ Properties }) => 'EventSourceName' in Properties);

  it('deliver all payment platforms’ events to one queue', () => {
    expect(partnerBuses.map(({ Properties }) => Properties.EventSourceName)).toEqual([
      expect.stringMatching(/^aws\.partner\/stripe\.com\//),
      expect.stringMatching(/^aws\.partner\/shopify\.com\//),
    ]);
    const rules = app.ofType('AWS::Events::Rule').filter(({ Properties }) => {
      return /rewards\.payments|aws\.partner/.test(JSON.stringify(Properties.EventPattern));
    });
    expect(rules).toHaveLength(partnerBuses.length + 1);
    const archived = app
      .ofType('AWS::Events::Archive')
      .map(({ Properties }) => app.referredBy(Properties.SourceArn).id);
    const queues = rules.map(({ Properties }) => {
      // The bus is in another stack. It is referred to by the name of an export, and this name contains its id.
      expect(archived.filter((id) => textOf(Properties.EventBusName).includes(id))).toHaveLength(1);
      const [target] = Properties.Targets as unknown as { Arn: Json; DeadLetterConfig: { Arn: Json } }[];
      expect(app.referredBy(target?.DeadLetterConfig.Arn).Type).toBe('AWS::SQS::Queue');
      return app.referredBy(target?.Arn);
    });
    expect(new Set(queues).size).toBe(1);
    expect(queues[0]?.Properties.RedrivePolicy).toBeDefined();
  });
});

describe('the functions of the stage local', () => {
  it('may use http for local webhooks only', () => {
    for (const lambda of synthesized('local').ofType('AWS::Lambda::Function')) {
      expect(environmentOf(lambda)).toMatchObject({ STAGE: 'local', WEBHOOK_HTTP_HOSTS: '127.0.0.1,localhost' });
    }
  });
});
