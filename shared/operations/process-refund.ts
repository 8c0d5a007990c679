import type { InternalEvent } from '../contracts/events.ts';
import { isLive, rewardIdsOf } from '../domain/award/claim.ts';
import type { Order } from '../domain/order/order.ts';
import { type Refund, refundOfTransaction, withRefundApplied } from '../domain/order/refund.ts';
import { AwardClaims } from '../store/award/claims.ts';
import { TransactionConflictError } from '../store/ledger/conflicts.ts';
import { OrderRefunds } from '../store/order/refunds.ts';
import { ConditionFailedError } from '../store/table/items.ts';
import { decideAndWrite } from './decide-and-write.ts';
import type { Deps } from './deps.ts';
import { reverseTransaction, reverseTransactionStores } from './reverse-transaction.ts';

export const processRefundStores = { ...reverseTransactionStores, claims: AwardClaims, refunds: OrderRefunds };
type RefundDeps = Deps<typeof processRefundStores>;

/**
 * Applies every pending refund of an order, in the order of their arrival. Reverses the refunded part of what
 * the order earned, and returns the points that paid for it.
 *
 * Safe to repeat from the point where an earlier run ended. A pending order, or a transaction that the
 * program has not answered yet, announces its refunds again when it is finalized.
 *
 * @throws Error when the order is not found, or a token for it may still be spent
 * @throws ContentionError when other writers keep changing the same items
 */
export function processRefund({ entityId }: InternalEvent, deps: RefundDeps): Promise<void> {
  return decideAndWrite(
    {
      subject: `the rewards of order ${entityId}`,
      load: () => deps.refunds.findWithOrder(entityId),
      write: (found) => {
        if (!found) throw new Error(`there is no order ${entityId}`);
        return applyRefunds(found, deps);
      },
      conflicts: [ConditionFailedError, TransactionConflictError],
    },
    deps,
  );
}

/** An order with all of its refunds, the oldest first. */
interface RefundedOrder {
  readonly order: Order;
  readonly refunds: readonly Refund[];
}

async function applyRefunds({ order: found, refunds }: RefundedOrder, deps: RefundDeps): Promise<void> {
  if (found.state === 'PENDING' || !refunds.some(isPending)) return;

  let order = found;
  const all = await findTransactionIds(order, deps);
  // A token may have been spent after earlier refunds were applied: those refunds cover its transactions too.
  const madeByTokens = all.filter((id) => !found.transactionIds.includes(id));
  for (const refund of refunds) {
    const ids = isPending(refund) ? all : madeByTokens;
    let isDone = true;
    for (const id of ids) {
      if (!(await reverseTransaction(id, refundOfTransaction(refund, order), deps))) isDone = false;
    }
    if (isDone && isPending(refund)) {
      order = await deps.refunds.apply(withRefundApplied(order, refund, deps.now()), refund);
    }
  }
}

const isPending = ({ state }: Refund) => state === 'PENDING';

/**
 * Finds every reward transaction that a refund of an order reverses: the awards of the order, and what tokens
 * of endpoint 1 for the same external id created, before or after the order arrived. Points that paid for the
 * order are among them. Transfers are not, because nothing is bought with them.
 *
 * @returns the ids, those that the order lists first
 * @throws Error while a token for the order may still be spent
 */
async function findTransactionIds(order: Order, { campaigns, claims, now }: RefundDeps): Promise<number[]> {
  const { merchantId, externalOrderId: externalTransactionId, transactionIds } = order;
  // Ended campaigns included: an order may be refunded a year after its campaign ended.
  const approved = await campaigns.approvedOf('byMerchant', merchantId);
  const found = await claims.findUnder(
    approved.map(({ id }) => id),
    { merchantId, externalTransactionId },
  );
  const purchases = found.filter(({ isTransfer }) => !isTransfer);
  if (purchases.some((claim) => isLive(claim, now()))) {
    throw new Error(`a token for ${externalTransactionId} may still be spent`);
  }
  const spent = purchases.filter(({ state }) => state === 'SPENT');
  return [...new Set([...transactionIds, ...spent.flatMap(rewardIdsOf)])];
}
