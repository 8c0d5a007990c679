import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { retentionMs, toSeconds } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import type { Membership } from '../../domain/member/member.ts';
import { type Spent, spendTotals } from '../../domain/order/spend.ts';
import { ConditionFailedError, defineEntity, isNew, type Write } from '../table/items.ts';
import type { TableClient } from '../table/table-client.ts';
import { Members, spendWrite } from './members.ts';

/**
 * What users spent at merchants, counted from the stream. The same purchase comes by many doors (two
 * campaigns, an order after a token, a batch that comes again), so a mark in its name is written with
 * whatever it adds.
 */

const marks = defineEntity(z.object({}), (digest: string) => ({
  pk: `${partitions.countedSpend}${digest}`,
  sk: 'COUNTED',
}));

/** Counts purchases and orders into what their users spent. */
export class SpendCounter {
  readonly #table: TableClient;
  readonly #members: Members;

  constructor(table: TableClient) {
    this.#table = table;
    this.#members = new Members(table);
  }

  /** Adds what was spent to its user's totals. Each external transaction is counted once, as it comes first. */
  async count(spent: readonly Spent[], now: Date): Promise<void> {
    const byUser = Map.groupBy(spent, ({ userId }) => userId);
    await Promise.all([...byUser].map(([userId, ofUser]) => this.#countOf(userId, ofUser, now)));
  }

  /** One after the other: all of them add to the same counters. */
  async #countOf(userId: number, spent: readonly Spent[], now: Date): Promise<void> {
    const member = await this.#members.find(userId);
    for (const one of spent) await this.#countOnce(one, member?.memberships ?? [], now);
  }

  async #countOnce(spent: Spent, memberships: readonly Membership[], now: Date): Promise<void> {
    try {
      await this.#table.transact([markWrite(spent, now), ...spendTotals(spent, memberships).map(spendWrite)]);
    } catch (error) {
      // Nothing but the mark has a condition: it was counted before.
      if (!(error instanceof ConditionFailedError)) throw error;
    }
  }
}

function markWrite({ merchantId, externalTransactionId }: Spent, now: Date): Write {
  const name = JSON.stringify([merchantId, externalTransactionId]);
  const key = marks.key(createHash('sha256').update(name).digest('hex'));
  const ttl = toSeconds(now.getTime() + retentionMs.countedPurchase);
  return { kind: 'put', item: marks.item(key, {}, { [ttlAttribute]: ttl }), when: isNew };
}
