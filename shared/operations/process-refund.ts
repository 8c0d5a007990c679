import type { InternalEvent } from '../contracts/events.ts';
import { isLive, rewardIdsOf } from '../domain/award/claim.ts';
import type { RewardTransaction } from '../domain/ledger/reward-transaction.ts';
import type { Order } from '../domain/order/order.ts';
import { type Refund, refundOfTransaction, withRefundApplied } from '../domain/order/order.ts';
import { applyRefund, decideOnRefund, type RefundOfTransaction, withWaiting } from '../domain/reversal/reversal.ts';
import { AwardClaims } from '../store/award/claims.ts';
import { Campaigns } from '../store/campaign/campaigns.ts';
import { Reversals } from '../store/ledger/reversals.ts';
import { TransactionConflictError, Transactions } from '../store/ledger/transactions.ts';
import { Members } from '../store/member/members.ts';
import { OrderRefunds } from '../store/order/orders.ts';
import { ConditionFailedError } from '../store/table/table-client.ts';
import type { Deps, Sources } from './operation.ts';
import { decideAndWrite } from './operation.ts';

const reverseTransactionStores = {
  campaigns: Campaigns,
  members: Members,
  reversals: Reversals,
  transactions: Transactions,
};

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
  // A token may have been spent after an earlier refund was applied. That refund is applied to its transactions now.
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

export interface ReversalDeps extends Pick<Sources, 'now' | 'nextIds' | 'nextUuid'> {
  readonly campaigns: Pick<Campaigns, 'findPartnership'>;
  readonly members: Pick<Members, 'findMembership'>;
  readonly reversals: Reversals;
  readonly transactions: Pick<Transactions, 'find' | 'findSnapshot' | 'withOtherLeg'>;
}

/**
 * Reverses the part of a transaction that a refund covers, together with the other leg of a transfer.
 * Safe to repeat: a refund counts once for each transaction.
 *
 * @returns whether the reversal is written; false while the program has not answered for the transaction yet,
 * whose finalization announces the refund again
 * @throws TransactionConflictError when a transaction or the balance changed meanwhile
 */
export async function reverseTransaction(
  id: number,
  refund: RefundOfTransaction,
  deps: ReversalDeps,
): Promise<boolean> {
  const [original, applied] = await Promise.all([deps.transactions.find(id), deps.reversals.find(id, refund.uuid)]);
  if (!original) throw new Error(`there is no transaction ${id}`);
  if (applied) return true;

  const context = { now: deps.now(), nextUuid: deps.nextUuid };
  // Both legs of a transfer are in the same state, and the same write changes them.
  const together = await deps.transactions.withOtherLeg(original);
  switch (decideOnRefund(original.state)) {
    case 'wait':
      await deps.reversals.wait(
        together.map((one) => ({ original: one, refunds: withWaiting(one, refund) })),
        context,
      );
      return false;
    case 'nothing':
      await deps.reversals.dismiss(together, refund, context);
      return true;
    case 'reverse': {
      const reversible = await Promise.all(together.map((one) => loadReversible(one, refund, deps)));
      await deps.reversals.begin(applyRefund(reversible, context.now, deps.nextIds), refund, context);
      return true;
    }
  }
}

/** Loads everything that the reversed amount depends on, in one round trip. */
async function loadReversible(original: RewardTransaction, refund: RefundOfTransaction, deps: ReversalDeps) {
  const { id, snapshotId, partnershipUuid, userId, partnerId } = original;
  const [decision, partnership, membership] = await Promise.all([
    deps.transactions.findSnapshot(snapshotId),
    deps.campaigns.findPartnership(partnershipUuid),
    deps.members.findMembership(userId, partnerId),
  ]);
  if (!decision) throw new Error(`there is no snapshot of transaction ${id}`);
  if (!partnership) throw new Error(`there is no partnership ${partnershipUuid}`);
  if (!membership) throw new Error(`user ${userId} has no account with partner ${partnerId}`);
  const { reversalPolicy: policy } = partnership;
  return { original, refund, decision, policy, availablePoints: membership.availablePoints };
}
