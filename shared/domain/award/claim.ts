import * as z from 'zod/mini';
import { validityMs } from '../../contracts/limits.ts';
import type { Campaign } from '../campaign/document/campaign.ts';
import type { Decision } from '../campaign/evaluation/decision.ts';
import { Charge, type RewardTransaction } from '../ledger/reward-transaction.ts';
import type { Member } from '../member/member.ts';
import { Cents, Points } from '../money.ts';
import type { Partnership } from '../partnership.ts';
import type { Reward } from './rewards.ts';

/**
 * A copy of those fields of a transaction that replies contain. So endpoints 1 and 2 can reply without reading the
 * transaction.
 */
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
 * Makes the award of one event under one campaign unique. Most events are external transactions. Only the token of the
 * claim can create the transactions of the award. A claim with a spent token is never deleted, so no event is awarded
 * twice.
 */
export const AwardClaim = z.object({
  merchantId: z.int(),
  campaignId: z.int(),
  /** The id of the external transaction, or an id that is unique among all awards of this kind. */
  externalTransactionId: z.string(),
  kind: z._default(z.enum(awardKinds), 'PURCHASE'),
  /** Whether the award is a transfer: it moves points between programs and spends no money. */
  isTransfer: z._default(z.boolean(), false),
  /** The token: `authentication_id` of endpoint 1. */
  authenticationId: z.string(),
  state: z.enum(['ISSUED', 'SPENT']),
  userId: z.int(),
  userUuid: z.string(),
  partnerId: z.int(),
  amountCents: Cents,
  /** A digest of the items and attributes of the purchase, if the request for the token had any. */
  detailsDigest: z.optional(z.string()),
  /**
   * Whether the purchase may earn only in the program of this claim, as long as the claim exists. That is so if the
   * merchant had several programs when this claim, or a claim that it replaced, was written.
   */
  keepsProgram: z.optional(z.boolean()),
  /**
   * The part of the amount that points had paid when the reward was decided. The reward is for the part that money
   * paid.
   */
  paidCents: z.optional(Cents),
  /** Points reserved from the member's balance while the token is live. */
  heldPoints: Points,
  /** The program of the reserved points. */
  heldPartnerId: z.int(),
  rewards: z.array(ClaimedReward).check(z.minLength(1)),
  issuedAt: z.string(),
  /** The token is valid before this instant. */
  expiresAt: z.string(),
  /** The expiry of the oldest valid token that this token replaced; absent if it replaced no valid token. */
  firstExpiresAt: z.optional(z.string()),
  /** The time when the token was spent. */
  spentAt: z.optional(z.string()),
  /** The external order or the payment that was awarded. Its claim is written with a spent token, which no caller receives. */
  orderUuid: z.optional(z.string()),
  /** The trigger event that reported a referral; absent if the first link of the friend reported it. */
  triggerEventUuid: z.optional(z.string()),
  /**
   * The sum of the refunds that were reported for the transactions of the token. Refunds of an order are not included.
   */
  refundedCents: z.optional(Cents),
  /** The part of `refundedCents` that is applied to the rewards. */
  refundsAppliedCents: z.optional(Cents),
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

/** The expiry of the oldest valid token that the token of a claim replaced. If it replaced none, its own expiry. */
const firstExpiryOf = ({ firstExpiresAt, expiresAt }: AwardClaim): Date => new Date(firstExpiresAt ?? expiresAt);

/**
 * Whether an order or a payment waits for the token of a claim. It waits while the token can be spent, but at most for
 * the validity period of one token. If the token replaced other tokens, the wait ends when the oldest of them expires.
 * So a member cannot prolong the wait with new tokens.
 *
 * @param since when the wait began
 */
export function isAwaited(claim: AwardClaim, since: Date, now: Date): boolean {
  const until = Math.min(firstExpiryOf(claim).getTime(), since.getTime() + validityMs.transactionToken);
  return isLive(claim, now) && now.getTime() < until;
}

/**
 * Decides how a token request is answered when a claim exists (docs/gaps.md, endpoint 1):
 * - `same-token`: the member, the amount and the details are the same, and the token is live;
 * - `refused`: the token was spent, or a different member has a live token;
 * - `replace`: the token expired, or the amount or the details changed: the new reservation replaces the old one.
 */
export function decideReissue(
  existing: AwardClaim,
  request: Pick<AwardClaim, 'userId' | 'amountCents'> & {
    readonly detailsDigest?: string | undefined;
    readonly now: Date;
  },
): 'same-token' | 'refused' | 'replace' {
  if (existing.state === 'SPENT') return 'refused';
  if (!isLive(existing, request.now)) return 'replace';
  if (existing.userId !== request.userId) return 'refused';
  const isSame = existing.amountCents === request.amountCents && existing.detailsDigest === request.detailsDigest;
  return isSame ? 'same-token' : 'replace';
}

/**
 * Whether a claim was written for this event. A referral is rewarded once per friend, so its claim may come from an
 * earlier event. Then the transactions of the claim do not belong to this event.
 */
export const isAwardOf = (claim: AwardClaim, { triggerEvent }: Pick<AwardBasis, 'triggerEvent'>): boolean =>
  claim.kind !== 'REFERRAL' || claim.triggerEventUuid === triggerEvent?.uuid;

/** Whether a claim rewards a purchase. Payments with points, and transfers, are not rewards. */
export const isEarning = ({ kind, rewards }: Pick<AwardClaim, 'kind' | 'rewards'>): boolean =>
  kind === 'PURCHASE' && rewards.every(({ type }) => type === 'EARN');

/** The program in which a purchase earned first, according to its claims; undefined if it has not earned. */
export const earnedProgramOf = (claims: readonly AwardClaim[]): number | undefined =>
  claims
    .filter((claim) => claim.state === 'SPENT' && isEarning(claim))
    .toSorted((one, other) => (one.issuedAt < other.issuedAt ? -1 : 1))[0]?.partnerId;

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
  /** The id of the external transaction, or of a different kind of event. */
  readonly externalTransactionId: string;
  readonly kind?: AwardKind;
  readonly triggerEvent?: NonNullable<RewardTransaction['triggerEvent']>;
  /** The external order, if it is awarded without a token. */
  readonly orderUuid?: string;
  readonly amountCents: number;
  /** A digest of the details of the purchase; undefined without details. */
  readonly detailsDigest?: string | undefined;
  /** The part of the amount that points have paid; 0 by default. */
  readonly paidCents?: number | undefined;
  /** Whether the merchant has several programs. Then the claim binds the purchase to the program of the reward. */
  readonly isOneOfSeveral?: boolean | undefined;
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
  const { paidCents = 0, detailsDigest } = basis;
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
  const isOneOfSeveral = basis.isOneOfSeveral || basis.replaced?.keepsProgram;
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
      ...(kind === 'REFERRAL' && basis.triggerEvent && { triggerEventUuid: basis.triggerEvent.uuid }),
      authenticationId,
      state: 'ISSUED',
      userId,
      userUuid,
      partnerId: campaign.partnerId,
      amountCents,
      ...(detailsDigest !== undefined && { detailsDigest }),
      ...(isOneOfSeveral && isEarning({ kind, rewards }) && { keepsProgram: true }),
      ...(paidCents > 0 && cost === undefined && { paidCents }),
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

/** The fields that mark a reward as one leg of a transfer. The two legs have the same action and different types. */
function legOf(
  { actionId, type, partnerId }: Reward,
  rewards: readonly (Reward & TransactionIds)[],
  campaign: Campaign,
): Pick<RewardTransaction, 'otherLegId' | 'isForeign'> {
  const other = rewards.find((reward) => reward.actionId === actionId && reward.type !== type);
  return other ? { otherLegId: other.id, isForeign: partnerId !== campaign.partnerId } : {};
}

/**
 * The ids of the other rewards of the same flow that share a charge with this reward; none when the flow has no shared
 * charge.
 */
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

/**
 * The points that rewards take from the member, and the program of these points. A campaign takes points of one program
 * only.
 */
export function costOf(
  rewards: readonly Reward[],
): { readonly points: number; readonly partnerId: number } | undefined {
  const paid = rewards.filter(({ type }) => type === 'REDEEM');
  const [first] = paid;
  return first && { partnerId: first.partnerId, points: paid.reduce((sum, { points }) => sum + points, 0) };
}

/**
 * What a settlement of its purchase changes of a spent claim; undefined if nothing changes.
 *
 * @param isSettled whether all refunds that the claim contains are applied
 * @param paidCents what payments captured, if the claim was earned by a payment: its refunds are parts of this amount
 */
export function settledClaim(
  { amountCents, refundedCents = 0, refundsAppliedCents = 0 }: AwardClaim,
  { isSettled, paidCents }: { readonly isSettled: boolean; readonly paidCents: number },
): Partial<Pick<AwardClaim, 'amountCents' | 'refundsAppliedCents'>> | undefined {
  const isApplied = isSettled && refundsAppliedCents < refundedCents;
  const isLarger = paidCents > amountCents;
  if (!isApplied && !isLarger) return undefined;
  return { ...(isApplied && { refundsAppliedCents: refundedCents }), ...(isLarger && { amountCents: paidCents }) };
}
