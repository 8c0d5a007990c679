import * as z from 'zod/mini';
import { validityMs } from '../../contracts/limits.ts';
import type { Campaign } from '../campaign/document/campaign.ts';
import type { Decision } from '../campaign/evaluation/decision.ts';
import type { RewardTransaction } from '../ledger/reward-transaction.ts';
import { Charge } from '../ledger/reward-transaction.ts';
import type { Member } from '../member/member.ts';
import { Cents, Points } from '../money.ts';
import type { Partnership } from '../partnership.ts';
import { costOf, type Reward } from './rewards.ts';

/** The part of a transaction that the claim contains, so that a request is answered without reading the transaction. */
const PurchasedReward = z.object({
  id: z.int(),
  uuid: z.string(),
  type: z.enum(['EARN', 'REDEEM']),
  /** The program of the points. */
  partnerId: z.int(),
  points: Points,
  cashbackCents: z._default(Cents, 0),
  charges: z._default(z.array(Charge), []),
});

/** The kinds of awards. Only purchases have tokens. */
const awardKinds = ['PURCHASE', 'TRIGGER', 'REGISTRATION', 'REFERRAL'] as const;
type AwardKind = (typeof awardKinds)[number];

/**
 * The claim of one award: a merchant's external transaction, or another event, under one campaign. It holds
 * the one live token. Once spent it stays for ever, so that the same event is never awarded twice.
 */
export const AwardClaim = z.object({
  merchantId: z.int(),
  campaignId: z.int(),
  /** The external transaction, or another id that is unique among the awards of the kind. */
  externalTransactionId: z.string(),
  kind: z._default(z.enum(awardKinds), 'PURCHASE'),
  /** Whether it moves points between programs, so that no money is spent. */
  isTransfer: z._default(z.boolean(), false),
  /** The token: `authentication_id` of endpoint 1. */
  authenticationId: z.string(),
  state: z.enum(['ISSUED', 'SPENT']),
  userId: z.int(),
  userUuid: z.string(),
  partnerId: z.int(),
  amountCents: Cents,
  /** Points reserved from the member's balance while the token is live. */
  heldPoints: Points,
  /** The program of the reserved points. */
  heldPartnerId: z.int(),
  rewards: z.array(PurchasedReward).check(z.minLength(1)),
  issuedAt: z.string(),
  /** The token is valid before this instant. */
  expiresAt: z.string(),
  /** The time when the token was spent. */
  spentAt: z.optional(z.string()),
  /** The request that spent the token, if it had an idempotency key. */
  spentBy: z.optional(z.string()),
  /** The awarded external order. Its token was spent at once, and no caller received it. */
  orderUuid: z.optional(z.string()),
});
export type AwardClaim = z.infer<typeof AwardClaim>;

/** The key of a claim. */
export type ClaimKey = Pick<AwardClaim, 'merchantId' | 'campaignId' | 'externalTransactionId'> & {
  readonly kind?: AwardKind;
};

/** Whether the token of a claim can be spent at `now`. */
export function isLive(claim: AwardClaim, now: Date): boolean {
  return claim.state === 'ISSUED' && now.getTime() < Date.parse(claim.expiresAt);
}

/**
 * Decides about a token request for a claim that exists (docs/gaps.md, endpoint 1):
 * - `same-token`: the same amount is requested, and the token is live;
 * - `refused`: the token was spent, or another member holds a live one;
 * - `replace`: the token expired, or the amount changed: the new reservation replaces the old one.
 */
export function repetition(
  existing: AwardClaim,
  asked: { readonly userId: number; readonly amountCents: number; readonly now: Date },
): 'same-token' | 'refused' | 'replace' {
  if (existing.state === 'SPENT') return 'refused';
  if (!isLive(existing, asked.now)) return 'replace';
  if (existing.userId !== asked.userId) return 'refused';
  return existing.amountCents === asked.amountCents ? 'same-token' : 'replace';
}

/** The ids of a claim's transactions. */
export const rewardIdsOf = ({ rewards }: Pick<AwardClaim, 'rewards'>): number[] => rewards.map(({ id }) => id);

/** Everything that a claim charges to its member's limits. */
export function chargesOf({ rewards }: Pick<AwardClaim, 'rewards'>): Charge[] {
  return rewards.flatMap(({ charges }) => charges);
}

