import { partitions } from '../contracts/table.ts';
import { type Spent, spendOfClaim, spendOfOrder, spendOfPayment } from '../domain/order/spend.ts';
import { parseClaim } from '../store/award/claims.ts';
import { parseLedgerEntry } from '../store/ledger/ledger.ts';
import { TotalsCounter } from '../store/ledger/totals.ts';
import { SpendCounter } from '../store/member/spend.ts';
import { parseOrder } from '../store/order/orders.ts';
import { refundReceivedWrite } from '../store/outbox/outbox.ts';
import { parsePayment } from '../store/payment/payments.ts';
import type { Item } from '../store/table/table-client.ts';
import type { Deps } from './operation.ts';

export const countChangesStores = { totals: TotalsCounter, spend: SpendCounter };

/**
 * Counts new ledger entries into the totals of their campaigns and partnerships. Counts spent claims, decided orders
 * and decided payments into the spend of their members. An item is counted once, even if several calls pass it.
 *
 * A purchase earns nothing for the part that points pay. But when the reward is decided, the payment with points may
 * not be known yet. So this function announces the redemptions of a counted purchase again. A consumer then reverses
 * the reward for the part that these redemptions paid.
 *
 * @param items the items after their changes, each a ledger entry, a claim, an order or a payment
 * @throws ZodError when an item cannot be parsed; other items may have been counted already
 */
export async function countChanges(
  items: readonly Item[],
  { totals, spend, table, now, nextUuid }: Deps<typeof countChangesStores>,
): Promise<void> {
  const entries = items.filter(({ pk }) => pk.startsWith(partitions.ledger)).map(parseLedgerEntry);
  const spent = items.flatMap((item) => spentIn(item) ?? []);
  const [, known] = await Promise.all([totals.count(entries, now()), spend.count(spent)]);
  const redemptions = new Set(known.flatMap(({ paid }) => Object.keys(paid)));
  for (const uuid of redemptions) await table.write(refundReceivedWrite(uuid, { now: now(), nextUuid }));
}

function spentIn(item: Item): Spent | undefined {
  if (item.pk.startsWith(partitions.claim)) return spendOfClaim(parseClaim(item));
  if (item.pk.startsWith(partitions.order)) return spendOfOrder(parseOrder(item));
  if (item.pk.startsWith(partitions.payment)) return spendOfPayment(parsePayment(item));
  return undefined;
}
