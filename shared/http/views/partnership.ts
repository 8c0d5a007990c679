import * as z from 'zod/mini';
import { isListed } from '../../domain/campaign/document/campaign.ts';
import { partnerApprovals } from '../../domain/partnership.ts';
import type { PartnershipWithCampaigns } from '../../store/campaign/campaigns.ts';
import { datetime, flag, id } from '../wire.ts';
import { ListedCampaign, listedView } from './campaign.ts';

/** Endpoint 6. */
export const PartnershipView = z.object({
  uuid_id: z.uuid(),
  name: z.string(),
  description: z.nullable(z.string()),
  img: z.nullable(z.string()),
  merchant_id: id,
  related_partner_id: z.nullable(id),
  partner_id: id,
  is_active: flag,
  is_deleted: flag,
  owner_id: id,
  total_rewards_earned: z.nullable(z.number()),
  total_rewards_redeemed: z.nullable(z.number()),
  total_cashback_cents: z.int(),
  num_of_transactions: z.nullable(z.int()),
  is_demo: flag,
  partner_approval: z.enum(partnerApprovals),
  created_date: datetime,
  campaigns: z.nullable(z.array(ListedCampaign)),
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
