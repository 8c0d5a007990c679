import { type Payout, type PayoutBatch, totalOf } from '../../../shared/domain/ledger/payout.ts';
import type { Payee } from '../../../shared/operations/ledger/load-statements.ts';
import type { LoadedBatch } from '../../../shared/operations/ledger/pay-cashback.ts';
import { csvText } from '../cli/csv.ts';
import { count, counted, dollars, facts, moment, paragraphs, table } from '../cli/text.ts';

/** Batches of payouts: `…View` for scripts, `…Csv` for the payer, the rest for people. */

/** A batch with its payouts. Returned payouts are not in its total. */
export function batchView(batch: PayoutBatch, payees: readonly Payee[]) {
  return { batch: { ...batch, totalCents: totalOf(payees), payouts: payees.length }, payees };
}

/** `batch 0198… with 3 payouts, $12.50` */
export function batchText({ batch, payouts }: LoadedBatch): string {
  const number = payouts.filter(({ isReturned }) => !isReturned).length;
  return `batch ${batch.uuid} with ${counted(count(number), 'payout')}, ${dollars(totalOf(payouts))}`;
}

export function batchFacts(batch: PayoutBatch, payees: readonly Payee[]): string {
  const { uuid, partnershipUuid, state, reference = null, createdAt, updatedAt } = batch;
  const rows = payees.map((payee) => [
    ...[payee.userId, payee.externalId, `${payee.firstName} ${payee.lastName}`, dollars(payee.cents)],
    ...[payee.isReturned ? 'returned' : null, dollars(payee.unpaidCents)],
  ]);
  return paragraphs(
    facts({
      ...{ batch: uuid, partnership: partnershipUuid, state, reference },
      total: dollars(totalOf(payees)),
      begun: moment(createdAt),
      changed: moment(updatedAt),
    }),
    rows.length > 0
      ? table(['member', 'number', 'name', 'amount', 'returned', 'unpaid after it'], rows)
      : 'No member has enough unpaid cashback.',
  );
}

export const batchesTable = (batches: readonly PayoutBatch[]) =>
  table(
    ['batch', 'state', 'begun', 'reference'],
    batches.map(({ uuid, state, createdAt, reference = null }) => [uuid, state, moment(createdAt), reference]),
  );

/**
 * The payouts that are to be paid, for the payer. `payment_id` is the same whenever the batch is written, so a bank can
 * recognize a repeated payment.
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
