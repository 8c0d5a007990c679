import { partitions } from '../../contracts/table.ts';
import { LedgerEntry } from '../../domain/ledger/ledger-entry.ts';
import { defineEntity, isNew, type Write } from '../table/items.ts';
import type { TableClient } from '../table/table-client.ts';

const partition = (userId: number, partnerId: number) => `${partitions.ledger}${userId}#${partnerId}`;

/** Entries sort by time, because the UUIDs of transactions do. */
const entries = defineEntity(
  LedgerEntry,
  (entry: Pick<LedgerEntry, 'userId' | 'partnerId' | 'transactionUuid' | 'kind'>) => ({
    pk: partition(entry.userId, entry.partnerId),
    sk: `${entry.transactionUuid}#${entry.kind}`,
  }),
);

/** The entry of an item of the table or its stream. */
export const parseLedgerEntry = entries.parse;

/** The text that names an entry among all of the ledger's. */
export function ledgerEntryName(entry: LedgerEntry): string {
  const { pk, sk } = entries.key(entry);
  return `${pk.slice(partitions.ledger.length)}#${sk}`;
}

/** The write of an entry; each movement of a transaction has one place, so it cannot be written twice. */
export function ledgerWrite(entry: LedgerEntry): Write {
  return { kind: 'put', item: entries.item(entries.key(entry), entry), when: isNew };
}

export class Ledger {
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table;
  }

  /** All entries of a member in one program, oldest first. */
  async of(userId: number, partnerId: number): Promise<LedgerEntry[]> {
    return (await this.#table.query({ partition: partition(userId, partnerId) })).map(entries.parse);
  }
}
