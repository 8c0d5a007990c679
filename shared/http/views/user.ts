import * as z from 'zod/mini';
import { described } from '../../contracts/described.ts';
import { type Association, Attributes, Location, type Member, type Membership } from '../../domain/member/member.ts';
import type { Visibility } from '../../domain/member/visibility.ts';
import type { UpdatedMember } from '../../operations/member/update-attributes.ts';
import { datetime, id, merchantId, partnerId, userId } from '../wire.ts';

/** `total_cashback_cents` is our addition: the money that campaigns awarded, separate from points. */
const PartnerStatusTier = z.object({
  id: described("Id of the user's account with the program; `user_link_id` at endpoint 11.", id),
  user_id: userId,
  partner_id: partnerId,
  partner_status_tier_id: described("The account's status tier in the program; null without one.", z.nullable(id)),
  external_id: described("The account's id in the loyalty program: the member number.", z.string()),
  first_name: described('First name.', z.string()),
  last_name: described('Last name.', z.string()),
  total_rewards: described(
    'Points that the member can spend now with this program. Reserved points are not included.',
    z.int(),
  ),
  total_rewards_earned: described('Points that the account has earned through the platform.', z.int()),
  total_rewards_redeemed: described('Points that the account has redeemed through the platform.', z.int()),
  total_cashback_cents: described('Money that campaigns awarded, in cents, separate from points.', z.int()),
  created_date: described('Time at which the user linked the account.', datetime),
});

const UserTokenAccount = z.extend(z.omit(PartnerStatusTier, { first_name: true, last_name: true }), {
  total_rewards: described("Balance of the member's account with this program, including reserved points.", z.int()),
});

const MerchantAssociation = z.object({
  id: described("Id of the user's association with the merchant.", id),
  user_id: userId,
  merchant_id: merchantId,
  external_id: described("The merchant's own id of the user.", z.nullable(z.string())),
  total_rewards_earned: described('Points that the user has earned at this merchant, without reversed ones.', z.int()),
  total_rewards_redeemed: described('Points that the user has redeemed at this merchant.', z.int()),
  created_date: described('Time at which the user became a customer of the merchant.', datetime),
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
  uuid_id: described('UUID of the user.', z.uuid()),
  id: described('Integer id of the user.', id),
  first_name: described('First name.', z.string()),
  last_name: described('Last name.', z.string()),
  email: described('E-mail address of the user.', z.string()),
  phone_number: described('E.164 format.', z.nullable(z.string())),
  created_date: described('Time at which the platform learned of the user.', datetime),
  external_id: described("The caller's own id of the user; null if the caller has none.", z.nullable(z.string())),
  partner_status_tiers: described(
    "The user's accounts with loyalty programs, as far as the caller may see them.",
    z.array(PartnerStatusTier),
  ),
  merchants: described(
    'The merchants at which the user is a customer, as far as the caller may see them.',
    z.array(MerchantAssociation),
  ),
});

/** Endpoint 5. */
export const UserTokenUser = z.object({
  id: described('Integer id of the user.', id),
  first_name: described('First name.', z.string()),
  last_name: described('Last name.', z.string()),
  email: described('E-mail address of the user.', z.string()),
  created_date: described('Time at which the platform learned of the user.', datetime),
  merchants: described(
    'The merchants at which the user is a customer, as far as the caller may see them.',
    z.array(MerchantAssociation),
  ),
  partner_status_tiers: described(
    "The user's accounts with loyalty programs, as far as the caller may see them.",
    z.array(UserTokenAccount),
  ),
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
  uuid_id: described('UUID.', z.uuid()),
  id: described('Id.', id),
  attributes: described(
    "Texts by name, in the merchant's own names: conditions of campaigns compare them.",
    z.optional(Attributes),
  ),
  location: described('Where the customer lives.', z.optional(z.nullable(Location))),
  partner_status_tier_id: described(
    "The account's status tier in the program; null without one.",
    z.optional(z.nullable(id)),
  ),
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
