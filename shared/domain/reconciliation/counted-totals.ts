import * as z from 'zod/mini';
import { retentionMs, timingMs } from '../../contracts/limits.ts';
import type { LedgerEntry } from '../ledger/ledger-entry.ts';
import { contributionsOf, noTotals, sumOf, Totals, type TotalsSubject, totalsNames } from '../ledger/totals.ts';
import { type Mismatch, unequal } from './invariants.ts';

// The counters of campaigns' totals are compared with a ledger that is read long after the counters. The mark of an
// entry shows when the entry was counted. So it is known which entries the counters contained when the counters were
// read.

/** The period in which all counters of totals were read. */
export const CounterReading = z.object({ from: z.string(), to: z.string() });
export type CounterReading = z.infer<typeof CounterReading>;

/** How old entries are at the time of a reading. */
interface EntryAges extends CounterReading {
  /** How long an entry may be missing from the totals before it is `late`. */
  readonly toleratedMs: number;
}

/** The sums of the entries of one campaign, by the time at which the entries were counted. */
export const CountedTotals = z.object({
  partnershipUuid: z.string(),
  campaignId: z.int(),
  /** Entries that were counted before the counters were read. */
  certain: Totals,
  /**
   * Entries that were counted at about the time at which the counters were read: the sum of all positive values
   * (`more`), and the sum of all negative values (`less`).
   */
  more: Totals,
  less: Totals,
  /** How many entries were not counted when the counters were read, although they were old enough. */
  late: z.int(),
});
export type CountedTotals = z.infer<typeof CountedTotals>;

/** An entry of the ledger, and the time at which it was counted, according to its mark. */
export interface MarkedEntry {
  readonly entry: LedgerEntry;
  /** Milliseconds. Undefined if the entry has no mark: it was not counted, or so long ago that the mark was deleted. */
  readonly countedAt: number | undefined;
}

/** Adds up the entries of each campaign. `now` is the end of the reading of the ledger. */
export function sumCounted(entries: readonly MarkedEntry[], reading: EntryAges, now: Date): CountedTotals[] {
  const parts = entries.flatMap((marked) => {
    const when = whenCounted(marked, reading, now);
    return contributionsOf(marked.entry).map(({ subject, totals }, position): CountedTotals => {
      const isMaybe = when === 'meanwhile';
      return {
        ...subject,
        certain: when === 'before' ? totals : noTotals,
        more: isMaybe ? boundedBy(totals, Math.max) : noTotals,
        less: isMaybe ? boundedBy(totals, Math.min) : noTotals,
        late: when === 'late' && position === 0 ? 1 : 0,
      };
    });
  });
  return joinCounted(parts);
}

/** Joins the sums of the same campaign. */
export function joinCounted(parts: readonly CountedTotals[]): CountedTotals[] {
  return [...Map.groupBy(parts, subjectName).values()].flatMap((own) =>
    own.slice(0, 1).map(({ partnershipUuid, campaignId }) => ({
      ...{ partnershipUuid, campaignId },
      certain: sumOf(own.map(({ certain }) => certain)),
      more: sumOf(own.map(({ more }) => more)),
      less: sumOf(own.map(({ less }) => less)),
      late: own.reduce((sum, { late }) => sum + late, 0),
    })),
  );
}

/** Replaces each value by the larger or the smaller of the value and zero. */
function boundedBy(totals: Totals, bound: (one: number, other: number) => number): Totals {
  const bounded = { ...noTotals };
  for (const name of totalsNames) bounded[name] = bound(totals[name], 0);
  return bounded;
}

/**
 * Whether an entry was counted before, after or at about the time at which the counters were read. Marks are deleted
 * after some time. So an old entry without a mark was counted before. A young entry without a mark was not counted when
 * the counters were read: it is `late` if it should have been counted by then.
 */
function whenCounted({ entry, countedAt }: MarkedEntry, { from, to, toleratedMs }: EntryAges, now: Date) {
  const slack = timingMs.countingWrite;
  const [begin, end] = [Date.parse(from), Date.parse(to)];
  if (countedAt !== undefined) {
    if (countedAt + slack < begin) return 'before';
    return countedAt - slack > end ? 'after' : 'meanwhile';
  }
  const createdAt = Date.parse(entry.createdAt);
  if (createdAt < now.getTime() - retentionMs.countedLedgerEntry + slack) return 'before';
  return createdAt < begin - toleratedMs ? 'late' : 'after';
}

const subjectName = ({ partnershipUuid, campaignId }: TotalsSubject) => `${partnershipUuid}#${campaignId}`;

