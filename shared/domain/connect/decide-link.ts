import * as z from 'zod/mini';
import type { AwardRequest } from '../award/decide-awards.ts';
import {
  type Association,
  type AssociationChange,
  type Member,
  type Membership,
  type User,
  withAttributes,
} from '../member/member.ts';
import { ConnectingUser, type ConnectSession } from './connect-session.ts';

/** An account that a person has proved to hold, as its loyalty program describes it. */
export const ProvenAccount = z.object({
  partnerId: z.int(),
  /** The account's id in the program. */
  externalId: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  /** Verified by the program; null when it has none. */
  email: z.nullable(z.string()),
  statusTierId: z.nullable(z.int()),
  /** The balance when it is linked. */
  points: z.int(),
});
export type ProvenAccount = z.infer<typeof ProvenAccount>;

/** A proven account, until the merchant links it to its customer. */
export const LinkOffer = z.object({
  account: ProvenAccount,
  /** The merchant's customer, as the connect session describes them. */
  user: ConnectingUser,
  /** The partnership that may be linked; null allows every partnership of the merchant with the program. */
  partnershipUuid: z.nullable(z.string()),
});
export type LinkOffer = z.infer<typeof LinkOffer>;

/** The existing members that a link may concern. */
export interface KnownMembers {
  /** The member who linked this account before. */
  readonly byAccount: Member | undefined;
  /** The merchant's customer with the external id of the session. */
  readonly byExternalId: Member | undefined;
  /** The merchant's customer with the e-mail that the program verified. */
  readonly byEmail: Member | undefined;
}

/** The decided link. */
export interface Link {
  readonly user: User;
  readonly isNewUser: boolean;
  readonly membership: Membership | undefined;
  readonly association: Association | undefined;
  /** The changes of an existing association. */
  readonly changed: AssociationChange | undefined;
}

/** The ids of new records. */
export interface LinkIds {
  readonly user: { readonly id: number; readonly uuid: string };
  readonly membership: number;
  readonly association: number;
}

/**
 * Decides which member a proven account belongs to.
 *
 * Tries three kinds of evidence, the strongest first:
 * 1. The account: the member to whom it is already linked.
 * 2. The external id of the session: the merchant's customer with this id.
 * 3. The e-mail that the program verified. It finds a customer of the merchant only if this customer belongs to no
 *    program and no other merchant. Otherwise a false e-mail could give access to data of other organisations.
 *
 * Without evidence, the member is new. The link is refused if account and external id lead to two members, or if the
 * member has another account of the program.
 */
export function decideLink(
  session: Pick<ConnectSession, 'organisationId' | 'user'>,
  account: ProvenAccount,
  known: KnownMembers,
  { ids, at }: { readonly ids: LinkIds; readonly at: string },
): Link | { readonly refused: 'account_already_linked' } {
  const { byAccount, byExternalId } = known;
  if (byAccount && byExternalId && byAccount.user.id !== byExternalId.user.id) return alreadyLinked;

  const member = byAccount ?? byExternalId ?? findSafelyByEmail(known.byEmail, session);
  const linked = member?.memberships.find(({ partnerId }) => partnerId === account.partnerId);
  if (linked && linked.externalId !== account.externalId) return alreadyLinked;

  const associated = member?.associations.find(({ merchantId }) => merchantId === session.organisationId);
  if (associated && !isCompatible(associated, session)) return alreadyLinked;

  const user = member?.user ?? newUser(session, account, ids.user, at);
  // Only a new user can be referred.
  const referrer = member ? {} : referrerOf(session);
  return {
    user,
    isNewUser: !member,
    membership: linked ? undefined : newMembership(user, account, ids.membership, at),
    association: associated ? undefined : { ...newAssociation(user, session, ids.association, at), ...referrer },
    changed: associated && changeOf(associated, session),
  };
}

function referrerOf({
  user: { referrerExternalId },
}: Pick<ConnectSession, 'user'>): Pick<Association, 'referrerExternalId'> {
  return referrerExternalId === undefined ? {} : { referrerExternalId };
}

/** Fields that the session leaves out stay unchanged, attributes name by name. An external id never changes. */
function changeOf(
  association: Association,
  { user: { externalId, location, attributes } }: Pick<ConnectSession, 'user'>,
): AssociationChange | undefined {
  const set = {
    ...(association.externalId === null && externalId !== undefined && { externalId }),
    ...(location && { location }),
    ...(attributes && { attributes: withAttributes(association.attributes ?? {}, attributes) }),
  };
  return Object.keys(set).length === 0 ? undefined : { association, set };
}

const alreadyLinked = { refused: 'account_already_linked' } as const;

function findSafelyByEmail(
  member: Member | undefined,
  session: Pick<ConnectSession, 'organisationId' | 'user'>,
): Member | undefined {
  const associated = member?.associations.find(({ merchantId }) => merchantId === session.organisationId);
  if (!associated || member?.memberships.length !== 0 || member.associations.length !== 1) return undefined;
  return isCompatible(associated, session) ? member : undefined;
}

/** Whether the customer's external id equals that of the session, or one of the two is absent. */
function isCompatible({ externalId }: Association, { user }: Pick<ConnectSession, 'user'>): boolean {
  return externalId === null || user.externalId === undefined || externalId === user.externalId;
}

function newUser(
  { user }: Pick<ConnectSession, 'user'>,
  account: ProvenAccount,
  { id, uuid }: LinkIds['user'],
  at: string,
): User {
  return {
    id,
    uuid,
    firstName: account.firstName,
    lastName: account.lastName,
    email: account.email ?? user.email ?? '',
    phoneNumber: user.phoneNumber ?? null,
    externalId: user.externalId ?? null,
    defaultPartnerId: account.partnerId,
    createdAt: at,
  };
}

function newMembership(user: User, account: ProvenAccount, id: number, at: string): Membership {
  return {
    id,
    userId: user.id,
    partnerId: account.partnerId,
    externalId: account.externalId,
    firstName: account.firstName,
    lastName: account.lastName,
    statusTierId: account.statusTierId,
    availablePoints: account.points,
    heldPoints: 0,
    owedPoints: 0,
    cashbackCents: 0,
    totalEarnedPoints: 0,
    totalRedeemedPoints: 0,
    createdAt: at,
  };
}

function newAssociation(
  user: User,
  { organisationId, user: { externalId, location, attributes } }: Pick<ConnectSession, 'organisationId' | 'user'>,
  id: number,
  at: string,
): Association {
  return {
    id,
    userId: user.id,
    merchantId: organisationId,
    externalId: externalId ?? null,
    ...(location && { location }),
    ...(attributes && { attributes }),
    totalEarnedPoints: 0,
    totalRedeemedPoints: 0,
    createdAt: at,
  };
}

/** A link, as its event describes it. */
export interface MadeLink {
  readonly merchantId: number;
  readonly partnerId: number;
  /** The time of the link. Everything that the link created has this time. */
  readonly occurredAt: string;
}

/** The membership that a link created; undefined if the account was linked before, through another merchant. */
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
