import * as z from 'zod/mini';
import { described } from '../../contracts/described.ts';
import { maximumBytes, maximumCharacters, maximumCount } from '../../contracts/limits.ts';
import { byteLength } from '../byte-length.ts';
import { Cents, Points } from '../money.ts';

/** The place where a user lives. */
export const Location = z.object({
  country: described('ISO 3166-1 alpha-2.', z.string().check(z.regex(/^[A-Z]{2}$/))),
  region: described('ISO 3166-2, without the country.', z.nullable(z.string().check(z.regex(/^[A-Z0-9]{1,3}$/)))),
  city: described('City.', z.nullable(z.string().check(z.minLength(1), z.maxLength(maximumCharacters.city)))),
});
export type Location = z.infer<typeof Location>;

/** Values by name. Merchants choose the names. Conditions and multipliers of campaigns refer to these names. */
export const Attributes = z.record(z.string(), z.array(z.string()));
export type Attributes = z.infer<typeof Attributes>;

/** Whether an attribute name can be stored. Names that every object inherits, such as `constructor`, cannot. */
export const isStorableName = (name: string): boolean => !(name in Object.prototype);

/** Whether attributes are few and small enough to store. */
export function areStorable(attributes: Attributes): boolean {
  if (Object.keys(attributes).length > maximumCount.attributeNames) return false;
  return byteLength(JSON.stringify(attributes)) <= maximumBytes.memberAttributes;
}

/**
 * Adds reported attributes to the stored attributes. A reported attribute replaces a stored attribute of the same name.
 * Other stored attributes stay if the maximum number and size allow this.
 */
export function withAttributes(stored: Attributes, reported: Attributes): Attributes {
  let merged = reported;
  for (const [name, values] of Object.entries(stored)) {
    const more = { [name]: values, ...merged };
    if (areStorable(more)) merged = more;
  }
  return merged;
}

/**
 * A block: an operator bars a person, or one account, from new rewards, payments with points, transfers and links.
 * Refunds, reversals and everything that began before go on.
 */
export const Block = z.object({
  /** The reason, in one sentence of the operator. */
  reason: z.string(),
  /** The proven identity of the operator; null in data that no operator wrote, such as that of tests. */
  operator: z.nullable(z.string()),
  at: z.string(),
});
export type Block = z.infer<typeof Block>;

/** A person who earns and redeems. */
export const User = z.object({
  id: z.int(),
  uuid: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  email: z.string(),
  /** E.164. */
  phoneNumber: z.nullable(z.string()),
  externalId: z.nullable(z.string()),
  /** The loyalty program of requests that name no program. */
  defaultPartnerId: z.nullable(z.int()),
  /** The block of the whole person. */
  block: z.optional(Block),
  /** The ids of the users who were merged into this one. */
  formerIds: z.optional(z.array(z.int())),
  /**
   * Increases when the user becomes the customer of one more merchant, and when another user is merged into this user.
   * An erasure or merge of this user fails if it was decided before the increase.
   */
  linkRevision: z.optional(z.int()),
  createdAt: z.string(),
});
export type User = z.infer<typeof User>;

/** Some items of a person do not contain the id of the user. These texts and ids lead to them. */
export const Traces = z.object({
  /** Names, e-mail addresses and phone numbers. */
  texts: z.array(z.string()),
  /** `<organisation>#<id>`: the ids of the person at merchants, and account numbers in programs. */
  externalIds: z.array(z.string()),
  grantIds: z.array(z.string()),
  /** `<platform>#<account>#<customer>`: the ids of the person as a customer at payment platforms. */
  customers: z.array(z.string()),
});
export type Traces = z.infer<typeof Traces>;

/** What is left of a user who was erased: the ids that the books name. It is never deleted. */
export const ErasedUser = z.object({
  userId: z.int(),
  userUuid: z.string(),
  /** When the person was erased. From that time on, nothing finds the user. */
  erasedAt: z.string(),
  /** Present until the last item of the person is erased: a later run needs the traces to continue. */
  traces: z.optional(Traces),
});
export type ErasedUser = z.infer<typeof ErasedUser>;

