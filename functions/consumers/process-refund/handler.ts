import { InternalEvent } from '../../../shared/contracts/events.ts';
import { maximumAttempts } from '../../../shared/contracts/limits.ts';
import { type Refund, refundOfTransaction, withRefundApplied } from '../../../shared/domain/order/refund.ts';
import type { RefundOfTransaction } from '../../../shared/domain/reversal/reversal.ts';
import { busMessage, consume } from '../../../shared/runtime/consume.ts';
import { once } from '../../../shared/runtime/once.ts';
import { runtime, withStores } from '../../../shared/runtime/runtime.ts';
import { AwardClaims } from '../../../shared/store/award/claims.ts';
import { Campaigns } from '../../../shared/store/campaign/campaigns.ts';
import { Reversals } from '../../../shared/store/ledger/reversals.ts';
import { Transactions } from '../../../shared/store/ledger/transactions.ts';
import { Members } from '../../../shared/store/member/members.ts';
import { OrderRefunds } from '../../../shared/store/order/refunds.ts';
import { ConditionFailedError } from '../../../shared/store/table/items.ts';
import { reverse } from './reverse.ts';
import { transactionsOfOrder } from './transactions-of-order.ts';

const refunding = once(() =>
  withStores(runtime(), {
    campaigns: Campaigns,
    members: Members,
    claims: AwardClaims,
    refunds: OrderRefunds,
    reversals: Reversals,
    transactions: Transactions,
  }),
);
type Refunding = ReturnType<typeof refunding>;

/** Takes back what an external order was rewarded with, and gives back what it was paid with, as far as it was refunded. */
export const handler = consume({
  message: busMessage(InternalEvent),
  deps: refunding,
  handle: ({ detail }, deps) => processRefund(detail, deps),
});

/**
 * Applies every refund of an order that is not applied yet, in the order in which they came. Safe to repeat,
 * from wherever an earlier run ended. An order that is pending, and a transaction that the program has yet to
 * answer for, announce their refunds again when they are settled.
 *
 * @throws when the order is not known, a token for it may still be spent, or others kept changing what it touches;
 * the message comes again
 */
export async function processRefund(event: InternalEvent, deps: Refunding): Promise<void> {
  for (let round = 0; round < maximumAttempts.refundDecision; round += 1) {
    try {
      return await applyRefunds(event.entityId, deps);
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
    }
  }
  throw new Error(`the rewards of order ${event.entityId} kept changing`);
}

async function applyRefunds(orderUuid: string, deps: Refunding): Promise<void> {
  const found = await deps.refunds.findWithOrder(orderUuid);
  if (!found) throw new Error(`there is no order ${orderUuid}`);
  if (found.order.state === 'PENDING') return;

  let { order } = found;
  const isOpen = ({ state }: Refund) => state === 'PENDING';
  if (!found.refunds.some(isOpen)) return;
  const all = await transactionsOfOrder(order, deps);
  // A token may have been spent since the earlier refunds were applied: they count for what it made as well.
  const byTokens = all.filter((id) => !found.order.transactionIds.includes(id));
  for (const refund of found.refunds) {
    const isDone = await reverseAll(isOpen(refund) ? all : byTokens, refundOfTransaction(refund, order), deps);
    if (isDone && isOpen(refund)) {
      order = await deps.refunds.apply(withRefundApplied(order, refund, deps.now()), refund);
    }
  }
}

/** Whether all of the transactions are reversed as far as the refund goes. */
async function reverseAll(ids: readonly number[], refund: RefundOfTransaction, deps: Refunding): Promise<boolean> {
  let isDone = true;
  for (const id of ids) {
    if (!(await reverse(id, refund, deps))) isDone = false;
  }
  return isDone;
}
