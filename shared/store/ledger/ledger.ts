import type { BusEvent } from '../../contracts/events.ts';
import { partitions } from '../../contracts/table.ts';
import { LedgerEntry } from '../../domain/ledger/ledger-entry.ts';
import { carrying } from '../outbox/outbox.ts';
import type { TableClient } from '../table/table-client.ts';
import { defineEntity, isNew, type Write } from '../table/table-client.ts';

const partition = (userId: number, partnerId: number) => `${partitions.ledger}${userId}#${partnerId}`;

/** Entries sort by time, because the UUIDs of transactions do. */
const entries = defineEntity(
  LedgerEntry,
  (entry: Pick<LedgerEntry, 'userId' | 'partnerId' | 'transactionUuid' | 'kind'>) => ({
    pk: partition(entry.userId, entry.partnerId),
    sk: `${entry.transactionUuid}#${entry.kind}`,
  }),
);

/** Parses an entry from an item of the table or of its stream. */
export const parseLedgerEntry = entries.parse;

/** The name of an entry, unique in the ledger. */
export function ledgerEntryName(entry: LedgerEntry): string {
  const { pk, sk } = entries.key(entry);
  return `${pk.slice(partitions.ledger.length)}#${sk}`;
}

/**
 * The write of an entry. The key contains its transaction and kind, so no entry is written twice.
 *
 * @param events events about the entry's transaction, which the entry carries
 */
export function ledgerWrite(entry: LedgerEntry, events: readonly BusEvent[] = []): Write {
  return { kind: 'put', item: entries.item(entries.key(entry), entry, carrying(events)), when: isNew };
}

/** The ledgers of members, one for each program. */
export class Ledger {
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table;
  }

  /** Finds all entries of a member in one program, the oldest first. */
  async entriesOf(userId: number, partnerId: number): Promise<LedgerEntry[]> {
    return (await this.#table.query({ partition: partition(userId, partnerId) })).map(entries.parse);
  }
}
