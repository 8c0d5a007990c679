import * as z from 'zod/mini';
import { Charge } from '../ledger/reward-transaction.ts';
import { Cents, Points } from '../money.ts';

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
export type AwardKind = (typeof occasions)[number];

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
