import { receiptOutcomes } from '../../contracts/events.ts';
import type { Measurement, MetricName } from '../../contracts/metrics.ts';
import { partitions } from '../../contracts/table.ts';
import type { LedgerEntry } from '../../domain/ledger/ledger-entry.ts';
import { parseLedgerEntry } from '../../store/ledger/ledger.ts';
import { parseReceipt } from '../../store/payment/payments.ts';
import type { Item } from '../../store/table/table-client.ts';

/** The metric that counts the ledger entries of a kind. Entries of other kinds are no rewards. */
const countedAs = new Map<LedgerEntry['kind'], MetricName>([
  ['EARN', 'Awards'],
  ['REDEEM', 'Redemptions'],
  ['EARN_REVERSAL', 'Reversals'],
  ['REDEEM_REVERSAL', 'Reversals'],
  ['EARN_RESTORATION', 'Restorations'],
  ['REDEEM_RESTORATION', 'Restorations'],
]);

/**
 * What one ledger entry adds to metrics. The entry of a redemption has points below zero: `0 - points` were redeemed.
 */
function measureEntry({ kind, points, cashbackCents }: LedgerEntry): readonly (readonly [MetricName, number])[] {
  const name = countedAs.get(kind);
  if (!name) return [];
  return [
    [name, 1],
    ...(kind === 'EARN' ? [['AwardedPoints', points] as const] : []),
    ...(kind === 'REDEEM' ? [['RedeemedPoints', 0 - points] as const] : []),
    ...(cashbackCents === 0 ? [] : [['CashbackCents', cashbackCents] as const]),
  ];
}

/**
 * Measures the business from changes of the table: new ledger entries, and new receipts of payment events. Other items
 * add nothing. Call it once for a batch, after the work of the batch is done: an item that is passed twice counts
 * twice.
 */
export function measureChanges(items: readonly Item[]): Measurement[] {
  const entries = items.filter(({ pk }) => pk.startsWith(partitions.ledger)).map(parseLedgerEntry);
  const receipts = items.filter(({ pk }) => pk.startsWith(partitions.paymentReceipt)).map(parseReceipt);

  const byName = Map.groupBy(entries.flatMap(measureEntry), ([name]) => name);
  const outcomes = receiptOutcomes.map((part) => {
    const { length } = receipts.filter(({ outcome }) => outcome === part);
    return { name: 'PaymentEvents', part, values: length > 0 ? [length] : [] } as const;
  });
  return [
    ...[...byName].map(([name, added]) => ({ name, values: [added.reduce((sum, [, value]) => sum + value, 0)] })),
    ...outcomes.filter(({ values }) => values.length > 0),
  ];
}
