import * as z from 'zod';
import { datetime, id } from '../wire.ts';

const PartnerStatusTier = z.object({
  id,
  user_id: id,
  partner_id: id,
  partner_status_tier_id: id.nullable(),
  external_id: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  total_rewards: z.int(),
  total_rewards_earned: z.int(),
  total_rewards_redeemed: z.int(),
  created_date: datetime,
});

const MerchantAssociation = z.object({
  id,
  user_id: id,
  merchant_id: id,
  external_id: z.string().nullable(),
  total_rewards_earned: z.int(),
  total_rewards_redeemed: z.int(),
  created_date: datetime,
});

/** Endpoint 4. */
export const PartnerKeyUser = z.object({
  uuid_id: z.uuid(),
  id,
  first_name: z.string(),
  last_name: z.string(),
  email: z.string(),
  phone_number: z.string().nullable(),
  created_date: datetime,
  external_id: z.string().nullable(),
  partner_status_tiers: z.array(PartnerStatusTier),
  merchants: z.array(MerchantAssociation),
});

/** Endpoint 5. */
export const UserTokenUser = z.object({
  id,
  first_name: z.string(),
  last_name: z.string(),
  email: z.string(),
  created_date: datetime,
  merchants: z.array(MerchantAssociation),
  partner_status_tiers: z.array(PartnerStatusTier.omit({ first_name: true, last_name: true })),
});
