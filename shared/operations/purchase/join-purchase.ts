import { joinHeads } from '../../domain/purchase/purchase.ts';
import type { SpendCounter } from '../../store/member/spend.ts';
import type { TableClient } from '../../store/table/table-client.ts';
import type { Book } from './load-book.ts';

/**
 * Joins the purchase that a payment had of its own into the purchase of the order that the payment names now. Statements
 * and awards join in one write.
 *
 * @param key the external transaction of the payment's own purchase
 * @throws ConditionFailedError when one of the heads was changed since it was read
 */
export async function joinPurchase(
  { purchase }: Pick<Book, 'purchase'>,
  key: string,
  { spend, table }: { readonly spend: SpendCounter; readonly table: TableClient },
): Promise<void> {
  const own = await spend.find({ merchantId: purchase.merchantId, externalTransactionId: key });
  const { into, from } = joinHeads(purchase, key, own);
  await table.transact(spend.joinWrites(into, from));
}
