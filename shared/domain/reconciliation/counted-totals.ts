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
interface MarkedEntry {
  readonly entry: LedgerEntry;
  /** Milliseconds. Undefined if the entry has no mark: it was not counted, or so long ago that the mark was deleted. */
  readonly countedAt: number | undefined;
}

/** Adds up the entries of each campaign. `now` is the end of the reading of the ledger. */
export function sumCounted(entries: readonly MarkedEntry[], reading: CounterReading, now: Date): CountedTotals[] {
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
function whenCounted({ entry, countedAt }: MarkedEntry, { from, to }: CounterReading, now: Date) {
  const slack = timingMs.countingWrite;
  const [begin, end] = [Date.parse(from), Date.parse(to)];
  if (countedAt !== undefined) {
    if (countedAt + slack < begin) return 'before';
    return countedAt - slack > end ? 'after' : 'meanwhile';
  }
  const createdAt = Date.parse(entry.createdAt);
  if (createdAt < now.getTime() - retentionMs.countedLedgerEntry + slack) return 'before';
  return createdAt < begin - timingMs.uncountedSpend ? 'late' : 'after';
}

const subjectName = ({ partnershipUuid, campaignId }: TotalsSubject) => `${partnershipUuid}#${campaignId}`;

/** The counters of all campaigns of one partnership. */
export const CountersOfPartnership = z.object({
  partnershipUuid: z.string(),
  counters: z.array(z.object({ campaignId: z.int(), totals: Totals })),
});
export type CountersOfPartnership = z.infer<typeof CountersOfPartnership>;

/**
 * Compares the counters of campaigns with their entries. Where entries were counted while the counters were read, the
 * counters may contain any part of these entries. Ignores campaigns whose partnership is not in `partnerships`.
 *
 * @param counted the entries of all campaigns, each campaign once
 */
export function findWrongTotals(
  partnerships: readonly CountersOfPartnership[],
  counted: readonly CountedTotals[],
): Mismatch[] {
  const ofPartnership = Map.groupBy(counted, ({ partnershipUuid }) => partnershipUuid);
  const compared = partnerships.flatMap(({ partnershipUuid }) => ofPartnership.get(partnershipUuid) ?? []);
  const expected = new Map(compared.map((one) => [subjectName(one), one]));
  const counters = partnerships.flatMap(({ partnershipUuid, counters: own }) =>
    own.map((counter) => ({ partnershipUuid, ...counter })),
  );
  const found = Map.groupBy(counters, subjectName);
  const subjects = new Map([...counters, ...compared].map((one) => [subjectName(one), one]));
  const late = compared.reduce((sum, one) => sum + one.late, 0);
  return [
    ...[...subjects].flatMap(([name, { partnershipUuid, campaignId }]) =>
      unequal(
        `campaign ${campaignId} of partnership ${partnershipUuid}`,
        null,
        totalsPairs(sumOf((found.get(name) ?? []).map(({ totals }) => totals)), expected.get(name)),
      ),
    ),
    ...unequal('the ledger', null, { 'entries that are not in any totals yet': [late, 0] }),
  ];
}

function totalsPairs(found: Totals, expected: CountedTotals | undefined) {
  const { certain = noTotals, more = noTotals, less = noTotals } = expected ?? {};
  const pair = (name: keyof Totals) => {
    const [least, most] = [certain[name] + less[name], certain[name] + more[name]];
    if (least <= found[name] && found[name] <= most) return [0, 0] as const;
    return [found[name], least === most ? least : `${least} to ${most}`] as const;
  };
  return {
    'points earned and ledger': pair('earnedPoints'),
    'points redeemed and ledger': pair('redeemedPoints'),
    'cashback and ledger (cents)': pair('cashbackCents'),
    'registrations and ledger': pair('registrations'),
    'transactions and ledger': pair('transactions'),
  };
}
