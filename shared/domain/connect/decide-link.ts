import type { AwardRequest } from '../award/decide-awards.ts';
import {
  type Association,
  type AssociationChange,
  type Member,
  type Membership,
  type User,
  withAttributes,
} from '../member/member.ts';
import type { ConnectSession } from './connect-session.ts';

/** What a loyalty program says of the account that a person proved to hold. */
export interface ProvenAccount {
  readonly partnerId: number;
  /** The account's id in the program. */
  readonly externalId: string;
  readonly firstName: string;
  readonly lastName: string;
  /** Verified by the program; null when it has none. */
  readonly email: string | null;
  readonly statusTierId: number | null;
  /** The balance that it brings. */
  readonly points: number;
}

/** The members that a link may concern, by what led to each. */
export interface KnownMembers {
  /** Who linked this very account before. */
  readonly byAccount: Member | undefined;
  /** Whom the merchant knows by the id that it named. */
  readonly byExternalId: Member | undefined;
  /** Whom the merchant knows by the e-mail that the program verified. */
  readonly byEmail: Member | undefined;
}

/** What is to be written for a link. */
export interface Link {
  readonly user: User;
  readonly isNewUser: boolean;
  readonly membership: Membership | undefined;
  readonly association: Association | undefined;
  /** What the merchant says anew of a customer that it has already. */
  readonly changed: AssociationChange | undefined;
}

/** Identifiers for what is new. */
export interface LinkIds {
  readonly user: { readonly id: number; readonly uuid: string };
  readonly membership: number;
  readonly association: number;
}

/**
 * Decides whose account a proven one is.
 *
 * The program's proof is what speaks for a person: who linked the account before is that person. The
 * merchant's own id counts for the merchant's own customer. An e-mail is the weakest, for a merchant can
 * name anybody's and a program can verify what it likes: it finds a customer of the same merchant only,
 * and only one that belongs to no program yet, so that there is nothing of others to be had by it. Where
 * two of these lead to two members, or a member has another account already, nothing is linked.
 */
export function decideLink(
  session: Pick<ConnectSession, 'organisationId' | 'user'>,
  account: ProvenAccount,
  known: KnownMembers,
  { ids, at }: { readonly ids: LinkIds; readonly at: string },
): Link | { readonly refused: 'account_already_linked' } {
  const { byAccount, byExternalId } = known;
  if (byAccount && byExternalId && byAccount.user.id !== byExternalId.user.id) return alreadyLinked;

  const member = byAccount ?? byExternalId ?? safelyByEmail(known.byEmail, session);
  const linked = member?.memberships.find(({ partnerId }) => partnerId === account.partnerId);
  if (linked && linked.externalId !== account.externalId) return alreadyLinked;

  const associated = member?.associations.find(({ merchantId }) => merchantId === session.organisationId);
  if (associated && !mayBeNamed(associated, session)) return alreadyLinked;

  const user = member?.user ?? newUser(session, account, ids.user, at);
  // Nobody is brought who was here already.
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

/** What is not said again stays as it was said before: attributes name by name, the merchant's own id for ever. */
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

function safelyByEmail(
  member: Member | undefined,
  session: Pick<ConnectSession, 'organisationId' | 'user'>,
): Member | undefined {
  const associated = member?.associations.find(({ merchantId }) => merchantId === session.organisationId);
  if (!associated || member?.memberships.length !== 0 || member.associations.length !== 1) return undefined;
  return mayBeNamed(associated, session) ? member : undefined;
}

/** Whether a customer is the one that the merchant named, or may be. */
function mayBeNamed({ externalId }: Association, { user }: Pick<ConnectSession, 'user'>): boolean {
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
