import type { PayoutBatch } from '../../../shared/domain/ledger/payout.ts';
import { loadPayees, loadProgramStatement, loadSettlement } from '../../../shared/operations/ledger/load-statements.ts';
import {
  approveReturn,
  continueExport,
  type ExportedBatch,
  exportCashback,
  type LoadedBatch,
  listBatches,
  loadBatch,
  markPaid,
  returnPayouts,
} from '../../../shared/operations/ledger/pay-cashback.ts';
import { findMember } from '../../../shared/operations/member/manage-members.ts';
import { loadTimeZone } from '../../../shared/operations/partnership/load-time-zone.ts';
import { addCommand, type Cli, type Operator, type Report } from '../cli/cli.ts';
import { writeText } from '../cli/files.ts';
import * as input from '../cli/input.ts';
import { count, dollars, UsageError } from '../cli/text.ts';
import { readAll, readLedger } from '../reconcile/read-books.ts';
import { approvalReport } from '../views/approval.ts';
import {
  batchReport,
  batchText,
  batchView,
  payoutsCsv,
  programCsv,
  programText,
  settlementCsv,
  settlementText,
} from '../views/bookkeeping.ts';

const batchArgument = ['<batch>', 'UUID of the batch, as cashback list shows it'] as const;

export function cashbackCommands(cli: Cli): void {
  const group = cli.add('cashback', 'Payouts of the cashback that a merchant owes its members.');

  addCommand(group, 'export')
    .description(
      'Put the unpaid cashback of a partnership into a batch, and write it as CSV. Reads the whole ledger. The amounts ' +
        'are unpaid no longer, so no later batch contains them. With nothing to pay, it writes nothing.',
    )
    .argument('[partnership]', input.partnershipArgument[1])
    .option('--batch <uuid>', 'continue or write again this batch, in place of a new one')
    .option('--file <path>', 'write the CSV to this file')
    .option('--minimum <dollars>', 'leave out members with less (default: 0.01)', input.dollarAmount)
    .action(
      cli.door(
        exportBatch,
        'cashback export "Corner Coffee × Skyline Miles" --minimum 5 --file november.csv',
        'cashback export --batch 0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e06 --file november.csv',
      ),
    );

  addCommand(group, 'mark-paid')
    .description('Record that a batch was paid. Repeating it with the same reference changes nothing.')
    .argument(...batchArgument)
    .requiredOption('--reference <text>', 'the bank’s or payer’s reference of the payment', input.nonEmptyText)
    .action(
      cli.door(async (operator, batch, { reference }) => {
        const confirm = (planned: LoadedBatch) =>
          operator.confirm(`Is ${batchText(planned)} paid, with reference ${reference}?`);
        return loadedReport(await markPaid({ batch, reference, confirm }, operator.deps), operator);
      }, 'cashback mark-paid 0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e06 --reference SEPA-4711'),
    );

  addCommand(group, 'return')
    .description('Make a batch that is not paid, or the payout of one member, unpaid cashback again.')
    .argument(...batchArgument)
    .option('--member <member>', 'only this member, also after the batch was paid: id or UUID')
    .option(...input.ofOption)
    .option(...input.approveOption)
    .action(
      cli.door(
        async (operator, batch, { member, of, approve }) => {
          if (of !== undefined && member === undefined) throw new UsageError('--of needs --member');
          const { deps } = operator;
          const found = member === undefined ? undefined : await findMember({ id: member, organisation: of }, deps);
          if (approve) {
            if (!found) throw new UsageError('only the payout of one member is approved: give --member');
            return approvalReport(await approveReturn({ batch, userId: found.user.id }, deps));
          }
          const confirm = (planned: LoadedBatch) =>
            operator.confirm(`Return ${batchText(planned)}? The money was not paid?`);
          return loadedReport(await returnPayouts({ batch, userId: found?.user.id, confirm }, deps), operator);
        },
        'cashback return 0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e06',
        'cashback return 0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e06 --member cc-1001 --of "Corner Coffee"',
      ),
    );

  addCommand(group, 'list')
    .description('List the batches of a partnership.')
    .argument(...input.partnershipArgument)
    .action(cli.door(list, 'cashback list "Corner Coffee × Skyline Miles"'));

  addCommand(group, 'show')
    .description('Show a batch with its payouts, and the unpaid cashback of each member after it.')
    .argument(...batchArgument)
    .action(
      cli.door(async (operator, batch) => {
        return loadedReport(await loadBatch(batch, operator.deps), operator);
      }, 'cashback show 0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e06'),
    );
}

type ExportOptions = input.Given<'batch' | 'file'> & input.Given<'minimum', number>;