/** The counters of all campaigns of one partnership. */
export const CountersOfPartnership = z.object({
  partnershipUuid: z.string(),
  counters: z.array(z.object({ campaignId: z.int(), totals: Totals })),
});
export type CountersOfPartnership = z.infer<typeof CountersOfPartnership>;

/** The totals of one campaign, and the smallest and the largest values that its entries allow. */
export interface ComparedTotals extends TotalsSubject {
  readonly found: Totals;
  readonly least: Totals;
  readonly most: Totals;
  /** Whether the counters were the same before and after the reading of the entries. Then `least` equals `most`. */
  readonly isSteady: boolean;
  /** How many entries were not counted, although they were old enough. */
  readonly late: number;
}

/**
 * Compares the counters of campaigns with their entries. Where entries were counted while the counters were read, the
 * counters may contain any part of these entries. But if the counters are still the same after the reading of the
 * entries, they contain all entries that are marked. Ignores campaigns whose partnership is not in `before`.
 *
 * @param counted the entries of all campaigns, each campaign once
 * @param after the counters after the reading of the entries; empty if they were not read again
 */
export function compareTotals(
  before: readonly CountersOfPartnership[],
  counted: readonly CountedTotals[],
  after: readonly CountersOfPartnership[] = [],
): ComparedTotals[] {
  const ofPartnership = Map.groupBy(counted, ({ partnershipUuid }) => partnershipUuid);
  const compared = before.flatMap(({ partnershipUuid }) => ofPartnership.get(partnershipUuid) ?? []);
  const expected = new Map(compared.map((one) => [subjectName(one), one]));
  const [found, again] = [countersBySubject(before), countersBySubject(after)];
  const isReadAgain = new Set(after.map(({ partnershipUuid }) => partnershipUuid));
  const subjects = new Map([...[...found.values()].flat(), ...compared].map((one) => [subjectName(one), one]));
  return [...subjects].map(([name, { partnershipUuid, campaignId }]) => {
    const own = (found.get(name) ?? []).map(({ totals }) => totals);
    const later = (again.get(name) ?? []).map(({ totals }) => totals);
    const isSteady = isReadAgain.has(partnershipUuid) && areSame(own, later);
    const bounds = boundsOf(expected.get(name), isSteady);
    return { partnershipUuid, campaignId, found: sumOf(own), ...bounds, isSteady };
  });
}

const countersBySubject = (partnerships: readonly CountersOfPartnership[]) =>
  Map.groupBy(
    partnerships.flatMap(({ partnershipUuid, counters }) => counters.map((one) => ({ ...one, partnershipUuid }))),
    subjectName,
  );

const areSame = (one: readonly Totals[], other: readonly Totals[]): boolean =>
  one.length === other.length &&
  one.every((totals, position) => totalsNames.every((name) => totals[name] === other[position]?.[name]));

function boundsOf(expected: CountedTotals | undefined, isSteady: boolean) {
  const { certain = noTotals, more = noTotals, less = noTotals, late = 0 } = expected ?? {};
  const all = sumOf([certain, more, less]);
  return isSteady
    ? { least: all, most: all, late }
    : { least: sumOf([certain, less]), most: sumOf([certain, more]), late };
}

/** The mismatches of totals that were compared. */
export function findWrongTotals(compared: readonly ComparedTotals[]): Mismatch[] {
  const late = compared.reduce((sum, one) => sum + one.late, 0);
  return [
    ...compared.flatMap((one) => unequal(totalsText(one), null, totalsPairs(one))),
    ...unequal('the ledger', null, { 'entries that are not in any totals yet': [late, 0] }),
  ];
}

/** `campaign 1 of partnership 0192…` */
export const totalsText = ({ partnershipUuid, campaignId }: TotalsSubject): string =>
  `campaign ${campaignId} of partnership ${partnershipUuid}`;

function totalsPairs({ found, least, most }: ComparedTotals) {
  const pair = (name: keyof Totals) => {
    if (least[name] <= found[name] && found[name] <= most[name]) return [0, 0] as const;
    return [found[name], least[name] === most[name] ? least[name] : `${least[name]} to ${most[name]}`] as const;
  };
  return {
    'points earned and ledger': pair('earnedPoints'),
    'points redeemed and ledger': pair('redeemedPoints'),
    'cashback and ledger (cents)': pair('cashbackCents'),
    'registrations and ledger': pair('registrations'),
    'transactions and ledger': pair('transactions'),
  };
}
