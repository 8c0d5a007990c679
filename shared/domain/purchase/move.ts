import { validityMs } from '../../contracts/limits.ts';
import type { TransactionIds } from '../award/claim.ts';
import type { Decision } from '../campaign/evaluation/decision.ts';
import { sumCharges } from '../ledger/finalize.ts';
import { type Charge, noRefunds, type Refunds, type RewardTransaction } from '../ledger/reward-transaction.ts';
import type { ReversalPolicy } from '../partnership.ts';
import {
  type AppliedRefunds,
  awaitsOperatorReversal,
  isBounded,
  returnedCharges,
  timestamps,
  withoutOutcome,
} from '../reversal/reversal.ts';
import { type Growth, standingOf } from './settle.ts';

/** Moves a transaction from what stands of it to what should stand: a reversal, a restoration, or a further award. */

type Amounts = Pick<RewardTransaction, 'points' | 'cashbackCents'>;

/** A transaction with what should stand of it, and everything that its move depends on. */
export interface MovedLeg {
  readonly original: RewardTransaction;
  readonly decision: Decision;
  readonly policy: ReversalPolicy;
  readonly availablePoints: number;
  /** What should stand. */
  readonly target: Amounts;
  /**
   * What should stand if only those refunds count that arrived before the transaction was completed. Under
   * `only_pending`, a completed award is not reversed any further.
   */
  readonly inTime: Amounts;
  readonly cause: MoveCause;
  /**
   * The charges that count the event for limits, and the ids of the event's other rewards. The answer for a restoration
   * decides whether the event has to be counted again.
   */
  readonly event?: { readonly charges: readonly Charge[]; readonly sharesChargesWith: readonly number[] };
}

/** The statement that caused a move, and the total that was returned. The transaction records both. */
export interface MoveCause {
  /** The UUID of a refund, a payment, a redemption or an order. */
  readonly uuid: string;
  readonly returnedCents: number;
  /** A digest of the statements of the purchase, and of the target; absent for a transfer. */
  readonly stated?: string;
}

/**
 * Decides the move of one transaction. Only totals count: the parts and the sequence of refunds, captures and disputes
 * make no difference.
 *
 * @returns undefined when nothing has to move; `wait` while the program has not answered for the transaction or for one
 * of its reversals
 */
export function moveToTarget(
  leg: MovedLeg,
  now: Date,
  nextIds: () => TransactionIds,
): AppliedRefunds | 'wait' | undefined {
  const { original, cause } = leg;
  const { isRefused: _, ...before } = original.refunds ?? noRefunds;
  const change = changeDue(leg);
  if (change === undefined || change === 'wait') return change;

  const { isRestoration, points, cashbackCents } = change;
  const sign = isRestoration ? -1 : 1;
  const { shortfallPoints, available } = takenBy(leg, change);
  return {
    original,
    refunds: {
      ...before,
      revision: before.revision + 1,
      refundedCents: cause.returnedCents,
      points: before.points + sign * points,
      cashbackCents: before.cashbackCents + sign * cashbackCents,
      pendingReversals: 1,
      ...(cause.stated !== undefined && { movedFor: cause.stated }),
      ...(isRestoration && { isRestoring: true }),
      // Under `only_pending`, the marks show which refunds were in time.
      waiting: leg.policy === 'only_pending' ? before.waiting : [],
    },
    reversal: {
      ...withoutOutcome(original),
      ...{ points, cashbackCents, charges: chargesOf(leg, change) },
      state: 'PENDING',
      amountCents: Math.abs(cause.returnedCents - before.refundedCents),
      reverses: { id: original.id, uuid: original.uuid, refundUuid: cause.uuid },
      ...(isRestoration && { isRestoration }),
      ...(isRestoration && leg.event && { sharesChargesWith: [...leg.event.sharesChargesWith] }),
      ...(shortfallPoints > 0 && { shortfallPoints }),
      ...nextIds(),
      ...timestamps(now),
    },
    available,
  };
}

/** What decides whether a transaction has to move. */
type DueLeg = Pick<MovedLeg, 'original' | 'policy' | 'target' | 'inTime'>;

/**
 * Computes the change that a transaction needs now.
 *
 * @returns undefined when nothing has to move; `wait` while the program has not answered for the transaction or for one
 * of its reversals
 */
