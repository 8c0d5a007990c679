import { GetQueueAttributesCommand, ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect } from 'vitest';
import type { Flow } from './flow.ts';
import { settleLimitMs } from './purchase.ts';

const counts = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const;

/** Counts waiting and in-flight messages of the queues that have a dead-letter queue. */
async function unfinished(sqs: SQSClient): Promise<number> {
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
  const wanted = [...counts, 'RedrivePolicy' as const];
  const queues = await Promise.all(
    QueueUrls.map((QueueUrl) => sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: wanted }))),
  );
  const work = queues.flatMap(({ Attributes = {} }) => (Attributes.RedrivePolicy ? [Attributes] : []));
  return work.flatMap((attributes) => counts.map((name) => Number(attributes[name]))).reduce((a, b) => a + b, 0);
}

/** Waits until every queue is empty. */
export async function quiet(flow: Flow): Promise<void> {
  if (!flow.aws) return;
  const sqs = new SQSClient({ endpoint: flow.aws.sqs });
  await expect.poll(() => unfinished(sqs), { timeout: settleLimitMs, interval: 100 }).toBe(0);
  sqs.destroy();
}