/** What is left of a user who was merged into another user, because both are one person. It is never deleted. */
export const MergedUser = z.object({
  userId: z.int(),
  userUuid: z.string(),
  mergedInto: z.int(),
  mergedAt: z.string(),
  /** True until every item that named this user names the other user. */
  isMoving: z.boolean(),
});
export type MergedUser = z.infer<typeof MergedUser>;

/** An erased user as a member, for events that arrive later: a customer of no merchant, without an account. */
export function withoutPerson({ userId: id, userUuid: uuid, erasedAt: createdAt }: ErasedUser): Member {
  const nobody = {
    firstName: '',
    lastName: '',
    email: '',
    phoneNumber: null,
    externalId: null,
    defaultPartnerId: null,
  };
  return { user: { id, uuid, ...nobody, createdAt }, memberships: [], associations: [], usage: [], spend: [] };
}

/** A user's account with one loyalty program, with its balance. Balance = available + held. */
export const Membership = z.object({
  id: z.int(),
  userId: z.int(),
  partnerId: z.int(),
  /** The user's id in the loyalty program. */
  externalId: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  /** The status tier, as the program reported it at the link or the partner reported it since. */
  statusTierId: z.nullable(z.int()),
  /** Points that can be spent now. Negative if a refund reversed points that were spent already. */
  availablePoints: z.int(),
  /** Points that tokens or pending redemptions hold. */
  heldPoints: Points,
  /**
   * The shortfalls of reversals that no points have settled yet. Points that come back to the member settle them first.
   * New awards do not settle them.
   */
  owedPoints: z._default(Points, 0),
  totalEarnedPoints: Points,
  totalRedeemedPoints: Points,
  /** Awarded cashback. */
  cashbackCents: z._default(Cents, 0),
  /**
   * The part of `cashbackCents` that payout batches contain. It exceeds `cashbackCents` if cashback was paid out and
   * then reversed by a refund.
   */
  paidOutCents: z.optional(Cents),
  /**
   * The number of transactions that were posted to a partner's own program. `postingsEnded` is the number that the
   * program has answered. The program's balance and the ledger contain the same transactions only while both numbers
   * are equal.
   */
  postingsBegun: z.optional(z.int()),
  postingsEnded: z.optional(z.int()),
  /** The block of this account alone. */
  block: z.optional(Block),
  /** Whether the user is blocked: a copy from the user, so that a write of the account can depend on it. */
  isUserBlocked: z.optional(z.boolean()),
  createdAt: z.string(),
});
export type Membership = z.infer<typeof Membership>;

/** A user as the customer of one merchant. Only campaigns of this merchant use this data. */
export const Association = z.object({
  id: z.int(),
  userId: z.int(),
  merchantId: z.int(),
  /** The user's id in the merchant's system. */
  externalId: z.nullable(z.string()),
  /** The merchant's id of the member who referred this user; absent if the user existed before this association. */
  referrerExternalId: z.optional(z.string()),
  /** The user's location, if the merchant has sent one. */
  location: z.optional(Location),
  /** Attributes with the names that the merchant chose, for the conditions of its campaigns. */
  attributes: z.optional(z.record(z.string(), z.array(z.string()))),
  /**
   * When each account was first linked at this merchant, keyed by the partner's id. An unlink does not change this
   * time.
   */
  firstLinked: z.optional(z.record(z.string(), z.string())),
  /**
   * The time at which each account was unlinked at this merchant, keyed by the partner's id. Other merchants may go on
   * using the account.
   */
  unlinked: z.optional(z.record(z.string(), z.string())),
  /**
   * When the last account was unlinked. From then on the merchant may use no account of the user, until a customer
   * links an account again.
   */
  detachedAt: z.optional(z.string()),
  /** The merchant's id of the user before `detachedAt`. */
  formerExternalId: z.optional(z.string()),
  /**
   * When a different customer of the merchant linked an account after `detachedAt`. Data that was tied to the former
   * customer is void from this time on.
   */
  customerSince: z.optional(z.string()),
  /**
   * Counts links, unlinks and reports of attributes at this merchant. If two of these happen at the same time, one
   * fails and is decided again.
   */
  linkRevision: z.optional(z.int()),
  totalEarnedPoints: Points,
  totalRedeemedPoints: Points,
  createdAt: z.string(),
});
export type Association = z.infer<typeof Association>;

