import * as z from 'zod/mini';

/** How far a refund reverses points that were already credited. */
export const reversalPolicies = [
  /** Not at all: only transactions that are not completed yet are reversed. */
  'only_pending',
  /**
   * As far as the points are available. The missing points are a shortfall. Only points that come back to the member
   * settle it.
   */
  'within_balance',
  /** In full: the balance may become negative. */
  'unlimited',
] as const;
export type ReversalPolicy = (typeof reversalPolicies)[number];

/**
 * Whether a partner has to approve each campaign version that moves its points, or has waived its approval. Only the
 * partner can change this.
 */
export const partnerApprovals = ['needed', 'not_needed'] as const;
export type PartnerApproval = (typeof partnerApprovals)[number];

/**
 * Whether a merchant works with one partner only (`direct`), or with several (`marketplace`). In a direct partnership
 * every purchase uses the partner's program. Otherwise the member chooses a program.
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
  /** Counts edits, so that one of two simultaneous edits is refused. Absent before the first edit. */
  revision: z.optional(z.int()),
});
export type Partnership = z.infer<typeof Partnership>;

/**
 * Finds, among the merchant's active partnerships, one that excludes the given partnership. Two partnerships exclude
 * each other if they have the same partner, or if one of them is direct.
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

/** The attributes of a partnership that an operator may edit. */
export type PartnershipEdit = Partial<
  Pick<Partnership, 'name' | 'description' | 'timeZone' | 'allowsCashback' | 'reversalPolicy'>
>;

/** What a decision about an edit or a deletion of a partnership needs to know. */
export interface PartnershipUse {
  /** Whether the ledger contains an entry of a campaign of the partnership. */
  readonly hasEntries: boolean;
  /** The approved campaigns of the partnership that have not ended and are not deleted. */
  readonly liveCampaigns: readonly number[];
  /** The live campaigns that award money. */
  readonly cashbackCampaigns: readonly number[];
  /** The live transfer campaigns in the merchant's other partnerships. They also move points of this partner. */
  readonly transfers: readonly number[];
}

/** A reason why a partnership cannot be edited or deleted now. */
export type PartnershipObstacle =
  /** The partnership has ledger entries, which were counted in periods of the present time zone. */
  | { readonly kind: 'entries' }
  /** The partnership is active: its campaigns could reward something during the change. */
  | { readonly kind: 'active'; readonly campaigns: readonly number[] }
  | { readonly kind: 'campaigns'; readonly campaigns: readonly number[] }
  | { readonly kind: 'cashback'; readonly campaigns: readonly number[] }
  | { readonly kind: 'transfers'; readonly campaigns: readonly number[] };

/**
 * Returns the reasons against an edit. The calendar periods of limits depend on the time zone. So the time zone is
 * final from the first ledger entry on; before that, it changes only while nothing can be rewarded. An operator can
 * forbid cashback only while no live campaign awards it.
 */
export function findEditObstacles(
  before: Partnership,
  { timeZone, allowsCashback }: PartnershipEdit,
  use: PartnershipUse,
): PartnershipObstacle[] {
  const movesDays = timeZone !== undefined && timeZone !== before.timeZone;
  const endsCashback = before.allowsCashback && allowsCashback === false;
  return [
    ...(movesDays && use.hasEntries ? [{ kind: 'entries' } as const] : []),
    ...(movesDays && !use.hasEntries && before.isActive ? obstacleIfAny('active', use.liveCampaigns) : []),
    ...(endsCashback ? obstacleIfAny('cashback', use.cashbackCampaigns) : []),
  ];
}

/**
 * Returns the reasons against deleting a partnership. Ended campaigns and drafts are no reason: they reward nothing,
 * and no draft of a deleted partnership can be approved.
 */
export function findDeletionObstacles({ isActive }: Partnership, use: PartnershipUse): PartnershipObstacle[] {
  return [
    ...(isActive ? [{ kind: 'active', campaigns: [] } as const] : []),
    ...obstacleIfAny('campaigns', use.liveCampaigns),
    ...obstacleIfAny('transfers', use.transfers),
  ];
}

const obstacleIfAny = (kind: 'active' | 'campaigns' | 'cashback' | 'transfers', campaigns: readonly number[]) =>
  campaigns.length > 0 ? [{ kind, campaigns }] : [];

/** Whether an organisation is the merchant or the partner. */
export function isSide(
  organisationId: number,
  sides: { readonly merchantId: number; readonly partnerId: number },
): boolean {
  return sides.merchantId === organisationId || sides.partnerId === organisationId;
}
