import type { ActionOutcome } from './decision.ts';

/** The arithmetic of rates: exact until the one rounding at the end, whatever is multiplied. */

const basisPoints = 10_000n;

/** More than any reward may be; what comes to more than numbers hold exactly counts as this. */
const most = BigInt(Number.MAX_SAFE_INTEGER);

/** What an amount is counted by: cents that are spent, one event, or points that are moved. */
export interface Base {
  readonly kind: 'CENTS' | 'EVENT' | 'POINTS';
  readonly amount: number;
}

/**
 * What an action comes to: awards and transfers are rounded down, what is paid is rounded up.
 *
 * @param rate in the unit of its kind, see `baseRateOf`
 * @param factors ten-thousandths, of every multiplier that matched
 * @returns points, or cents of cashback
 */
export function amountOf(
  { kind, baseRate }: Pick<ActionOutcome, 'kind' | 'baseRate'>,
  base: Base,
  factors: readonly number[],
): number {
  const factor = factors.reduce((product, next) => product * BigInt(next), 1n);
  const unit = basisPoints ** BigInt(factors.length);
  const amount = BigInt(base.amount);

  if (kind === 'REDEEM_POINTS') {
    // A cent is 10,000 millionths of a dollar. The factor makes each point worth more.
    const worth = BigInt(baseRate) * factor;
    return countable((amount * 10_000n * unit + worth - 1n) / worth);
  }
  const perDollar = base.kind === 'CENTS' ? 100n : 1n;
  return countable((amount * BigInt(baseRate) * factor) / (perDollar * basisPoints * unit));
}

const countable = (amount: bigint): number => Number(amount < most ? amount : most);
