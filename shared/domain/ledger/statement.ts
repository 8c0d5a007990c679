import { periodOf } from '../period.ts';
import { isUncounted, type LedgerEntry } from './ledger-entry.ts';

/**
 * Statements by month: what happened to the points of a program, or between a merchant and its partners. They are sums
 * of ledger entries and nothing else, so the last balance of a statement is the sum of the balances of all members.
 */

/** The columns of a statement of points. Their sum is the change of the points that members have. */
const columns = ['opening', 'issued', 'reversed', 'redeemed', 'returned', 'shortfalls', 'adjusted'] as const;
type Column = (typeof columns)[number];

/** The column of each kind of entry; null for entries that move no points. */
const columnOf: Readonly<Record<LedgerEntry['kind'], Column | null>> = {
  OPENING: 'opening',
  EARN: 'issued',
  EARN_REVERSAL: 'reversed',
  EARN_RESTORATION: 'reversed',
  REDEEM: 'redeemed',
  REDEEM_REVERSAL: 'returned',
  REDEEM_RESTORATION: 'returned',
  // SHORTFALL: points that a reversal could not take. SETTLEMENT: points that settled such a shortfall later.
  SHORTFALL: 'shortfalls',
  SETTLEMENT: 'shortfalls',
  ADJUSTMENT: 'adjusted',
  MANUAL_ADJUSTMENT: 'adjusted',
  PAYOUT: null,
  PAYOUT_RETURN: null,
  // A merge moves points from one account to another account of the same program.
  MERGED_OUT: 'adjusted',
  MERGED_IN: 'adjusted',
};

/** One month of a program. Points are signed: points that members got are above zero. */
export interface ProgramMonth extends Readonly<Record<Column, number>> {
  /** `2026-11`, by the calendar of the time zone. */
  readonly month: string;
  /** The points that all members have at the end of the month. */
  readonly outstanding: number;
  /** Cashback that was awarded, minus the cashback that refunds reversed. */
  readonly cashbackCents: number;
  /** Cashback that payout batches paid out, minus the payouts that were returned. */
  readonly paidOutCents: number;
}

/**
 * The first and the last month of a statement, such as `2026-11`. Both months are included. An absent month sets no
 * bound.
 */
export interface StatementRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** IANA time zone of the months. */
  readonly timeZone: string;
}

/**
 * Makes the statement of one program. Months without entries are left out; months before the range count in
 * `outstanding`.
 *
 * @param entries the ledger of all members; entries of other programs are ignored
 */
export function programStatement(
  entries: readonly LedgerEntry[],
  partnerId: number,
  { from, to, timeZone }: StatementRange,
): ProgramMonth[] {
  const own = entries.filter((entry) => entry.partnerId === partnerId);
  const byMonth = Map.groupBy(own, ({ createdAt }) => periodOf('MONTH', createdAt, timeZone));
  let outstanding = 0;
  const months = [...byMonth.keys()].sort().map((month) => {
    const inMonth = byMonth.get(month) ?? [];
    const points = sumByColumn(inMonth);
    outstanding += inMonth.reduce((sum, entry) => sum + entry.points, 0);
    return { month, ...points, outstanding, ...cashbackOf(inMonth) };
  });
  return months.filter(({ month }) => (from === undefined || month >= from) && (to === undefined || month <= to));
}

function sumByColumn(entries: readonly LedgerEntry[]): Record<Column, number> {
  const sums = { opening: 0, issued: 0, reversed: 0, redeemed: 0, returned: 0, shortfalls: 0, adjusted: 0 };
  for (const { kind, points } of entries) {
    const column = columnOf[kind];
    if (column !== null) sums[column] += points;
  }
  return sums;
}

function cashbackOf(entries: readonly LedgerEntry[]): Pick<ProgramMonth, 'cashbackCents' | 'paidOutCents'> {
  let [cashbackCents, paidOutCents] = [0, 0];
  for (const entry of entries) {
    cashbackCents += entry.cashbackCents;
    paidOutCents += entry.payout?.cents ?? 0;
  }
  return { cashbackCents, paidOutCents };
}

