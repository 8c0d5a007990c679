import * as z from 'zod/mini';
import { validityMs } from '../../contracts/limits.ts';
import type { Campaign } from '../campaign/document/campaign.ts';
import type { Decision } from '../campaign/evaluation/decision.ts';
import { Charge, type RewardTransaction } from '../ledger/reward-transaction.ts';
import type { Member } from '../member/member.ts';
import { Cents, Points } from '../money.ts';
import type { Partnership } from '../partnership.ts';
import type { Reward } from './rewards.ts';

/** A copy of the transaction's fields that replies need, so that they need no read of the transaction. */
const ClaimedReward = z.object({
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
 * The claim of one event to its award under one campaign. The event is an external transaction most often. The claim
 * has the only token that can create the transactions. It is never deleted once the token is spent, so the same event
 * is never awarded twice.
 */
export const AwardClaim = z.object({
  merchantId: z.int(),
  campaignId: z.int(),
  /** The external transaction, or another id that is unique among the awards of the kind. */
  externalTransactionId: z.string(),
  kind: z._default(z.enum(awardKinds), 'PURCHASE'),
  /** Whether it moves points between programs. A transfer spends no money. */
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
  rewards: z.array(ClaimedReward).check(z.minLength(1)),
  issuedAt: z.string(),
  /** The token is valid before this instant. */
  expiresAt: z.string(),
  /** When the first of the tokens would have expired that have replaced each other while they were valid. */
  firstExpiresAt: z.optional(z.string()),
  /** The time when the token was spent. */
  spentAt: z.optional(z.string()),
  /** The external order that was awarded. Its token is spent from the start, and no caller receives it. */
  orderUuid: z.optional(z.string()),
  /** The payment that counts all refunds of the external transaction, also those that the merchant reports. */
  paymentUuid: z.optional(z.string()),
  /** The sum of the refunds that were reported for what the token moved, not for an order. */
  refundedCents: z.optional(Cents),
  /** Until then one run applies all of these refunds, and other runs leave them to it. */
  refundTurnUntil: z.optional(z.string()),
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

/** When the first of the tokens expires that have replaced each other while they were valid. */
const firstExpiryOf = ({ firstExpiresAt, expiresAt }: AwardClaim): Date => new Date(firstExpiresAt ?? expiresAt);

/**
 * Whether a refund or an order waits for the token of a claim: while the token can be spent, but no longer than until the
 * first of the tokens would have expired that have replaced each other since. So no member keeps it waiting.
 *
 * @param since when the refund or the order arrived
 */
export function isAwaited(claim: AwardClaim, since: Date, now: Date): boolean {
  const until = Math.min(firstExpiryOf(claim).getTime(), since.getTime() + validityMs.transactionToken);
  return isLive(claim, now) && now.getTime() < until;
}

/**
 * Decides how a token request is answered when a claim exists (docs/gaps.md, endpoint 1):
 * - `same-token`: the member and the amount are the same, and the token is live;
 * - `refused`: the token was spent, or another member holds a live one;
 * - `replace`: the token expired, or the amount changed: the new reservation replaces the old one.
 */
export function decideReissue(
  existing: AwardClaim,
  request: { readonly userId: number; readonly amountCents: number; readonly now: Date },
): 'same-token' | 'refused' | 'replace' {
  if (existing.state === 'SPENT') return 'refused';
  if (!isLive(existing, request.now)) return 'replace';
  if (existing.userId !== request.userId) return 'refused';
  return existing.amountCents === request.amountCents ? 'same-token' : 'replace';
}

/** The ids of a claim's transactions. */
export const rewardIdsOf = ({ rewards }: Pick<AwardClaim, 'rewards'>): number[] => rewards.map(({ id }) => id);

/** Everything that a claim charges to its member's limits. */
export function chargesOf({ rewards }: Pick<AwardClaim, 'rewards'>): Charge[] {
  return rewards.flatMap(({ charges }) => charges);
}

/** The items that are written for a token or an award: the claim, its transactions, and their decision. */
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
  /** The claim whose token is replaced. */
  readonly replaced?: AwardClaim | undefined;
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
    transactions: rewards.map((reward) => ({
      ...common,
      ...reward,
      ...legOf(reward, rewards, campaign),
      ...sharingOf(reward, rewards),
    })),
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
      ...(basis.replaced &&
        isLive(basis.replaced, basis.now) && { firstExpiresAt: firstExpiryOf(basis.replaced).toISOString() }),
    },
  };
}

/** The fields of a transfer's leg. Its two legs have the same action and different types. */
function legOf(
  { actionId, type, partnerId }: Reward,
  rewards: readonly (Reward & TransactionIds)[],
  campaign: Campaign,
): Pick<RewardTransaction, 'otherLegId' | 'isForeign'> {
  const other = rewards.find((reward) => reward.actionId === actionId && reward.type !== type);
  return other ? { otherLegId: other.id, isForeign: partnerId !== campaign.partnerId } : {};
}

/** The other rewards of a flow, when the rewards of the flow share a charge. */
function sharingOf(
  { flowId, id }: Reward & TransactionIds,
  rewards: readonly (Reward & TransactionIds)[],
): Pick<RewardTransaction, 'sharesChargesWith'> {
  const ofFlow = rewards.filter((reward) => reward.flowId === flowId);
  if (!ofFlow.some(({ charges }) => charges.some(({ isShared }) => isShared))) return {};
  return { sharesChargesWith: ofFlow.map((reward) => reward.id).filter((other) => other !== id) };
}

/**
 * Makes the claim and the transactions of an award without a token. The claim is spent from the start, and prevents a
 * second award for the same event.
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

/** The points that rewards take, and their program. One campaign takes points of one program only. */
export function costOf(
  rewards: readonly Reward[],
): { readonly points: number; readonly partnerId: number } | undefined {
  const paid = rewards.filter(({ type }) => type === 'REDEEM');
  const [first] = paid;
  return first && { partnerId: first.partnerId, points: paid.reduce((sum, { points }) => sum + points, 0) };
}
