import { maximumAttempts, retentionMs, timingMs } from '../../contracts/limits.ts';
import { partitions } from '../../contracts/table.ts';
import { contributionsOf, differenceOf, totalsNames } from '../../domain/ledger/totals.ts';
import {
  type ComparedTotals,
  type CounterReading,
  compareTotals,
  joinCounted,
  type MarkedEntry,
  sumCounted,
  totalsText,
} from '../../domain/reconciliation/counted-totals.ts';
import type { UnreadableItem } from '../../domain/reconciliation/invariants.ts';
import { correctionWrite, TotalsCounter } from '../../store/ledger/totals.ts';
import { OperationError } from '../errors.ts';
import { type AuditedDeps, type Confirmable, writeAudited } from '../write-audited.ts';
import type { PartnershipCounters } from './read-counters.ts';

/** One reading of the table: the counters before and after the ledger, and when the entries were counted. */
export interface TotalsReading {
  /** The period from the first reading of the counters to the second. */
  readonly readAt: CounterReading;
  readonly before: readonly PartnershipCounters[];
  readonly after: readonly PartnershipCounters[];
  readonly entries: readonly MarkedEntry[];
  /** The items that could not be read. The sum of `entries` is wrong if a ledger entry is among them. */
  readonly unreadable: readonly UnreadableItem[];
}

/** The totals changed between the reading and the correction. Earlier corrections of the same run are written. */
class TotalsMovedError extends OperationError {
  override readonly name = 'TotalsMovedError';

  constructor(subject: string) {
    super(`the totals of ${subject} moved meanwhile; totals that were not corrected yet are as they were, try again`);
  }
}

/** An entry of the ledger cannot be read, so the right totals are unknown. */
class LedgerUnreadableError extends OperationError {
  override readonly name = 'LedgerUnreadableError';

  constructor({ name, fault }: UnreadableItem) {
    super(`an entry of the ledger cannot be read, so the right totals are unknown: ${name} (${fault})`);
  }
}

/**
 * Corrects totals to match the ledger: counts the entries that the stream has left out, and adds the rest of the
 * difference. Writes nothing when all totals are right.
 *
 * @param read reads the whole table
 * @throws TotalsMovedError
 * @throws LedgerUnreadableError before anything is written
 */
export async function repairTotals(
  { read, confirm }: { readonly read: () => Promise<TotalsReading> } & Confirmable<void>,
  deps: AuditedDeps,
): Promise<void> {
  const first = await read();
  const { wrong, late, moving } = compare(first);
  if (wrong.length + late + moving.length === 0) return;
  await confirm?.();

  // This counter counts each entry once, even if the stream counts the entry at the same time.
  await new TotalsCounter(deps.table).count(uncountedOf(first), deps.now());
  if (late > 0) {
    const what = `counted ${late} entries of the ledger that were in no totals`;
    await writeAudited({ what, writes: [], conflict: () => new TotalsMovedError('the ledger') }, deps);
  }
  for (let reading = 1; reading <= maximumAttempts.bookReading; reading += 1) {
    const again = await read();
    const result = compare(again);
    for (const totals of result.wrong) await correctTotals(totals, again, deps);
    if (result.moving.length === 0) return;
  }
}

/**
 * Compares the totals of a reading with its entries. Totals whose counters changed during the reading are `moving`.
 *
 * @throws LedgerUnreadableError
 */
function compare({ readAt, before, after, entries, unreadable }: TotalsReading) {
  const unknown = unreadable.find(({ name }) => name.startsWith(partitions.ledger));
  if (unknown) throw new LedgerUnreadableError(unknown);
  const counted = sumCounted(entries, { ...readAt, toleratedMs: timingMs.uncountedLedgerRow }, new Date(readAt.to));
  const compared = compareTotals(before, joinCounted(counted), after);
  return {
    wrong: compared.filter((one) => one.isSteady && totalsNames.some((name) => one.found[name] !== one.most[name])),
    moving: compared.filter(({ isSteady }) => !isSteady),
    late: compared.reduce((sum, one) => sum + one.late, 0),
  };
}

/** The entries that the stream will still count: they have no mark, and are so young that a mark would still exist. */
function uncountedOf({ entries, readAt }: TotalsReading) {
  const youngFrom = Date.parse(readAt.to) - retentionMs.countedLedgerEntry;
  return entries
    .filter(({ countedAt }) => countedAt === undefined)
    .map(({ entry }) => entry)
    .filter((entry) => contributionsOf(entry).length > 0 && Date.parse(entry.createdAt) >= youngFrom);
}

async function correctTotals(
  { partnershipUuid, campaignId, found, most: expected }: ComparedTotals,
  { after }: TotalsReading,
  deps: AuditedDeps,
): Promise<void> {
  const subject = { partnershipUuid, campaignId };
  const counters = after.find((one) => one.partnershipUuid === partnershipUuid)?.counters ?? [];
  const first = counters.find((one) => one.campaignId === campaignId && one.shard === 0)?.totals;
  const add = differenceOf(expected, found);
  const name = totalsText(subject);
  await writeAudited(
    {
      what:
        `corrected the totals of ${name} by ${add.earnedPoints} points earned, ` +
        `${add.redeemedPoints} redeemed and ${add.transactions} transactions`,
      writes: [correctionWrite(subject, first, add)],
      conflict: () => new TotalsMovedError(name),
    },
    deps,
  );
}
