import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, type EventSourceMappingOptions, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { StreamSource } from '../../shared/contracts/consumer.ts';
import { FailureAlarm } from './alarms.ts';
import { ConsumerFunction, type ConsumerFunctionProps } from './consumers.ts';
import type { Platform } from './platform.ts';
import { FailureQueue, sendStatement } from './queues.ts';

/** Enough for an outage of about an hour. Then the batch goes to the dead-letter queue, and the next ones go on. */
const retryAttempts = 60;

/** Batches of one shard at the same time. The records of one partition stay in order. */
const parallelizationFactor = 4;

/** A stream keeps a record for 24 hours: this leaves a day to repair. */
const toleratedAge = Duration.minutes(5);

export interface StreamConsumerProps extends ConsumerFunctionProps {
  readonly source: StreamSource;
}

/** A function that reads the table's stream. A failing record is isolated, repeated, and ends in the dead-letter queue. */
export class StreamConsumer extends Construct {
  constructor(scope: Construct, id: string, { source, ...props }: StreamConsumerProps) {
    super(scope, id);
    const { platform, consumer } = props;
    const failures = new FailureQueue(this, 'Failures', {
      platform,
      impact: `Records of the stream failed too often; the message contains their position. ${consumer.impact}`,
    });
    const { lambda } = new ConsumerFunction(this, {
      ...props,
      receives: [...readStatements(platform), sendStatement(failures.queue)],
    });

    new EventSourceMapping(this, 'Records', {
      target: lambda,
      eventSourceArn: streamArn(platform),
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: source.batchSize,
      filters: source.filters.map((filter) => ({ pattern: JSON.stringify(filter) })),
      onFailure: { bind: () => ({ destination: failures.queue.queueArn }) },
      ...failureHandling,
    });
    new FailureAlarm(this, 'AgeAlarm', {
      platform,
      metric: lambda.metric('IteratorAge', { statistic: 'Maximum', period: Duration.minutes(1) }),
      threshold: toleratedAge.toMilliseconds(),
      impact: `Records wait too long in the stream. ${consumer.impact}`,
    });
    acknowledgeListing(this, platform);
  }
}

const failureHandling = {
  bisectBatchOnError: true,
  reportBatchItemFailures: true,
  retryAttempts,
  parallelizationFactor,
} satisfies EventSourceMappingOptions;

function streamArn({ table }: Platform): string {
  if (!table.tableStreamArn) throw new Error('the table has no stream');
  return table.tableStreamArn;
}

function readStatements(platform: Platform): PolicyStatement[] {
  const { table, tableKey } = platform;
  const read = ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'];
  const viaDynamoDb = { 'kms:ViaService': `dynamodb.${Stack.of(table).region}.amazonaws.com` };

  return [
    new PolicyStatement({ actions: read, resources: [streamArn(platform)] }),
    new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: [`${table.tableArn}/stream/*`] }),
    new PolicyStatement({
      actions: ['kms:Decrypt'],
      resources: [tableKey.keyArn],
      conditions: { StringEquals: viaDynamoDb },
    }),
  ];
}

function acknowledgeListing(scope: Construct, { table }: Platform): void {
  const owner = Stack.of(table);
  const { 'Fn::ImportValue': exported } = owner.resolve(owner.exportValue(table.tableArn));

  Validations.of(scope).acknowledge({
    id: `AwsSolutions-IAM5[Resource::${exported}/stream/*]`,
    reason: 'Streams are listed by table. A table has one stream, and DynamoDB chooses its name.',
  });
}
