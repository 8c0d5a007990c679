import { partitions } from '../../../shared/contracts/table.ts';
import { type Spent, spentInOrder, spentInPurchase } from '../../../shared/domain/order/spend.ts';
import { streamConsumer } from '../../../shared/runtime/stream-consumer.ts';
import { parseClaim } from '../../../shared/store/award/claims.ts';
import { SpendCounter } from '../../../shared/store/member/spend.ts';
import { orderOf } from '../../../shared/store/order/orders.ts';
import type { Item } from '../../../shared/store/table/items.ts';

/** Counts spent tokens and decided orders into the totals of what their users spent, each purchase once. */
export const handler = streamConsumer({ counter: SpendCounter }, (items, { counter, now }) =>
  counter.count(items.flatMap(spentIn), now()),
);

function spentIn(item: Item): Spent[] {
  const spent = item.pk.startsWith(partitions.order) ? spentInOrder(orderOf(item)) : spentInPurchase(parseClaim(item));
  return spent ? [spent] : [];
}
