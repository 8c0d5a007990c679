import * as z from 'zod/mini';
import type { AwardRequest } from '../award/decide-awards.ts';
import {
  type Association,
  type AssociationChange,
  blockOf,
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
  /** Verified by the program; null when the program has none. */
  email: z.nullable(z.string()),
  statusTierId: z.nullable(z.int()),
  /** The balance at the time of the link. */
  points: z.int(),
  /** The revision of the account when it was proved; only in programs that the platform hosts. */
  revision: z.optional(z.int()),
});
export type ProvenAccount = z.infer<typeof ProvenAccount>;

/** A proven account that waits for the merchant to link it to the customer. */
export const LinkOffer = z.object({
  account: ProvenAccount,
  /** The merchant's customer, as the connect session describes them. */
  user: ConnectingUser,
  /**
   * The partnership under which the account may be linked; null allows every partnership of the merchant with the
   * program.
   */
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

/** The ids and the time of a link, and when the account was proven. ISO 8601. */
export interface LinkContext {
  readonly ids: LinkIds;
  readonly at: string;
  readonly offeredAt: string;
}

/**
 * Decides which member a proven account belongs to, by the strongest evidence:
 * 1. The account is already linked to a member.
 * 2. The external id of the session names a customer of the merchant.
 * 3. The e-mail that the program verified is the e-mail of a customer of the merchant. This customer must belong to no
 *    program and no other merchant. Otherwise a false e-mail could give access to data of other organisations.
 *
 * Without evidence, the member is new. The link is refused in these cases:
 * - The account and the external id lead to different members.
 * - The member already has a different account of the program.
 * - The merchant unlinked the account after the offer.
 * - The member or the account is blocked.
 *
 * An unlinked account keeps its member. Once all accounts of this member are unlinked at the merchant, any customer of
 * the merchant who has no account may link the unlinked account.
 */
export function decideLink(
  session: Pick<ConnectSession, 'organisationId' | 'user'>,
  account: ProvenAccount,
  known: KnownMembers,
  { ids, at, offeredAt }: LinkContext,
): Link | { readonly refused: 'account_already_linked' | 'unlinked_meanwhile' | 'member_blocked' } {
  const { byAccount, byExternalId } = known;
  const adopted = adoptedBy(byAccount, byExternalId);
  if (adopted && !isAdoptable(adopted, byAccount, session)) return alreadyLinked;

  const member = byAccount ?? byExternalId ?? findSafelyByEmail(known.byEmail, session);
  const linked = member?.memberships.find(({ partnerId }) => partnerId === account.partnerId);
  if (linked && linked.externalId !== account.externalId) return alreadyLinked;
  if ([member, adopted].some((one) => one && blockOf(one, account.partnerId))) return { refused: 'member_blocked' };

  const associated = member?.associations.find(({ merchantId }) => merchantId === session.organisationId);
  if (associated && !isCompatible(associated, session)) return alreadyLinked;
  if (isUnlinkedSince(offeredAt, associated, account)) return { refused: 'unlinked_meanwhile' };

  const user = member?.user ?? newUser(session, account, ids.user, at);
  // Only a new user can be referred.
  const referrer = member ? {} : referrerOf(session);
  return {
    user,
    isNewUser: !member,
    membership: linked ? undefined : newMembership(user, account, ids.membership, at),
    association: associated
      ? undefined
      : {
          ...newAssociation(user, session, ids.association, at),
          ...referrer,
          firstLinked: { [account.partnerId]: at },
        },
    changed: associated && changeOf(associated, session, { partnerId: account.partnerId, at, adopted }),
  };
}

/** The association with the merchant after the link. */
export function associationAfter({ association, changed }: Link): Association | undefined {
  if (!changed) return association;
  const after = { ...changed.association, ...changed.set };
  for (const name of changed.remove ?? []) delete after[name];
  return after;
}

function isUnlinkedSince(
  offeredAt: string,
  association: Association | undefined,
  { partnerId }: Pick<ProvenAccount, 'partnerId'>,
): boolean {
  const unlinkedAt = association?.unlinked?.[partnerId];
  return unlinkedAt !== undefined && Date.parse(unlinkedAt) >= Date.parse(offeredAt);
}

/** The member with the external id of the session, if the account belongs to a different member. */
function adoptedBy(byAccount: Member | undefined, byExternalId: Member | undefined): Member | undefined {
  return byAccount && byExternalId?.user.id !== byAccount.user.id ? byExternalId : undefined;
}

/**
 * Whether a member may take over the external id of a customer. That is so if the customer has no account, and all
 * accounts of the member were unlinked at the merchant.
 */
function isAdoptable(
  customer: Member,
  member: Member | undefined,
  { organisationId }: Pick<ConnectSession, 'organisationId'>,
): boolean {
  const detached = member?.associations.find(({ merchantId }) => merchantId === organisationId)?.detachedAt;
  return customer.memberships.length === 0 && detached !== undefined;
}

function referrerOf({
  user: { referrerExternalId },
}: Pick<ConnectSession, 'user'>): Pick<Association, 'referrerExternalId'> {
  return referrerExternalId === undefined ? {} : { referrerExternalId };
}

/**
 * Decides how a link changes an existing association. Fields and attributes that the session leaves out stay unchanged.
 * An external id never changes while an account is linked. If a different customer links the account after an unlink,
 * this customer takes over no data of the former customer.
 */
function changeOf(
  association: Association,
  { organisationId, user: { externalId, location, attributes } }: Pick<ConnectSession, 'organisationId' | 'user'>,
  { partnerId, at, adopted }: { readonly partnerId: number; readonly at: string; readonly adopted: Member | undefined },
): AssociationChange {
  const { detachedAt, formerExternalId, firstLinked, unlinked = {}, linkRevision = 0 } = association;
  const isAnother = detachedAt !== undefined && (externalId === undefined || externalId !== formerExternalId);
  const known = isAnother ? {} : (association.attributes ?? {});
  return {
    association,
    set: {
      linkRevision: linkRevision + 1,
      // Without `firstLinked`, it is unknown whether the account was linked before, so nothing is added.
      ...(firstLinked && firstLinked[partnerId] === undefined && { firstLinked: { ...firstLinked, [partnerId]: at } }),
      ...(unlinked[partnerId] !== undefined && {
        unlinked: Object.fromEntries(Object.entries(unlinked).filter(([id]) => id !== String(partnerId))),
      }),
      ...(isAnother && { customerSince: at }),
      ...(association.externalId === null && externalId !== undefined && { externalId }),
      ...(location && { location }),
      ...((attributes || isAnother) && { attributes: withAttributes(known, attributes ?? {}) }),
    },
    remove: [
      ...(detachedAt === undefined ? [] : ['detachedAt' as const]),
      ...(isAnother && !location ? ['location' as const] : []),
    ],
    adopted: adopted?.associations.find(({ merchantId }) => merchantId === organisationId),
  };
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

/** Whether the customer and the session have the same external id, or one of the two ids is absent. */
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

/**
 * The membership of the linked account, if this was the first link of the account at the merchant. Another merchant may
 * have linked the account before. Undefined for a later link of the account at the same merchant.
 */
export function createdMembership(
  { memberships, associations }: Member,
  { merchantId, partnerId, occurredAt }: MadeLink,
): Membership | undefined {
  const membership = memberships.find((own) => own.partnerId === partnerId);
  const association = associations.find((own) => own.merchantId === merchantId);
  const isFirst = membership?.createdAt === occurredAt || association?.firstLinked?.[partnerId] === occurredAt;
  return isFirst ? membership : undefined;
}

/**
 * The id that the merchant uses for the member who referred the linked member. Only a link that created the user has a
 * referrer.
 */
export function referrerIdOf({ user, associations }: Member, link: MadeLink): string | undefined {
  if (user.createdAt !== link.occurredAt) return undefined;
  return associations.find(({ merchantId }) => merchantId === link.merchantId)?.referrerExternalId;
}

/**
 * The award request for the first link of an account at a merchant. A membership has only one such request at each
 * merchant in its whole life.
 */
export const awardRequestForRegistration = awardRequestOf('REGISTRATION');

/**
 * The award request for the referral of the linked member. A membership has only one such request in its whole life.
 */
export const awardRequestForReferral = awardRequestOf('REFERRAL');

function awardRequestOf(type: 'REGISTRATION' | 'REFERRAL') {
  return ({ merchantId, occurredAt }: MadeLink, membership: Membership): AwardRequest => ({
    event: { trigger: { type }, at: new Date(occurredAt), amountCents: null },
    basis: { merchantId, externalTransactionId: String(membership.id), kind: type, amountCents: 0 },
  });
}
