import { Association, type Member, Membership, User } from '../domain/member/member.ts';
import { defineEntity } from './entity.ts';
import { partitions } from './table.ts';
import type { TableClient } from './table-client.ts';
import { isNew, type Key, type Write } from './writes.ts';

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

/** The account that a failed condition met. */
export const membershipOf = memberships.parse;

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

/** The writes of a new member. */
export function memberWrites(member: Member): Write[] {
  const { user } = member;
  return [
    { kind: 'put', item: users.item(users.key(user.id), user), when: isNew },
    ...member.memberships.map(
      (membership): Write => ({
        kind: 'put',
        item: memberships.item(memberships.key(user.id, membership.partnerId), membership),
        when: isNew,
      }),
    ),
    ...member.associations.map(
      (association): Write => ({
        kind: 'put',
        item: associations.item(associations.key(user.id, association.merchantId), association),
        when: isNew,
      }),
    ),
  ];
}
