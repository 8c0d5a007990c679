import * as z from 'zod/mini';
import { Charge } from '../ledger/reward-transaction.ts';
import { Cents, Points } from '../money.ts';

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
export type AwardKind = (typeof awardKinds)[number];

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
  /** The time when the token was spent. */
  spentAt: z.optional(z.string()),
  /** The request that spent the token, if it had an idempotency key. */
  spentBy: z.optional(z.string()),
  /** The external order that was awarded. Its token is spent from the start, and no caller receives it. */
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
