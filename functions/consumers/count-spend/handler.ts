import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { partitions } from '../../../shared/contracts/table.ts';
import { type Spent, spentInOrder, spentInPurchase } from '../../../shared/domain/order/spend.ts';
import { openTable } from '../../../shared/runtime/clients.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { once } from '../../../shared/runtime/once.ts';
import { newItemOf } from '../../../shared/runtime/stream.ts';
import { parseClaim } from '../../../shared/store/award/claims.ts';
import { SpendCounter } from '../../../shared/store/member/spend.ts';
import { orderOf } from '../../../shared/store/order/orders.ts';

const counter = once(() => new SpendCounter(openTable(readConfig(process.env))));

/**
 * Counts purchases whose token was spent, and orders that were decided about, into what their users spent.
 * A batch that fails comes again, halved, and what was counted of it is not counted twice.
 */
export async function handler({ Records }: DynamoDBStreamEvent): Promise<void> {
  await counter().count(Records.flatMap(spentIn), new Date());
}

function spentIn(record: DynamoDBRecord): Spent[] {
  const item = newItemOf(record);
  const spent = item.pk.startsWith(partitions.order) ? spentInOrder(orderOf(item)) : spentInPurchase(parseClaim(item));
  return spent ? [spent] : [];
}