/** The writes of a token or an award: the claim, its transactions, and the decision. */
export interface Reservation {
  readonly claim: AwardClaim;
  readonly transactions: readonly RewardTransaction[];
  readonly decision: Decision;
}

/** The ids of a new transaction. The integer is derived from the UUID. */
export interface TransactionIds {
  readonly uuid: string;
  readonly id: number;
}

/** The basis of an award: the member, the merchant, and the event that is awarded. */
export interface AwardBasis {
  readonly member: Member;
  readonly merchantId: number;
  /** The external transaction, or another id of the event. */
  readonly externalTransactionId: string;
  readonly kind?: AwardKind;
  readonly triggerEvent?: NonNullable<RewardTransaction['triggerEvent']>;
  /** The external order, if it is awarded without a token. */
  readonly orderUuid?: string;
  readonly amountCents: number;
  readonly now: Date;
}

/** A decision that awards or takes something, with its campaign and partnership. */
export interface DecidedReward {
  readonly campaign: Campaign;
  readonly partnership: Partnership;
  readonly decision: Decision;
  /** Never empty. */
  readonly rewards: readonly Reward[];
}

/**
 * Makes the claim and the transactions of a decision.
 *
 * @param nextIds returns fresh ids on every call
 * @throws RangeError when the decision rewards nothing
 */
export function reserve(
  basis: AwardBasis,
  { campaign, partnership, decision, rewards: decided }: DecidedReward,
  authenticationId: string,
  nextIds: () => TransactionIds,
): Reservation {
  const rewards = decided.map((reward) => ({ ...reward, ...nextIds() }));
  const snapshotId = rewards[0]?.id;
  if (snapshotId === undefined) throw new RangeError('nothing to reserve');

  const { kind = 'PURCHASE', merchantId, externalTransactionId, amountCents, orderUuid } = basis;
  const at = basis.now.toISOString();
  const { id: userId, uuid: userUuid } = basis.member.user;
  const common = {
    state: 'INITIATED' as const,
    merchantId,
    partnershipUuid: partnership.uuid,
    campaignId: campaign.id,
    campaignVersion: campaign.version,
    userId,
    userUuid,
    amountCents,
    externalTransactionId: kind === 'PURCHASE' ? externalTransactionId : null,
    ...(kind === 'REGISTRATION' && { isRegistration: true }),
    ...(basis.triggerEvent && { triggerEvent: basis.triggerEvent }),
    snapshotId,
    createdAt: at,
    updatedAt: at,
  };
  const cost = costOf(rewards);
  return {
    decision,
    transactions: rewards.map((reward) => ({ ...common, ...reward, ...legOf(reward, rewards, campaign) })),
    claim: {
      merchantId,
      campaignId: campaign.id,
      externalTransactionId,
      kind,
      isTransfer: decision.facts.transferPoints !== null,
      ...(orderUuid !== undefined && { orderUuid }),
      authenticationId,
      state: 'ISSUED',
      userId,
      userUuid,
      partnerId: campaign.partnerId,
      amountCents,
      heldPoints: cost?.points ?? 0,
      heldPartnerId: cost?.partnerId ?? campaign.partnerId,
      rewards: rewards.map(({ flowId: _flow, actionId: _action, ...reward }) => reward),
      issuedAt: at,
      expiresAt: new Date(basis.now.getTime() + validityMs.transactionToken).toISOString(),
    },
  };
}

/** The fields of a transfer's legs. Only a transfer gives and takes by the same action. */
function legOf(
  { actionId, type, partnerId }: Reward,
  rewards: readonly (Reward & TransactionIds)[],
  campaign: Campaign,
): Pick<RewardTransaction, 'otherLegId' | 'isForeign'> {
  const other = rewards.find((reward) => reward.actionId === actionId && reward.type !== type);
  return other ? { otherLegId: other.id, isForeign: partnerId !== campaign.partnerId } : {};
}

/**
 * Makes the claim and the transactions of an award without a token: as if a token were spent when it was issued.
 * The claim takes the key, so that the event is never awarded twice.
 */
export function award(
  basis: AwardBasis,
  decided: DecidedReward,
  authenticationId: string,
  nextIds: () => TransactionIds,
): Reservation {
  const { claim, transactions, decision } = reserve(basis, decided, authenticationId, nextIds);
  return {
    decision,
    claim: { ...claim, state: 'SPENT', spentAt: basis.now.toISOString() },
    transactions: transactions.map((transaction) => ({ ...transaction, state: 'PENDING' })),
  };
}
