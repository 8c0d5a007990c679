import type { RewardTransaction } from '../domain/ledger/reward-transaction.ts';
import { applyRefund, decideOnRefund, type RefundOfTransaction, withWaiting } from '../domain/reversal/reversal.ts';
import { Campaigns } from '../store/campaign/campaigns.ts';
import { Reversals } from '../store/ledger/reversals.ts';
import { Transactions } from '../store/ledger/transactions.ts';
import { Members } from '../store/member/members.ts';
import type { Sources } from './deps.ts';

export const reverseTransactionStores = {
  campaigns: Campaigns,
  members: Members,
  reversals: Reversals,
  transactions: Transactions,
};

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
