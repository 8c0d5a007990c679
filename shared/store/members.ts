import * as z from 'zod/mini';
import { Association, type Member, Membership, User } from '../domain/member/member.ts';
import { defineEntity } from './entity.ts';
import { partitions } from './table.ts';
import type { TableClient } from './table-client.ts';
import { type Item, isNew, type Key, type Write } from './writes.ts';

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
    };
  }
}

/** Whose a merchant's or a program's own identifier of a user is; each is taken once. */
const ExternalUser = z.object({ userId: z.int() });
const externalUsers = defineEntity(ExternalUser, (organisationId: number, externalId: string) => ({
  pk: `${partitions.externalUser}${organisationId}#${externalId}`,
  sk: 'EXTERNAL_USER',
}));

/** The writes of a new member. */
export function memberWrites({ user, memberships: programs, associations: merchants }: Member): Write[] {
  return [
    newItem(users.item(users.key(user.id), user)),
    ...programs.flatMap((membership) => [
      newItem(memberships.item(memberships.key(user.id, membership.partnerId), membership)),
      ...externalUserWrites(user.id, membership.partnerId, membership.externalId),
    ]),
    ...merchants.flatMap((association) => [
      newItem(associations.item(associations.key(user.id, association.merchantId), association)),
      ...externalUserWrites(user.id, association.merchantId, association.externalId),
    ]),
  ];
}

function externalUserWrites(userId: number, organisationId: number, externalId: string | null): Write[] {
  if (externalId === null) return [];
  return [newItem(externalUsers.item(externalUsers.key(organisationId, externalId), { userId }))];
}

const newItem = (item: Item): Write => ({ kind: 'put', item, when: isNew });
