import * as z from 'zod/mini';
import { type CampaignReference, isUncounted, type LedgerEntry, totalsOfEntry } from './ledger-entry.ts';

/** The net rewards of a campaign, or of all campaigns of a partnership, for all members together. */
export const Totals = z.object({
  earnedPoints: z.int(),
  redeemedPoints: z.int(),
  /** Net cashback. It is not included in the points. */
  cashbackCents: z._default(z.int(), 0),
  transactions: z.int(),
  /** Members that count as registered by a campaign. Partnerships count no registrations. */
  registrations: z._default(z.int(), 0),
});
export type Totals = z.infer<typeof Totals>;

export const noTotals: Totals = {
  earnedPoints: 0,
  redeemedPoints: 0,
  cashbackCents: 0,
  transactions: 0,
  registrations: 0,
};

/** The names of all totals. */
export const totalsNames = Object.keys(noTotals) as (keyof Totals)[];

/** The sum of some totals. */
export function sumOf(totals: readonly Totals[]): Totals {
  const sum = { ...noTotals };
  for (const next of totals) for (const name of totalsNames) sum[name] += next[name];
  return sum;
}

/** Subtracts `other` from `one`. */
export function differenceOf(one: Totals, other: Totals): Totals {
  const difference = { ...one };
  for (const name of totalsNames) difference[name] -= other[name];
  return difference;
}

/** The totals of a partnership, from the totals of its campaigns. */
export const ofPartnership = (campaigns: readonly Totals[]): Totals => ({ ...sumOf(campaigns), registrations: 0 });

/** The subject of totals: a campaign. The totals of a partnership are the sum of the totals of its campaigns. */
export interface TotalsSubject {
  readonly partnershipUuid: string;
  readonly campaignId: number;
}

/** An addition to the totals of one subject. */
export interface Contribution {
  readonly subject: TotalsSubject;
  readonly totals: Totals;
}

/**
 * Computes what one ledger entry adds to totals: one addition for each subject (campaign). The foreign leg of a
 * transfer adds a transaction and no points, because its points belong to a different program than the campaign.
 */
export function contributionsOf(entry: LedgerEntry): Contribution[] {
  const { campaign, registers = [] } = entry;
  const all = bySubject([
    ...(campaign ? [{ subject: subjectOf(campaign), totals: totalsOf(entry) }] : []),
    ...registers.map((by) => ({ subject: subjectOf(by), totals: { ...noTotals, registrations: 1 } })),
  ]);
  return all.filter(({ totals }) => totalsNames.some((name) => totals[name] !== 0));
}

/**
 * Adds up the totals of every subject (campaign) from ledger entries. The totals of the whole ledger must be equal to
 * the counters.
 */
export function recount(entries: readonly LedgerEntry[]): Contribution[] {
  return bySubject(entries.flatMap(contributionsOf));
}

function bySubject(contributions: readonly Contribution[]): Contribution[] {
  const subjects = Map.groupBy(contributions, ({ subject }) => subjectName(subject));
  return [...subjects.values()].flatMap((own) =>
    own.slice(0, 1).map(({ subject }) => ({ subject, totals: sumOf(own.map(({ totals }) => totals)) })),
  );
}

const subjectName = ({ partnershipUuid, campaignId }: TotalsSubject) => `${partnershipUuid}#${campaignId}`;

const subjectOf = ({ id, partnershipUuid }: CampaignReference): TotalsSubject => ({ partnershipUuid, campaignId: id });

/**
 * The additions of one entry. Points count as in the member's own totals. A reversal subtracts its points and cents,
 * but it does not count as a transaction. A registered member stays registered.
 */
function totalsOf(entry: LedgerEntry): Totals {
  const { kind, cashbackCents, isForeign = false } = entry;
  if (isUncounted(kind)) return noTotals;
  const { earned, redeemed } = totalsOfEntry(isForeign ? { kind, points: 0 } : entry);
  const transactions = kind === 'EARN' || kind === 'REDEEM' ? 1 : 0;
  return { ...noTotals, earnedPoints: earned, redeemedPoints: redeemed, cashbackCents, transactions };
}
