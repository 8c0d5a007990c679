import type { RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import { AwardClaims } from '../../store/award/claims.ts';
import { Partnerships } from '../../store/campaign/partnerships.ts';
import { Reversals } from '../../store/ledger/reversals.ts';
import { Transactions } from '../../store/ledger/transactions.ts';
import { Members } from '../../store/member/members.ts';
import type { Deps } from '../operation.ts';

export const reverseTransactionStores = {
  partnerships: Partnerships,
  claims: AwardClaims,
  members: Members,
  reversals: Reversals,
  transactions: Transactions,
};
type TermsDeps = Pick<Deps<typeof reverseTransactionStores>, 'partnerships' | 'members' | 'transactions'>;

/** Loads everything that the reversed amount of a transaction depends on, in one round trip. */
export async function loadTerms(original: RewardTransaction, { partnerships, members, transactions }: TermsDeps) {
  const { id, snapshotId, partnershipUuid, userId, partnerId } = original;
  const [decision, partnership, membership] = await Promise.all([
    transactions.findSnapshot(snapshotId),
    partnerships.find(partnershipUuid),
    members.findMembership(userId, partnerId),
  ]);
  if (!decision) throw new Error(`there is no snapshot of transaction ${id}`);
  if (!partnership) throw new Error(`there is no partnership ${partnershipUuid}`);
  if (!membership) throw new Error(`user ${userId} has no account with partner ${partnerId}`);
  const { reversalPolicy: policy } = partnership;
  const { availablePoints, heldPoints } = membership;
  return { decision, policy, availablePoints, heldPoints };
}
