import * as z from 'zod/mini';
import { partitions } from '../../contracts/table.ts';
import {
  Association,
  type AssociationChange,
  type Member,
  Membership,
  SpendTotal,
  User,
} from '../../domain/member/member.ts';
import type { Addition } from '../table/count-once.ts';
import { defineEntity, exists, type Item, isNew, type Key, type Write } from '../table/items.ts';
import type { TableClient } from '../table/table-client.ts';
import { parseUsage, usagePrefix } from './usage.ts';

const partition = (userId: number) => `${partitions.user}${userId}`;
const users = defineEntity(User, (userId: number) => ({ pk: partition(userId), sk: 'USER' }));
const memberships = defineEntity(Membership, (userId: number, partnerId: number) => ({
  pk: partition(userId),
  sk: `PROGRAM#${partnerId}`,
}));
const associations = defineEntity(Association, (userId: number, merchantId: number) => ({
  pk: partition(userId),
  sk: `MERCHANT#${merchantId}`,
}));

const spends = defineEntity(SpendTotal, ({ userId, merchantId, partnerId }: Omit<SpendTotal, 'spentCents'>) => ({
  pk: partition(userId),
  sk: `SPEND#${merchantId}#${partnerId}`,
}));

/** The key of a user's account with a loyalty program: where its balance is. */
export const membershipKey = (userId: number, partnerId: number): Key => memberships.key(userId, partnerId);

/** The key of a user's association with a merchant. */
export const associationKey = (userId: number, merchantId: number): Key => associations.key(userId, merchantId);

/** Members: a user with its programs and merchants, all in one partition. */
export class Members {
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table;
  }

  /** A user with everything that belongs to it, in one read; undefined when there is none. */
  async find(userId: number): Promise<Member | undefined> {
    const items = await this.#table.query({ partition: partition(userId) });
    const user = items.find(({ sk }) => sk === 'USER');
    if (user === undefined) return undefined;
    return {
      user: users.parse(user),
      memberships: items.filter(({ sk }) => sk.startsWith('PROGRAM#')).map(memberships.parse),
      associations: items.filter(({ sk }) => sk.startsWith('MERCHANT#')).map(associations.parse),
      usage: items.filter(({ sk }) => sk.startsWith(usagePrefix)).map(parseUsage),
      spend: items.filter(({ sk }) => sk.startsWith('SPEND#')).map(spends.parse),
    };
  }

  /** A user's account with one program alone; undefined when it has none. */
  async findMembership(userId: number, partnerId: number): Promise<Membership | undefined> {
    const item = await this.#table.get(memberships.key(userId, partnerId));
    return item && memberships.parse(item);
  }

  /** The user that an organisation knows by an id of its own. */
  async findByExternalId(organisationId: number, externalId: string): Promise<Member | undefined> {
    const userId = await this.findUserId(organisationId, externalId);
    return userId === undefined ? undefined : this.find(userId);
  }

  /** The id of that user alone, in one read. */
  async findUserId(organisationId: number, externalId: string): Promise<number | undefined> {
    const item = await this.#table.get(externalUsers.key(organisationId, externalId));
    return item && externalUsers.parse(item).userId;
  }

  /** The id of the user whose account with a program has an id. */
  async findUserIdByLink(membershipId: number): Promise<number | undefined> {
    const item = await this.#table.get(links.key(membershipId));
    return item && links.parse(item).userId;
  }
}

/** Whose an identifier is. */
const Pointer = z.object({ userId: z.int() });

/** A link to a program is known by the id of the account, which stands in no key of the user's. */
const links = defineEntity(Pointer, (membershipId: number) => ({
  pk: `${partitions.link}${membershipId}`,
  sk: 'LINK',
}));

/** A merchant's or a program's own identifier of a user; each is taken once. */
const externalUsers = defineEntity(Pointer, (organisationId: number, externalId: string) => ({
  pk: `${partitions.externalUser}${organisationId}#${externalId}`,
  sk: 'EXTERNAL_USER',
}));

/** The key of what a user spent at a merchant since its account with a program was linked. */
export const spendKey = spends.key;

/** Adds to the spend of a member at a merchant, since the account with a program was linked. */
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

/** The writes of a user's new account with a program; each of the program's accounts is one user's. */
export function membershipWrites(membership: Membership): Write[] {
  const { id, userId, partnerId, externalId } = membership;
  return [
    newItem(memberships.item(memberships.key(userId, partnerId), membership)),
    newItem(links.item(links.key(id), { userId })),
    ...externalUserWrites(userId, partnerId, externalId),
  ];
}

/** The writes of a user's new association with a merchant; each of the merchant's ids is one user's. */
export function associationWrites(association: Association): Write[] {
  const { userId, merchantId, externalId } = association;
  return [
    newItem(associations.item(associations.key(userId, merchantId), association)),
    ...externalUserWrites(userId, merchantId, externalId),
  ];
}

/** The writes of what a merchant says anew of its customer; an id that it gives is one user's. */
export function associationChangeWrites({ association: { userId, merchantId }, set }: AssociationChange): Write[] {
  return [
    { kind: 'update', key: associations.key(userId, merchantId), changes: { set }, when: exists },
    ...externalUserWrites(userId, merchantId, set.externalId ?? null),
  ];
}

function externalUserWrites(userId: number, organisationId: number, externalId: string | null): Write[] {
  if (externalId === null) return [];
  return [newItem(externalUsers.item(externalUsers.key(organisationId, externalId), { userId }))];
}

const newItem = (item: Item): Write => ({ kind: 'put', item, when: isNew });
