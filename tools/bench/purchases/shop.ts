import { setTimeout as sleep } from 'node:timers/promises';
import { type Member, SpendTotal } from '../../../shared/domain/member/member.ts';
import { issueUserTokens } from '../../../shared/operations/member/issue-user-tokens.ts';
import { createMember } from '../../../shared/operations/member/manage-members.ts';
import { type Platform as ComposedPlatform, composePlatform } from '../../../shared/runtime/platform.ts';
import { readConfig } from '../../../shared/runtime/runtime.ts';
import { spendKey } from '../../../shared/store/member/members.ts';
import type { Key } from '../../../shared/store/table/table-client.ts';
import { makeDemoWorld } from '../../admin/demo/world.ts';
import { callAws, sqsService } from '../../local/aws-json.ts';
import type { DynamoDb } from '../../local/dynamodb/dynamodb.ts';
import { startPlatform } from '../../local/platform.ts';
import type { AwsAddresses, Platform } from '../../local/platform-options.ts';
import { operatorEnvironment } from '../../local/start/scripts.ts';
import { type Done, now, purchaseCents, type Sender } from './jobs.ts';

/** The platform as `npm start` runs it, with members who buy. */
export interface Shop {
  readonly platform: Platform;
  readonly world: ShoppingWorld;
  stop(): Promise<void>;
}

interface ShopOptions {
  /** The folder of the cloud assembly. */
  readonly assembly: string;
  readonly stateDirectory: string;
  readonly dynamodb: DynamoDb;
  readonly members: number;
}

/** Starts the platform with no faults and no proxy, and makes its members. */
export async function openShop({ members, ...options }: ShopOptions): Promise<Shop> {
  const platform = await startPlatform(options);
  const world = await makeShoppingWorld(platform.aws, members);
  return { platform, world, stop: () => platform.stop() };
}

/** The times of a number of purchases. */
export interface Round extends Done {
  /** The time at which all work was done: each purchase is completed and counted, and its events are sent. */
  readonly finishedAt: number;
}

interface Shopping {
  /** Whether one member makes all purchases. Otherwise all members buy in turn. */
  readonly isHot: boolean;
  readonly purchases: number;
  readonly concurrency: number;
}

let rounds = 0;

/** Makes purchases and waits until everything that they cause is done. */
export async function purchase({ platform, world }: Shop, sender: Sender, shopping: Shopping): Promise<Round> {
  const { isHot, purchases, concurrency } = shopping;
  const [counted, spentCents] = await Promise.all([world.counted(), world.spentCents()]);
  rounds += 1;
  const done = await sender.run({
    kind: 'shop',
    host: platform.hosts.reward ?? '',
    campaignId: world.campaignId,
    tokens: isHot ? world.tokens.slice(0, 1) : world.tokens,
    name: `bench-${rounds}`,
    purchases,
    concurrency,
  });
  await waitUntil(
    async () =>
      (await world.counted()) >= counted + purchases &&
      (await isQuiet(platform)) &&
      (await world.spentCents()) >= spentCents + purchases * purchaseCents,
  );
  return { ...done, finishedAt: now() };
}

/**
 * Whether no queue has a message that waits, is delayed or is being processed. A message in a dead-letter queue fails
 * the bench.
 */
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

const finishWithinMs = 60_000;
const pollMs = 20;

async function waitUntil(isFinished: () => Promise<boolean>): Promise<void> {
  const deadline = now() + finishWithinMs;
  while (!(await isFinished())) {
    if (now() > deadline) throw new Error(`the purchases were not finished within ${finishWithinMs / 1000} seconds`);
    await sleep(pollMs);
  }
}

/** The members who buy, and the figures of their purchases. */
interface ShoppingWorld {
  readonly campaignId: number;
  /** Access tokens of the members. */
  readonly tokens: readonly string[];
  /** The transactions that are completed and counted. */
  readonly counted: () => Promise<number>;
  /** The counted spend of all members. */
  readonly spentCents: () => Promise<number>;
}

/** Makes the demonstration's world and more members, each linked to the partner. */
async function makeShoppingWorld(aws: AwsAddresses, members: number): Promise<ShoppingWorld> {
  Object.assign(process.env, operatorEnvironment(aws));
  const platform = composePlatform(readConfig(process.env));
  const { merchant, partner, partnership, campaigns } = await makeDemoWorld(platform);
  const sides = { merchantId: merchant.id, partnerId: partner.id };
  const tokens: string[] = [];
  const totals: Key[] = [];
  for (let nth = 0; nth < members; nth += 1) {
    const member = await makeMember(platform, sides, nth);
    tokens.push((await issueUserTokens({ member, merchantId: merchant.id }, platform)).accessToken);
    totals.push(spendKey({ ...sides, userId: member.user.id }));
  }

  const counted = async (): Promise<number> =>
    (await platform.campaigns.partnership(partnership.uuid))?.totals.transactions ?? 0;
  const spentCents = async (): Promise<number> =>
    (await platform.table.getAll(totals)).reduce((sum, item) => sum + SpendTotal.parse(item).spentCents, 0);
  return { campaignId: campaigns.earn, tokens, counted, spentCents };
}

function makeMember(
  platform: ComposedPlatform,
  { merchantId, partnerId }: Pick<SpendTotal, 'merchantId' | 'partnerId'>,
  nth: number,
): Promise<Member> {
  return createMember(
    {
      firstName: 'Ada',
      lastName: 'Byron',
      email: `ada-${nth}@example.com`,
      merchant: { id: merchantId, externalId: `bench-${nth}` },
      program: { partnerId, externalId: `BENCH-${nth}`, statusTierId: 2, points: 25_000 },
    },
    platform,
  );
}
