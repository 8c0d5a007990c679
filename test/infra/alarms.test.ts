import { App, Duration, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import { consumers } from '../../functions/consumers.ts';
import { contracts } from '../../functions/contracts.ts';
import { managementResources } from '../../functions/management/contracts.ts';
import { triggers } from '../../functions/triggers.ts';
import { FailureAlarm, PlatformAlarmTopics, watchReserved } from '../../infra/constructs/alarms.ts';
import { rewardsPlatform } from '../../infra/platform-app.ts';
import { stageSettings } from '../../infra/stages.ts';
import { minutesBetweenCalls } from '../../shared/contracts/consumer.ts';
import { hosts } from '../../shared/contracts/contract.ts';
import { metricList } from '../../shared/contracts/metrics.ts';
import { once } from '../../shared/domain/memoize.ts';
import { consumersBy } from './support/consumers-by-kind.ts';
import { alarmMetrics, expressionOf, metricsOf } from './support/metrics.ts';
import { type Json, type JsonObject, type Resource, synthesized, textOf } from './support/synthesized.ts';

describe.each(['sandbox', 'production'] as const)('the alarms of %s', (stage) => {
  const app = synthesized(stage);
  const alarms = app.ofType('AWS::CloudWatch::Alarm');
  const joint = app.ofType('AWS::CloudWatch::CompositeAlarm');
  const alarmsOn = (metric: string) => alarms.filter((alarm) => metricsOf(alarm).includes(metric));
  const isOn = (functionId: string) => (alarm: Resource) => textOf(alarm.Properties.Metrics).includes(functionId);
  const severityOf = ({ Properties }: Resource) => /\((page|ticket);/.exec(String(Properties.AlarmDescription))?.[1];
  const partsOfJoint = new Set(
    joint
      .flatMap(({ Properties }) => [...JSON.stringify(Properties.AlarmRule).matchAll(/"Fn::GetAtt":\["(\w+)"/g)])
      .map(([, id]) => id),
  );

  it('watch the length of every dead-letter queue', () => {
    const failureQueues = app.ofType('AWS::SQS::Queue').filter(({ Properties }) => !Properties.RedrivePolicy);
    const watched = alarmsOn('ApproximateNumberOfMessagesVisible').map(({ Properties }) =>
      textOf(Properties.Dimensions),
    );

    expect(watched).toHaveLength(failureQueues.length);
    for (const { id } of failureQueues) expect(watched.filter((queue) => queue.includes(id))).toHaveLength(1);
  });

  it('watch the oldest message’s age in every work queue', () => {
    const workQueues = app.ofType('AWS::SQS::Queue').filter(({ Properties }) => Properties.RedrivePolicy);
    const watched = alarmsOn('ApproximateAgeOfOldestMessage').map(({ Properties }) => textOf(Properties.Dimensions));

    expect(workQueues.map(({ id }) => watched.filter((queue) => queue.includes(id)).length)).toEqual(
      workQueues.map(() => 1),
    );
  });

  it('watch every function, host and stream', () => {
    const resources = Object.keys(managementResources);
    const others = resources.length + consumers.length + triggers.length;
    expect(alarmsOn('Errors')).toHaveLength(contracts.length + others);
    // Two alarms for each host: a ticket at a single failure, and a page at one failure in a hundred requests. Nobody
    // is woken for the dashboard.
    expect(alarmsOn('5XXError')).toHaveLength(2 * hosts.length + 1);
    expect(alarmsOn('IteratorAge')).toHaveLength(consumersBy('stream').length);
  });

  it('send a page only above one percent of failures', () => {
    const expressions = new Set([...alarmsOn('5XXError'), ...alarmsOn('Errors')].map(expressionOf));
    expect(expressions).toEqual(
      new Set([
        'IF(failures >= 1 AND failures > 0.001 * total, failures, 0)',
        'IF(failures >= 5 AND failures > 0.01 * total, failures, 0)',
      ]),
    );
    for (const alarm of [...alarmsOn('5XXError'), ...alarmsOn('Errors')]) {
      expect(severityOf(alarm)).toBe(expressionOf(alarm)?.includes('0.01 ') ? 'page' : 'ticket');
    }
  });

  it('watch the p99 latency of endpoints 1 and 2', () => {
    const watched = contracts.filter(({ p99GoalMs }) => p99GoalMs !== undefined);
    expect(watched.map(({ name }) => name).toSorted()).toEqual(['authenticate-transaction', 'create-transaction']);
    for (const { path, p99GoalMs } of watched) {
      const alarm = alarmsOn('Latency').find((one) => textOf(one.Properties.Metrics).includes(path));
      expect(alarm?.Properties).toMatchObject({ Threshold: p99GoalMs, EvaluationPeriods: 2 });
      expect(alarm && expressionOf(alarm)).toBe('IF(requests >= 100, late, 0)');
      expect(partsOfJoint).toContain(alarm?.id);
    }
  });

  it.each(consumersBy('schedule'))('notice that $name does not run', ({ name, source }) => {
    const { id } = app.functionIn(`consumers/${name}`);
    const heartbeat = alarmsOn('Invocations').find(
      (alarm) => isOn(id)(alarm) && alarm.Properties.ComparisonOperator === 'LessThanThreshold',
    );
    const [{ Period: period } = { Period: 0 }] = periodsOf(heartbeat);

    expect(heartbeat?.Properties).toMatchObject({ Threshold: 1, TreatMissingData: 'breaching' });
    expect(heartbeat && expressionOf(heartbeat)).toBe('FILL(present, 0)');
    const seconds = Number(heartbeat?.Properties.EvaluationPeriods) * period;
    expect(seconds).toBeGreaterThan(60 * minutesBetweenCalls(source.every));
    expect(seconds).toBeLessThanOrEqual(period >= 3_600 ? 604_800 : 86_400);
  });

  it('watch every metric that declares an alarm, once per consumer', () => {
    const present = new Set(consumers.map(({ name }) => name));
    for (const { name, alarm, consumers: writers } of metricList) {
      const isWanted = alarm && (alarm.setting === undefined || stageSettings(stage)[alarm.setting]);
      const expected = isWanted ? writers.filter((writer) => present.has(writer)).length : 0;
      expect({ name, alarms: alarmsOn(name).length }).toEqual({ name, alarms: expected });
    }
  });

  it('watch throttling and consumption of the table', () => {
    const [throttled, ...others] = alarmsOn('WriteThrottleEvents');
    const metrics = throttled ? alarmMetrics(throttled) : [];
    expect(others).toEqual([]);
    expect(metrics.map(({ MetricName, Dimensions }) => `${MetricName} ${indexIn(Dimensions)}`).toSorted()).toEqual(
      ['', 'byMerchant', 'byPartner', 'due']
        .flatMap((index) => [`ReadThrottleEvents ${index}`, `WriteThrottleEvents ${index}`])
        .toSorted(),
    );
    const { readUnits, writeUnits } = stageSettings(stage).tableMaximum;
    expect(alarmsOn('ConsumedReadCapacityUnits')[0]?.Properties.Threshold).toBe(readUnits * 60 * 0.8);
    expect(alarmsOn('ConsumedWriteCapacityUnits')[0]?.Properties.Threshold).toBe(writeUnits * 60 * 0.8);
  });

  it.each(consumers)(
    'contain the impact of $name, and send a page only if the consumer declares it',
    ({ name, impact, severity }) => {
      const own = alarms.filter(({ Properties }) => String(Properties.AlarmDescription).includes(impact));
      expect(own).not.toEqual([]);
      const paging = own.filter((alarm) => severityOf(alarm) === 'page').length > 0;
      expect({ name, paging }).toEqual({ name, paging: severity === 'page' });
    },
  );

  it.each(consumersBy('stream'))(
    'say that $name set single records aside, and not that it stands still',
    (consumer) => {
      const { name, impact, severity = 'ticket' } = consumer;
      const section = 'docs/runbook.md#records-of-the-stream-were-set-aside';
      const textsOf = (resources: readonly Resource[]) =>
        resources.map(({ Properties }) => String(Properties.AlarmDescription)).filter((text) => text.includes(section));
      const own = textsOf(alarms).filter((text) => text.startsWith(`${name} set single records of the stream aside`));
      expect(own).toEqual([expect.stringContaining(`for 24 hours. (${severity}; ${section})`)]);
      expect(own[0]).not.toContain(impact);
      // The joint alarm's text contains the impact, and names both the consumer's own runbook section and `section`.
      expect(textsOf(joint).filter((text) => text.includes(impact))).toHaveLength(severity === 'page' ? 1 : 0);
    },
  );

  it('notify the topic of their severity unless a composite alarm does', () => {
    for (const alarm of [...alarms, ...joint]) {
      const target = partsOfJoint.has(alarm.id) ? '' : `Alarms${severityOf(alarm)}`;
      expect({ id: alarm.id, to: textOf(alarm.Properties.AlarmActions) }).toEqual({
        id: alarm.id,
        to: target === '' ? '' : expect.stringContaining(target),
      });
    }
    for (const id of partsOfJoint) expect(alarms.map((alarm) => alarm.id)).toContain(id);
  });

  it('notify nobody about a host while the alarm of the table is on', () => {
    const cause = alarms.find(({ Properties }) => Properties.AlarmName === `rewards-${stage}-table-throttled`);
    expect(cause && severityOf(cause)).toBe('page');
    const ofHosts = joint.filter(({ Properties }) => Properties.ActionsSuppressor !== undefined);
    expect(ofHosts).toHaveLength(hosts.length);
    for (const { Properties } of ofHosts) {
      expect(textOf(Properties.ActionsSuppressor)).toContain(`:alarm:${String(cause?.Properties.AlarmName)}`);
    }
  });

  it('go off without data only if they watch a minimum', () => {
    const breaching = alarms.filter(({ Properties }) => Properties.TreatMissingData === 'breaching');
    expect(breaching.every(({ Properties }) => Properties.ComparisonOperator === 'LessThanThreshold')).toBe(true);
    const others = alarms.filter((alarm) => !breaching.includes(alarm));
    expect(new Set(others.map(({ Properties }) => Properties.TreatMissingData))).toEqual(new Set(['notBreaching']));
  });

  it('send to encrypted topics that CloudWatch and budgets may use', () => {
    const topics = app.ofType('AWS::SNS::Topic');
    expect(topics).toHaveLength(2);
    for (const topic of topics) {
      const key = app.referredBy(topic.Properties.KmsMasterKeyId);
      expect(textOf(key.Properties.KeyPolicy)).toContain('cloudwatch.amazonaws.com');
      expect(textOf(key.Properties.KeyPolicy)).toContain('budgets.amazonaws.com');
    }
  });

  it('send a ticket when the forecast exceeds the budget', () => {
    const { Budget: budget, NotificationsWithSubscribers: notifications } = app.only('AWS::Budgets::Budget').Properties;
    expect(budget).toMatchObject({
      BudgetLimit: { Amount: stageSettings(stage).budget.monthlyDollars, Unit: 'USD' },
      CostFilters: { TagKeyValue: [`user:stage$${stage}`] },
    });
    expect(textOf(notifications)).toContain('FORECASTED');
    expect(textOf(notifications)).toContain('Alarmsticket');
  });
});

interface Statistic {
  readonly Period: number;
}

function periodsOf(alarm: Resource | undefined): Statistic[] {
  const data = (alarm?.Properties.Metrics ?? []) as unknown as { readonly MetricStat?: Statistic }[];
  return data.flatMap(({ MetricStat }) => MetricStat ?? []);
}

/** The index that the dimensions of a table's metric name; an empty text when they name no index. */
function indexIn(dimensions: Json | undefined): string {
  const all = (dimensions ?? []) as unknown as readonly JsonObject[];
  return String(all.find(({ Name }) => Name === 'GlobalSecondaryIndexName')?.Value ?? '');
}

describe('the synthetic purchase', () => {
  /** The stack of the consumers, on a stage with or without the tenant of the synthetic purchase. */
  function stackOf(syntheticPurchase: boolean): Template {
    const functions = { contracts, consumers: consumers.filter(({ name }) => name === 'synthetic-purchase') };
    const stage = { ...stageSettings('production'), syntheticPurchase };
    const app = rewardsPlatform({
      functions,
      stage,
      code: () => Code.fromInline('// no code'),
      dashboard: 'test/fixtures/site',
    });
    const stack = app.node.findChild('rewards-production-consumers');
    if (!Stack.isStack(stack)) throw new Error('no stack of consumers');
    return Template.fromStack(stack);
  }
  const [without, withTenant] = [once(() => stackOf(false)), once(() => stackOf(true))];
  const isAbsent = { Namespace: 'RewardsPlatform/production', MetricName: 'SyntheticPurchaseSucceeded' };
  const absence = {
    AlarmDescription: Match.stringLikeRegexp('page; docs/runbook.md#the-synthetic-purchase-fails'),
    Threshold: 1,
    EvaluationPeriods: 4,
    TreatMissingData: 'breaching',
    Metrics: Match.arrayWith([Match.objectLike({ MetricStat: { Metric: isAbsent, Period: 300 } })]),
  };

  it('causes a page after three failures in a row', () => {
    without().hasResourceProperties('AWS::CloudWatch::Alarm', {
      ...{ MetricName: 'SyntheticPurchaseFailed', Period: 300, EvaluationPeriods: 3, Threshold: 0 },
      ...{ ComparisonOperator: 'GreaterThanThreshold', TreatMissingData: 'notBreaching' },
    });
  });

  it('causes a page for missing successes only on a stage with its tenant', () => {
    without().resourcePropertiesCountIs('AWS::CloudWatch::Alarm', absence, 0);
    withTenant().resourcePropertiesCountIs('AWS::CloudWatch::Alarm', absence, 1);
  });

  it('may read its own secret, and nothing of the table', () => {
    const statements = Object.values(without().findResources('AWS::IAM::Role'))
      .flatMap(({ Properties }) => Properties.Policies ?? [])
      .filter(({ PolicyName: name }) => name === 'declared')
      .flatMap(({ PolicyDocument: document }) => document.Statement);
    const actions: readonly string[] = statements.flatMap(({ Action: action }) => action);
    expect(actions.filter((action) => !/^(logs|xray):/.test(action))).toEqual(['secretsmanager:GetSecretValue']);
    expect(textOf(statements)).toContain(':secret:rewards-production/synthetic-purchase-??????');
  });
});

describe('the alarm addresses of a stage', () => {
  const stage = {
    ...stageSettings('sandbox'),
    alarmAddresses: { page: ['https://pager.example/hook', 'night@example.org'], ticket: ['day@example.org'] },
  };

  it('are subscribed to the topic of their severity', () => {
    const stack = new Stack(new App(), 'data');
    new PlatformAlarmTopics(stack, 'Alarms', { stage });
    const subscriptions = Object.values(Template.fromStack(stack).findResources('AWS::SNS::Subscription'));
    const subscribed = subscriptions.map(({ Properties }) => [
      textOf(Properties.TopicArn).slice(0, 10),
      Properties.Protocol,
      Properties.Endpoint,
    ]);
    expect(subscribed).toEqual([
      ['Alarmspage', 'https', 'https://pager.example/hook'],
      ['Alarmspage', 'email', 'night@example.org'],
      ['Alarmstick', 'email', 'day@example.org'],
    ]);
  });
});

describe('the alarm of reserved concurrency', () => {
  const stack = new Stack(new App(), 'functions');
  const { topics: alarms } = new PlatformAlarmTopics(stack, 'Alarms', { stage: stageSettings() });
  for (const [id, reserved] of [
    ['Free', undefined],
    ['Reserved', 50],
  ] as const) {
    const lambda = new LambdaFunction(stack, id, {
      ...{ code: Code.fromInline('//'), handler: 'index.handler', runtime: Runtime.NODEJS_24_X },
      timeout: Duration.seconds(10),
      ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
    });
    watchReserved(lambda, { platform: { alarms }, impact: 'Nothing works.' });
  }

  it('goes off at four fifths of the reservation', () => {
    const found = Object.values(Template.fromStack(stack).findResources('AWS::CloudWatch::Alarm'));
    expect(found.map(({ Properties }) => [Properties.MetricName, Properties.Threshold])).toEqual([
      ['ConcurrentExecutions', 40],
    ]);
  });
});

describe('FailureAlarm', () => {
  it('has a description with the impact, the severity and the section of the runbook', () => {
    const stack = new Stack(new App(), 'one');
    const { topics: alarms } = new PlatformAlarmTopics(stack, 'Alarms', { stage: stageSettings() });
    const metric = alarms.page.metricNumberOfMessagesPublished();
    new FailureAlarm(stack, 'One', {
      ...{ platform: { alarms }, severity: 'page', section: 'a-section', impact: 'Alarms are lost.', metric },
    });
    const [alarm] = Object.values(Template.fromStack(stack).findResources('AWS::CloudWatch::Alarm'));
    expect(alarm?.Properties.AlarmDescription).toBe('Alarms are lost. (page; docs/runbook.md#a-section)');
  });
});
