import * as z from 'zod/mini';
import type { PlatformEvent } from '../../contracts/events.ts';
import { toSeconds } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import type { Unlink } from '../../domain/connect/decide-unlink.ts';
import { integerIdOf } from '../../domain/ids.ts';
import { deletableAt, type UsageMovement } from '../../domain/ledger/sum-movements.ts';
import {
  Association,
  type AssociationChange,
  type Block,
  ErasedUser,
  isNamedBy,
  LimitUsage,
  type Member,
  Membership,
  MergedUser,
  SpendTotal,
  User,
  withoutPerson,
} from '../../domain/member/member.ts';
import type { Addition } from '../table/count-once.ts';
import {
  type Check,
  type Condition,
  defineEntity,
  exists,
  type Item,
  isNew,
  isStill,
  type Key,
  Repository,
  type Write,
} from '../table/table-client.ts';

/**
 * Use of limits: one counter for each limit and period of a member. The counters are in the member's partition, so one
 * read of the member includes them. A counter changes in the DynamoDB transaction that writes the reward.
 */

const usagePrefix = 'USAGE#';
const usages = defineEntity(LimitUsage, ({ userId, campaignId, limitId, period }: Omit<LimitUsage, 'used'>) => ({
  pk: `${partitions.user}${userId}`,
  sk: `${usagePrefix}${campaignId}#${limitId}#${period}`,
}));

export const parseUsage = usages.parse;

/** The write that charges a limit, if its maximum allows the charge; or the write that returns a charge. */
export function usageWrite({ amount, most, ...movement }: UsageMovement): Write {
  const { userId, campaignId, limitId, period } = movement;
  const key = { userId, campaignId, limitId, period };
  // DynamoDB may delete the counter some weeks after its period. By then, no reward uses the period any more.
  const deletable = deletableAt(period);
  const ttl = deletable && { [ttlAttribute]: toSeconds(deletable.getTime()) };
  return {
    kind: 'update',
    key: usages.key(key),
    changes: { set: { ...key, ...ttl }, add: { used: amount } },
    ...(amount > 0 && Number.isFinite(most) && { when: [{ attribute: 'used', is: 'at-most', value: most - amount }] }),
  };
}

/** Whether an item is a counter of a limit. */
export const isUsage = ({ sk }: Pick<Item, 'sk'>): boolean => sk.startsWith(usagePrefix);

const partition = (userId: number) => `${partitions.user}${userId}`;
export const users = defineEntity(User, (userId: number) => ({ pk: partition(userId), sk: 'USER' }));
const erasedUsers = defineEntity(ErasedUser, (userId: number) => ({ pk: partition(userId), sk: 'ERASED' }));
/** The sort key of the mark of a merged user. */
export const mergedMark = 'MERGED';
const mergedUsers = defineEntity(MergedUser, (userId: number) => ({ pk: partition(userId), sk: mergedMark }));
export const memberships = defineEntity(Membership, (userId: number, partnerId: number) => ({
  pk: partition(userId),
  sk: `PROGRAM#${partnerId}`,
}));
export const associations = defineEntity(Association, (userId: number, merchantId: number) => ({
  pk: partition(userId),
  sk: `MERCHANT#${merchantId}`,
}));

const spends = defineEntity(SpendTotal, ({ userId, merchantId, partnerId }: Omit<SpendTotal, 'spentCents'>) => ({
  pk: partition(userId),
  sk: `SPEND#${merchantId}#${partnerId}`,
}));

/** The key of a user's account with a loyalty program. The account's item contains the balance. */
export const membershipKey = (userId: number, partnerId: number): Key => memberships.key(userId, partnerId);

/** The key of a user's association with a merchant. */
export const associationKey = (userId: number, merchantId: number): Key => associations.key(userId, merchantId);

/** The condition that neither an account nor its user is blocked. */
export const isNotBlocked: readonly Condition[] = [
  { attribute: 'block', is: 'absent' },
  { attribute: 'isUserBlocked', is: 'absent' },
];

/** Whether an item is a blocked account of a member. */
export const isBlockedAccount = ({ sk, block, isUserBlocked }: Item): boolean =>
  sk.startsWith('PROGRAM#') && (block ?? isUserBlocked) !== undefined;

/**
 * The write that sets or ends the block of an account, on the condition that the block has not changed since it was
 * read.
 */
