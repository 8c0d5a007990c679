import * as z from 'zod/mini';
import { described } from '../../contracts/described.ts';
import type { AwardClaim } from '../../domain/award/claim.ts';
import type { RewardTransaction, TransactionState } from '../../domain/ledger/reward-transaction.ts';
import { dollarsOfCents } from '../../domain/money.ts';
import { datetime, id, merchantId, partnerId, userId } from '../wire.ts';

const transactionTypes = { EARN: 1, REDEEM: 2 } as const;

/**
 * Our addition in endpoints 2, 7 and 8: the unit of `reward_amount`. Cashback is in cents, everything else in points.
 */
const rewardUnit = described('The unit of reward_amount: points, or cents of cashback.', z.enum(['points', 'cents']));

/** Our addition: the cashback of a payment with points. Absent when there is none. */
const rebate = described('Awarded money, in cents.', z.optional(z.int()));

const transactionAmount = described('Dollars with up to two decimals; points for a transfer.', z.number());
const rewardAmount = described('Points earned or redeemed, or cents of cashback: see reward_unit.', z.int());
const transactionType = described('1 EARN, 2 REDEEM.', z.union([z.literal(1), z.literal(2)]));
const orderReference = described("The order's reference in the merchant's system.", z.nullable(z.string()));
const transactionStatus = described(
  '1 INITIATED, 2 PENDING, 3 COMPLETED, 4 ERROR, 5 REVERSED, 6 FAILED, 7 CANCELLED.',
  z.int().check(z.gte(1), z.lte(7)),
);
const programReference = described(
  "The loyalty program's own reference of the transaction; null until it has answered.",
  z.nullable(z.string()),
);
const reversedId = described('The transaction that this transaction reverses; null for all others.', z.nullable(id));

/** Specification, "Reward transaction returned by transaction creation". */
const createdStatuses = {
  INITIATED: 1,
  PENDING: 1,
  HELD: 1,
  COMPLETED: 2,
  REVERSED: 2,
  FAILED: 3,
  ERROR: 3,
  CANCELLED: 3,
} as const satisfies Record<TransactionState, number>;

/** Specification, "Reward transaction returned by retrieval". */
const retrievedStatuses = {
  INITIATED: 1,
  PENDING: 2,
  HELD: 2,
  COMPLETED: 3,
  ERROR: 4,
  REVERSED: 5,
  FAILED: 6,
  CANCELLED: 7,
} as const satisfies Record<TransactionState, number>;

/** Endpoint 2. */
export const CreatedTransaction = z.object({
  id: described('Id of the reward transaction. Keep it: it leads to the transaction at endpoints 7 and 8.', id),
  partner_id: partnerId,
  campaign_id: described('Campaign that rewards the purchase.', id),
  user_id: userId,
  merchant_id: merchantId,
  transaction_amount: transactionAmount,
  reward_amount: rewardAmount,
  reward_unit: rewardUnit,
  cashback_cents: rebate,
  external_order_id: described("The order's reference in the merchant's system.", z.string()),
  transaction_type: transactionType,
  status: described(
    '1 PENDING: not yet confirmed by the loyalty program. 2 CONFIRMED. 3 FAILED: rejected by the program. A new transaction is PENDING; endpoints 7 and 8 show later changes, in `transaction_status`.',
    z.union([z.literal(1), z.literal(2), z.literal(3)]),
  ),
  failure_reason: described('The reason why the loyalty program rejected it; with status 3.', z.optional(z.string())),
  last_updated_date: described('Time of the last change of `status`.', datetime),
  created_date: described('Time at which the transaction token was created (endpoint 1).', datetime),
});

