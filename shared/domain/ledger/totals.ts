import * as z from 'zod/mini';
import { type CampaignReference, type LedgerEntry, totalsOfEntry } from './ledger-entry.ts';

/** What happened under a campaign or a partnership, all members together, less what was taken back of it. */
export const Totals = z.object({
  earnedPoints: z.int(),
  redeemedPoints: z.int(),
  /** Money that was awarded, less what was taken back; never a part of the points. */
  cashbackCents: z._default(z.int(), 0),
  transactions: z.int(),
  /** Members that registered by a campaign; of campaigns only. */
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

const totalsNames = Object.keys(noTotals) as (keyof Totals)[];

/** The sum of some totals. */
export function sumOf(totals: readonly Totals[]): Totals {
  const sum = { ...noTotals };
  for (const next of totals) for (const name of totalsNames) sum[name] += next[name];
  return sum;
}

/** How much the first totals are more than the second. */
export function differenceOf(one: Totals, other: Totals): Totals {
  const difference = { ...one };
  for (const name of totalsNames) difference[name] -= other[name];
  return difference;
}

/** What totals are of: all of a partnership (`campaignId` null), or one of its campaigns. */
export interface TotalsSubject {
  readonly partnershipUuid: string;
  readonly campaignId: number | null;
}

/** What something adds to the totals of one subject. */
export interface Contribution {
  readonly subject: TotalsSubject;
  readonly totals: Totals;
}

/**
 * Everything that one entry of the ledger adds to totals, each subject once. Points of another program than
 * the campaign's are no points of the campaign: the leg of a transfer that has them only counts as a transaction.
 */
export function contributionsOf(entry: LedgerEntry): Contribution[] {
  const { campaign, registers = [] } = entry;
  const moved = campaign ? [partnershipOf(campaign), campaignOf(campaign)] : [];
  return bySubject([
    ...moved.map((subject) => ({ subject, totals: movedBy(entry) })),
    ...registers.map((by) => ({ subject: campaignOf(by), totals: { ...noTotals, registrations: 1 } })),
  ]);
}

/** The totals of every subject by entries of the ledger; by all of them, what the counters have to be. */
export function recount(entries: readonly LedgerEntry[]): Contribution[] {
  return bySubject(entries.flatMap(contributionsOf));
}

function bySubject(contributions: readonly Contribution[]): Contribution[] {
  const subjects = Map.groupBy(contributions, ({ subject }) => subjectName(subject));
  return [...subjects.values()].flatMap((own) =>
    own.slice(0, 1).map(({ subject }) => ({ subject, totals: sumOf(own.map(({ totals }) => totals)) })),
  );
}

const subjectName = ({ partnershipUuid, campaignId }: TotalsSubject) => `${partnershipUuid}#${campaignId ?? ''}`;

const partnershipOf = ({ partnershipUuid }: CampaignReference): TotalsSubject => ({
  partnershipUuid,
  campaignId: null,
});
const campaignOf = ({ id, partnershipUuid }: CampaignReference): TotalsSubject => ({ partnershipUuid, campaignId: id });

/**
 * Points count as the member's own totals do. Reversals make totals net: they are no further transactions, and a
 * member that registered stays registered.
 */
function movedBy(entry: LedgerEntry): Totals {
  const { kind, cashbackCents, isForeign = false } = entry;
  if (kind === 'OPENING' || kind === 'SHORTFALL') return noTotals;
  const { earned, redeemed } = totalsOfEntry(isForeign ? { kind, points: 0 } : entry);
  const transactions = kind === 'EARN' || kind === 'REDEEM' ? 1 : 0;
  return { ...noTotals, earnedPoints: earned, redeemedPoints: redeemed, cashbackCents, transactions };
}
