import { csvText } from '../../../shared/domain/csv-text.ts';
import { type Payout, type PayoutBatch, totalOf } from '../../../shared/domain/ledger/payout.ts';
import type { Mismatch } from '../../../shared/domain/reconciliation/invariants.ts';
import type { Payee, ProgramStatement, Settlement } from '../../../shared/operations/ledger/load-statements.ts';
import type { LoadedBatch } from '../../../shared/operations/ledger/pay-cashback.ts';
import type { Report } from '../cli/cli.ts';
import { count, counted, dollars, paragraphs, section, table } from '../cli/text.ts';
import { timeColumn, viewOf } from '../cli/view.ts';

/** Payout batches, for scripts and for people; `…Csv` functions return CSV for the payer. */

const payeeView = viewOf<Payee>()({
  userId: { head: 'member' },
  partnerId: {},
  externalId: { head: 'number' },
  name: { head: 'name', json: null, cell: ({ firstName, lastName }) => `${firstName} ${lastName}` },
  firstName: {},
  lastName: {},
  cents: { head: 'amount', as: dollars },
  isReturned: { head: 'returned', as: (isReturned) => (isReturned ? 'returned' : null) },
  unpaidCents: { head: 'unpaid after it', as: dollars },
});

/** A batch, with its payouts if they were read. Returned payouts are not in its total. */
type ShownBatch = PayoutBatch & { readonly payees?: readonly Payee[] };

export const batchView = viewOf<ShownBatch, { readonly timeZone: string }>()(
  {
    id: {},
    uuid: { head: 'batch' },
    partnershipUuid: { head: 'partnership' },
    merchantId: {},
    partnerId: {},
    minimumCents: {},
    state: { head: 'state' },
    reference: { head: 'reference', json: ({ reference }) => reference, cell: ({ reference = null }) => reference },
    totalCents: {
      head: 'total',
      json: ({ payees }) => payees && totalOf(payees),
      cell: ({ payees }) => payees && dollars(totalOf(payees)),
    },
    payouts: { json: ({ payees }) => payees?.length },
    createdAt: timeColumn('begun', ({ createdAt }) => createdAt),
    updatedAt: timeColumn('changed', ({ updatedAt }) => updatedAt),
  },
  ['uuid', 'state', 'createdAt', 'reference'],
);

/** A batch with its payouts. */
export const batchReport = (batch: PayoutBatch, payees: readonly Payee[], timeZone: string): Report => ({
  json: { batch: batchView({ ...batch, payees }), payees: payees.map(payeeView) },
  text: paragraphs(
    batchView.facts({ ...batch, payees }, { timeZone }),
    payees.length > 0 ? payeeView.table(payees) : 'No member has enough unpaid cashback.',
  ),
});

/** `batch 0198… with 3 payouts, $12.50` */
export function batchText({ batch, payouts }: LoadedBatch): string {
  const number = payouts.filter(({ isReturned }) => !isReturned).length;
  return `batch ${batch.uuid} with ${counted(count(number), 'payout')}, ${dollars(totalOf(payouts))}`;
}

/**
 * CSV for the payer, with all payouts of a batch that were not returned. `payment_id` is the same each time that the
 * batch is written, so a bank can recognize a repeated payment.
 */
export function payoutsCsv({ uuid }: PayoutBatch, payees: readonly Payee[]): string {
  return csvText(
    ['payment_id', 'member_id', 'member_number', 'first_name', 'last_name', 'amount', 'currency'],
    payees
      .filter(({ isReturned }) => !isReturned)
      .map((payee) => [
        ...[`${uuid}-${payee.userId}`, payee.userId, payee.externalId, payee.firstName, payee.lastName],
        ...[amountOf(payee), 'USD'],
      ]),
  );
}

/** `12.50` */
const amountOf = ({ cents }: Payout) => (cents / 100).toFixed(2);

/** Statements: `…Csv` for spreadsheets, `…Text` for people. Amounts of points are positive or negative. */

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
