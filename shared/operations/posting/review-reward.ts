import { isReviewable, type Review, type RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import { breachesOf, isCounted, neededRoom } from '../../domain/ledger/velocity.ts';
import { isAccountBlocked } from '../../domain/member/member.ts';
import type { VelocityRule } from '../../domain/organisation.ts';
import { Postings } from '../../store/ledger/postings.ts';
import { Transactions } from '../../store/ledger/transactions.ts';
import { CountConflictError, VelocityCounters } from '../../store/ledger/velocity-counters.ts';
import { Members } from '../../store/member/members.ts';
import { ContentionError } from '../../store/table/table-client.ts';
import { decideAndWrite, type OperationDeps, type Stores } from '../operation.ts';

export const holdRewardStores = { members: Members, postings: Postings };
type HoldDeps = Pick<OperationDeps, 'log' | 'now' | 'nextUuid' | 'table'> & Stores<typeof holdRewardStores>;

export const admitRewardStores = {
  ...holdRewardStores,
  transactions: Transactions,
  velocityCounters: VelocityCounters,
};
type AdmitDeps = HoldDeps & Stores<typeof admitRewardStores>;

/**
 * Decides whether a pending reward may go to its program. Counts it once for every velocity rule of the program, or
 * holds it for review when it exceeds a rule. A reward that an operator released is not counted. Without a rule that
 * counts, nothing is read or written unless the reward is held.
 *
 * @returns the transaction to post; undefined when the reward is held, or no longer pending
 * @throws ContentionError when other rewards of the account keep using the counters; a retry may work
 */
export async function admitReward(
  transaction: RewardTransaction,
  rules: readonly VelocityRule[],
  deps: AdmitDeps,
): Promise<RewardTransaction | undefined> {
  if (!isReviewable(transaction)) return transaction;
  const needed = neededRoom(rules, transaction);
  const alone = breachesOf(needed, () => 0);
  const counted = needed.filter(isCounted);
  if (alone.length === 0 && counted.length === 0) return transaction;
  return decideAndWrite<RewardTransaction | undefined, RewardTransaction | undefined>(
    {
      subject: `the velocity rules for transaction ${transaction.id}`,
      load: async (conflict) => (conflict ? deps.transactions.find(transaction.id) : transaction),
      write: async (present) => {
        if (present?.state !== 'PENDING') return undefined;
        if (present.counted || present.review) return present;
        const full = alone.length > 0 ? [] : await deps.velocityCounters.count(present, counted, deps.now());
        const usedOf = (one: { readonly rule: string }) => full.find(({ rule }) => rule === one.rule)?.used ?? 0;
        const breaches = full.length > 0 ? breachesOf(needed, usedOf) : alone;
        if (breaches.length === 0) return present;
        await hold(present, breaches, deps);
        return undefined;
      },
      conflicts: [CountConflictError, ContentionError],
    },
    deps,
  );
}

/**
 * Holds rewards whose account is blocked, except rewards that their program may already have received.
 *
 * @returns whether one of the accounts was blocked
 */
export async function holdBlocked(transactions: readonly RewardTransaction[], deps: HoldDeps): Promise<boolean> {
  const blocked = await Promise.all(
    transactions.map(async (transaction) => {
      if (!isReviewable(transaction) || transaction.posting?.attempts) return [];
      const account = await deps.members.findMembership(transaction.userId, transaction.partnerId);
      return account && isAccountBlocked(account) ? [transaction] : [];
    }),
  );
  for (const transaction of blocked.flat()) await hold(transaction, [], deps);
  return blocked.flat().length > 0;
}

/** Holds a reward. Safe to repeat: a reward that is already held, or has a final state, stays as it is. */
async function hold(
  transaction: RewardTransaction,
  breaches: Review['breaches'],
  { postings, log, now, nextUuid }: HoldDeps,
): Promise<void> {
  const at = now();
  const isHeld = await postings.hold(transaction, { heldAt: at.toISOString(), breaches }, { now: at, nextUuid });
  const { id: transactionId, partnerId, userId } = transaction;
  if (isHeld) log.info('reward.held', { transactionId, partnerId, userId, rules: breaches.map(({ rule }) => rule) });
}
