import { isDeepStrictEqual } from 'node:util';
import { retentionMs } from '../../../shared/contracts/limits.ts';
import type { LedgerEntry } from '../../../shared/domain/ledger/ledger-entry.ts';
import {
  contributionsOf,
  differenceOf,
  noTotals,
  recount,
  sumOf,
  type Totals,
  type TotalsSubject,
} from '../../../shared/domain/ledger/totals.ts';
import { ledgerEntryName } from '../../../shared/store/ledger/ledger.ts';
import type { Counter } from '../../../shared/store/ledger/totals.ts';
import { type Difference, unequal } from './invariants.ts';

/** What the ledger says of the totals of campaigns and partnerships, and what their counters say. */

/** How long the stream may take to count an entry before anybody is told. */
const patienceMs = 5 * 60_000;

/** What was read: the counters before the ledger and after it, and which entries are marked as counted. */
export interface TotalsReading {
  /** UUIDs of the partnerships that are compared. */
  readonly partnerships: readonly string[];
  readonly before: readonly Counter[];
  readonly after: readonly Counter[];
  readonly entries: readonly LedgerEntry[];
  readonly counted: ReadonlySet<string>;
  readonly now: Date;
}

/** The totals of one subject that are not what the ledger says. */
export interface WrongTotals {
  readonly subject: TotalsSubject;
  readonly found: Totals;
  readonly expected: Totals;
  /** Of its first counter, which takes the correction; undefined when there is none. */
  readonly first: Totals | undefined;
}

/** What there is to say of the totals. */
export interface TotalsVerdict {
  readonly wrong: readonly WrongTotals[];
  /** Entries that the stream should have counted by now and has not. */
  readonly late: readonly LedgerEntry[];
  /** Subjects that were counted for while they were read: nothing can be said of them. */
  readonly restless: readonly TotalsSubject[];
  /** How many subjects were compared. */
  readonly compared: number;
}

/**
 * Compares totals with the ledger. An entry belongs into them once it is marked as counted; the mark comes
 * with the count and stays for days, and by then nobody counts the entry any more. So the counters that
 * did not move while the ledger was read are as many as the marked entries of that time, to the point.
 */
export function compareTotals(reading: TotalsReading): TotalsVerdict {
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
  const longAgo = reading.now.getTime() - patienceMs;
  return {
    wrong,
    late: entries.filter((entry) => isWaiting(entry) && Date.parse(entry.createdAt) < longAgo),
    restless: names.filter((name) => !isSteady(name)).map(subjectOf),
    compared: names.length,
  };
}

/** Whether an entry is still to be counted: it has no mark, and is too young to have had one that was cleaned up. */
export function waitingIn({ counted, now }: Pick<TotalsReading, 'counted' | 'now'>) {
  const youngFrom = now.getTime() - retentionMs.countedLedgerEntry;
  return (entry: LedgerEntry) =>
    contributionsOf(entry).length > 0 &&
    !counted.has(ledgerEntryName(entry)) &&
    Date.parse(entry.createdAt) >= youngFrom;
}

/** The same in the words of all other differences. */
export function totalsDifferences({ wrong, late }: TotalsVerdict): Difference[] {
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
  const partnership = `partnership ${partnershipUuid}`;
  return campaignId === null ? partnership : `campaign ${campaignId} of ${partnership}`;
}

const isNothing = (totals: Totals) => Object.values(totals).every((number) => number === 0);

const nameOf = ({ partnershipUuid, campaignId }: TotalsSubject) => `${partnershipUuid}#${campaignId ?? ''}`;

function subjectOf(name: string): TotalsSubject {
  const [partnershipUuid = '', campaignId = ''] = name.split('#');
  return { partnershipUuid, campaignId: campaignId === '' ? null : Number(campaignId) };
}

const countersBySubject = (counters: readonly Counter[]) => Map.groupBy(counters, ({ subject }) => nameOf(subject));

function sameCounters(one: readonly Counter[], other: readonly Counter[]): boolean {
  const totalsOf = (counters: readonly Counter[]) => new Map(counters.map(({ shard, totals }) => [shard, totals]));
  return isDeepStrictEqual(totalsOf(one), totalsOf(other));
}
