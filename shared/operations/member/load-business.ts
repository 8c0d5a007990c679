import * as z from 'zod/mini';
import { type Partition, partitions } from '../../contracts/table.ts';
import { AwardClaim } from '../../domain/award/claim.ts';
import { ManualAdjustment } from '../../domain/ledger/manual-adjustment.ts';
import { RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import type { Membership } from '../../domain/member/member.ts';
import { Refund, refundedUuidOf } from '../../domain/order/refund.ts';
import { Payment } from '../../domain/payment/payment.ts';
import type { MemberBusiness } from '../../domain/reconciliation/open-business.ts';
import { pendingOrder, pendingRefunds, pendingTriggerEvent } from '../../domain/reconciliation/pending.ts';
import { TriggerEvent } from '../../domain/trigger/trigger-event.ts';
import { isAdjustmentRecord } from '../../store/ledger/manual-adjustments.ts';
import { type Payouts, parsePayout } from '../../store/ledger/payouts.ts';
import { parseOrder } from '../../store/order/orders.ts';
import { refundPrefix } from '../../store/order/refunds.ts';
import type { Organisations } from '../../store/organisation/organisations.ts';
import { ConditionFailedError, type Item, type Write } from '../../store/table/table-client.ts';
import type { Deps } from '../operation.ts';
import type { PersonalItem } from './export-member.ts';

const StoredEvent = z.pick(TriggerEvent, { uuid: true, userId: true, state: true, receivedAt: true });

/**
 * Collects everything of a person that may be unfinished, such as pending orders. An erasure or a merge has to wait
 * until all of it is finished.
 */
export async function loadBusiness(
  found: readonly PersonalItem[],
  userId: number,
  { payouts }: Deps<{ readonly payouts: typeof Payouts }>,
): Promise<MemberBusiness> {
  const items = found.map(({ item }) => item);
  const within = (partition: Partition, isWanted: (item: Item) => boolean = () => true) =>
    items.filter((item) => item.pk.startsWith(partitions[partition]) && isWanted(item));
  const isRefund = ({ sk }: Item) => sk.startsWith(refundPrefix);
  const isOwn = (item: Item) => item.userId === userId;
  const uuids = new Set(within('payout').flatMap((item) => parsePayout(item)?.batchUuid ?? []));
  const batches = await Promise.all([...uuids].map((uuid) => payouts.find(uuid)));
  const refunds = Map.groupBy(
    [...within('order', isRefund), ...within('claim', isRefund)].map((item) => Refund.parse(item)),
    ({ refundedUuid }) => refundedUuid,
  );
  const orders = within('order', isOwn).map(parseOrder);
  const claims = within('claim', ({ sk }) => sk === 'CLAIM').map((item) => AwardClaim.parse(item));
  return {
    transactions: within('transaction', ({ sk }) => sk === 'TRANSACTION').map((item) => RewardTransaction.parse(item)),
    claims,
    payments: within('payment', isOwn).map((item) => Payment.parse(item)),
    adjustments: within('adjustment', isAdjustmentRecord).map((item) => ManualAdjustment.parse(item)),
    batches: batches.filter((batch) => batch !== undefined),
    pending: [
      ...orders.flatMap((order) => pendingOrder(order) ?? []),
      ...[...orders, ...claims].flatMap((one) => pendingRefunds(one, refunds.get(refundedUuidOf(one)) ?? [])),
      ...within('triggerEvent', isOwn).flatMap((item) => pendingTriggerEvent(StoredEvent.parse(item)) ?? []),
    ],
  };
}

/** Chooses the accounts in programs that the platform hosts. */
export async function hostedOf(
  memberships: readonly Membership[],
  { organisations }: Deps<{ readonly organisations: typeof Organisations }>,
): Promise<Membership[]> {
  const partners = await organisations.findMany(memberships.map(({ partnerId }) => partnerId));
  const hosted = new Set(partners.filter(({ program }) => program?.kind === 'hosted').map(({ id }) => id));
  return memberships.filter(({ partnerId }) => hosted.has(partnerId));
}

/** Writes changes of one item. Returns false when the item changed meanwhile: the caller reads it again. */
export async function areWritten(writes: readonly Write[], { table }: Pick<Deps, 'table'>): Promise<boolean> {
  try {
    await table.transact(writes);
    return true;
  } catch (error) {
    if (error instanceof ConditionFailedError) return false;
    throw error;
  }
}
