import type { Refunds, RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { count, counted, dollars, listed } from '../cli/text.ts';

/** The cause of a reversal: reported refunds, or the refunds and disputes of a payment platform. */
export type ReversalCause = 'refund' | 'payment';

/** Explains the effect of all refunds on a transaction. Returns no line when there are none. */
export function refundLines(transaction: RewardTransaction, cause: ReversalCause = 'refund'): string[] {
  const { refunds } = transaction;
  if (!refunds) return [];
  const { pendingReversals, waiting, isVoid } = refunds;
  return [
    ...(isVoid ? ['An operator reversed everything that was left. Refunds and payments change it no more.'] : []),
    ...(refunds.refundedCents > 0 ? [appliedText(transaction, refunds, cause)] : []),
    ...(pendingReversals > 0
      ? [`The program has yet to confirm ${counted(count(pendingReversals), 'reversal')} of these.`]
      : []),
    ...(waiting.length > 0
      ? ['More refunds, not counted here, wait for the program’s answer to the transaction.']
      : []),
  ];
}

function appliedText(transaction: RewardTransaction, refunds: Refunds, cause: ReversalCause): string {
  const { type, amountCents, points, cashbackCents } = transaction;
  const reversed = type === 'EARN' ? 'reversed' : 'returned';
  const left = worthText({ points: points - refunds.points, cashbackCents: cashbackCents - refunds.cashbackCents });
  const returned = cause === 'payment' ? 'Refunds and disputes' : 'Refunds';
  const amounts = `${returned} of ${dollars(refunds.refundedCents)} in total, from a payment of ${dollars(amountCents)},`;
  return `${amounts} ${reversed} ${worthText(refunds) ?? 'nothing'} and left ${left ?? 'nothing'}.`;
}

/** Explains the effect of one refund from its reversal, and then the effect of all refunds. */
export function reversalLines(
  reversal: RewardTransaction,
  original: RewardTransaction,
  cause: ReversalCause = 'refund',
): string[] {
  const { shortfallPoints = 0 } = reversal;
  const gave = original.type === 'EARN' ? 'earned' : 'redeemed';
  const worth = worthText(reversal) ?? 'nothing';
  const { reversalReason: reason } = reversal;
  const by = reason === undefined ? causeText(reversal, cause) : 'An operator';
  return [
    `${by} ${verbOf(reversal)} ${worth} of transaction ${original.id}, which had ${gave} ${worthText(original) ?? 'nothing'}.`,
    ...(reason === undefined ? [] : [`Reason: ${reason}`]),
    ...(shortfallPoints > 0 ? [shortfallText(shortfallPoints)] : []),
    'A refund leaves what the rest of the amount earns by the original decision, which follows.',
    ...refundLines(original, cause),
  ];
}

function causeText({ amountCents, isRestoration = false }: RewardTransaction, cause: ReversalCause): string {
  if (isRestoration) return `A refund that failed or a dispute that ended gave back ${dollars(amountCents)}; this`;
  return `${cause === 'payment' ? 'A refund or dispute' : 'A refund'} of ${dollars(amountCents)}`;
}

function shortfallText(points: number): string {
  const amount = counted(count(points), 'point');
  return `Not available at that time: ${amount}. The member owes this amount; points that come back settle it first.`;
}

/**
 * The verb for a reversal in its state. Earned points are reversed, paid points are returned; a restoration undoes a
 * reversal or a return.
 */
function verbOf({ type, state, isRestoration = false }: RewardTransaction): string {
  const [verb, past] = verbs[isRestoration ? 'restoration' : 'reversal'][type];
  if (state === 'COMPLETED') return past;
  return state === 'FAILED' ? `was to ${verb}` : `is to ${verb}`;
}

const verbs = {
  reversal: { EARN: ['reverse', 'reversed'], REDEEM: ['return', 'returned'] },
  restoration: { EARN: ['restore', 'restored'], REDEEM: ['take again', 'took again'] },
} as const;

/** Points, money, or both; undefined when there is neither. */
function worthText({ points, cashbackCents }: Pick<RewardTransaction, 'points' | 'cashbackCents'>): string | undefined {
  const parts = [
    ...(points > 0 ? [counted(count(points), 'point')] : []),
    ...(cashbackCents > 0 ? [`${dollars(cashbackCents)} of cashback`] : []),
  ];
  return parts.length > 0 ? listed(parts) : undefined;
}
