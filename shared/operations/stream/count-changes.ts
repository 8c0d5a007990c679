import { partitions } from '../../contracts/table.ts';
import { type Purchase, type Spent, spendOfClaim, spendOfOrder } from '../../domain/purchase/purchase.ts';
import { parseClaim } from '../../store/award/claims.ts';
import { parseLedgerEntry } from '../../store/ledger/ledger.ts';
import { TotalsCounter } from '../../store/ledger/totals.ts';
import { SpendCounter } from '../../store/member/spend.ts';
import { parseOrder } from '../../store/order/orders.ts';
import { orderReceivedWrite, purchaseChangedWrite } from '../../store/outbox/outbox.ts';
import type { Item } from '../../store/table/table-client.ts';
import type { Deps } from '../operation.ts';

export const countChangesStores = { totals: TotalsCounter, spend: SpendCounter };

/**
 * Counts new ledger entries into the totals of their campaigns and partnerships. Counts spent claims and decided orders
 * into the spend of their members. An item is counted once, even if several calls pass it.
 *
 * If other reports of a purchase came before its token or order, the purchase is settled again: its rewards follow from
 * all of its reports.
 *
 * @param items the items after their changes, each a ledger entry, a claim or an order
 * @throws ZodError when an item cannot be parsed; other items may have been counted already
 */
export async function countChanges(
  items: readonly Item[],
  { totals, spend, table, now, nextUuid }: Deps<typeof countChangesStores>,
): Promise<void> {
  const entries = items.filter(({ pk }) => pk.startsWith(partitions.ledger)).map(parseLedgerEntry);
  const reports = items.flatMap((item) => reportIn(item) ?? []);
  const [, known] = await Promise.all([totals.count(entries, now()), spend.count(reports.map(({ spent }) => spent))]);
  const context = { now: now(), nextUuid };
  const news = reports.filter(({ spent, isKnownTo }) =>
    known.some((head) => isHeadOf(head, spent) && !isKnownTo(head)),
  );
  for (const { announce } of news) await table.write(announce(context));
}

/** A report of a purchase in an item of the stream. */
interface Report {
  readonly spent: Spent;
  /** Whether a settlement has read the report. */
  readonly isKnownTo: (head: Purchase) => boolean;
  readonly announce: (context: {
    readonly now: Date;
    readonly nextUuid: () => string;
  }) => ReturnType<typeof orderReceivedWrite>;
}

const isHeadOf = (head: Purchase, { merchantId, externalTransactionId }: Spent) =>
  head.merchantId === merchantId && head.externalTransactionId === externalTransactionId;

function reportIn(item: Item): Report | undefined {
  if (item.pk.startsWith(partitions.claim)) {
    const claim = parseClaim(item);
    const spent = spendOfClaim(claim);
    const uuid = claim.rewards[0]?.uuid ?? '';
    return (
      spent && {
        spent,
        isKnownTo: ({ stated }) => stated?.includes(uuid) ?? false,
        announce: (context) => purchaseChangedWrite(uuid, context),
      }
    );
  }
  if (!item.pk.startsWith(partitions.order)) return undefined;
  const order = parseOrder(item);
  const spent = spendOfOrder(order);
  return (
    spent && {
      spent,
      isKnownTo: ({ orderUuid }) => orderUuid === order.uuid,
      announce: (context) => orderReceivedWrite(order.uuid, context),
    }
  );
}
