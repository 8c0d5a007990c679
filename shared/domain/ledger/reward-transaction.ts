import * as z from 'zod/mini';
import { Cents, Points } from '../money.ts';

/**
 * The states of a reward transaction and the ways from one to the next, as data: what may change is
 * read from here, by the core and by the conditions of the writes.
 */
export const transactionTransitions = {
  INITIATED: ['PENDING', 'CANCELLED'],
  PENDING: ['COMPLETED', 'FAILED', 'ERROR', 'CANCELLED'],
  COMPLETED: ['REVERSED'],
  ERROR: ['PENDING'],
  FAILED: [],
  CANCELLED: [],
  REVERSED: [],
} as const satisfies Record<string, readonly string[]>;

export type TransactionState = keyof typeof transactionTransitions;
export const transactionStates = Object.keys(transactionTransitions) as [TransactionState, ...TransactionState[]];

/** The states that a transaction may be in for it to become `next`: the condition of that write. */
export function statesBefore(next: TransactionState): TransactionState[] {
  return transactionStates.filter((state) =>
    (transactionTransitions[state] as readonly TransactionState[]).includes(next),
  );
}

/** What a reward used of a limit of its member: given back to the same period when the reward is taken back. */
export const Charge = z.object({
  limitId: z.int(),
  /** The calendar period that it was counted in. */
  period: z.string(),
  /** Events or points. */
  amount: z.int(),
  /** The most that the limit allowed in all, when it was charged. */
  most: z.int(),
});
export type Charge = z.infer<typeof Charge>;

/**
 * What refunds did to a transaction so far. It is written as a whole, on the condition that no other
 * refund changed it meanwhile.
 */
export const Refunds = z.object({
  /** Counts up with every change. */
  revision: z.int(),
  /** How much of what was captured is refunded, by the refunds that were applied here. */
  refundedCents: Cents,
  /** What reversals take back, those that are not completed yet included: never more than the transaction gave. */
  points: Points,
  cashbackCents: Cents,
  /** Reversals that the program has yet to answer for. */
  pendingReversals: z.int().check(z.gte(0)),
  /** What reversals gave back of what the transaction used of limits: those that the program confirmed. */
  givenBack: z._default(z.array(Charge), []),
  /** Refunds that came before the transaction was completed, each with what it is announced under again. */
  waiting: z.array(z.object({ refundUuid: z.string(), refundedUuid: z.string() })),
});
export type Refunds = z.infer<typeof Refunds>;

/** Points that one member earned or redeemed by one purchase, under one action of one campaign. */
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
  /** Money instead of points: what a cashback action awarded. */
  cashbackCents: z._default(Cents, 0),
  charges: z._default(z.array(Charge), []),
  /** The other leg of a transfer: points leave one program and arrive in another, both or neither. */
  otherLegId: z.optional(z.int()),
  /** Whether the points are of another program than the campaign's: one leg of a transfer is. */
  isForeign: z.optional(z.boolean()),
  /** Whether it was given for linking an account. */
  isRegistration: z.optional(z.boolean()),
  /** The order's reference in the merchant's system. */
  externalTransactionId: z.nullable(z.string()),
  /** The transaction whose partition holds the decision that this one came from. */
  snapshotId: z.int(),
  /** The event that it was given for, when an organisation sent one. */
  triggerEvent: z.optional(z.object({ id: z.int(), uuid: z.string(), customTriggerId: z.int() })),
  /** What refunds took back of it; none did when it is absent. */
  refunds: z.optional(Refunds),
  /** The transaction that this one takes back, as a whole or in part, and the refund that asked for it. */
  reverses: z.optional(z.object({ id: z.int(), uuid: z.string(), refundUuid: z.string() })),
  /** Of the points of a reversal: those that the member had spent, and that were therefore not taken. */
  shortfallPoints: z.optional(Points),
  /** Why the partner rejected it, when it did. */
  failureReason: z.optional(z.string()),
  /** The loyalty program's own reference, once it has one. */
  programReference: z.optional(z.string()),
  /** When the program confirmed it; a reversal does not say. */
  completedAt: z.optional(z.string()),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type RewardTransaction = z.infer<typeof RewardTransaction>;
