import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { awsMaximumItems, retentionMs, shardCount, toSeconds } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import type { LedgerEntry } from '../../domain/ledger/ledger-entry.ts';
import { contributionsOf, recount, sumOf, Totals, type TotalsSubject } from '../../domain/ledger/totals.ts';
import { ConditionFailedError, defineEntity, type Item, isNew, type Key, type Write } from '../table/items.ts';
import type { TableClient } from '../table/table-client.ts';
import { ledgerEntryName } from './ledger.ts';

/**
 * Totals of campaigns and partnerships. They are hot: every transaction of everybody adds to them. So
 * they are kept out of the money's transactions, counted from the stream of the ledger, and spread over
 * a few items each, which lie in the partnership's partition to be read together with it.
 */

const counterPrefix = 'TOTALS#';
const partnershipSubject = 'PARTNERSHIP';
const campaignSubject = (id: number) => `CAMPAIGN#${id}`;
const subjectText = ({ campaignId }: TotalsSubject) =>
  campaignId === null ? partnershipSubject : campaignSubject(campaignId);
const counters = defineEntity(Totals, (partnershipUuid: string, subject: string, shard: number) => ({
  pk: `${partitions.partnership}${partnershipUuid}`,
  sk: `${counterPrefix}${subject}#${shard}`,
}));
const marks = defineEntity(z.object({}), (entryName: string) => ({
  pk: `${partitions.counted}${entryName}`,
  sk: 'COUNTED',
}));

/** Counts entries of the ledger into totals. */
export class TotalsCounter {
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table;
  }

  /** Adds entries to the totals of what they belong to. Each is counted once, however often it is handed over. */
  async count(entries: readonly LedgerEntry[], now: Date): Promise<void> {
    const counted = entries.filter((entry) => contributionsOf(entry).length > 0);
    for (const together of inTransactions(counted)) await this.#countOnce(together, now);
  }

  async #countOnce(entries: readonly LedgerEntry[], now: Date): Promise<void> {
    if (entries.length === 0) return;
    try {
      await this.#table.transact([...entries.map((entry) => markWrite(entry, now)), ...counterWrites(entries)]);
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
      // The marks come first: those that were there already belong to entries that were counted before.
      await this.#countOnce(
        entries.filter((_, position) => !error.met.has(position)),
        now,
      );
    }
  }
}

/** Entries in their order, as many together as fit into a transaction whatever they add to. */
function inTransactions(entries: readonly LedgerEntry[]): LedgerEntry[][] {
  const transactions: LedgerEntry[][] = [];
  let room = 0;
  for (const entry of entries) {
    const needed = 1 + contributionsOf(entry).length;
    if (needed > room) {
      transactions.push([]);
      room = awsMaximumItems.itemsPerTransaction;
    }
    transactions.at(-1)?.push(entry);
    room -= needed;
  }
  return transactions;
}

/** The totals among some items of partnerships' partitions. */
export function totalsIn(items: readonly Item[]): { partnership: Totals; ofCampaign: (id: number) => Totals } {
  const of = (subject: string) =>
    sumOf(items.filter(({ sk }) => sk.startsWith(`${counterPrefix}${subject}#`)).map(counters.parse));
  return { partnership: of(partnershipSubject), ofCampaign: (id) => of(campaignSubject(id)) };
}

/** The keys of a campaign's counters, for {@link totalsIn}. */
export function campaignTotalsKeys(partnershipUuid: string, id: number): Key[] {
  return Array.from({ length: shardCount.totals }, (_, shard) =>
    counters.key(partnershipUuid, campaignSubject(id), shard),
  );
}

/** One counter of a subject; together they are its totals. */
export interface Counter {
  readonly subject: TotalsSubject;
  readonly shard: number;
  readonly totals: Totals;
}

const counterPattern = new RegExp(`^${counterPrefix}(?:${partnershipSubject}|CAMPAIGN#(\\d+))#(\\d+)$`);

/** The counters of a partnership and of all its campaigns. */
export async function countersOf(table: TableClient, partnershipUuid: string): Promise<Counter[]> {
  const { pk: partition } = counters.key(partnershipUuid, '', 0);
  const items = await table.query({ partition, sortBeginsWith: counterPrefix });
  return items.map((item) => {
    const [, campaignId, shard] = counterPattern.exec(item.sk) ?? [];
    const subject = { partnershipUuid, campaignId: campaignId === undefined ? null : Number(campaignId) };
    return { subject, shard: Number(shard), totals: counters.parse(item) };
  });
}

/** The name of the entry that a mark says to be counted. */
export const countedEntryName = ({ pk }: Key): string => pk.slice(partitions.counted.length);

/**
 * The write that corrects totals by adding to their first counter, on the condition that nobody corrected
 * or counted there since it was read (undefined: it was not there).
 */
export function correctionWrite(subject: TotalsSubject, first: Totals | undefined, add: Totals): Write {
  const asRead = Object.entries(first ?? {}).map(([attribute, value]) => ({ attribute, is: '=', value }) as const);
  return {
    kind: 'update',
    key: counters.key(subject.partnershipUuid, subjectText(subject), 0),
    changes: { add },
    when: first === undefined ? isNew : asRead,
  };
}

function markWrite(entry: LedgerEntry, now: Date): Write {
  const ttl = toSeconds(now.getTime() + retentionMs.countedLedgerEntry);
  return { kind: 'put', item: marks.item(marks.key(ledgerEntryName(entry)), {}, { [ttlAttribute]: ttl }), when: isNew };
}

/** One write for each counter that the entries add to. */
function counterWrites(entries: readonly LedgerEntry[]): Write[] {
  const byShard = Map.groupBy(entries, shardOf);
  return [...byShard].flatMap(([shard, own]) =>
    recount(own).map(({ subject, totals }): Write => {
      const key = counters.key(subject.partnershipUuid, subjectText(subject), shard);
      return { kind: 'update', key, changes: { add: totals } };
    }),
  );
}

function shardOf(entry: LedgerEntry): number {
  return (createHash('sha256').update(ledgerEntryName(entry)).digest()[0] ?? 0) % shardCount.totals;
}
