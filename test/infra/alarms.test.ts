import { describe, expect, it } from 'vitest';
import { consumers } from '../../functions/consumers.ts';
import { contracts } from '../../functions/contracts.ts';
import { hosts } from '../../shared/contracts/contract.ts';
import { consumersBy } from './support/consumers-by-kind.ts';
import { synthesized, textOf } from './support/synthesized.ts';

describe.each(['sandbox', 'production'] as const)('the alarms of the stage %s', (stage) => {
  const app = synthesized(stage);
  const alarms = app.ofType('AWS::CloudWatch::Alarm').map(({ Properties }) => Properties);
  const alarmsOn = (metric: string) => alarms.filter(({ MetricName }) => MetricName === metric);

  it('watch the length of every dead-letter queue', () => {
    const failureQueues = app.ofType('AWS::SQS::Queue').filter(({ Properties }) => !Properties.RedrivePolicy);
    const watched = alarmsOn('ApproximateNumberOfMessagesVisible').map(({ Dimensions }) => textOf(Dimensions));

    expect(watched).toHaveLength(failureQueues.length);
    for (const { id } of failureQueues) expect(watched.filter((queue) => queue.includes(id))).toHaveLength(1);
  });

  it('watch the age of the oldest message in every work queue', () => {
    const workQueues = app.ofType('AWS::SQS::Queue').filter(({ Properties }) => Properties.RedrivePolicy);
    const watched = alarmsOn('ApproximateAgeOfOldestMessage').map(({ Dimensions }) => textOf(Dimensions));

    expect(workQueues.map(({ id }) => watched.filter((queue) => queue.includes(id)).length)).toEqual(
      workQueues.map(() => 1),
    );
  });

  it('watch every function, every host and the age of the stream', () => {
    expect(alarmsOn('Errors')).toHaveLength(contracts.length + consumers.length);
    expect(alarmsOn('5XXError')).toHaveLength(hosts.length);
    expect(alarmsOn('IteratorAge')).toHaveLength(consumersBy('stream').length);
  });

  it.each(consumers)('name the impact of a failure of $name', ({ impact }) => {
    expect(alarms.filter(({ AlarmDescription }) => String(AlarmDescription).includes(impact))).not.toEqual([]);
  });

  it('send to one topic, which is encrypted with a key that CloudWatch may use', () => {
    const topic = app.only('AWS::SNS::Topic');
    const key = app.referredBy(topic.Properties.KmsMasterKeyId);

    expect(alarms.map(({ AlarmActions }) => textOf(AlarmActions))).toEqual(
      alarms.map(() => expect.stringContaining(topic.id)),
    );
    expect(textOf(key.Properties.KeyPolicy)).toContain('cloudwatch.amazonaws.com');
  });
});
