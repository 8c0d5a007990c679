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

/** What is remembered of a transaction of a purchase, enough to answer for it without reading it. */
const PurchasedReward = z.object({
  id: z.int(),
  uuid: z.string(),
  type: z.enum(['EARN', 'REDEEM']),
  /** The program whose points they are. */
  partnerId: z.int(),
  points: Points,
  cashbackCents: z._default(Cents, 0),
  charges: z._default(z.array(Charge), []),
});

/** What a reward is given for; a purchase is the only one that a token can stand for. */
const occasions = ['PURCHASE', 'TRIGGER', 'REGISTRATION', 'REFERRAL'] as const;
type AwardKind = (typeof occasions)[number];

/**
 * One occasion of a merchant under one campaign, an external transaction most often: the business key of
 * an award. It holds the one token that may become transactions, and after that it stays for ever, so
 * that the same order is never rewarded twice.
 */
export const AwardClaim = z.object({
  merchantId: z.int(),
  campaignId: z.int(),
  /** The external transaction, or what else names the occasion among all of its kind. */
  externalTransactionId: z.string(),
  kind: z._default(z.enum(occasions), 'PURCHASE'),
  /** Whether points are moved by it, and so nothing is spent. */
  isTransfer: z._default(z.boolean(), false),
  /** The token: what endpoint 1 calls authentication_id. */
  authenticationId: z.string(),
  state: z.enum(['ISSUED', 'SPENT']),
  userId: z.int(),
  userUuid: z.string(),
  partnerId: z.int(),
  amountCents: Cents,
  /** Points reserved from the member's balance while the token lives. */
  heldPoints: Points,
  /** The program that they are reserved in. */
  heldPartnerId: z.int(),
  rewards: z.array(PurchasedReward).check(z.minLength(1)),
  issuedAt: z.string(),
  /** The token is valid before this instant. */
  expiresAt: z.string(),
  /** When the token became transactions. */
  spentAt: z.optional(z.string()),
  /** The request that spent the token, when it named itself with an idempotency key. */
  spentBy: z.optional(z.string()),
  /** The external order that was rewarded; its token was spent as it was made, and nobody was given it. */
  orderUuid: z.optional(z.string()),
});
export type AwardClaim = z.infer<typeof AwardClaim>;

/** What identifies a purchase. */
export type ClaimKey = Pick<AwardClaim, 'merchantId' | 'campaignId' | 'externalTransactionId'> & {
  readonly kind?: AwardKind;
};

/** Whether the token of a purchase can be spent at an instant. */
export function isLive(claim: AwardClaim, now: Date): boolean {
  return claim.state === 'ISSUED' && now.getTime() < Date.parse(claim.expiresAt);
}

/**
 * What becomes of a request for a token of a purchase that exists (docs/gaps.md, endpoint 1):
 * - `same-token`: the same order for the same amount has its token already;
 * - `refused`: the order became transactions already, or another member's token for it lives;
 * - `replace`: the token expired, or the amount changed: the reservation is replaced in one step.
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

/** The transactions that a purchase is, or was to be. */
export const rewardIdsOf = ({ rewards }: Pick<AwardClaim, 'rewards'>): number[] => rewards.map(({ id }) => id);

/** Everything that a purchase uses of its member's limits. */
export function chargesOf({ rewards }: Pick<AwardClaim, 'rewards'>): Charge[] {
  return rewards.flatMap(({ charges }) => charges);
}

/** What is written for a token or an award: the purchase, its transactions, and the decision behind them. */
export interface Reservation {
  readonly claim: AwardClaim;
  readonly transactions: readonly RewardTransaction[];
  readonly decision: Decision;
}

/** Identifiers for a new transaction; the second is a function of the first. */
export interface TransactionIds {
  readonly uuid: string;
  readonly id: number;
}

/** What a reward is given for. */
export interface AwardBasis {
  readonly member: Member;
  readonly merchantId: number;
  /** The external transaction, or what else names the occasion. */
  readonly externalTransactionId: string;
  readonly kind?: AwardKind;
  readonly triggerEvent?: NonNullable<RewardTransaction['triggerEvent']>;
  /** The external order, when it is rewarded without a token. */
  readonly orderUuid?: string;
  readonly amountCents: number;
  readonly now: Date;
}

/** A decision that gives or takes something, with what it was made of. */
export interface DecidedReward {
  readonly campaign: Campaign;
  readonly partnership: Partnership;
  readonly decision: Decision;
  /** Never empty. */
  readonly rewards: readonly Reward[];
}

/**
 * Turns a decision into what is to be written.
 *
 * @param nextIds gives fresh identifiers, one pair for each call.
 * @throws RangeError when the decision rewards nothing
 */
export function reserve(
  rewarded: AwardBasis,
  { campaign, partnership, decision, rewards: decided }: DecidedReward,
  authenticationId: string,
  nextIds: () => TransactionIds,
): Reservation {
  const rewards = decided.map((reward) => ({ ...reward, ...nextIds() }));
  const snapshotId = rewards[0]?.id;
  if (snapshotId === undefined) throw new RangeError('nothing to reserve');

  const { kind: occasion = 'PURCHASE', merchantId, externalTransactionId, amountCents, orderUuid } = rewarded;
  const at = rewarded.now.toISOString();
  const { id: userId, uuid: userUuid } = rewarded.member.user;
  const common = {
    state: 'INITIATED' as const,
    merchantId,
    partnershipUuid: partnership.uuid,
    campaignId: campaign.id,
    campaignVersion: campaign.version,
    userId,
    userUuid,
    amountCents,
    externalTransactionId: occasion === 'PURCHASE' ? externalTransactionId : null,
    ...(occasion === 'REGISTRATION' && { isRegistration: true }),
    ...(rewarded.triggerEvent && { triggerEvent: rewarded.triggerEvent }),
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
      kind: occasion,
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
      expiresAt: new Date(rewarded.now.getTime() + validityMs.transactionToken).toISOString(),
    },
  };
}

/** What only the two legs of a transfer have: nothing else gives and takes by one action. */
function legOf(
  { actionId, type, partnerId }: Reward,
  rewards: readonly (Reward & TransactionIds)[],
  campaign: Campaign,
): Pick<RewardTransaction, 'otherLegId' | 'isForeign'> {
  const other = rewards.find((reward) => reward.actionId === actionId && reward.type !== type);
  return other ? { otherLegId: other.id, isForeign: partnerId !== campaign.partnerId } : {};
}

/**
 * The same for what is awarded without a token: as one that was spent when it was issued. Its place is
 * taken all the same, so that the occasion is never rewarded twice.
 */
export function award(
  rewarded: AwardBasis,
  decided: DecidedReward,
  authenticationId: string,
  nextIds: () => TransactionIds,
): Reservation {
  const { claim, transactions, decision } = reserve(rewarded, decided, authenticationId, nextIds);
  return {
    decision,
    claim: { ...claim, state: 'SPENT', spentAt: rewarded.now.toISOString() },
    transactions: transactions.map((transaction) => ({ ...transaction, state: 'PENDING' })),
  };
}
