import { setTimeout as sleep } from 'node:timers/promises';
import { callAws, sqsService } from '../../local/aws-json.ts';
import type { DynamoDb } from '../../local/dynamodb/dynamodb.ts';
import { startPlatform } from '../../local/platform.ts';
import type { Platform } from '../../local/platform-options.ts';
import { type Done, now, purchaseCents } from './jobs.ts';
import type { Side } from './side.ts';
import { makeShoppingWorld, type ShoppingWorld } from './world.ts';

/** The platform as `npm start` runs it, with members who buy. */
export interface Stage {
  readonly platform: Platform;
  readonly world: ShoppingWorld;
  stop(): Promise<void>;
}

export interface StageOptions {
  /** The cloud assembly. */
  readonly assembly: string;
  readonly stateDirectory: string;
  readonly dynamodb: DynamoDb;
  readonly members: number;
}

/** Starts the platform as it is started for everybody: no recording, no faults, no proxy. */
export async function openStage({ members, ...options }: StageOptions): Promise<Stage> {
  const platform = await startPlatform(options);
  const world = await makeShoppingWorld(platform.aws, members);
  return { platform, world, stop: () => platform.stop() };
}

/** How a number of purchases went. */
export interface Round extends Done {
  /** When nothing was left to do: each completed, counted and told to whoever listens. */
  readonly settledAt: number;
}

export interface Shopping {
  /** Whether one member makes all of them; otherwise all members buy in turn. */
  readonly isHot: boolean;
  readonly purchases: number;
  readonly concurrency: number;
}

let rounds = 0;

/** Has purchases made, and waits for everything that they set in motion. */
export async function purchase({ platform, world }: Stage, side: Side, shopping: Shopping): Promise<Round> {
  const { isHot, purchases, concurrency } = shopping;
  const [counted, spentCents] = await Promise.all([world.counted(), world.spentCents()]);
  rounds += 1;
  const done = await side.run({
    kind: 'shop',
    host: platform.hosts.reward ?? '',
    campaignId: world.campaignId,
    tokens: isHot ? world.tokens.slice(0, 1) : world.tokens,
    name: `bench-${rounds}`,
    purchases,
    concurrency,
  });
  await settled(
    async () =>
      (await world.counted()) >= counted + purchases &&
      (await isQuiet(platform)) &&
      (await world.spentCents()) >= spentCents + purchases * purchaseCents,
  );
  return { ...done, settledAt: now() };
}

/** Whether no queue holds a message, waiting, delayed or being handled; one in a failure queue stays and is found. */
async function isQuiet({ aws }: Platform): Promise<boolean> {
  const service = sqsService(aws.sqs);
  const { QueueUrls = [] } = await callAws<{ QueueUrls?: string[] }>(service, 'ListQueues', {});
  const counts = await Promise.all(
    QueueUrls.map((QueueUrl) =>
      callAws<{ Attributes: Record<string, string> }>(service, 'GetQueueAttributes', {
        QueueUrl,
        AttributeNames: ['All'],
      }),
    ),
  );
  return counts.every(({ Attributes }) => messageCounts.every((name) => Attributes[name] === '0'));
}

const messageCounts = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesDelayed',
  'ApproximateNumberOfMessagesNotVisible',
];

const settleLimitMs = 60_000;
const pollMs = 20;

async function settled(isSettled: () => Promise<boolean>): Promise<void> {
  const deadline = now() + settleLimitMs;
  while (!(await isSettled())) {
    if (now() > deadline) throw new Error('the purchases were not completed');
    await sleep(pollMs);
  }
}
