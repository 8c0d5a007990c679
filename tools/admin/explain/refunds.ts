import type { Refunds, RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { decideOnRefund } from '../../../shared/domain/reversal/reversal.ts';
import { localMoment } from '../cli/moments.ts';
import { count, counted, dollars } from '../cli/text.ts';

/** Why a part of a reward was reversed. An operator's reversal is a separate field. */
export interface ReversalCause {
  /**
   * `refund`: reported refunds. `payment`: refunds and disputes of a payment platform. `points`: points that paid for
   * the purchase.
   */
  readonly kind: 'refund' | 'payment' | 'points';
  /** The reversal of an operator, if there is one. */
  readonly byOperator?: RewardTransaction | undefined;
  /** The time zone of the partnership. */
  readonly timeZone: string;
}

/**
 * Explains every reversal of a transaction together. Returns no line when there are none.
 *
 * @param explainedId the id of a reversal that earlier lines have explained
 */
export function refundLines(transaction: RewardTransaction, cause: ReversalCause, explainedId?: number): string[] {
  const { refunds } = transaction;
  if (!refunds) return [];
  const { pendingReversals, waiting, refundedCents, paid, isVoid } = refunds;
  return [
    ...(refundedCents > 0 || paid ? [appliedText(transaction, refunds, cause)] : reportedLines(transaction, refunds)),
    ...(isVoid ? operatorLines(transaction, cause, explainedId) : []),
    ...(pendingReversals > 0
      ? [`The program has yet to confirm ${counted(count(pendingReversals), 'reversal')} of these.`]
      : []),
    ...(waiting.length > 0 && (pendingReversals > 0 || decideOnRefund(transaction.state) === 'wait')
      ? ['More refunds, not counted here, wait for the program’s answer to the transaction.']
      : []),
  ];
}

/**
 * Explains the part that was reversed because of refunds, or because points paid for the purchase. Leaves out the
 * reversal of an operator.
 */
function appliedText(transaction: RewardTransaction, refunds: Refunds, { kind, byOperator }: ReversalCause): string {
  const { amountCents } = transaction;
  const { refundedCents, paid, isVoid = false } = refunds;
  const returned = `${kind === 'payment' ? 'Refunds and disputes' : 'Refunds'} of ${dollars(refundedCents)} in total, from a payment of ${dollars(amountCents)},`;
  const causes = [...(refundedCents > 0 ? [returned] : []), ...(paid ? [paidText(paid, refundedCents > 0)] : [])].join(
    ' ',
  );
  // An older transaction does not name the operator's reversal. So only the sum of the refunds and this reversal is
  // known.
  if (isVoid && !byOperator) return `${causes} and an operator reversed ${worthText(refunds) ?? 'nothing'} together.`;
  const reversed = without(refunds, byOperator);
  const left = isVoid ? '' : ` and left ${worthText(without(transaction, refunds)) ?? 'nothing'}`;
  return `${causes} ${verbs.reversal[transaction.type][1]} ${worthText(reversed) ?? 'nothing'}${left}.`;
}

/** Explains the part that was reversed although no money was returned. */
function reportedLines(transaction: RewardTransaction, refunds: Refunds): string[] {
  const reversed = worthText(refunds);
  if (refunds.isVoid || reversed === undefined) return [];
  const left = worthText(without(transaction, refunds)) ?? 'nothing';
  const verb = verbs.reversal[transaction.type][1];
  return [`Later reports of the purchase, such as points that paid for it, ${verb} ${reversed} and left ${left}.`];
}

const paidText = ({ cents }: NonNullable<Refunds['paid']>, follows: boolean) =>
  follows
    ? `and points that paid ${dollars(cents)} of it later,`
    : `Points that paid ${dollars(cents)} of the purchase later`;

/** Names the operator who reversed what was left of the transaction, with the reason. */
function operatorLines(
  transaction: RewardTransaction,
  { byOperator, timeZone }: ReversalCause,
  explainedId: number | undefined,
): string[] {
  const end = 'Refunds and payments change the transaction no more.';
  if (byOperator && byOperator.id === explainedId) return [end];
  if (!byOperator) return [`An operator reversed everything that was left. ${end}`];
  const rest = worthText(without(transaction, byOperator)) === undefined ? 'all of it' : 'the rest';
  const at = localMoment(byOperator.createdAt, timeZone);
  return [
    `${operatorText(byOperator)} ${verbs.reversal[transaction.type][1]} ${rest} on ${at}: ${worthText(byOperator)}, with transaction ${byOperator.id}.`,
    `Reason: ${byOperator.reversalReason}`,
    end,
  ];
}

const operatorText = ({ reversalOperator }: RewardTransaction) =>
  reversalOperator === undefined ? 'An operator' : `Operator ${reversalOperator}`;

/** Explains the effect of one reversal, and then all reversals of the original transaction. */
export function reversalLines(
  reversal: RewardTransaction,
  original: RewardTransaction,
  cause: ReversalCause,
): string[] {
  const { shortfallPoints = 0, reversalReason: reason } = reversal;
  const worth = worthText(reversal) ?? 'nothing';
  const had = `which had ${verbs.reward[original.type][1]} ${worthText(original) ?? 'nothing'}`;
  const by = reason === undefined ? causeText(reversal, cause) : operatorText(reversal);
  return [
    `${by} ${verbOf(reversal)} ${worth} of transaction ${original.id}, ${had}.`,
    ...(reason === undefined ? [] : [`Reason: ${reason}`]),
    ...(shortfallPoints > 0 ? [shortfallText(shortfallPoints)] : []),
    reason === undefined
      ? 'What is left is the reward of the rest of the amount, by the original decision, which follows.'
      : 'No money was returned. The original decision follows.',
    ...refundLines(original, cause, reversal.id),
  ];
}

function causeText({ amountCents, isRestoration = false }: RewardTransaction, { kind }: ReversalCause): string {
  if (amountCents === 0) {
    return kind === 'points'
      ? 'The member paid a part of the purchase with points later; this'
      : 'A later report of the purchase';
  }
  if (isRestoration) return `A refund that failed or a dispute that ended gave back ${dollars(amountCents)}; this`;
  if (kind === 'points') return `The member paid ${dollars(amountCents)} of the purchase with points later; this`;
  return `${kind === 'payment' ? 'A refund or dispute' : 'A refund'} of ${dollars(amountCents)}`;
}

function shortfallText(points: number): string {
  const amount = counted(count(points), 'point');
  return `Not available at that time: ${amount}. The member owes this amount; points that come back settle it first.`;
}

/**
 * Describes the effect of a transaction so far: `earned 12 points, 4 points of them reversed`, `nothing; it was to earn
 * 12 points`.
 */
export function effectText(transaction: RewardTransaction): string {
  const { state, refunds, type } = transaction;
  const amount = worthText(transaction) ?? 'nothing';
  const done = `${verbOf(transaction)} ${amount}`;
  if (state === 'FAILED' || state === 'CANCELLED') return `nothing; it ${done}`;
  const reversed = refunds && worthText(refunds);
  if (reversed === undefined) return done;
  const part = reversed === amount ? 'all of it' : `${reversed} of it`;
  const isPending = refunds !== undefined && refunds.pendingReversals > 0;
  return `${done}; ${part} ${verbs.reversal[type][1]} later${isPending ? ', not confirmed yet' : ''}`;
}

/**
 * The verb for a transaction in its state. Earned points are reversed, paid points are returned; a restoration undoes a
 * reversal or a return.
 */
function verbOf({ type, state, reverses, isRestoration = false }: RewardTransaction): string {
  const [verb, past] = verbs[isRestoration ? 'restoration' : reverses ? 'reversal' : 'reward'][type];
  if (state === 'COMPLETED' || state === 'REVERSED') return past;
  return state === 'FAILED' || state === 'CANCELLED' ? `was to ${verb}` : `is to ${verb}`;
}

const verbs = {
  reward: { EARN: ['earn', 'earned'], REDEEM: ['redeem', 'redeemed'] },
  reversal: { EARN: ['reverse', 'reversed'], REDEEM: ['return', 'returned'] },
  restoration: { EARN: ['restore', 'restored'], REDEEM: ['take again', 'took again'] },
} as const;

type Worth = Pick<RewardTransaction, 'points' | 'cashbackCents'>;

const without = (worth: Worth, part: Worth = { points: 0, cashbackCents: 0 }): Worth => ({
  points: worth.points - part.points,
  cashbackCents: worth.cashbackCents - part.cashbackCents,
});

/** `12 points` or `$3.00 of cashback`; both for a payment that gives cashback. Undefined when there is neither. */
export function worthText({ points, cashbackCents }: Worth): string | undefined {
  const parts = [
    ...(points > 0 ? [counted(count(points), 'point')] : []),
    ...(cashbackCents > 0 ? [`${dollars(cashbackCents)} of cashback`] : []),
  ];
  return parts.length > 0 ? parts.join(' with ') : undefined;
}
