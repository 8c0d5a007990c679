import { isDeepStrictEqual } from 'node:util';
import { maximumAttempts, retentionMs, timingMs } from '../../contracts/limits.ts';
import { partitions } from '../../contracts/table.ts';
import type { LedgerEntry } from '../../domain/ledger/ledger-entry.ts';
import {
  contributionsOf,
  differenceOf,
  noTotals,
  recount,
  sumOf,
  type Totals,
  type TotalsSubject,
} from '../../domain/ledger/totals.ts';
import { type Mismatch, type UnreadableItem, unequal } from '../../domain/reconciliation/invariants.ts';
import { ledgerEntryName } from '../../store/ledger/ledger.ts';
import { type Counter, correctionWrite, TotalsCounter } from '../../store/ledger/totals.ts';
import { OperationError } from '../errors.ts';
import { type AuditedDeps, type Confirmable, writeAudited } from '../write-audited.ts';

/** One reading of the table: the counters before and after the ledger, and the entries marked as counted. */
export interface TotalsReading {
  /** UUIDs of the partnerships that are compared. */
  readonly partnerships: readonly string[];
  readonly before: readonly Counter[];
  readonly after: readonly Counter[];
  readonly entries: readonly LedgerEntry[];
  /** The items that could not be read. The sum of `entries` is wrong if a ledger entry is among them. */
  readonly unreadable: readonly UnreadableItem[];
  readonly counted: ReadonlySet<string>;
  readonly now: Date;
}

/** The totals of one subject (campaign or partnership) that differ from the ledger. */
interface WrongTotals {
  readonly subject: TotalsSubject;
  readonly found: Totals;
  readonly expected: Totals;
  /** The values of the subject's first counter, to which a repair adds the correction; undefined without a counter. */
  readonly first: Totals | undefined;
}

/** The result of comparing totals with the ledger. */
export interface TotalsReconciliation {
  readonly wrong: readonly WrongTotals[];
  /** Entries that the stream should have counted by now. */
  readonly late: readonly LedgerEntry[];
  /** Subjects whose counters changed during the reading, so they cannot be compared. */
  readonly moving: readonly TotalsSubject[];
  /** How many subjects were compared. */
  readonly compared: number;
}

/**
 * Compares totals with the ledger. The totals contain a ledger entry if the entry is marked as counted, because one
 * write stores the mark and the count. The mark stays longer than the stream can deliver the entry again. So counters
 * that did not change while the ledger was read must equal the sum of the marked entries.
 */
export function reconcileTotals(reading: TotalsReading): TotalsReconciliation {
  const isWaiting = waitingIn(reading);
  const before = countersBySubject(reading.before);
  const after = countersBySubject(reading.after);
  const isCompared = ({ subject }: { readonly subject: TotalsSubject }) =>
    reading.partnerships.includes(subject.partnershipUuid);
  const entries = reading.entries.filter((entry) => contributionsOf(entry).some(isCompared));
  const recounted = recount(entries.filter((entry) => !isWaiting(entry))).filter(isCompared);
  const ledger = new Map(recounted.map(({ subject, totals }) => [nameOf(subject), totals]));

  const names = [...new Set([...before.keys(), ...after.keys(), ...ledger.keys()])];
  const isSteady = (name: string) => sameCounters(before.get(name) ?? [], after.get(name) ?? []);
  const wrong = names.filter(isSteady).flatMap((name): WrongTotals[] => {
    const own = after.get(name) ?? [];
    const found = sumOf(own.map(({ totals }) => totals));
    const expected = ledger.get(name) ?? noTotals;
    const first = own.find(({ shard }) => shard === 0)?.totals;
    return isNothing(differenceOf(expected, found)) ? [] : [{ subject: subjectOf(name), found, expected, first }];
  });
  const longAgo = reading.now.getTime() - timingMs.uncountedLedgerRow;
  return {
    wrong,
    late: entries.filter((entry) => isWaiting(entry) && Date.parse(entry.createdAt) < longAgo),
    moving: names.filter((name) => !isSteady(name)).map(subjectOf),
    compared: names.length,
  };
}

/**
 * Whether the stream will still count an entry: the entry has no mark, and it is so young that a mark would still
 * exist.
 */
function waitingIn({ counted, now }: Pick<TotalsReading, 'counted' | 'now'>) {
  const youngFrom = now.getTime() - retentionMs.countedLedgerEntry;
  return (entry: LedgerEntry) =>
    contributionsOf(entry).length > 0 &&
    !counted.has(ledgerEntryName(entry)) &&
    Date.parse(entry.createdAt) >= youngFrom;
}

/** The mismatches of a comparison of totals. */
export function totalsMismatches({ wrong, late }: TotalsReconciliation): Mismatch[] {
  return [
    ...wrong.flatMap(({ subject, found, expected }) =>
      unequal(subjectText(subject), null, {
        'points earned and ledger': [found.earnedPoints, expected.earnedPoints],
        'points redeemed and ledger': [found.redeemedPoints, expected.redeemedPoints],
        'cashback and ledger (cents)': [found.cashbackCents, expected.cashbackCents],
        'registrations and ledger': [found.registrations, expected.registrations],
        'transactions and ledger': [found.transactions, expected.transactions],
      }),
    ),
    ...unequal('the ledger', null, { 'entries that are not in any totals yet': [late.length, 0] }),
  ];
}

/** `campaign 1 of partnership 0192…` */
export function subjectText({ partnershipUuid, campaignId }: TotalsSubject): string {
  return `campaign ${campaignId} of partnership ${partnershipUuid}`;
}

const isNothing = (totals: Totals) => Object.values(totals).every((number) => number === 0);

const nameOf = ({ partnershipUuid, campaignId }: TotalsSubject) => `${partnershipUuid}#${campaignId}`;

function subjectOf(name: string): TotalsSubject {
  const [partnershipUuid = '', campaignId] = name.split('#');
  return { partnershipUuid, campaignId: Number(campaignId) };
}

const countersBySubject = (counters: readonly Counter[]) => Map.groupBy(counters, ({ subject }) => nameOf(subject));

function sameCounters(one: readonly Counter[], other: readonly Counter[]): boolean {
  const totalsOf = (counters: readonly Counter[]) => new Map(counters.map(({ shard, totals }) => [shard, totals]));
  return isDeepStrictEqual(totalsOf(one), totalsOf(other));
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
  expectLedger(first);
  const { wrong, late, moving } = reconcileTotals(first);
  if (wrong.length + late.length + moving.length === 0) return;
  await confirm?.();

  // This counter counts each entry once, even if the stream counts the entry at the same time.
  await new TotalsCounter(deps.table).count(first.entries.filter(waitingIn(first)), deps.now());
  if (late.length > 0) {
    const what = `counted ${late.length} entries of the ledger that were in no totals`;
    await writeAudited({ what, writes: [], conflict: () => new TotalsMovedError('the ledger') }, deps);
  }
  for (let reading = 1; reading <= maximumAttempts.bookReading; reading += 1) {
    const again = await read();
    expectLedger(again);
    const result = reconcileTotals(again);
    for (const totals of result.wrong) await correctTotals(totals, deps);
    if (result.moving.length === 0) return;
  }
}

function expectLedger({ unreadable }: TotalsReading): void {
  const entry = unreadable.find(({ name }) => name.startsWith(partitions.ledger));
  if (entry) throw new LedgerUnreadableError(entry);
}

async function correctTotals({ subject, found, expected, first }: WrongTotals, deps: AuditedDeps): Promise<void> {
  const add = differenceOf(expected, found);
  const name = subjectText(subject);
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
