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
  /** The order's reference in the merchant's system. */
  externalTransactionId: z.nullable(z.string()),
  /** The transaction whose partition holds the decision that this one came from. */
  snapshotId: z.int(),
  /** The event that it was given for, when an organisation sent one. */
  triggerEvent: z.optional(z.object({ id: z.int(), uuid: z.string(), customTriggerId: z.int() })),
  /** Why the partner rejected it, when it did. */
  failureReason: z.optional(z.string()),
  /** The loyalty program's own reference, once it has one. */
  programReference: z.optional(z.string()),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type RewardTransaction = z.infer<typeof RewardTransaction>;