/** Endpoint 7. */
export const PartnerKeyTransaction = z.object({
  id: described('Integer id of the transaction. Endpoint 7 accepts it as well as `uuid_id`.', id),
  uuid_id: described('UUID of the transaction: the `entity_id` of its webhooks.', z.uuid()),
  partner_id: partnerId,
  partnership_uuid: described('UUID of the partnership.', z.uuid()),
  campaign_id: described('Campaign that rewarded the purchase or event.', id),
  user_uuid: described("The platform's id of the user.", z.uuid()),
  trigger_event_uuid_id: described('UUID of the trigger event; null for other rewards.', z.nullable(z.uuid())),
  trigger_event_id: described('Integer id of the trigger event; null for other rewards.', z.nullable(id)),
  merchant_id: merchantId,
  transaction_amount: transactionAmount,
  reward_amount: rewardAmount,
  reward_unit: rewardUnit,
  cashback_cents: rebate,
  external_order_id: orderReference,
  external_id: described("The order's reference in the merchant's system; null without one.", z.nullable(z.string())),
  external_partner_transaction_id: programReference,
  transaction_type: transactionType,
  transaction_status: transactionStatus,
  reversed_transaction_id: reversedId,
  created_date: described('Time at which the transaction was created, with offset.', datetime),
});

/** A reward of points as endpoint 7 shows it, for the documentation. */
export const partnerKeyExample: z.input<typeof PartnerKeyTransaction> = {
  id: 1001,
  uuid_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e02',
  partner_id: 2,
  partnership_uuid: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e01',
  campaign_id: 7,
  user_uuid: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e03',
  trigger_event_uuid_id: null,
  trigger_event_id: null,
  merchant_id: 1,
  transaction_amount: 42.5,
  reward_amount: 127,
  reward_unit: 'points',
  external_order_id: 'order-1001',
  external_id: 'order-1001',
  external_partner_transaction_id: 'SKY-TX-77',
  transaction_type: 1,
  transaction_status: 3,
  reversed_transaction_id: null,
  created_date: '2026-03-02T09:30:00.000Z',
};

/** Endpoint 8. */
export const BearerTransaction = z.object({
  id: described('Integer id of the transaction.', id),
  partner_id: partnerId,
  user_id: userId,
  merchant_id: merchantId,
  campaign_id: described('Campaign that rewarded the purchase or event.', id),
  partnership_id: described('UUID of the partnership.', z.uuid()),
  transaction_amount: transactionAmount,
  reward_amount: rewardAmount,
  reward_unit: rewardUnit,
  cashback_cents: rebate,
  external_order_id: orderReference,
  transaction_type: transactionType,
  transaction_status: transactionStatus,
  external_id: described("The order's reference in the merchant's system; null without one.", z.nullable(z.string())),
  external_partner_transaction_id: programReference,
  reversed_transaction_id: reversedId,
  rewards_redeemed: described('Points that were redeemed; 0 for other types.', z.int()),
  trigger_id: described('Id of the trigger that the event was sent for; null for other rewards.', z.nullable(id)),
  trigger_event_id: described('Integer id of the trigger event; null for other rewards.', z.nullable(id)),
  next_attempt_at: described(
    "The next attempt to post the transaction to the partner's own program; null when none is planned.",
    z.nullable(datetime),
  ),
  retry_method: described(
    "What the next attempt does. post: posts the transaction unless the program has it. query: asks for the program's answer. Null when none is planned.",
    z.nullable(z.enum(['post', 'query'])),
  ),
  retry_count: described("Attempts after the first to post the transaction to the partner's own program.", z.int()),
  uuid_id: described('UUID of the transaction: the `entity_id` of its webhooks.', z.uuid()),
  campaign_eligibility_snapshot_id: described(
    'Id of the stored decision that the transaction follows.',
    z.nullable(id),
  ),
  created_date: described(
    'Time at which the transaction was created, in UTC, without offset.',
    z.iso.datetime({ local: true }),
  ),
});

/**
 * The transactions of a claim, as endpoint 2 returns them. The claim contains everything that the reply shows. The
 * transactions are pending, because their token was just spent.
 */
export function createdViews(claim: AwardClaim, spentAt: string): z.input<typeof CreatedTransaction>[] {
  return claim.rewards.map((reward) => ({
    id: reward.id,
    partner_id: reward.partnerId,
    campaign_id: claim.campaignId,
    user_id: claim.userId,
    merchant_id: claim.merchantId,
    transaction_amount: dollarsOfCents(claim.amountCents),
    ...rewardOf(reward),
    external_order_id: claim.externalTransactionId,
    transaction_type: transactionTypes[reward.type],
    status: createdStatuses.PENDING,
    last_updated_date: spentAt,
    created_date: claim.issuedAt,
  }));
}

