import * as z from 'zod';
import { datetime, flag, id } from '../wire.ts';
import { ListedCampaign } from './campaign.ts';

/** Endpoint 6. */
export const PartnershipView = z.object({
  uuid_id: z.uuid(),
  name: z.string(),
  description: z.string().nullable(),
  img: z.string().nullable(),
  merchant_id: id,
  related_partner_id: id.nullable(),
  partner_id: id,
  is_active: flag,
  is_deleted: flag,
  owner_id: id,
  total_rewards_earned: z.number().nullable(),
  total_rewards_redeemed: z.number().nullable(),
  num_of_transactions: z.int().nullable(),
  is_demo: flag,
  created_date: datetime,
  campaigns: z.array(ListedCampaign).nullable(),
});