/**
 * The points and the unpaid cashback that members have in a partner's program. A member's negative balance does not
 * reduce the points of other members. Negative cashback at one merchant does not reduce the cashback at another
 * merchant.
 */
export function outstandingOf(
  entries: readonly LedgerEntry[],
  partnerId: number,
): { readonly points: number; readonly cashbackCents: number } {
  const points = new Map<string, number>();
  const cents = new Map<string, number>();
  const add = (sums: Map<string, number>, name: string, amount: number) =>
    sums.set(name, (sums.get(name) ?? 0) + amount);
  for (const { userId, campaign, payout, ...entry } of entries.filter((one) => one.partnerId === partnerId)) {
    add(points, `${userId}`, entry.points);
    add(cents, `${userId}#${campaign?.partnershipUuid}`, entry.cashbackCents);
    if (payout) add(cents, `${userId}#${payout.partnershipUuid}`, 0 - payout.cents);
  }
  const had = (sums: Map<string, number>) => [...sums.values()].reduce((total, sum) => total + Math.max(0, sum), 0);
  return { points: had(points), cashbackCents: had(cents) };
}

/** What a merchant and one partner settle for one month. */
export interface SettlementMonth {
  readonly month: string;
  /** The partner whose points moved. One leg of a transfer may belong to a partner other than the partnership's. */
  readonly partnerId: number;
  /** Points that members earned, minus the points that refunds reversed. The merchant buys them. */
  readonly issuedPoints: number;
  /** Points with which members paid, minus the points that came back. The partner owes the merchant for them. */
  readonly redeemedPoints: number;
  readonly cashbackCents: number;
  readonly transactions: number;
  /** The cents that the merchant owes the partner, net. Below zero: the partner owes them. Null: no price is agreed. */
  readonly dueCents: number | null;
}

/**
 * Makes the settlement between the sides of a partnership, with one row for each month and partner. Without `from` and
 * `to`, the rows of the partnership's own partner add up to the totals of the partnership.
 *
 * @param entries the ledger of all members; entries of other partnerships are ignored
 * @param pointPriceMicros the agreed price of one point, in millionths of a dollar
 */
export function settlementStatement(
  entries: readonly LedgerEntry[],
  partnershipUuid: string,
  { from, to, timeZone, pointPriceMicros }: StatementRange & { readonly pointPriceMicros?: number | undefined },
): SettlementMonth[] {
  const own = entries.filter(
    (entry) => entry.campaign?.partnershipUuid === partnershipUuid && !isUncounted(entry.kind),
  );
  const monthOf = ({ createdAt }: LedgerEntry) => periodOf('MONTH', createdAt, timeZone);
  const groups = Map.groupBy(own, (entry) => `${monthOf(entry)}#${entry.partnerId}`);
  return [...groups.entries()]
    .map(([name, inGroup]) => {
      const [month = '', partnerId] = name.split('#');
      const sums = settle(inGroup);
      const due =
        pointPriceMicros === undefined ? null : priceOf(sums.issuedPoints - sums.redeemedPoints, pointPriceMicros);
      return { month, partnerId: Number(partnerId), ...sums, dueCents: due };
    })
    .filter(({ month }) => (from === undefined || month >= from) && (to === undefined || month <= to))
    .sort((one, other) => one.month.localeCompare(other.month) || one.partnerId - other.partnerId);
}

function settle(entries: readonly LedgerEntry[]) {
  const sums = { issuedPoints: 0, redeemedPoints: 0, cashbackCents: 0, transactions: 0 };
  for (const { kind, points, cashbackCents } of entries) {
    if (kind.startsWith('EARN')) sums.issuedPoints += points;
    else sums.redeemedPoints -= points;
    sums.cashbackCents += cashbackCents;
    if (kind === 'EARN' || kind === 'REDEEM') sums.transactions += 1;
  }
  return sums;
}

/** The price of some points in cents, rounded to the nearest cent; half a cent is rounded away from zero. */
function priceOf(points: number, pointPriceMicros: number): number {
  const micros = BigInt(Math.abs(points)) * BigInt(pointPriceMicros);
  const cents = Number((micros + 5_000n) / 10_000n);
  return points < 0 ? 0 - cents : cents;
}
