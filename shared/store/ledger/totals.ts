import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { retentionMs, shardCount, toSeconds } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import type { LedgerEntry } from '../../domain/ledger/ledger-entry.ts';
import { contributionsOf, ofPartnership, sumOf, Totals, type TotalsSubject } from '../../domain/ledger/totals.ts';
import { type Addition, countOnce } from '../table/count-once.ts';
import {
  type Condition,
  defineEntity,
  type Item,
  isNew,
  type Key,
  Repository,
  type TableClient,
  type Write,
} from '../table/table-client.ts';
import { ledgerEntryName } from './ledger.ts';

/**
 * Totals of campaigns, counted from the stream of the ledger. Every transaction of a campaign adds to its totals, so
 * writing totals together with balances would cause conflicts. For the same reason each campaign has several counters.
 * The counters are in the partnership's partition, so one query reads them with the partnership. The totals of the
 * partnership are the sum of all counters.
 */

const counterPrefix = 'TOTALS#CAMPAIGN#';
/** Pads ids to one width, so the counters of campaigns sort by id. */
const padded = (campaignId: number) => String(campaignId).padStart(16, '0');
const partition = (partnershipUuid: string) => `${partitions.partnership}${partnershipUuid}`;
const counters = defineEntity(Totals, ({ partnershipUuid, campaignId }: TotalsSubject, shard: number) => ({
  pk: partition(partnershipUuid),
  sk: `${counterPrefix}${padded(campaignId)}#${shard}`,
}));
const marks = defineEntity(z.object({}), (entryName: string) => ({
  pk: `${partitions.counted}${entryName}`,
  sk: 'COUNTED',
}));

/** Counts entries of the ledger into totals. */
export class TotalsCounter extends Repository {
  /**
   * Adds a batch of entries to the totals of their campaigns and partnerships. A repeated entry is not added twice.
   * Each campaign has several counters, and a batch adds to one of them. If another batch writes this counter at the
   * same moment, the next attempt takes a different counter.
   *
   * @throws ContentionError when all `maximumAttempts.write` attempts conflict with other batches
   */
  async count(entries: readonly LedgerEntry[], now: Date): Promise<void> {
    const counted = entries.filter((entry) => contributionsOf(entry).length > 0);
    const [first] = counted;
    if (first === undefined) return;
    const things = counted.map((entry) => ({
      mark: markOf(entry, now),
      additionsFor: (attempt: number) => additionsOf(entry, shardOf(first, attempt)),
    }));
    await countOnce(this.table, things);
  }
}

function markOf(entry: LedgerEntry, now: Date): Item {
  const ttl = toSeconds(now.getTime() + retentionMs.countedLedgerEntry);
  return marks.item(marks.key(ledgerEntryName(entry)), {}, { [ttlAttribute]: ttl });
}

const additionsOf = (entry: LedgerEntry, shard: number): Addition[] =>
  contributionsOf(entry).map(({ subject, totals }) => ({
    key: counters.key(subject, shard),
    add: totals,
  }));

/** Chooses a shard by batch and attempt. A batch that is delivered again has the same shards. */
function shardOf(first: LedgerEntry, attempt: number): number {
  const digest = createHash('sha256')
    .update(`${ledgerEntryName(first)}#${attempt}`)
    .digest();
  return (digest[0] ?? 0) % shardCount.totals;
}

/** The totals among the items of partnerships' partitions; zero for a campaign without counters. */
export function totalsIn(items: readonly Item[]): { partnership: Totals; ofCampaign: (id: number) => Totals } {
  const found = items.filter(({ sk }) => sk.startsWith(counterPrefix));
  const byCampaign = Map.groupBy(found, ({ sk }) => sk.slice(counterPrefix.length, sk.lastIndexOf('#')));
  return {
    partnership: ofPartnership(found.map(counters.parse)),
    ofCampaign: (id) => sumOf((byCampaign.get(padded(id)) ?? []).map(counters.parse)),
  };
}

/**
 * Reads the counters of some campaigns of a partnership, for {@link totalsIn}. One query reads all counters from the
 * lowest to the highest id. It also reads the counters in between, but counters are small. So it costs less than one
 * read for each campaign.
 */
export function readCampaignCounters(
  table: TableClient,
  partnershipUuid: string,
  campaignIds: readonly number[],
): Promise<Item[]> {
  const sortBetween = [
    `${counterPrefix}${padded(Math.min(...campaignIds))}#`,
    `${counterPrefix}${padded(Math.max(...campaignIds))}#\uffff`,
  ] as const;
  return table.query({ partition: partition(partnershipUuid), sortBetween });
}

/** One counter of a campaign. The sum of all its counters is its totals. */
export interface Counter {
  readonly subject: TotalsSubject;
  readonly shard: number;
  readonly totals: Totals;
}

/** The counters of all campaigns of a partnership. */
export async function countersOf(table: Pick<TableClient, 'query'>, partnershipUuid: string): Promise<Counter[]> {
  const items = await table.query({ partition: partition(partnershipUuid), sortBeginsWith: counterPrefix });
  return items.map((item) => {
    const [campaignId, shard] = item.sk.slice(counterPrefix.length).split('#');
    return {
      subject: { partnershipUuid, campaignId: Number(campaignId) },
      shard: Number(shard),
      totals: counters.parse(item),
    };
  });
}

/** The name of the ledger entry that a mark shows as counted. */
export const countedEntryName = ({ pk }: Key): string => pk.slice(partitions.counted.length);

/**
 * The write that corrects totals by adding to their first counter, if the counter has not changed since it was read.
 *
 * @param first the first counter as it was read; undefined when it did not exist
 */
export function correctionWrite(subject: TotalsSubject, first: Totals | undefined, add: Totals): Write {
  const asRead = Object.entries(first ?? {}).map(
    // A counter that was never increased lacks the attribute and is read as zero; `at-most` allows both.
    ([attribute, value]): Condition =>
      value === 0 ? { attribute, is: 'at-most', value } : { attribute, is: '=', value },
  );
  return {
    kind: 'update',
    key: counters.key(subject, 0),
    changes: { add },
    when: first === undefined ? isNew : asRead,
  };
}