export function changeDue(leg: DueLeg): Change | 'wait' | undefined {
  const { original } = leg;
  const { isVoid, pendingReversals } = original.refunds ?? noRefunds;
  if (awaitsOperatorReversal(original)) return 'wait';
  const change = changeOf(leg);
  if (!change || isVoid) return undefined;
  return isAnswered(original) && pendingReversals === 0 ? change : 'wait';
}

/** Whether a transaction was completed. Other final states have moved nothing, so they need no move. */
const isAnswered = ({ state }: RewardTransaction) => state === 'COMPLETED' || state === 'REVERSED';

/** The points or cents that a reversal takes from a transaction, or that a restoration gives back. */
interface Change extends Amounts {
  readonly isRestoration: boolean;
}

/** Computes the change of a transaction; undefined when it needs none. */
function changeOf(leg: DueLeg): Change | undefined {
  const stands = standingOf(leg.original);
  const points = differenceOf(stands.points, leg.target.points, inTimeOf(leg).points);
  const cashbackCents = differenceOf(stands.cashbackCents, leg.target.cashbackCents, inTimeOf(leg).cashbackCents);
  if (points > 0 || cashbackCents > 0) {
    return { isRestoration: false, points: Math.max(0, points), cashbackCents: Math.max(0, cashbackCents) };
  }
  if (points === 0 && cashbackCents === 0) return undefined;
  return { isRestoration: true, points: Math.abs(points), cashbackCents: Math.abs(cashbackCents) };
}

/** How much has to be taken; negative if it has to be given back. `floor` is the most that may be taken to. */
function differenceOf(stands: number, target: number, floor: number): number {
  if (stands > floor) return stands - floor;
  return stands < target ? stands - target : 0;
}

/**
 * Only a completed award is kept under `only_pending`; everything else is reversed to its target. While the program has
 * not answered, every refund is in time.
 */
const inTimeOf = ({ original, policy, target, inTime }: DueLeg): Amounts =>
  original.type === 'EARN' && policy === 'only_pending' && isAnswered(original) ? inTime : target;

/** Computes the shortfall of a change: points that the change would take, but that are not available. */
function takenBy(leg: MovedLeg, { isRestoration, points }: Change) {
  const isTaking = isRestoration === (leg.original.type === 'REDEEM');
  // When a payment with points is restored, it takes the paid points again, whatever the policy.
  if (!isTaking || !(leg.original.type === 'REDEEM' || isBounded(leg))) return { shortfallPoints: 0, available: null };
  const { availablePoints: available } = leg;
  return { shortfallPoints: points - Math.min(points, Math.max(0, available)), available };
}

/**
 * The charges of a change. A charge in points is at most the points of the change. A restoration also has the charges
 * that count the event.
 */
function chargesOf({ original, decision, event }: MovedLeg, { isRestoration, points }: Change): Charge[] {
  if (!isRestoration) return returnedCharges(original, decision, points);
  const limits = decision.flows.find(({ flowId }) => flowId === original.flowId)?.limits ?? [];
  const inPoints = sumCharges(original.refunds?.returned ?? []).flatMap((charge) => {
    const isInPoints = limits.find(({ limitId }) => limitId === charge.limitId)?.unit === 'POINTS';
    const amount = isInPoints ? Math.min(charge.amount, points) : 0;
    return amount > 0 ? [{ ...charge, amount }] : [];
  });
  return [...inPoints, ...(event?.charges ?? [])];
}

/** A statement that a transaction waits for, and the time until which its refunds arrived. */
type Mark = Refunds['waiting'][number];

/**
 * Marks a transaction that has to move when the program has answered. The answer then announces the purchase again.
 *
 * @param marks the statements with refunds. They are in time if the transaction is not completed yet
 * @returns the same object when all marks are there already
 */
export function withWaiting(original: RewardTransaction, marks: readonly Mark[]): Refunds {
  const { uuid, createdAt, refunds = noRefunds } = original;
  const news = [{ refundedUuid: uuid, receivedUntil: createdAt }, ...(isAnswered(original) ? [] : marks)].filter(
    (mark) =>
      !refunds.waiting.some((one) => one.refundedUuid === mark.refundedUuid && one.receivedUntil >= mark.receivedUntil),
  );
  if (news.length === 0) return refunds;
  const others = refunds.waiting.filter((one) => !news.some(({ refundedUuid }) => refundedUuid === one.refundedUuid));
  return { ...refunds, revision: refunds.revision + 1, waiting: [...others, ...news] };
}