/** A change of an existing association. */
export interface AssociationChange {
  readonly association: Association;
  /** The new values. `externalId` only if the association had none. */
  readonly set: Partial<
    Pick<Association, 'location' | 'attributes' | 'firstLinked' | 'unlinked' | 'customerSince' | 'linkRevision'>
  > & { readonly externalId?: string };
  /** The fields that the association loses. */
  readonly remove?: readonly ('detachedAt' | 'location')[];
  /** Another user's association, which loses its external id to this one. That user has no account. */
  readonly adopted?: Association | undefined;
}

/** A user's use of one limit of a campaign in one period. */
export const LimitUsage = z.object({
  userId: z.int(),
  campaignId: z.int(),
  limitId: z.int(),
  /** The calendar period, as `periodOf` names it. */
  period: z.string(),
  /** How much of the limit is used, in the unit of the limit: events or points. */
  used: z.int(),
});
export type LimitUsage = z.infer<typeof LimitUsage>;

/**
 * The money that a user spent at one merchant after the user had linked an account of one program. The link may have
 * been made at another merchant.
 */
export const SpendTotal = z.object({
  userId: z.int(),
  merchantId: z.int(),
  partnerId: z.int(),
  spentCents: z.int(),
});
export type SpendTotal = z.infer<typeof SpendTotal>;

/** A user with all memberships and associations, and the limit usage and spend that campaigns depend on. */
export interface Member {
  readonly user: User;
  readonly memberships: readonly Membership[];
  readonly associations: readonly Association[];
  readonly usage: readonly LimitUsage[];
  readonly spend: readonly SpendTotal[];
  /** The UUID by which the member was found, if it is the UUID of a user who was merged into this member. */
  readonly mergedUuid?: string;
}

/**
 * The block that bars a member from the rewards of a program: the block of the person, or the block of the person's
 * account there.
 */
export const blockOf = ({ user, memberships }: Member, partnerId: number): Block | undefined =>
  user.block ?? memberships.find((own) => own.partnerId === partnerId)?.block;

/** Whether an account is blocked, by itself or with its user. */
export const isAccountBlocked = ({ block, isUserBlocked = false }: Membership): boolean =>
  block !== undefined || isUserBlocked;

/** Whether a UUID is the member's own UUID, or that of a user who was merged into the member. */
export const isNamedBy = ({ user, mergedUuid }: Pick<Member, 'user' | 'mergedUuid'>, uuid: string): boolean =>
  user.uuid === uuid || mergedUuid === uuid;

/**
 * A member as one merchant may use it for an event: without the accounts that were unlinked at this merchant before the
 * event.
 *
 * @param at the time of the event
 */
export function seenAt(member: Member, merchantId: number, at: Date): Member {
  const association = member.associations.find((one) => one.merchantId === merchantId);
  if (!association) return member;
  const { detachedAt, unlinked = {} } = association;
  const isOver = (time: string | undefined) => time !== undefined && Date.parse(time) <= at.getTime();
  const isHidden = ({ partnerId }: Membership) => isOver(detachedAt) || isOver(unlinked[partnerId]);
  return { ...member, memberships: member.memberships.filter((membership) => !isHidden(membership)) };
}

/**
 * Whether data that was tied to a merchant's customer at `tiedAt` still belongs to the same customer: no other customer
 * of the merchant has linked the user's account since.
 */
export function isStillCustomer(association: Association | undefined, tiedAt: string): boolean {
  const since = association?.customerSince;
  return since === undefined || Date.parse(tiedAt) >= Date.parse(since);
}

/** Whether a member is a customer of an organisation, or has an account in its program. */
export function isAssociated({ associations, memberships }: Member, organisationId: number): boolean {
  return (
    associations.some(({ merchantId }) => merchantId === organisationId) ||
    memberships.some(({ partnerId }) => partnerId === organisationId)
  );
}
