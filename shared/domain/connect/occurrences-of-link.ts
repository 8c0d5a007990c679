import type { AwardRequest } from '../award/decide-awards.ts';
import type { Member, Membership } from '../member/member.ts';

/** What the link of an account is rewarded for: that it is the first one, and who brought its holder. */

/** A link, as its event tells of it. */
export interface MadeLink {
  readonly merchantId: number;
  readonly partnerId: number;
  /** When it was made; what it made was made at this very instant. */
  readonly occurredAt: string;
}

/** The membership that was made by a link; undefined when the account was linked before, by another merchant. */
export function membershipMadeIn({ memberships }: Member, { partnerId, occurredAt }: MadeLink): Membership | undefined {
  return memberships.find((membership) => membership.partnerId === partnerId && membership.createdAt === occurredAt);
}

/** Whom the merchant said to have brought the member, by its own id: of who came to the platform by this link only. */
export function referrerNamedIn({ user, associations }: Member, link: MadeLink): string | undefined {
  if (user.createdAt !== link.occurredAt) return undefined;
  return associations.find(({ merchantId }) => merchantId === link.merchantId)?.referrerExternalId;
}

/** That a member linked an account of the program for the first time: once for each membership, for ever. */
export const awardRequestForRegistration = occurrenceOf('REGISTRATION');

/** That somebody brought that member: once for each membership that was made so, for ever. */
export const awardRequestForReferral = occurrenceOf('REFERRAL');

function occurrenceOf(type: 'REGISTRATION' | 'REFERRAL') {
  return ({ merchantId }: MadeLink, membership: Membership): AwardRequest => ({
    event: { trigger: { type }, at: new Date(membership.createdAt), amountCents: null },
    basis: { merchantId, externalTransactionId: String(membership.id), kind: type, amountCents: 0 },
  });
}
