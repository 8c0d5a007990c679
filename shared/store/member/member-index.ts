import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { partitions } from '../../contracts/table.ts';
import type { User } from '../../domain/member/member.ts';
import { type SearchTerm, termsOf } from '../../domain/member/search-terms.ts';
import { defineEntity, Repository, type Write } from '../table/table-client.ts';

const rowPrefix = 'MEMBER#';

/** The keys contain digests: a row shows neither a name nor an address. */
const rows = defineEntity(z.object({ userId: z.int() }), (term: SearchTerm, userId: number) => ({
  pk: partitionOf(term),
  sk: `${rowPrefix}${userId}`,
}));

const partitionOf = ({ kind, value }: SearchTerm) =>
  partitions.memberIndex +
  createHash('sha256')
    .update(JSON.stringify([kind, value]))
    .digest('hex');

/** The writes of the rows by which a member is found. Repeated writes change nothing. */
export function memberIndexWrites(user: User): Write[] {
  const { id: userId } = user;
  return termsOf(user).map((term) => ({ kind: 'put', item: rows.item(rows.key(term, userId), { userId }) }));
}

/**
 * The index of members by e-mail, phone and name. A row may name a term that its member no longer has, so the search
 * also compares the terms of the member itself.
 */
export class MemberIndex extends Repository {
  /** The ids of the members with a term, in no order. */
  async userIdsOf(term: SearchTerm): Promise<number[]> {
    const items = await this.table.query({ partition: partitionOf(term), sortBeginsWith: rowPrefix });
    return items.map((item) => rows.parse(item).userId);
  }

  /** Writes the rows of some members. */
  async add(users: readonly User[]): Promise<void> {
    await Promise.all(users.flatMap(memberIndexWrites).map((write) => this.table.write(write)));
  }
}