export function accountBlockWrite({ userId, partnerId, block: before }: Membership, block: Block | undefined): Write {
  return {
    kind: 'update',
    key: memberships.key(userId, partnerId),
    changes: block ? { set: { block } } : { remove: ['block'] },
    when: [...exists, { attribute: 'block', is: before ? 'present' : 'absent' }],
  };
}

/**
 * The writes that set or end the block of a user, on the condition that the block has not changed since it was read.
 * They also set or end the copy of the block in every account that was read.
 */
export function userBlockWrites({ user, memberships: accounts }: Member, block: Block | undefined): Write[] {
  return [
    {
      kind: 'update',
      key: users.key(user.id),
      changes: block ? { set: { block } } : { remove: ['block'] },
      when: [...exists, { attribute: 'block', is: user.block ? 'present' : 'absent' }],
    },
    ...userBlockMarks(accounts, block !== undefined),
  ];
}

/** The writes that mark accounts with the block of their user, or remove the marks. */
export const userBlockMarks = (accounts: readonly Membership[], isBlocked: boolean): Write[] =>
  accounts.map(({ userId, partnerId }) => ({
    kind: 'update',
    key: memberships.key(userId, partnerId),
    changes: isBlocked ? { set: { isUserBlocked: true } } : { remove: ['isUserBlocked'] },
    when: exists,
  }));

/** Members: users with their programs and merchants. Each member has one partition. */
export class Members extends Repository {
  /** Finds a member in one read, or in two reads if the user was merged into another user. */
  async find(userId: number): Promise<Member | undefined> {
    const items = await this.table.query({ partition: partition(userId) });
    const user = items.find(({ sk }) => sk === 'USER');
    if (user === undefined) return this.#findKept(items);
    return {
      user: users.parse(user),
      memberships: items.filter(({ sk }) => sk.startsWith('PROGRAM#')).map(memberships.parse),
      associations: items.filter(({ sk }) => sk.startsWith('MERCHANT#')).map(associations.parse),
      usage: items.filter(({ sk }) => sk.startsWith(usagePrefix)).map(parseUsage),
      spend: items.filter(({ sk }) => sk.startsWith('SPEND#')).map(spends.parse),
    };
  }

  async #findKept(items: readonly Item[]): Promise<Member | undefined> {
    const mark = items.find(({ sk }) => sk === mergedMark);
    if (mark === undefined) return undefined;
    const { mergedInto, userUuid: mergedUuid } = mergedUsers.parse(mark);
    const kept = await this.find(mergedInto);
    return kept && { ...kept, mergedUuid };
  }

  /** The mark of a user who was merged into another one. */
  async findMerged(userId: number): Promise<MergedUser | undefined> {
    const item = await this.table.get(mergedUsers.key(userId));
    return item && mergedUsers.parse(item);
  }

  /**
   * The member whose user an event names. An event may arrive after its user was erased.
   *
   * @returns undefined for an erased user
   * @throws Error for a user that never existed
   */
  async findOfEvent({ entityId: uuid }: Pick<PlatformEvent, 'entityId'>): Promise<Member | undefined> {
    const id = integerIdOf(uuid) ?? 0;
    const member = await this.find(id);
    if (member && isNamedBy(member, uuid)) return member;
    if (await this.findErased(id)) return undefined;
    throw new Error(`there is no user ${uuid}`);
  }

  /**
   * Finds a member to reward. For an erased user, returns a member without accounts and merchants: it earns nothing.
   *
   * @throws Error for a user that never existed
   */
  async findEarner(userId: number): Promise<Member> {
    const member = await this.find(userId);
    if (member) return member;
    const erased = await this.findErased(userId);
    if (erased) return withoutPerson(erased);
    throw new Error(`there is no user ${userId}`);
  }

  /** Finds what is left of an erased user, by the id of this user or of a user who was merged into it. */
  async findErased(userId: number): Promise<ErasedUser | undefined> {
    // Functions have the permission Query for this partition, but not GetItem.
    const items = await this.table.query({ partition: partition(userId) });
    const [erased, merged] = ['ERASED', mergedMark].map((mark) => items.find(({ sk }) => sk === mark));
    if (merged) return this.findErased(mergedUsers.parse(merged).mergedInto);
    return erased && erasedUsers.parse(erased);
  }

  /** A user's account with one program. */
  async findMembership(userId: number, partnerId: number): Promise<Membership | undefined> {
    const item = await this.table.get(memberships.key(userId, partnerId));
    return item && memberships.parse(item);
  }

  /** A user as the customer of one merchant. */
  async findAssociation(userId: number, merchantId: number): Promise<Association | undefined> {
    const item = await this.table.get(associations.key(userId, merchantId));
    return item && associations.parse(item);
  }

  /** The member whom an organisation knows by this id. */
  async findByExternalId(organisationId: number, externalId: string): Promise<Member | undefined> {
    const userId = await this.findUserId(organisationId, externalId);
    return userId === undefined ? undefined : this.find(userId);
  }

  /** The user id of the member whom an organisation knows by this id, in one read. */
  async findUserId(organisationId: number, externalId: string): Promise<number | undefined> {
    const item = await this.table.get(externalUsers.key(organisationId, externalId));
    return item && externalUsers.parse(item).userId;
  }

  /** The user id of an account with a program. */
  async findUserIdByLink(membershipId: number): Promise<number | undefined> {
    const item = await this.table.get(links.key(membershipId));
    return item && links.parse(item).userId;
  }
}

