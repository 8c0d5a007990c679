import type { LimitUsage } from '../member/member.ts';
import type { RewardTransaction, TransactionState } from './reward-transaction.ts';
import { isKept } from './usage-retention.ts';

/** What counters of limits have to be. Pure: an operator compares it with what they are. */

/** The states in which a reward keeps what it used of limits; what is reversed of it, its reversals give back. */
const using: ReadonlySet<TransactionState> = new Set(['INITIATED', 'PENDING', 'COMPLETED', 'ERROR', 'REVERSED']);

type Rewarded = Pick<RewardTransaction, 'state' | 'userId' | 'campaignId' | 'charges' | 'reverses'>;

/** A reversal gives back once it is completed. */
function signOf({ state, reverses }: Rewarded): -1 | 0 | 1 {
  if (reverses) return state === 'COMPLETED' ? -1 : 0;
  return using.has(state) ? 1 : 0;
}

/** What members used of limits, by what stands of their rewards; nothing where it comes to zero. */
function usageOfRewards(transactions: readonly Rewarded[]): LimitUsage[] {
  const usage = new Map<string, LimitUsage>();
  for (const transaction of transactions) {
    const { userId, campaignId, charges } = transaction;
    const sign = signOf(transaction);
    if (sign === 0) continue;
    for (const { limitId, period, amount } of charges) {
      const key = { userId, campaignId, limitId, period };
      const name = usageKey(key);
      usage.set(name, { ...key, used: (usage.get(name)?.used ?? 0) + sign * amount });
    }
  }
  return [...usage.values()].filter(({ used }) => used !== 0);
}

/** A counter of a limit that is not what rewards say. */
export interface WrongUsage extends LimitUsage {
  readonly expected: number;
}

/**
 * The counters that are not what rewards say, each with both; one that is not there counts as zero. Those of
 * periods that are not sure to be kept any more are left out.
 */
export function wrongUsage(
  counters: readonly LimitUsage[],
  transactions: readonly Rewarded[],
  now: Date,
): WrongUsage[] {
  const expected = new Map(usageOfRewards(transactions).map((one) => [usageKey(one), one]));
  const found = new Set(counters.map(usageKey));
  const missing = [...expected.values()].filter((one) => !found.has(usageKey(one)));
  return [
    ...counters.map((one) => ({ ...one, expected: expected.get(usageKey(one))?.used ?? 0 })),
    ...missing.map((one) => ({ ...one, used: 0, expected: one.used })),
  ].filter(({ used, expected: wanted, period }) => used !== wanted && isKept(period, now));
}

const usageKey = ({ userId, campaignId, limitId, period }: Omit<LimitUsage, 'used'>) =>
  JSON.stringify([userId, campaignId, limitId, period]);
