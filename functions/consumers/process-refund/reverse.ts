import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import {
  applyRefundTogether,
  onRefund,
  type RefundOfTransaction,
  withWaiting,
} from '../../../shared/domain/reversal/reversal.ts';
import type { Sources } from '../../../shared/operations/deps.ts';
import type { Campaigns } from '../../../shared/store/campaign/campaigns.ts';
import type { Reversals } from '../../../shared/store/ledger/reversals.ts';
import type { Transactions } from '../../../shared/store/ledger/transactions.ts';
import type { Members } from '../../../shared/store/member/members.ts';

/** What reversing works with. */
export interface Reversing extends Pick<Sources, 'now' | 'nextIds' | 'nextUuid'> {
  readonly campaigns: Pick<Campaigns, 'findPartnership'>;
  readonly members: Pick<Members, 'findMembership'>;
  readonly reversals: Reversals;
  readonly transactions: Pick<Transactions, 'find' | 'findSnapshot' | 'withOtherLeg'>;
}

/**
 * Takes back of a transaction what a refund takes back of it, and with it the other leg when it is one of a
 * transfer. Safe to repeat: a refund counts once for each transaction.
 *
 * @returns whether it is done; false while the program has yet to answer for the transaction, whose answer
 * announces the refund again
 * @throws ConditionFailedError when a transaction or the balance changed meanwhile: to be done again
 */
export async function reverse(id: number, refund: RefundOfTransaction, deps: Reversing): Promise<boolean> {
  const [original, applied] = await Promise.all([deps.transactions.find(id), deps.reversals.find(id, refund.uuid)]);
  if (!original) throw new Error(`there is no transaction ${id}`);
  if (applied) return true;

  const context = { now: deps.now(), nextUuid: deps.nextUuid };
  // The legs of a transfer are in the same state: they change it in the same write.
  const together = await deps.transactions.withOtherLeg(original);
  switch (onRefund(original.state)) {
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
      const given = await Promise.all(together.map((one) => known(one, refund, deps)));
      await deps.reversals.begin(applyRefundTogether(given, context.now, deps.nextIds), refund, context);
      return true;
    }
  }
}

/** Gathers everything that the amount depends on, in one round trip. */
async function known(original: RewardTransaction, refund: RefundOfTransaction, deps: Reversing) {
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