/** The user of an identifier. */
const Pointer = z.object({ userId: z.int() });

/** Finds the user of an account by the account's id, which is in no key of the user's items. */
export const links = defineEntity(Pointer, (membershipId: number) => ({
  pk: `${partitions.link}${membershipId}`,
  sk: 'LINK',
}));

/** A merchant's or a program's own identifier of a user. Each identifier belongs to one user. */
export const externalUsers = defineEntity(Pointer, (organisationId: number, externalId: string) => ({
  pk: `${partitions.externalUser}${organisationId}#${externalId}`,
  sk: 'EXTERNAL_USER',
}));

/** The key of the total that a user spent at one merchant after linking an account of one program. */
const spendKey = spends.key;

/** The addition to the total that is stored under `spendKey`. */
export function spendAddition({ spentCents, ...key }: SpendTotal): Addition {
  return { key: spendKey(key), set: key, add: { spentCents } };
}

/** The writes of a new member. */
export function memberWrites({
  user,
  memberships: programs,
  associations: merchants,
}: Pick<Member, 'user' | 'memberships' | 'associations'>): Write[] {
  return [userWrite(user), ...programs.flatMap(membershipWrites), ...merchants.flatMap(associationWrites)];
}

/** The write of a new user. */
export const userWrite = (user: User): Write => newItem(users.item(users.key(user.id), user));

/** The write that notes one more merchant of a user, on the condition that the user was neither merged nor erased. */
export const linkedUserWrite = ({ id }: Pick<User, 'id'>): Write => ({
  kind: 'update',
  key: users.key(id),
  changes: { add: { linkRevision: 1 } },
  when: exists,
});

/** The conditions that a user exists, and became the customer of no other merchant since it was read. */
export const hasSameMerchants = ({ linkRevision }: User): readonly Condition[] => [
  ...exists,
  isStill('linkRevision', linkRevision),
];

/** The write of the mark that replaces a user who is merged. */
export const mergedUserWrite = (merged: MergedUser): Write =>
  newItem(mergedUsers.item(mergedUsers.key(merged.userId), merged));

/** The write that ends a merge, after every item names the kept user. */
export const mergeEndWrite = ({ userId }: MergedUser): Write => ({
  kind: 'update',
  key: mergedUsers.key(userId),
  changes: { set: { isMoving: false } },
  when: exists,
});

/**
 * The writes that erase a member. They fail if the user was erased, or became the customer of another merchant, since
 * `user` was read. Afterwards `find` does not find the user.
 */
export function erasureWrites(erased: ErasedUser, user: User): Write[] {
  const { userId } = erased;
  return [
    { kind: 'delete', key: users.key(userId), when: hasSameMerchants(user) },
    newItem(erasedUsers.item(erasedUsers.key(userId), erased)),
  ];
}

/** The write that ends an erasure: it removes `traces`, after every item to which they lead is erased. */
export const erasureEndWrite = ({ userId }: ErasedUser): Write => ({
  kind: 'update',
  key: erasedUsers.key(userId),
  changes: { remove: ['traces'] },
  when: exists,
});

