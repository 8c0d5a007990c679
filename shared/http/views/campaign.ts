import * as z from 'zod';
import { datetime, flag, id } from '../wire.ts';

/** A campaign as lists show it: endpoint 9 and the campaigns of endpoint 6. */
export const ListedCampaign = z.object({
  id,
  name: z.string(),
  description: z.string().nullable(),
  campaign_logo: z.string().nullable(),
  /** 1 EARN, 2 REDEEM, 3 CONNECT_ONLY, 4 TRANSFER. */
  campaign_type: z.int().min(1).max(4),
  /** 1 SPEND, 2 REGISTRATION, 3 REFERRAL, 4 CUSTOM; null when the campaign has no flow. */
  trigger_type: z.int().min(1).max(4).nullable(),
  merchant_id: id,
  partner_id: id,
  base_reward: z.number().nullable(),
  start_date: datetime,
  end_date: datetime.nullable(),
  total_rewards: z.int(),
  is_active: flag,
  is_deleted: flag,
  owner_id: id,
  created_date: datetime,
});