/** The points of a limit that the member's rewards have used in a period. */
type UsedOf = (limitId: number, period: string) => number;

/**
 * Makes the further award of a growth: a new pending transaction by the decision of its template. Limits of points
 * leave it less, or nothing; a limit of events leaves it nothing if the event has to be counted again and no room is
 * left.
 */
export function awardGrowth(
  { template, flow, flowId, actionId, points: wanted, cashbackCents }: Growth,
  {
    amountCents,
    events,
    usedOf,
    ids,
    now,
  }: {
    readonly amountCents: number;
    /** The charges that count the event, if no reward that stands counts it. */
    readonly events: readonly Charge[];
    readonly usedOf: UsedOf;
    readonly ids: TransactionIds;
    readonly now: Date;
  },
): RewardTransaction | undefined {
  if (events.some(({ limitId, period, amount, most }) => usedOf(limitId, period) + amount > most)) return undefined;
  const limits = flow.limits.flatMap(({ unit, bound, limitId, period, amount: most }) =>
    unit === 'POINTS' && bound === 'MAXIMUM' && period !== null ? [{ limitId, period, most }] : [],
  );
  const points = limits.reduce(
    (least, { limitId, period, most }) => Math.min(least, Math.max(0, most - usedOf(limitId, period))),
    wanted,
  );
  if (points === 0 && cashbackCents === 0) return undefined;
  return {
    ...withoutOutcome(template),
    ...{ flowId, actionId, points, cashbackCents, amountCents },
    charges: [...(points === 0 ? [] : limits.map((limit) => ({ ...limit, amount: points }))), ...events],
    state: 'PENDING',
    growthOf: template.growthOf ?? template.id,
    ...ids,
    ...timestamps(now),
  };
}

/** The two legs of a transfer with everything that their reversal depends on. */
export interface TransferReversal {
  readonly legs: readonly Omit<MovedLeg, 'target' | 'inTime'>[];
  /** The points that tokens hold of each leg's account, in the order of the legs. */
  readonly heldPoints: readonly number[];
  /** Whether a refund of the transfer arrived before each leg was completed, in the order of the legs. */
  readonly isInTime: readonly boolean[];
  /** When the oldest refund arrived. ISO 8601. */
  readonly receivedAt: string;
}

/**
 * Reverses both legs of a transfer in full, or none. If the member has spent some of the points that arrived in one
 * program, the points that left the other program are not returned: otherwise the member would have the same points in
 * both programs.
 *
 * @returns `wait` while a program has not answered; `held` while a token holds the points that arrived: they may come
 * back, so the refund waits at most for the validity of one token; undefined when nothing is reversed
 */
export function reverseTransfer(
  { legs, heldPoints, isInTime, receivedAt }: TransferReversal,
  now: Date,
  nextIds: () => TransactionIds,
): readonly AppliedRefunds[] | 'wait' | 'held' | undefined {
  const nothing = { points: 0, cashbackCents: 0 };
  const moves = legs.map((leg, position) =>
    moveToTarget(
      { ...leg, target: nothing, inTime: isInTime[position] ? nothing : standingOf(leg.original) },
      now,
      nextIds,
    ),
  );
  if (moves.includes('wait')) return 'wait';
  const applied = moves.filter((move) => typeof move === 'object');
  if (applied.length < legs.length) return undefined;
  const short = applied.flatMap(({ reversal }, position) =>
    reversal?.shortfallPoints === undefined ? [] : [{ points: reversal.points, position }],
  );
  const isHeld = short.some(
    ({ points, position }) => points <= (legs[position]?.availablePoints ?? 0) + (heldPoints[position] ?? 0),
  );
  if (isHeld && now.getTime() < Date.parse(receivedAt) + validityMs.transactionToken) return 'held';
  if (short.length > 0) return undefined;
  return applied.map((one, position) => {
    const otherLegId = applied.find((_, other) => other !== position)?.reversal?.id;
    return { ...one, reversal: one.reversal && { ...one.reversal, ...(otherLegId !== undefined && { otherLegId }) } };
  });
}
