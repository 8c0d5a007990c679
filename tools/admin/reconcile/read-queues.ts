import { GetQueueAttributesCommand, ListQueuesCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** A dead-letter queue, and how many messages it has. */
export interface DeadLetters {
  readonly queue: string;
  /** Approximate, as SQS counts. */
  readonly messages: number;
}

/** The queues of one stage: their names begin with a prefix. */
export interface StageQueues {
  readonly client: SQSClient;
  readonly namePrefix: string;
}

/** Finds the dead-letter queues of a stage that have messages. Sorts them by name. */
export async function readDeadLetters(queues: StageQueues): Promise<DeadLetters[]> {
  const urls = await listQueues(queues);
  const found = await Promise.all(urls.map((url) => readQueue(url, queues)));
  return found
    .filter(({ isDeadLetterQueue, messages }) => isDeadLetterQueue && messages > 0)
    .map(({ queue, messages }) => ({ queue, messages }))
    .sort((one, other) => one.queue.localeCompare(other.queue));
}

async function listQueues({ client, namePrefix }: StageQueues): Promise<string[]> {
  const urls: string[] = [];
  let token: string | undefined;
  do {
    const page = await client.send(
      new ListQueuesCommand({ QueueNamePrefix: namePrefix, MaxResults: 1_000, ...(token && { NextToken: token }) }),
    );
    urls.push(...(page.QueueUrls ?? []));
    token = page.NextToken;
  } while (token);
  return urls;
}

/**
 * Reads a queue. A queue without a redrive policy is a dead-letter queue: every other queue of the platform has one.
 */
async function readQueue(url: string, { client }: StageQueues) {
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({
      QueueUrl: url,
      AttributeNames: ['RedrivePolicy', 'ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    }),
  );
  const { RedrivePolicy, ApproximateNumberOfMessages = '0', ApproximateNumberOfMessagesNotVisible = '0' } = Attributes;
  return {
    queue: url.slice(url.lastIndexOf('/') + 1),
    isDeadLetterQueue: RedrivePolicy === undefined,
    messages: Number(ApproximateNumberOfMessages) + Number(ApproximateNumberOfMessagesNotVisible),
  };
}