async function exportBatch(
  operator: Operator,
  partnership: string | undefined,
  options: ExportOptions,
): Promise<Report> {
  const { deps, stage } = operator;
  const readAll = () => readLedger({ name: stage.tableName, documents: stage.documents });
  const exported = await chooseBatch(partnership, options, { deps, readAll });
  const { file, minimum = 1 } = options;
  if (!exported) return nothingToPay(minimum);
  const { skipped } = exported;
  const payees = await loadPayees(exported, deps);
  const csv = payoutsCsv(exported.batch, payees);
  if (file !== undefined) await writeText(file, csv);
  const { json, text } = batchReport(exported.batch, payees, await loadTimeZone([exported.batch], deps));
  const warning = `${count(skipped.length)} members were left out: run reconcile, then export again: ${skipped.join(', ')}.`;
  return {
    json: { ...json, skipped, ...(file === undefined ? { csv } : { file }) },
    text: [text, file === undefined ? csv : `Written to ${file}.`, ...(skipped.length > 0 ? [warning] : [])].join(
      '\n\n',
    ),
    isBad: skipped.length > 0,
  };
}

const nothingToPay = (minimum: number): Report => ({
  json: { batch: null, payees: [], skipped: [] },
  text: `There is nothing to pay: no member has unpaid cashback of ${dollars(minimum)} or more. Nothing was written.`,
});

function chooseBatch(
  partnership: string | undefined,
  { batch, minimum = 1 }: ExportOptions,
  { deps, readAll }: Pick<Operator, 'deps'> & { readonly readAll: () => ReturnType<typeof readLedger> },
): Promise<ExportedBatch | undefined> {
  if (batch !== undefined && partnership === undefined) return continueExport(batch, readAll, deps);
  if (partnership === undefined || batch !== undefined) {
    throw new UsageError('name a partnership for a new batch, or a batch with --batch');
  }
  return exportCashback({ partnership, minimumCents: minimum, readLedger: readAll }, deps);
}

async function list({ deps }: Operator, partnership: string): Promise<Report> {
  const batches: PayoutBatch[] = await listBatches(partnership, deps);
  const none = 'The partnership has no batches; cashback export makes one.';
  return batchView.list(batches, { name: 'batches', none }, { timeZone: await loadTimeZone(batches, deps) });
}

async function loadedReport(loaded: LoadedBatch, { deps }: Operator): Promise<Report> {
  return batchReport(loaded.batch, await loadPayees(loaded, deps), await loadTimeZone([loaded.batch], deps));
}

export function statementCommands(cli: Cli): void {
  const group = cli.add('statement', 'Sums of the ledger by month, for bookkeeping. They read the whole table.');

  addCommand(group, 'program')
    .description('State what a program issued, reversed and redeemed, and what is outstanding, by month.')
    .argument(...input.organisationArgument)
    .option('--from <month>', 'first month, such as 2026-11', input.month)
    .option('--to <month>', 'last month', input.month)
    .option('--time-zone <zone>', 'time zone of the months (default: UTC)', input.timeZone)
    .option('--file <path>', 'write the statement as CSV to this file')
    .action(
      cli.door(async (operator, text, options) => {
        requireOrder(options);
        const { from, to, file } = options;
        const range = { from, to, timeZone: options.timeZone ?? 'UTC' };
        const statement = await loadProgramStatement(text, range, ledgerDeps(operator));
        if (file !== undefined) await writeText(file, programCsv(statement));
        const { partner, timeZone: zone, months, mismatches } = statement;
        return {
          json: { partnerId: partner.id, timeZone: zone, months, differences: mismatches },
          text: programText(statement),
          isBad: mismatches.length > 0,
        };
      }, 'statement program "Skyline Miles" --from 2026-01 --file skyline.csv'),
    );

  addCommand(group, 'settlement')
    .description('State what the merchant and the partner of a partnership settle, by month in its time zone.')
    .argument(...input.partnershipArgument)
    .option('--from <month>', 'first month, such as 2026-11', input.month)
    .option('--to <month>', 'last month', input.month)
    .option('--point-price <dollars>', 'the agreed price of a point; without it no amount is due', input.dollarPrice)
    .option('--file <path>', 'write the settlement as CSV to this file')
    .action(
      cli.door(async (operator, text, options) => {
        requireOrder(options);
        const { from, to, file, pointPrice: pointPriceMicros } = options;
        const stated = await loadSettlement(text, { from, to, pointPriceMicros }, ledgerDeps(operator));
        if (file !== undefined) await writeText(file, settlementCsv(stated));
        const { partnership, months, mismatches } = stated;
        return {
          json: { partnershipUuid: partnership.uuid, timeZone: partnership.timeZone, months, differences: mismatches },
          text: settlementText(stated),
          isBad: mismatches.length > 0,
        };
      }, 'statement settlement "Corner Coffee × Skyline Miles" --from 2026-11 --to 2026-11 --point-price 0.012'),
    );
}

type Months = input.Given<'from' | 'to' | 'file'>;

/** @throws UsageError when the range is backwards */
function requireOrder({ from, to }: Months): void {
  if (from !== undefined && to !== undefined && from > to) throw new UsageError('--from is after --to');
}

/** The deps of an operation that reads the whole ledger. */
function ledgerDeps({ deps, stage }: Operator) {
  const table = { name: stage.tableName, documents: stage.documents };
  return { ...deps, readLedger: async () => (await readAll(deps, table)).books };
}