/** The transaction for endpoint 7. */
export function partnerKeyView(transaction: RewardTransaction): z.input<typeof PartnerKeyTransaction> {
  return {
    ...common(transaction),
    ...references(transaction),
    uuid_id: transaction.uuid,
    partnership_uuid: transaction.partnershipUuid,
    user_uuid: transaction.userUuid,
    trigger_event_uuid_id: transaction.triggerEvent?.uuid ?? null,
    transaction_status: retrievedStatuses[transaction.state],
    created_date: transaction.createdAt,
  };
}

/** The transaction for endpoint 8. */
export function bearerView(transaction: RewardTransaction): z.input<typeof BearerTransaction> {
  return {
    ...common(transaction),
    ...references(transaction),
    user_id: transaction.userId,
    partnership_id: transaction.partnershipUuid,
    transaction_status: retrievedStatuses[transaction.state],
    rewards_redeemed: transaction.type === 'REDEEM' ? signed(transaction, transaction.points) : 0,
    trigger_id: transaction.triggerEvent?.customTriggerId ?? null,
    ...attemptsOf(transaction),
    uuid_id: transaction.uuid,
    campaign_eligibility_snapshot_id: transaction.snapshotId,
    created_date: transaction.createdAt.replace(/Z$/, ''),
  };
}

/**
 * The attempts to post a transaction to a partner's own program. `retry_method` says what the next attempt does:
 * - `post`: It asks the program for the transaction, and posts the transaction if the program does not have it.
 * - `query`: It asks the program for the answer, because the program has accepted the transaction.
 */
function attemptsOf({ state, posting }: RewardTransaction) {
  const isWaiting = state === 'PENDING' && (posting?.problem ?? posting?.acceptedAt) !== undefined;
  return {
    next_attempt_at: (isWaiting && posting?.dueAt) || null,
    retry_method: isWaiting ? (posting?.acceptedAt === undefined ? 'post' : 'query') : null,
    retry_count: Math.max(0, (posting?.attempts ?? 0) - 1),
  } as const;
}

/**
 * An amount of a transaction. A reversal has the type of its original and a negative amount. The amount of a
 * restoration is positive again. So the sum of a type's amounts is the net reward.
 */
const signed = ({ reverses, isRestoration }: RewardTransaction, amount: number) =>
  reverses && !isRestoration ? 0 - amount : amount;

/** A reward is points or money. A payment with points may also give cashback: its reward is the points. */
function rewardOf({ points, cashbackCents }: Pick<RewardTransaction, 'points' | 'cashbackCents'>) {
  if (cashbackCents === 0) return { reward_amount: points, reward_unit: 'points' } as const;
  if (points === 0) return { reward_amount: cashbackCents, reward_unit: 'cents' } as const;
  return { reward_amount: points, reward_unit: 'points', cashback_cents: cashbackCents } as const;
}

/** The fields that endpoints 7 and 8 show with the same values. */
function common(transaction: RewardTransaction) {
  const reward = rewardOf(transaction);
  return {
    id: transaction.id,
    partner_id: transaction.partnerId,
    campaign_id: transaction.campaignId,
    merchant_id: transaction.merchantId,
    transaction_amount: signed(transaction, dollarsOfCents(transaction.amountCents)),
    ...reward,
    reward_amount: signed(transaction, reward.reward_amount),
    ...(reward.cashback_cents !== undefined && { cashback_cents: signed(transaction, reward.cashback_cents) }),
    transaction_type: transactionTypes[transaction.type],
  };
}

/** The references that endpoints 7 and 8 show under the same names. */
function references(transaction: RewardTransaction) {
  return {
    external_order_id: transaction.externalTransactionId,
    external_id: transaction.externalTransactionId,
    external_partner_transaction_id: transaction.programReference ?? null,
    trigger_event_id: transaction.triggerEvent?.id ?? null,
    reversed_transaction_id: transaction.reverses?.id ?? null,
  };
}