/** The writes of a user's new account with a program. An account belongs to one user. */
export function membershipWrites(membership: Membership): Write[] {
  const { id, userId, partnerId, externalId } = membership;
  return [
    newItem(memberships.item(memberships.key(userId, partnerId), membership)),
    newItem(links.item(links.key(id), { userId })),
    ...externalUserWrites(userId, partnerId, externalId),
  ];
}

/**
 * The writes of a user's new association with a merchant. The id by which a merchant names its customer belongs to one
 * user.
 */
export function associationWrites(association: Association): Write[] {
  const { userId, merchantId, externalId } = association;
  return [
    newItem(associations.item(associations.key(userId, merchantId), association)),
    ...externalUserWrites(userId, merchantId, externalId),
  ];
}

/**
 * The writes of a changed association. They fail if an account was linked or unlinked at the merchant since the
 * association was read. A new `externalId` must be free, or belong to `adopted`. This is the association of another
 * user, and it loses the `externalId`.
 */
export function associationChangeWrites({ association, set, remove = [], adopted }: AssociationChange): Write[] {
  const { userId, merchantId } = association;
  const changed: Write = {
    kind: 'update',
    key: associations.key(userId, merchantId),
    changes: { set, remove },
    when: unchangedLinks(association),
  };
  const { externalId = null } = set;
  if (!adopted || externalId === null) return [changed, ...externalUserWrites(userId, merchantId, externalId)];
  return [
    changed,
    {
      kind: 'update',
      key: associations.key(adopted.userId, merchantId),
      changes: { set: { externalId: null, linkRevision: (adopted.linkRevision ?? 0) + 1 } },
      when: unchangedLinks(adopted),
    },
    {
      kind: 'update',
      key: externalUsers.key(merchantId, externalId),
      changes: { set: { userId } },
      when: [{ attribute: 'userId', is: '=', value: adopted.userId }],
    },
  ];
}

/** The write of a member's new status tier, on the condition that the tier has not changed since it was read. */
export function tierWrite({ userId, partnerId, statusTierId: value }: Membership, statusTierId: number | null): Write {
  return {
    kind: 'update',
    key: memberships.key(userId, partnerId),
    changes: { set: { statusTierId } },
    when: [...exists, { attribute: 'statusTierId', is: '=', value }],
  };
}

/**
 * The writes that unlink accounts at a merchant. If the customer is detached, the merchant can use the customer's id
 * for another user.
 */
export function unlinkWrites({ association, unlinked, isDetached }: Unlink, at: string): Write[] {
  const { userId, merchantId, externalId, linkRevision = 0 } = association;
  const formerExternalId = externalId ?? undefined;
  const detached = { detachedAt: at, externalId: null, ...(formerExternalId !== undefined && { formerExternalId }) };
  const marked: Write = {
    kind: 'update',
    key: associations.key(userId, merchantId),
    changes: { set: { unlinked, linkRevision: linkRevision + 1, ...(isDetached && detached) } },
    when: unchangedLinks(association),
  };
  if (!isDetached || externalId === null) return [marked];
  const isOwn: Condition = { attribute: 'userId', is: '=', value: userId };
  return [marked, { kind: 'delete', key: externalUsers.key(merchantId, externalId), when: [isOwn] }];
}

const unchangedLinks = ({ linkRevision }: Association): Condition[] => [
  ...exists,
  isStill('linkRevision', linkRevision),
];

/** The check that an organisation knows no user by this id. */
export const noUserCheck = (organisationId: number, externalId: string): Check => ({
  kind: 'check',
  key: externalUsers.key(organisationId, externalId),
  when: isNew,
});

/** The write of what a program reports about the holder of an account. */
export const holderWrite = (
  { userId, partnerId }: Pick<Membership, 'userId' | 'partnerId'>,
  holder: Partial<Pick<Membership, 'firstName' | 'lastName' | 'statusTierId'>>,
): Write => ({ kind: 'update', key: memberships.key(userId, partnerId), changes: { set: holder }, when: exists });

function externalUserWrites(userId: number, organisationId: number, externalId: string | null): Write[] {
  if (externalId === null) return [];
  return [newItem(externalUsers.item(externalUsers.key(organisationId, externalId), { userId }))];
}

const newItem = (item: Item): Write => ({ kind: 'put', item, when: isNew });
