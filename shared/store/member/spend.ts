import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { partitions } from '../../contracts/table.ts';
import { seenAt } from '../../domain/member/member.ts';
import { type Spent, spendTotals } from '../../domain/order/spend.ts';
import { countOnce } from '../table/count-once.ts';
import { defineEntity, type Item, Repository, type TableClient } from '../table/table-client.ts';
import { Members, spendAddition } from './members.ts';

/**
 * The mark that a purchase is counted. The same purchase may arrive several times: under two campaigns, as an order
 * after a token, or in a batch that is delivered again. The mark is never deleted, because an order or a token for the
 * same purchase may come at any time.
 */
const marks = defineEntity(z.object({}), (digest: string) => ({
  pk: `${partitions.countedSpend}${digest}`,
  sk: 'COUNTED',
}));

/** Counts purchases and orders into the spend of their members. */
export class SpendCounter extends Repository {
  readonly #members: Members;

  constructor(table: TableClient) {
    super(table);
    this.#members = new Members(table);
  }

  /** Adds purchases to the spend of their members. Only the first purchase of an external transaction counts. */
  async count(spent: readonly Spent[]): Promise<void> {
    const byUser = Map.groupBy(spent, ({ userId }) => userId);
    await Promise.all([...byUser].map(([userId, ofUser]) => this.#countOf(userId, ofUser)));
  }

  async #countOf(userId: number, spent: readonly Spent[]): Promise<void> {
    const member = await this.#members.find(userId);
    const things = spent.map((one) => {
      const { memberships = [] } = member ? seenAt(member, one.merchantId, new Date(one.at)) : {};
      const additions = spendTotals(one, memberships).map(spendAddition);
      return { mark: markOf(one), additionsFor: () => additions };
    });
    await countOnce(this.table, things);
  }
}

function markOf({ merchantId, externalTransactionId }: Spent): Item {
  const name = JSON.stringify([merchantId, externalTransactionId]);
  return marks.item(marks.key(createHash('sha256').update(name).digest('hex')), {});
}
