import { streamConsumer } from '../../../shared/runtime/stream-consumer.ts';
import { parseLedgerEntry } from '../../../shared/store/ledger/ledger.ts';
import { TotalsCounter } from '../../../shared/store/ledger/totals.ts';

/** Counts new ledger entries into the totals of campaigns and partnerships, each entry once. */
export const handler = streamConsumer({ counter: TotalsCounter }, (items, { counter, now }) =>
  counter.count(items.map(parseLedgerEntry), now()),
);
