import * as z from 'zod/mini';
import { Cents, Points } from '../money.ts';
import { Posting } from './posting.ts';

/** The states of a reward transaction and the transitions between them. The conditions of writes are made from this data. */
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

/** The states that a transaction may leave for `next`: the condition of that write. */
export function statesBefore(next: TransactionState): TransactionState[] {
  return transactionStates.filter((state) =>
    (transactionTransitions[state] as readonly TransactionState[]).includes(next),
  );
}

/** The use of a limit of the member by a reward. It returns to the same period when the reward is reversed. */
export const Charge = z.object({
  limitId: z.int(),
  /** The calendar period that it was counted in. */
  period: z.string(),
  /** Events or points. */
  amount: z.int(),
  /** The maximum of the limit when it was charged. */
  most: z.int(),
  /** Whether it counts an event with several rewards. It returns when nothing is left of any of them. */
  isShared: z.optional(z.boolean()),
});
export type Charge = z.infer<typeof Charge>;

/** The effect of all refunds on a transaction. Written as a whole, on the condition that its revision has not changed. */
export const Refunds = z.object({
  /** Counts up with every change. */
  revision: z.int(),
  /** The sum of the refunds that were applied to the transaction. */
  refundedCents: Cents,
  /** Reversed, pending reversals included: at most the reward. */
  points: Points,
  cashbackCents: Cents,
  /** How many reversals wait for the program's answer. */
  pendingReversals: z.int().check(z.gte(0)),
  /** The charges that confirmed reversals returned. */
  returned: z._default(z.array(Charge), []),
  /** The payment that counts all refunds of the transaction, once it has adjusted the transaction. */
  paymentUuid: z.optional(z.string()),
  /** The orders whose refunds arrived before the transaction was completed, and when the last of these arrived. */
  waiting: z.array(
    z.object({
      refundedUuid: z.string(),
      receivedUntil: z.string(),
      /** Whether `refundedUuid` is a payment's. A payment may also wait for the end of a reversal. */
      isPayment: z.optional(z.boolean()),
    }),
  ),
});
export type Refunds = z.infer<typeof Refunds>;

/** A transaction without refunds. */
export const noRefunds: Refunds = {
  revision: 0,
  refundedCents: 0,
  points: 0,
  cashbackCents: 0,
  pendingReversals: 0,
  returned: [],
  waiting: [],
};

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
  /** Awarded by a cashback action, in place of points. */
  cashbackCents: z._default(Cents, 0),
  charges: z._default(z.array(Charge), []),
  /** The other rewards of the event, when they share a charge. One of them has it. */
  sharesChargesWith: z.optional(z.array(z.int())),
  /** The other leg of a transfer. Points leave one program and arrive in another: both or neither. */
  otherLegId: z.optional(z.int()),
  /** Whether the points belong to another program than the campaign: one leg of a transfer does. */
  isForeign: z.optional(z.boolean()),
  /** Whether it is the award for linking an account. */
  isRegistration: z.optional(z.boolean()),
  /** The order's reference in the merchant's system. */
  externalTransactionId: z.nullable(z.string()),
  /** The transaction whose partition holds the decision behind this one. */
  snapshotId: z.int(),
  /** The trigger event that it is the award for. */
  triggerEvent: z.optional(z.object({ id: z.int(), uuid: z.string(), customTriggerId: z.int() })),
  /** Absent until the first refund. */
  refunds: z.optional(Refunds),
  /** The transaction that this one reverses in full or in part, and the first of the refunds that caused it. */
  reverses: z.optional(z.object({ id: z.int(), uuid: z.string(), refundUuid: z.string() })),
  /** Whether it gives back what reversals of that transaction took: a refund failed, or a dispute was won. */
  isRestoration: z.optional(z.boolean()),
  /** The points of a reversal that the member had spent, so that they stay with the member. */
  shortfallPoints: z.optional(Points),
  /** The attempts to post it to a partner's own program. Absent before the first one, and with hosted programs. */
  posting: z.optional(Posting),
  /** When a partner's own program applied what the transaction settled. */
  settlementPostedAt: z.optional(z.string()),
  /** Why the program rejected it. */
  failureReason: z.optional(z.string()),
  /** The loyalty program's own reference, once the program confirmed. */
  programReference: z.optional(z.string()),
  /** When the program confirmed it. Reversals do not record it. */
  completedAt: z.optional(z.string()),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type RewardTransaction = z.infer<typeof RewardTransaction>;
