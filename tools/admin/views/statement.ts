import type { Mismatch } from '../../../shared/domain/reconciliation/invariants.ts';
import type { ProgramStatement, Settlement } from '../../../shared/operations/ledger/load-statements.ts';
import { csvText } from '../cli/csv.ts';
import { count, dollars, paragraphs, section, table } from '../cli/text.ts';

/** Statements: `…Csv` for spreadsheets, `…Text` for people. Amounts of points are signed. */

const programColumns = ['opening', 'issued', 'reversed', 'redeemed', 'returned', 'shortfalls', 'adjusted'] as const;

export function programCsv({ partner, months }: ProgramStatement): string {
  return csvText(
    ['partner_id', 'month', ...programColumns, 'outstanding', 'cashback_cents', 'paid_out_cents'],
    months.map((month) => [
      ...[partner.id, month.month, ...programColumns.map((column) => month[column])],
      ...[month.outstanding, month.cashbackCents, month.paidOutCents],
    ]),
  );
}

export function programText({ partner, months, timeZone, mismatches }: ProgramStatement): string {
  const head = `Points of the program of organisation ${partner.id} (${partner.name}), by month in ${timeZone}.`;
  if (months.length === 0) return paragraphs(head, 'The ledger has no entries in these months.');
  const rows = months.map((month) => [
    ...[month.month, ...programColumns.map((column) => count(month[column])), count(month.outstanding)],
    ...[dollars(month.cashbackCents), dollars(month.paidOutCents)],
  ]);
  const columns = ['month', ...programColumns, 'outstanding', 'cashback', 'paid out'];
  return paragraphs(head, table(columns, rows), ...differences(mismatches));
}

export function settlementCsv({ partnership, months }: Settlement): string {
  return csvText(
    [
      ...['partnership', 'merchant_id', 'partner_id', 'month', 'issued_points', 'redeemed_points'],
      ...['cashback_cents', 'transactions', 'due_to_partner_cents'],
    ],
    months.map((month) => [
      ...[partnership.uuid, partnership.merchantId, month.partnerId, month.month],
      ...[month.issuedPoints, month.redeemedPoints, month.cashbackCents, month.transactions, month.dueCents],
    ]),
  );
}

export function settlementText({ partnership, months, mismatches, nameOf }: Settlement): string {
  const head = `Settlement of ${partnership.name}, by month in ${partnership.timeZone}.`;
  if (months.length === 0) return paragraphs(head, 'The ledger has no entries in these months.');
  const columns = ['month', 'partner', 'issued', 'redeemed', 'cashback', 'transactions', 'merchant owes'];
  const rows = months.map((month) => [
    ...[month.month, nameOf(month.partnerId), count(month.issuedPoints), count(month.redeemedPoints)],
    ...[
      dollars(month.cashbackCents),
      count(month.transactions),
      month.dueCents === null ? null : dollars(month.dueCents),
    ],
  ]);
  return paragraphs(head, table(columns, rows), ...differences(mismatches));
}

function differences(mismatches: readonly Mismatch[]): string[] {
  if (mismatches.length === 0) return [];
  const lines = mismatches.map(({ what, found, expected }) => `${what}: ${found} and ${expected}`);
  return [section('Does not add up; run it again in a minute, then reconcile', lines.join('\n'))];
}
