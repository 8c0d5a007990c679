import * as z from 'zod/mini';
import { maximumAmountCents, maximumCharacters } from '../../../shared/contracts/limits.ts';
import { importOrders } from '../../../shared/operations/order/import-orders.ts';
import { findOrganisationOfKind } from '../../../shared/operations/organisation/find-organisation.ts';
import { loadPurchase } from '../../../shared/operations/purchase/find-purchase.ts';
import { settleAgain } from '../../../shared/operations/purchase/settle-again.ts';
import { addCommand, type Cli, type Operator, type Report } from '../cli/cli.ts';
import { readCsvFile, withUnreadable } from '../cli/csv.ts';
import type * as input from '../cli/input.ts';
import { importReport } from '../views/import.ts';
import { orderReport } from '../views/purchase.ts';
import { addOrderLists } from './records.ts';

export function orderCommands(cli: Cli): void {
  const group = cli.add('order', 'Purchases by the merchant’s own order number, and external orders.');

  addOrderLists(group, cli);

  addCommand(group, 'show')
    .description('Show a purchase: the order with its rewards and refunds, tokens, payments and refused requests.')
    .argument('<order>', 'the merchant’s own order id, which is also the external_transaction_id of endpoint 1')
    .requiredOption('--of <merchant>', 'id or exact name of the merchant that uses the order id')
    .action(
      cli.door(async ({ deps }, id, { of: merchant }) => {
        return orderReport(await loadPurchase({ id, merchant }, deps));
      }, 'order show order-1001 --of "Corner Coffee"'),
    );

  addCommand(group, 'settle')
    .description(
      'Settle a purchase again: reverse, restore or award what is missing by everything that was reported. Nothing counts twice.',
    )
    .argument('<order>', 'the merchant’s own order id, which is also the external_transaction_id of endpoint 1')
    .requiredOption('--of <merchant>', 'id or exact name of the merchant that uses the order id')
    .action(
      cli.door(async ({ deps }, id, { of: merchant }) => {
        const { purchase, merchantName } = await settleAgain({ id, merchant }, deps);
        const { merchantId, externalTransactionId } = purchase;
        return {
          json: { purchase: { merchantId, externalTransactionId } },
          text: `Purchase ${externalTransactionId} of ${merchantName} is settled again within seconds: order show shows the result.`,
        };
      }, 'order settle order-1001 --of "Corner Coffee"'),
    );

  addCommand(group, 'import')
    .description('Record the orders of a CSV file, as endpoint 11 does. It may be repeated: known orders are left out.')
    .argument('<file>', 'CSV file')
    .requiredOption('--merchant <organisation>', 'id or exact name of the merchant whose orders they are')
    .option('--dry-run', 'check all rows and write nothing')
    .addHelpText(
      'after',
      `
The first line names the columns. Amounts are in cents, as on endpoint 11.
  order_external_id      the merchant’s id of the order
  merchant_external_id   the merchant’s id of the customer; or user_id, the platform’s
  transaction_total      what the customer paid
  transaction_subtotal   before taxes and fees
  transaction_discount   optional
  order_payment_id       optional
An order counts at the time of its import: it is rewarded by the campaigns that run then.
`,
    )
    .action(cli.door(importFile, 'order import orders.csv --merchant "Corner Coffee" --dry-run'));
}

const name = z.string().check(z.minLength(1), z.maxLength(maximumCharacters.text));

/** A whole number in digits, within bounds. */
const whole = (minimum: number, maximum: number) =>
  z.pipe(
    z.string().check(z.regex(/^\d{1,16}$/, 'has to be a whole number')),
    z.pipe(z.transform(Number), z.int().check(z.gte(minimum), z.lte(maximum))),
  );
const cents = whole(0, maximumAmountCents);

const OrderRow = z
  .strictObject({
    order_external_id: name,
    merchant_external_id: z.optional(name),
    user_id: z.optional(whole(1, Number.MAX_SAFE_INTEGER)),
    transaction_total: whole(1, maximumAmountCents),
    transaction_subtotal: cents,
    transaction_discount: z.optional(cents),
    order_payment_id: z.optional(name),
  })
  .check(
    z.refine(({ merchant_external_id, user_id }) => merchant_external_id !== undefined || user_id !== undefined, {
      error: 'needs merchant_external_id or user_id',
      // This check runs even when some cells are wrong, so that all faults of a row are reported at once.
      when: () => true,
    }),
  );

type ImportOptions = input.Needed<'merchant'> & input.Given<'dryRun', true>;

async function importFile({ deps }: Operator, path: string, { merchant, dryRun }: ImportOptions): Promise<Report> {
  const { id: merchantId } = await findOrganisationOfKind(merchant, 'MERCHANT', deps);
  const read = await readCsvFile(path, OrderRow);
  const requests = read.rows.map(({ line, row }) => ({
    line,
    row: {
      merchantId,
      user: { id: row.user_id, linkId: undefined, merchantExternalId: row.merchant_external_id },
      externalOrderId: row.order_external_id,
      totalCents: row.transaction_total,
      subtotalCents: row.transaction_subtotal,
      discountCents: row.transaction_discount ?? 0,
      paymentId: row.order_payment_id ?? null,
      lineItems: [],
    },
  }));
  return importReport(withUnreadable(await importOrders(requests, { isDryRun: dryRun === true }, deps), read));
}
