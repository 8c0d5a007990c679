import * as z from 'zod/mini';
import type { Association, Member, Membership } from '../../domain/member/member.ts';
import type { Partnership } from '../../domain/partnership.ts';
import { datetime, id } from '../wire.ts';

const PartnerStatusTier = z.object({
  id,
  user_id: id,
  partner_id: id,
  partner_status_tier_id: z.nullable(id),
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
  external_id: z.nullable(z.string()),
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
  phone_number: z.nullable(z.string()),
  created_date: datetime,
  external_id: z.nullable(z.string()),
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
  partner_status_tiers: z.array(z.omit(PartnerStatusTier, { first_name: true, last_name: true })),
});

/** What a caller may see of a member: of whose programs and at which merchants. */
export interface Visible {
  /** The caller, whose own identifier of the user is the one that is shown. */
  readonly organisationId: number;
  readonly programs: (partnerId: number) => boolean;
  readonly merchants: (merchantId: number) => boolean;
}

/** An organisation and its partnerships, by its role in them. */
interface Side {
  readonly organisationId: number;
  readonly asMerchant: readonly Partnership[];
  readonly asPartner: readonly Partnership[];
}

/** What an organisation may see: its own side of a member, and the other sides of its own partnerships. */
export function visibleTo({ organisationId, asMerchant, asPartner }: Side): Visible {
  const partners = new Set([organisationId, ...asMerchant.map(({ partnerId }) => partnerId)]);
  const merchants = new Set([organisationId, ...asPartner.map(({ merchantId }) => merchantId)]);
  return { organisationId, programs: (id) => partners.has(id), merchants: (id) => merchants.has(id) };
}

/** The member as endpoint 4 shows it: `total_rewards` is what can be spent now. */
export function partnerKeyUserView(member: Member, visible: Visible): z.input<typeof PartnerKeyUser> {
  const { user } = member;
  return {
    uuid_id: user.uuid,
    id: user.id,
    first_name: user.firstName,
    last_name: user.lastName,
    email: user.email,
    phone_number: user.phoneNumber,
    created_date: user.createdAt,
    external_id: externalIdAt(visible.organisationId, member),
    partner_status_tiers: member.memberships
      .filter(({ partnerId }) => visible.programs(partnerId))
      .map((membership) => tierView(membership, membership.availablePoints)),
    merchants: member.associations.filter(({ merchantId }) => visible.merchants(merchantId)).map(merchantView),
  };
}

/** The id by which an organisation knows a member: another one's would tell where else the member is a customer. */
function externalIdAt(organisationId: number, { associations, memberships }: Member): string | null {
  const association = associations.find(({ merchantId }) => merchantId === organisationId);
  const membership = memberships.find(({ partnerId }) => partnerId === organisationId);
  return association?.externalId ?? membership?.externalId ?? null;
}

/** The member as endpoint 5 shows it: `total_rewards` is the balance, what is reserved included. */
export function userTokenUserView(
  { user, memberships, associations }: Member,
  visible: Visible,
): z.input<typeof UserTokenUser> {
  return {
    id: user.id,
    first_name: user.firstName,
    last_name: user.lastName,
    email: user.email,
    created_date: user.createdAt,
    merchants: associations.filter(({ merchantId }) => visible.merchants(merchantId)).map(merchantView),
    partner_status_tiers: memberships
      .filter(({ partnerId }) => visible.programs(partnerId))
      .map((membership) => tierView(membership, membership.availablePoints + membership.heldPoints)),
  };
}

function tierView(membership: Membership, totalRewards: number): z.input<typeof PartnerStatusTier> {
  return {
    id: membership.id,
    user_id: membership.userId,
    partner_id: membership.partnerId,
    partner_status_tier_id: membership.statusTierId,
    external_id: membership.externalId,
    first_name: membership.firstName,
    last_name: membership.lastName,
    total_rewards: totalRewards,
    total_rewards_earned: membership.totalEarnedPoints,
    total_rewards_redeemed: membership.totalRedeemedPoints,
    created_date: membership.createdAt,
  };
}

function merchantView(association: Association): z.input<typeof MerchantAssociation> {
  return {
    id: association.id,
    user_id: association.userId,
    merchant_id: association.merchantId,
    external_id: association.externalId,
    total_rewards_earned: association.totalEarnedPoints,
    total_rewards_redeemed: association.totalRedeemedPoints,
    created_date: association.createdAt,
  };
}
