import type { Refunds, RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { count, counted, dollars, listed } from '../cli/text.ts';

/** Refunds in words: what they took back of a transaction, and what one of them did. */

/** What refunds did to a transaction so far; no line when there was none. */
export function refundLines(transaction: RewardTransaction): string[] {
  const { refunds } = transaction;
  if (!refunds) return [];
  const waiting = counted(count(refunds.waiting.length), 'refund');
  return [
    ...(refunds.refundedCents > 0 ? [appliedText(transaction, refunds)] : []),
    ...(refunds.pendingReversals > 0
      ? [`Of that the program has yet to confirm ${counted(count(refunds.pendingReversals), 'reversal')}.`]
      : []),
    ...(refunds.waiting.length > 0
      ? [`For the program’s answer to the transaction: ${waiting}, not counted here.`]
      : []),
  ];
}

function appliedText(transaction: RewardTransaction, refunds: Refunds): string {
  const { type, amountCents, points, cashbackCents } = transaction;
  const gave = type === 'EARN' ? 'took' : 'gave';
  const back = worthText(refunds) ?? 'nothing';
  const left = worthText({ points: points - refunds.points, cashbackCents: cashbackCents - refunds.cashbackCents });
  const applied = `Refunds of ${dollars(refunds.refundedCents)} in all, of the ${dollars(amountCents)} that were paid`;
  return `${applied}, ${gave} back ${back}, and left ${left ?? 'nothing'}.`;
}

/** What one refund did, of whose reversal is asked; then what all of them did. */
export function reversalLines(reversal: RewardTransaction, original: RewardTransaction): string[] {
  const { type, shortfallPoints = 0, amountCents } = reversal;
  const did = didText(reversal);
  const had = `had ${type === 'EARN' ? 'earned' : 'redeemed'} ${worthText(original) ?? 'nothing'}`;
  return [
    `A refund of ${dollars(amountCents)} ${did} back ${worthText(reversal) ?? 'nothing'} of transaction ${original.id}, which ${had}.`,
    ...(shortfallPoints > 0
      ? [`Not taken of that: ${counted(count(shortfallPoints), 'point')}, which the member had spent already.`]
      : []),
    'A refund leaves what the rest of the amount comes to by the decision of then, which follows.',
    ...refundLines(original),
  ];
}

/** What a reversal does or did: it takes what was earned, and gives what was paid. */
function didText({ type, state }: RewardTransaction): string {
  const [take, took] = type === 'EARN' ? (['take', 'took'] as const) : (['give', 'gave'] as const);
  switch (state) {
    case 'COMPLETED':
      return took;
    case 'FAILED':
      return `was to ${take}`;
    default:
      return `is to ${take}`;
  }
}

/** Points, money, or both; undefined when it is neither. */
function worthText({ points, cashbackCents }: Pick<RewardTransaction, 'points' | 'cashbackCents'>): string | undefined {
  const parts = [
    ...(points > 0 ? [counted(count(points), 'point')] : []),
    ...(cashbackCents > 0 ? [`${dollars(cashbackCents)} of cashback`] : []),
  ];
  return parts.length > 0 ? listed(parts) : undefined;
}
