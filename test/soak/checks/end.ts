import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { type Partition, partitions } from '../../../shared/contracts/table.ts';
import type { AwardClaim } from '../../../shared/domain/award/claim.ts';
import type { Decision as Snapshot } from '../../../shared/domain/campaign/evaluation/decision.ts';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import type { Membership } from '../../../shared/domain/member/member.ts';
import { Order } from '../../../shared/domain/order/order.ts';
import { Refund } from '../../../shared/domain/order/refund.ts';
import { Payment } from '../../../shared/domain/payment/payment.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import type { Item } from '../../../shared/store/table/table-client.ts';
import { type Reading, readAll, scan } from '../../../tools/admin/reconcile/read-books.ts';
import type { ProgramBooks } from '../../support/program-server.ts';
import type { ModelCampaign, Scene } from '../scene.ts';
import type { Story } from '../story.ts';

/** The platform at the end of a history, and what its clients know. */
export interface EndParts {
  readonly scene: Scene;
  readonly story: Story;
  readonly platform: Platform;
  readonly table: { readonly name: string; readonly documents: DynamoDBDocumentClient };
  /** The books of the partner's own program. */
  readonly programBooks: ProgramBooks;
  /** The ids of the transactions that were in ERROR at any time. */
  readonly everSuspended: ReadonlySet<string>;
}

/** What the checks read of the table at the end of a history. */
export interface End extends EndParts {
  readonly reading: Reading;
  readonly transactions: readonly RewardTransaction[];
  /** The decisions of transactions, by `snapshotId`. */
  readonly snapshots: ReadonlyMap<number, Snapshot>;
  readonly claims: readonly AwardClaim[];
  readonly memberships: readonly Membership[];
  readonly orders: readonly Order[];
  readonly refunds: readonly Refund[];
  readonly payments: readonly Payment[];
  readonly triggerEvents: readonly TriggerEventItem[];
  readonly spend: readonly SpendItem[];
}

/** A check. Its name is the sentence that must hold. */
export interface Check {
  readonly name: string;
  readonly find: (end: End) => Promise<string[]> | string[];
}

export const TriggerEventItem = z.object({
  uuid: z.string(),
  state: z.string(),
  receivedAt: z.string(),
  contextJson: z.string(),
});

export type TriggerEventItem = z.infer<typeof TriggerEventItem>;

const SpendItem = z.object({
  userId: z.int(),
  merchantId: z.int(),
  partnerId: z.int(),
  spentCents: z.int(),
});

type SpendItem = z.infer<typeof SpendItem>;

export async function readEnd(parts: EndParts): Promise<End> {
  const { platform, table } = parts;
  const reading = await readAll(platform, table);
  const items: Item[] = [];
  const wanted: readonly Partition[] = ['claim', 'order', 'payment', 'triggerEvent', 'user'];
  for await (const item of scan(table, wanted)) items.push(item);
  const parsed = <Schema extends z.ZodMiniType>(partition: Partition, sort: string, schema: Schema) =>
    items
      .filter(({ pk, sk }) => pk.startsWith(partitions[partition]) && sk.startsWith(sort))
      // Leaves out items that are only another id of a payment.
      .filter((item) => !('refersTo' in item))
      .map((item): z.infer<Schema> => schema.parse(item));
  return {
    ...parts,
    reading,
    transactions: reading.books.transactions,
    snapshots: await platform.transactions.findSnapshots(reading.books.transactions.map((one) => one.snapshotId)),
    claims: reading.books.claims,
    memberships: reading.books.memberships,
    orders: parsed('order', 'ORDER#', Order),
    refunds: [...parsed('order', 'REFUND#', Refund), ...parsed('claim', 'REFUND#', Refund)],
    payments: parsed('payment', 'PAYMENT', Payment),
    triggerEvents: parsed('triggerEvent', 'TRIGGER_EVENT', TriggerEventItem),
    spend: parsed('user', 'SPEND#', SpendItem),
  };
}

export const sum = <Value>(values: readonly Value[], amount: (value: Value) => number): number =>
  values.reduce((total, value) => total + amount(value), 0);

export const isAward = ({ reverses }: RewardTransaction) => reverses === undefined;

export const isDone = ({ state }: RewardTransaction) => state === 'COMPLETED' || state === 'REVERSED';

/** Whether an award is pending, or any part of it is left after reversals and restorations. */
export const isStanding = (end: End, award: RewardTransaction) => {
  const { points, cashbackCents } = leftOf(end, award);
  return (
    ['INITIATED', 'PENDING', 'ERROR', 'COMPLETED'].includes(award.state) ||
    (isDone(award) && points + cashbackCents > 0)
  );
};

export const nameOf = ({ id, type, state, points, cashbackCents }: RewardTransaction) =>
  `transaction ${id} (${type} ${points} points ${cashbackCents} cents, ${state})`;

