import * as z from 'zod/mini';
import { Cents, Points } from '../money.ts';
import { Posting } from './posting.ts';

/** The states of a reward transaction and the transitions between them. Write conditions are made from this table. */
export const transactionTransitions = {
  INITIATED: ['PENDING', 'CANCELLED'],
  PENDING: ['COMPLETED', 'FAILED', 'ERROR', 'CANCELLED', 'HELD'],
  HELD: ['PENDING', 'FAILED'],
  COMPLETED: ['REVERSED'],
  ERROR: ['PENDING'],
  FAILED: [],
  CANCELLED: [],
  REVERSED: [],
} as const satisfies Record<string, readonly string[]>;

export type TransactionState = keyof typeof transactionTransitions;
export const transactionStates = Object.keys(transactionTransitions) as [TransactionState, ...TransactionState[]];

/** The states from which a transaction may become `next`: the condition of the write. */
export function statesBefore(next: TransactionState): TransactionState[] {
  return transactionStates.filter((state) =>
    (transactionTransitions[state] as readonly TransactionState[]).includes(next),
  );
}

/**
 * The amount of a member's limit that a reward used. When the reward is reversed, the charge is returned to the same
 * period.
 */
export const Charge = z.object({
  limitId: z.int(),
  /** The calendar period in which the charge was counted. */
  period: z.string(),
  /** Events or points. */
  amount: z.int(),
  /** The maximum of the limit at the time of the charge. */
  most: z.int(),
  /**
   * Whether the charge counts an event with several rewards. Such a charge is returned only when all these rewards are
   * reversed.
   */
  isShared: z.optional(z.boolean()),
});
export type Charge = z.infer<typeof Charge>;

/**
 * The effect of all refunds on a transaction. All fields are written together, on the condition that `revision` has not
 * changed.
 */
export const Refunds = z.object({
  /** Increases by one with every change. */
  revision: z.int(),
  /** The part of the transaction's amount that is gone by refunds and disputes, as the last move computed it. */
  refundedCents: Cents,
  /** The reversed points, including those of pending reversals; at most the points of the reward. */
  points: Points,
  cashbackCents: Cents,
  /** Written by earlier releases: the part of the purchase that points paid after the reward was decided. */
  paid: z.optional(z.object({ cents: Cents, ofCents: Cents })),
  /**
   * Whether an operator reversed everything that was left. From then on, refunds and payments of the same purchase
   * reverse and restore nothing.
   */
  isVoid: z.optional(z.boolean()),
  /** The id of the operator's reversal; absent whenever `isVoid` is absent. */
  voidedBy: z.optional(z.int()),
  /**
   * Whether the program rejected the last reversal or restoration that the purchase caused. What should move stays as it
   * is until the purchase changes again.
   */
  isRefused: z.optional(z.boolean()),
  /**
   * A digest of the statements and the target for which the last move was begun; absent if only an operator or a transfer
   * moved.
   */
  movedFor: z.optional(z.string()),
  /** How many reversals wait for the program's answer. */
  pendingReversals: z.int().check(z.gte(0)),
  /** Whether the reversal that waits is a restoration. Then its amount does not stand yet. */
  isRestoring: z.optional(z.boolean()),
  /** The charges that confirmed reversals returned. */
  returned: z._default(z.array(Charge), []),
  /** Written by earlier releases: the payment from which `refundedCents` came. */
  paymentUuid: z.optional(z.string()),
  /**
   * The statements for which a move waits until the program has answered, each with the time at which its last refund
   * arrived. The write of the answer announces the purchase.
   */
  waiting: z.array(
    z.object({
      refundedUuid: z.string(),
      receivedUntil: z.string(),
      /** Written by earlier releases: whether `refundedUuid` is the UUID of a payment. */
      isPayment: z.optional(z.boolean()),
    }),
  ),
});
export type Refunds = z.infer<typeof Refunds>;

/** The `refunds` of a transaction that has none. */
export const noRefunds: Refunds = {
  revision: 0,
  refundedCents: 0,
  points: 0,
  cashbackCents: 0,
  pendingReversals: 0,
  returned: [],
  waiting: [],
};

/** What a reward adds to the counter of one velocity rule. A counter belongs to one account, one rule and one window. */
export const RuleCount = z.object({
  /** The name of the rule: `REWARDS_PER_DAY`. */
  rule: z.string(),
  /** The window in UTC: `2026-11-21T09`, `2026-11-21` or `2026-W47`; `REWARD` for a rule about one reward. */
  window: z.string(),
  /** Rewards, points or cents: the unit of the rule. */
  amount: z.int(),
});
export type RuleCount = z.infer<typeof RuleCount>;

/** The review of a reward that waits in HELD for an operator. It has nothing to do with held points of payments. */
export const Review = z.object({
  heldAt: z.string(),
  /** The velocity rules that left no room for the reward. Empty when the member or the account was blocked. */
  breaches: z.array(z.extend(RuleCount, { most: z.int(), used: z.int() })),
  /** The decision of an operator; absent while the reward waits. */
  end: z.optional(
    z.object({
      outcome: z.enum(['RELEASED', 'REFUSED']),
      reason: z.string(),
      operator: z.nullable(z.string()),
      at: z.string(),
    }),
  ),
});
export type Review = z.infer<typeof Review>;

