import * as z from 'zod/mini';

/** How far a refund reverses points that were already credited. */
export const reversalPolicies = [
  /** Not at all: only transactions that are not completed yet are reversed. */
  'only_pending',
  /**
   * As far as the member still has the points. The rest is a shortfall. Only points that come back to the member settle
   * it.
   */
  'within_balance',
  /** In full: the balance may become negative. */
  'unlimited',
] as const;
export type ReversalPolicy = (typeof reversalPolicies)[number];

/**
 * Whether a partner has to approve each campaign version that moves its points, or has waived this. Only the partner
 * can change this.
 */
export const partnerApprovals = ['needed', 'not_needed'] as const;
export type PartnerApproval = (typeof partnerApprovals)[number];

/**
 * Whether a merchant works with one partner only (`direct`), whose program every purchase uses, or with several
 * (`marketplace`), of which the member chooses one.
 */
export const partnershipKinds = ['direct', 'marketplace'] as const;
export type PartnershipKind = (typeof partnershipKinds)[number];

/** The business relationship between one merchant and one partner. */
export const Partnership = z.object({
  uuid: z.string(),
  name: z.string(),
  description: z.nullable(z.string()),
  imageUrl: z.nullable(z.string()),
  kind: z._default(z.enum(partnershipKinds), 'marketplace'),
  merchantId: z.int(),
  partnerId: z.int(),
  relatedPartnerId: z.nullable(z.int()),
  ownerId: z.int(),
  isActive: z.boolean(),
  isDeleted: z.boolean(),
  isDemo: z.boolean(),
  /** IANA time zone for the calendar periods of its campaigns' limits. */
  timeZone: z.string(),
  /** Whether its campaigns may award money. */
  allowsCashback: z._default(z.boolean(), false),
  /** A partner that owns a part of a campaign has to approve the campaign in any case. */
  partnerApproval: z._default(z.enum(partnerApprovals), 'needed'),
  reversalPolicy: z._default(z.enum(reversalPolicies), 'within_balance'),
  createdAt: z.string(),
});
export type Partnership = z.infer<typeof Partnership>;

/**
 * Finds the active partnership that excludes another one: a partnership of the same merchant and partner, or any other
 * partnership if one of the two is direct.
 *
 * @param others the partnerships of the same merchant
 */
export function findExcluding(
  { uuid, partnerId, kind }: Pick<Partnership, 'uuid' | 'partnerId' | 'kind'>,
  others: readonly Partnership[],
): Partnership | undefined {
  const open = others.filter((other) => other.isActive && !other.isDeleted && other.uuid !== uuid);
  return (
    open.find((other) => other.partnerId === partnerId) ??
    open.find((other) => kind === 'direct' || other.kind === 'direct')
  );
}

/** Whether an organisation is the merchant or the partner. */
export function isSide(
  organisationId: number,
  sides: { readonly merchantId: number; readonly partnerId: number },
): boolean {
  return sides.merchantId === organisationId || sides.partnerId === organisationId;
}
