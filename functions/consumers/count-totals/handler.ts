import type { DynamoDBStreamEvent } from 'aws-lambda';
import { openTable } from '../../../shared/runtime/clients.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { once } from '../../../shared/runtime/once.ts';
import { newItemOf } from '../../../shared/runtime/stream.ts';
import { parseLedgerEntry } from '../../../shared/store/ledger/ledger.ts';
import { TotalsCounter } from '../../../shared/store/ledger/totals.ts';

const counter = once(() => new TotalsCounter(openTable(readConfig(process.env))));

/**
 * Counts what the ledger gained into the totals of campaigns and partnerships. A batch that fails comes
 * again, halved, and what was counted of it is not counted twice.
 */
export async function handler({ Records }: DynamoDBStreamEvent): Promise<void> {
  const entries = Records.map((record) => parseLedgerEntry(newItemOf(record)));
  await counter().count(entries, new Date());
}