/** Points or cents that one member earns or redeems by one event, under one action of one campaign. */
export const RewardTransaction = z.object({
  id: z.int(),
  uuid: z.string(),
  type: z.enum(['EARN', 'REDEEM']),
  state: z.enum(transactionStates),
  merchantId: z.int(),
  partnerId: z.int(),
  partnershipUuid: z.string(),
  campaignId: z.int(),
  /** The version of the campaign that was evaluated. */
  campaignVersion: z.int(),
  flowId: z.int(),
  actionId: z.int(),
  userId: z.int(),
  userUuid: z.string(),
  amountCents: Cents,
  points: Points,
  /** The cents that a cashback action awards instead of points. */
  cashbackCents: z._default(Cents, 0),
  charges: z._default(z.array(Charge), []),
  /**
   * The ids of the other rewards of the same event with which this reward shares a charge. Only one of these rewards
   * contains the charge.
   */
  sharesChargesWith: z.optional(z.array(z.int())),
  /** The other leg of a transfer. Points leave one program and arrive in the other. Both legs succeed, or both fail. */
  otherLegId: z.optional(z.int()),
  /** Whether the points belong to a program other than the campaign's own. True for one leg of a transfer. */
  isForeign: z.optional(z.boolean()),
  /** The award that this one continues: the purchase grew after the award was decided. */
  growthOf: z.optional(z.int()),
  /** Whether the transaction is the award for linking an account. */
  isRegistration: z.optional(z.boolean()),
  /** The merchant's id of the purchase; null when the event was no purchase. */
  externalTransactionId: z.nullable(z.string()),
  /** The id of the transaction whose partition contains the decision about this transaction. */
  snapshotId: z.int(),
  /** The trigger event that this transaction rewards. */
  triggerEvent: z.optional(z.object({ id: z.int(), uuid: z.string(), customTriggerId: z.int() })),
  /** Absent until the first refund. */
  refunds: z.optional(Refunds),
  /** The original that this reversal reverses in full or in part, and the first refund that caused the reversal. */
  reverses: z.optional(z.object({ id: z.int(), uuid: z.string(), refundUuid: z.string() })),
  /** Why an operator reversed the original; absent for reversals by refunds and payments. */
  reversalReason: z.optional(z.string()),
  /** The proven identity of the operator who reversed the original; absent if it is not known. */
  reversalOperator: z.optional(z.string()),
  /**
   * Whether this transaction restores an amount that reversals of the original took: a refund failed, or a dispute was
   * won.
   */
  isRestoration: z.optional(z.boolean()),
  /** The points of a reversal that were not available: spent, or held by a token. The reversal does not take them. */
  shortfallPoints: z.optional(Points),
  /**
   * The attempts to post the transaction to a partner's own program. Absent before the first attempt, and for hosted
   * programs.
   */
  posting: z.optional(Posting),
  /** When a partner's own program applied the settlement of this transaction. */
  settlementPostedAt: z.optional(z.string()),
  /** What the reward added to the counters of velocity rules, before its program received it. */
  counted: z.optional(z.array(RuleCount)),
  /** Why the reward was held for review, and how the review ended. */
  review: z.optional(Review),
  /** Why the program rejected the transaction, or an operator refused it after a review. */
  failureReason: z.optional(z.string()),
  /** The loyalty program's own reference; absent until the program confirmed. */
  programReference: z.optional(z.string()),
  /** When the program confirmed the transaction. Always absent for reversals. */
  completedAt: z.optional(z.string()),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type RewardTransaction = z.infer<typeof RewardTransaction>;

/**
 * Whether a reward may be held for review before its program receives it. A payment or a transfer cannot wait, because
 * the customer already has the goods or the points. A reversal or a restoration does not wait either, because it
 * follows a refund.
 */
export const isReviewable = ({
  type,
  reverses,
  otherLegId,
}: Pick<RewardTransaction, 'type' | 'reverses' | 'otherLegId'>): boolean =>
  type === 'EARN' && reverses === undefined && otherLegId === undefined;

/**
 * Whether something of a reward stands: it was given, and neither rejected nor reversed as a whole. A reward that waits
 * for an answer counts as given. A REVERSED reward stands again when the program has confirmed the restoration of a part.
 */
export function isStanding({
  state,
  points,
  cashbackCents,
  refunds = noRefunds,
}: Pick<RewardTransaction, 'state' | 'points' | 'cashbackCents' | 'refunds'>): boolean {
  if (state !== 'REVERSED')
    return state === 'PENDING' || state === 'HELD' || state === 'ERROR' || state === 'COMPLETED';
  if (refunds.isRestoring) return false;
  return refunds.pendingReversals > 0 || refunds.points < points || refunds.cashbackCents < cashbackCents;
}

/** Whether a REVERSED reward waits for the confirmation of a restoration. */
export const isBeingRestored = ({ state, refunds }: Pick<RewardTransaction, 'state' | 'refunds'>): boolean =>
  state === 'REVERSED' && refunds?.isRestoring === true;

/** Whether two charges belong to one counter of a member and a campaign. */
export const isSameCounter = (one: CounterName, other: CounterName): boolean =>
  one.limitId === other.limitId && one.period === other.period;
type CounterName = Pick<Charge, 'limitId' | 'period'>;

/** Whether a reward contains a charge that was not returned. */
export const isCharged = (
  { state, charges, refunds = noRefunds }: Pick<RewardTransaction, 'state' | 'charges' | 'refunds'>,
  charge: CounterName,
): boolean =>
  state !== 'FAILED' && state !== 'CANCELLED' && amountOf(charges, charge) > amountOf(refunds.returned, charge);

const amountOf = (charges: readonly Charge[], counter: CounterName): number =>
  charges.reduce((sum, one) => (isSameCounter(one, counter) ? sum + one.amount : sum), 0);
