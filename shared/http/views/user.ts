import * as z from 'zod/mini';
import { type Association, Attributes, Location, type Member, type Membership } from '../../domain/member/member.ts';
import type { Visibility } from '../../domain/member/visibility.ts';
import type { UpdatedMember } from '../../operations/member/update-attributes.ts';
import { datetime, id } from '../wire.ts';

/** `total_cashback_cents` is our addition: the money that campaigns awarded, separate from points. */
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
  total_cashback_cents: z.int(),
  created_date: datetime,
});

const UserTokenAccount = z.omit(PartnerStatusTier, { first_name: true, last_name: true });

const MerchantAssociation = z.object({
  id,
  user_id: id,
  merchant_id: id,
  external_id: z.nullable(z.string()),
  total_rewards_earned: z.int(),
  total_rewards_redeemed: z.int(),
  created_date: datetime,
});

/** An account of a program as endpoint 5 shows it, for the documentation. */
export const accountExample: z.input<typeof UserTokenAccount> = {
  id: 21,
  user_id: 42,
  partner_id: 2,
  partner_status_tier_id: 1,
  external_id: 'SKY-1001',
  total_rewards: 5127,
  total_rewards_earned: 127,
  total_rewards_redeemed: 0,
  total_cashback_cents: 0,
  created_date: '2026-03-02T09:30:00.000Z',
};

/** A customer of a merchant, for the documentation. */
export const customerExample: z.input<typeof MerchantAssociation> = {
  id: 31,
  user_id: 42,
  merchant_id: 1,
  external_id: 'customer-1001',
  total_rewards_earned: 127,
  total_rewards_redeemed: 0,
  created_date: '2026-03-02T09:30:00.000Z',
};

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
  partner_status_tiers: z.array(UserTokenAccount),
});

/** The member for endpoint 4: `total_rewards` is the available points. */
export function partnerKeyUserView(member: Member, visible: Visibility): z.input<typeof PartnerKeyUser> {
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
      .filter(({ partnerId }) => visible.hasProgram(partnerId))
      .map((membership) => tierView(membership, membership.availablePoints)),
    merchants: member.associations.filter(({ merchantId }) => visible.hasMerchant(merchantId)).map(merchantView),
  };
}

/**
 * The organisation's own id of a member. The id of another organisation would reveal where else the member is a
 * customer.
 */
function externalIdAt(organisationId: number, { associations, memberships }: Member): string | null {
  const association = associations.find(({ merchantId }) => merchantId === organisationId);
  const membership = memberships.find(({ partnerId }) => partnerId === organisationId);
  return association?.externalId ?? membership?.externalId ?? null;
}

/** The member for endpoint 5: `total_rewards` is the balance, which includes held points. */
export function userTokenUserView(
  { user, memberships, associations }: Member,
  visible: Visibility,
): z.input<typeof UserTokenUser> {
  return {
    id: user.id,
    first_name: user.firstName,
    last_name: user.lastName,
    email: user.email,
    created_date: user.createdAt,
    merchants: associations.filter(({ merchantId }) => visible.hasMerchant(merchantId)).map(merchantView),
    partner_status_tiers: memberships
      .filter(({ partnerId }) => visible.hasProgram(partnerId))
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
    total_cashback_cents: membership.cashbackCents,
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

/**
 * What the caller itself reports about a user: a merchant reports attributes and location, a partner reports the status
 * tier.
 */
export const ReportedUser = z.object({
  uuid_id: z.uuid(),
  id,
  /** Absent for a partner, as is the location. */
  attributes: z.optional(Attributes),
  location: z.optional(z.nullable(Location)),
  /** Absent for a merchant. */
  partner_status_tier_id: z.optional(z.nullable(id)),
});

/** The user after an update: everything that the caller may report about this user. */
export function reportedUserView({ user, own: { association, membership } }: UpdatedMember) {
  const reported: z.input<typeof ReportedUser> = {
    uuid_id: user.uuid,
    id: user.id,
    ...(association && { attributes: association.attributes ?? {}, location: association.location ?? null }),
    ...(membership && { partner_status_tier_id: membership.statusTierId }),
  };
  return { user: reported };
}
