import * as z from 'zod/mini';
import { described } from '../../contracts/described.ts';
import { isListed } from '../../domain/campaign/document/campaign.ts';
import { partnerApprovals } from '../../domain/partnership.ts';
import type { PartnershipWithCampaigns } from '../../store/campaign/campaigns.ts';
import { datetime, flag, id, isDeleted, merchantId, partnerId } from '../wire.ts';
import { ListedCampaign, listedView } from './campaign.ts';

/** Endpoint 6. */
export const PartnershipView = z.object({
  uuid_id: described('UUID of the partnership.', z.uuid()),
  name: described('Display name of the partnership.', z.string()),
  description: described('Description of the partnership.', z.nullable(z.string())),
  img: described('URL of the image; null without one.', z.nullable(z.string())),
  merchant_id: merchantId,
  related_partner_id: described(
    'Another partner that the partnership is related to; null without one.',
    z.nullable(id),
  ),
  partner_id: partnerId,
  is_active: described('1 active, 0 inactive: an inactive partnership generates no rewards.', flag),
  is_deleted: isDeleted,
  owner_id: described('Organisation that created the partnership.', id),
  total_rewards_earned: described('Points that all campaigns of the partnership have awarded.', z.nullable(z.number())),
  total_rewards_redeemed: described(
    'Points that all campaigns of the partnership have redeemed.',
    z.nullable(z.number()),
  ),
  total_cashback_cents: described('Money that campaigns awarded; not part of any other total.', z.int()),
  num_of_transactions: described('Number of reward transactions of the partnership.', z.nullable(z.int())),
  is_demo: described('1 demo, 0 real.', flag),
  partner_approval: described(
    'Whether the partner approves each campaign that moves its points, or waived that.',
    z.enum(partnerApprovals),
  ),
  created_date: described('Time at which the partnership was created.', datetime),
  campaigns: described(
    'Campaigns of the partnership without drafts and deleted ones; null when there are none.',
    z.nullable(z.array(ListedCampaign)),
  ),
});

/** The partnership for endpoint 6. Drafts and deleted campaigns are left out. */
export function partnershipView(
  { partnership, totals, campaigns }: PartnershipWithCampaigns,
  now: Date,
): z.input<typeof PartnershipView> {
  const listed = campaigns.filter(({ campaign }) => isListed(campaign));
  return {
    uuid_id: partnership.uuid,
    name: partnership.name,
    description: partnership.description,
    img: partnership.imageUrl,
    merchant_id: partnership.merchantId,
    related_partner_id: partnership.relatedPartnerId,
    partner_id: partnership.partnerId,
    is_active: partnership.isActive ? 1 : 0,
    is_deleted: partnership.isDeleted ? 1 : 0,
    owner_id: partnership.ownerId,
    total_rewards_earned: totals.earnedPoints,
    total_rewards_redeemed: totals.redeemedPoints,
    total_cashback_cents: totals.cashbackCents,
    num_of_transactions: totals.transactions,
    is_demo: partnership.isDemo ? 1 : 0,
    partner_approval: partnership.partnerApproval,
    created_date: partnership.createdAt,
    campaigns: listed.length === 0 ? null : listed.map((each) => listedView(each.campaign, each.totals, now)),
  };
}