export const campaignOf = ({ scene }: End, { campaignId }: { readonly campaignId: number }): ModelCampaign => {
  const found = scene.campaigns.find(({ id }) => id === campaignId);
  if (!found) throw new Error(`there is no campaign ${campaignId}`);
  return found;
};

const reversalsOf = (
  { transactions }: End,
  { id }: RewardTransaction,
  states = ['PENDING', 'ERROR', 'COMPLETED', 'REVERSED'],
) => transactions.filter(({ reverses, state }) => reverses?.id === id && states.includes(state));

/** The sign of a transaction's points: awards and restorations add, reversals subtract. */
export const signOf = ({ reverses, isRestoration }: RewardTransaction) => (reverses && !isRestoration ? -1 : 1);

/** What is left of an award: its points and cents, less those of its reversals, plus those of its restorations. */
export const leftOf = (end: End, award: RewardTransaction) => ({
  points: award.points + sum(reversalsOf(end, award), (one) => signOf(one) * one.points),
  cashbackCents: award.cashbackCents + sum(reversalsOf(end, award), (one) => signOf(one) * one.cashbackCents),
});

/** What one campaign decided about one event: the transactions with further awards, and the claim that names them. */
export interface Decision {
  readonly campaign: ModelCampaign;
  readonly awards: readonly RewardTransaction[];
  readonly claim: AwardClaim | undefined;
  readonly order: Order | undefined;
  readonly at: string;
}

export function decisionsOf(end: End): Decision[] {
  const awards = end.transactions.filter(isAward);
  return [...Map.groupBy(awards, ({ snapshotId }) => snapshotId).values()].flatMap((own) => {
    const first = own.find(({ growthOf }) => growthOf === undefined);
    if (!first) return [];
    const claim = end.claims.find(({ rewards }) => rewards.some(({ id }) => id === first.id));
    const order = end.orders.find(({ uuid }) => uuid === claim?.orderUuid);
    const event = end.triggerEvents.find(({ uuid }) => uuid === first.triggerEvent?.uuid);
    const at = order?.createdAt ?? paidAt(end, claim, first) ?? event?.receivedAt ?? first.createdAt;
    return [{ campaign: campaignOf(end, first), awards: own, claim, order, at }];
  });
}

/**
 * When the payment counts for which a purchase was first awarded. Any payment of the purchase that had arrived before may
 * be the one: the report of its capture may have come later. ISO 8601.
 */
function paidAt(
  { payments, snapshots }: End,
  claim: AwardClaim | undefined,
  { snapshotId }: RewardTransaction,
): string | undefined {
  const first = payments.find(({ uuid }) => uuid === claim?.orderUuid);
  const orders = new Set(first?.book.orderExternalIds);
  const times = payments
    .filter((one) => one === first || one.book.orderExternalIds.some((id) => orders.has(id)))
    .filter((one) => one === first || one.createdAt <= (claim?.issuedAt ?? ''))
    .flatMap(({ countsAt }) => countsAt ?? [])
    .toSorted();
  return times.find((time) => time === snapshots.get(snapshotId)?.facts.occurredAt) ?? times[0];
}

/** The reward that the model computes for the amount of `award` under the action that made `award`. */
export function modelReward({ campaign }: Decision, award: RewardTransaction) {
  const rewards = campaign.rewards(award.amountCents);
  if (campaign.kind === 'transfer') return rewards[award.type === 'REDEEM' ? 0 : 1];
  return rewards[award.actionId - 2];
}

/** A purchase, identified by its external ids. If it earned nothing, `reason` says why. */
interface EarningPurchase {
  readonly merchantId: number;
  readonly externalIds: readonly string[];
  readonly userId: number | undefined;
  readonly reason: string | undefined;
}

/**
 * The campaigns that may award a purchase: those of the program in which it earned. There are none when the member had
 * to choose a program and chose none.
 */
export function ofOneProgram({ scene, claims, memberships }: End, purchase: EarningPurchase): readonly ModelCampaign[] {
  const { merchantId, externalIds, userId, reason } = purchase;
  const programs = memberships.filter((one) => one.userId === userId);
  // The order or payment earns nothing, even if a later token of the same purchase named a program and earned.
  if (reason === 'no_default_program' && programs.length > 1) return [];
  const own = scene.campaigns.filter((campaign) => campaign.merchantId === merchantId);
  const spent = claims.filter(
    (claim) =>
      claim.merchantId === merchantId &&
      claim.state === 'SPENT' &&
      externalIds.includes(claim.externalTransactionId) &&
      own.some(({ id, kind }) => id === claim.campaignId && kind === 'earn'),
  );
  // A payment may have earned in another program before it named its order.
  const [earned = spent[0]] = spent.filter(({ orderUuid }) => orderUuid === undefined);
  return earned ? own.filter(({ partnerId }) => partnerId === earned.partnerId) : own;
}
