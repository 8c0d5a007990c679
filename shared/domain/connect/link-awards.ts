import type { AwardRequest } from '../award/decide-awards.ts';
import type { Member, Membership } from '../member/member.ts';

/** A link, as its event describes it. */
export interface MadeLink {
  readonly merchantId: number;
  readonly partnerId: number;
  /** The time of the link. Everything that the link created has this time. */
  readonly occurredAt: string;
}

/** The membership that a link created; undefined if another merchant had linked the account before. */
export function createdMembership(
  { memberships }: Member,
  { partnerId, occurredAt }: MadeLink,
): Membership | undefined {
  return memberships.find((membership) => membership.partnerId === partnerId && membership.createdAt === occurredAt);
}

/** The merchant's id of the member who referred this one. Only a link that created the user has a referrer. */
export function referrerIdOf({ user, associations }: Member, link: MadeLink): string | undefined {
  if (user.createdAt !== link.occurredAt) return undefined;
  return associations.find(({ merchantId }) => merchantId === link.merchantId)?.referrerExternalId;
}

/** The award request for the first link of an account; one for each membership, for ever. */
export const awardRequestForRegistration = awardRequestOf('REGISTRATION');

/** The award request for the referral of that member; one for each membership, for ever. */
export const awardRequestForReferral = awardRequestOf('REFERRAL');

function awardRequestOf(type: 'REGISTRATION' | 'REFERRAL') {
  return ({ merchantId }: MadeLink, membership: Membership): AwardRequest => ({
    event: { trigger: { type }, at: new Date(membership.createdAt), amountCents: null },
    basis: { merchantId, externalTransactionId: String(membership.id), kind: type, amountCents: 0 },
  });
}
