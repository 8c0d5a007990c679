import { describe, expect, it } from 'vitest';
import { quotas } from '../../tools/scale/quotas.ts';
import { consumersBy } from './support/consumers-by-kind.ts';
import { statementsOf } from './support/policy.ts';
import { type Json, type Resource, synthesized, textOf } from './support/synthesized.ts';

interface Target {
  readonly DeadLetterConfig: { readonly Arn: Json };
}

describe.each(['sandbox', 'production'] as const)('the consumers of the stage %s', (stage) => {
  const app = synthesized(stage);
  const queues = app.ofType('AWS::SQS::Queue');
  const isWork = ({ Properties }: Resource) => Properties.RedrivePolicy !== undefined;
  const expectFailureQueue = (arn: Json | undefined) => expect(app.referredBy(arn)).not.toSatisfy(isWork);

  /** The event source mapping of a consumer. */
  const mappingOf = (name: string): Resource['Properties'] => {
    const lambda = app.functionIn(`consumers/${name}`);
    const mappings = app.ofType('AWS::Lambda::EventSourceMapping').map(({ Properties }) => Properties);
    return mappings.find(({ FunctionName }) => app.referredBy(FunctionName) === lambda) ?? {};
  };

  it('have a dead-letter queue for every work queue', () => {
    const failureQueues = queues.filter((queue) => !isWork(queue));
    const targets = queues
      .filter(isWork)
      .map(({ Properties }) => Properties.RedrivePolicy as { deadLetterTargetArn: Json });

    for (const { deadLetterTargetArn } of targets) {
      expect(failureQueues).toContain(app.referredBy(deadLetterTargetArn));
    }
  });

  it('use encrypted standard queues and refuse plain http', () => {
    const policies = app.ofType('AWS::SQS::QueuePolicy').map(({ Properties }) => JSON.stringify(Properties));

    expect(policies.filter((policy) => policy.includes('"aws:SecureTransport":"false"'))).toHaveLength(queues.length);
    for (const { Properties } of queues) {
      expect(Properties).toMatchObject({ SqsManagedSseEnabled: true });
      expect(Properties).not.toHaveProperty('FifoQueue');
    }
  });

  it.each(consumersBy('bus', 'queue'))(
    'include $name, which consumes its queue with the declared batch size, concurrency and retries',
    ({ name, source, timeoutSeconds }) => {
      const { maxConcurrency, batchSize, retries } = source;
      const mapping = mappingOf(name);

      expect(mapping).toMatchObject({ BatchSize: batchSize, FunctionResponseTypes: ['ReportBatchItemFailures'] });
      expect(mapping.ScalingConfig).toEqual({ MaximumConcurrency: maxConcurrency });
      expect(app.referredBy(mapping.EventSourceArn).Properties).toMatchObject({
        VisibilityTimeout: 6 * timeoutSeconds,
        RedrivePolicy: { maxReceiveCount: retries },
      });
    },
  );

  it.each(consumersBy('bus'))(
    'include $name, which receives its events by a rule with a dead-letter queue',
    ({ name, source }) => {
      const { id } = app.referredBy(mappingOf(name).EventSourceArn);
      const rules = app.ofType('AWS::Events::Rule').map(({ Properties }) => Properties);
      const rule = rules.find(({ Targets }) => textOf(Targets).includes(id));
      const [target] = (rule?.Targets ?? []) as unknown as Target[];

      expect(rule?.EventPattern).toEqual(source.pattern);
      expectFailureQueue(target?.DeadLetterConfig.Arn);
    },
  );

  it.each(consumersBy('stream'))(
    'include $name, which reads the stream and sends failed records to a dead-letter queue',
    ({ name, source }) => {
      const mapping = mappingOf(name);
      const { OnFailure } = mapping.DestinationConfig as { OnFailure: { Destination: Json } };

      expect(mapping).toMatchObject({
        BatchSize: source.batchSize,
        BisectBatchOnFunctionError: true,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        FilterCriteria: { Filters: source.filters.map((filter) => ({ Pattern: JSON.stringify(filter) })) },
        MaximumRetryAttempts: source.retries === 'untilExpiry' ? -1 : source.retries,
      });
      // A maximum age would end the retries earlier.
      expect(mapping).not.toHaveProperty('MaximumRecordAgeInSeconds');
      expectFailureQueue(OnFailure.Destination);
    },
  );

  it('use no more stream readers than AWS allows', () => {
    const mappings = app.ofType('AWS::Lambda::EventSourceMapping').map(({ Properties }) => Properties);
    const readers = mappings.filter(({ StartingPosition }) => StartingPosition !== undefined);

    expect(readers).toHaveLength(consumersBy('stream').length);
    expect(readers.length).toBeLessThanOrEqual(quotas.shardReaders.value);
  });

  it('include relay-outbox, which retries stream records without a limit', () => {
    expect(mappingOf('relay-outbox')).toMatchObject({ MaximumRetryAttempts: -1 });
  });

  it.each(consumersBy('stream').filter(({ rejects }) => rejects === true))(
    'include $name, which sends unreadable records to its dead-letter queue, and to no other queue',
    ({ name }) => {
      const lambda = app.functionIn(`consumers/${name}`);
      const { Variables } = lambda.Properties.Environment as { Variables: Record<string, Json> };
      const { OnFailure } = mappingOf(name).DestinationConfig as { OnFailure: { Destination: Json } };
      const failures = app.referredBy(OnFailure.Destination);
      const sends = statementsOf(app.referredBy(lambda.Properties.Role)).filter(({ actions }) =>
        actions.includes('sqs:SendMessage'),
      );

      expect(app.referredBy(Variables.DEAD_LETTER_URL)).toBe(failures);
      expect(sends).toEqual([
        { actions: ['sqs:SendMessage'], resources: [{ 'Fn::GetAtt': [failures.id, 'Arn'] }], condition: {} },
      ]);
    },
  );

  it('reject unreadable stream records only in relay-outbox', () => {
    expect(
      consumersBy('stream')
        .filter(({ rejects }) => rejects)
        .map(({ name }) => name),
    ).toEqual(['relay-outbox']);
  });

  it.each(consumersBy('schedule'))(
    'include $name, which runs on its schedule and has a dead-letter queue',
    ({ name, source }) => {
      const { id } = app.functionIn(`consumers/${name}`);
      const schedules = app.ofType('AWS::Scheduler::Schedule').map(({ Properties }) => Properties);
      const schedule = schedules.find(({ Target }) => textOf(Target).includes(id));

      expect(schedule?.ScheduleExpression).toBe(source.every);
      expectFailureQueue((schedule?.Target as unknown as Target | undefined)?.DeadLetterConfig.Arn);
    },
  );
});
