import * as z from 'zod';
import { dollarsOfCents } from '../../domain/money.ts';
import type { RewardTransaction, TransactionState } from '../../domain/transaction/reward-transaction.ts';
import { datetime, id } from '../wire.ts';

/** A reward transaction has three wire shapes, one for each way to ask for it. Here they stand side by side. */

const transactionTypes = { EARN: 1, REDEEM: 2 } as const;

/** Specification, "Reward transaction returned by transaction creation". */
const createdStatuses: Record<TransactionState, number> = {
  INITIATED: 1,
  PENDING: 1,
  COMPLETED: 2,
  REVERSED: 2,
  FAILED: 3,
  ERROR: 3,
  CANCELLED: 3,
};

/** Specification, "Reward transaction returned by retrieval". */
const retrievedStatuses: Record<TransactionState, number> = {
  INITIATED: 1,
  PENDING: 2,
  COMPLETED: 3,
  ERROR: 4,
  REVERSED: 5,
  FAILED: 6,
  CANCELLED: 7,
};

/** Endpoint 2. */
export const CreatedTransaction = z.object({
  id,
  partner_id: id,
  campaign_id: id,
  user_id: id,
  merchant_id: id,
  transaction_amount: z.number(),
  reward_amount: z.int(),
  external_order_id: z.string(),
  transaction_type: z.union([z.literal(1), z.literal(2)]),
  status: z.union([z.literal(1), z.literal(2), z.literal(3)]),
  failure_reason: z.string().optional(),
  last_updated_date: datetime,
  created_date: datetime,
});

/** Endpoint 7. */
export const PartnerKeyTransaction = z.object({
  id,
  uuid_id: z.uuid(),
  partner_id: id,
  partnership_uuid: z.uuid(),
  campaign_id: id,
  user_uuid: z.uuid(),
  trigger_event_uuid_id: z.uuid().nullable(),
  trigger_event_id: id.nullable(),
  merchant_id: id,
  transaction_amount: z.number(),
  reward_amount: z.int(),
  external_order_id: z.string().nullable(),
  external_id: z.string().nullable(),
  external_partner_transaction_id: z.string().nullable(),
  transaction_type: z.union([z.literal(1), z.literal(2)]),
  transaction_status: z.int().min(1).max(7),
  created_date: datetime,
});

/** Endpoint 8. */
export const BearerTransaction = z.object({
  id,
  partner_id: id,
  user_id: id,
  merchant_id: id,
  campaign_id: id,
  partnership_id: z.uuid(),
  transaction_amount: z.number(),
  reward_amount: z.int(),
  external_order_id: z.string().nullable(),
  transaction_type: z.union([z.literal(1), z.literal(2)]),
  transaction_status: z.int().min(1).max(7),
  external_id: z.string().nullable(),
  external_partner_transaction_id: z.string().nullable(),
  reversed_transaction_id: id.nullable(),
  rewards_redeemed: z.int(),
  trigger_id: id.nullable(),
  trigger_event_id: id.nullable(),
  next_attempt_at: z.string().nullable(),
  retry_method: z.string().nullable(),
  retry_count: z.int(),
  uuid_id: z.uuid(),
  campaign_eligibility_snapshot_id: id.nullable(),
  /** ISO 8601 without an offset, as this endpoint shows it; UTC. */
  created_date: z.iso.datetime({ local: true }),
});
