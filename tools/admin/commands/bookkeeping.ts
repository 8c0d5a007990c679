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
import {
  addCommand,
  type Cli,
  dollarAmount,
  dollarPrice,
  month,
  nonEmptyText,
  type Operator,
  ofOption,
  organisationArgument,
  partnershipArgument,
  type Report,
  timeZone,
  writeText,
} from '../cli/cli.ts';
import { count, dollars, UsageError } from '../cli/text.ts';
import { readAll, readLedger } from '../reconcile/read-books.ts';
import { approvalReport, approveOption } from '../views/approval.ts';
import {
  batchesTable,
  batchFacts,
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

  addCommand(
    group,
    'export',
    'Put the unpaid cashback of a partnership into a batch, and write it as CSV. Reads the whole ledger. The amounts ' +
      'are unpaid no longer, so no later batch contains them. With nothing to pay, it writes nothing.',
  )
    .argument('[partnership]', partnershipArgument[1])
    .option('--batch <uuid>', 'continue or write again this batch, in place of a new one')
    .option('--file <path>', 'write the CSV to this file')
    .option('--minimum <dollars>', 'leave out members with less (default: 0.01)', dollarAmount)
    .action(
      cli.door(
        exportBatch,
        'cashback export "Corner Coffee × Skyline Miles" --minimum 5 --file november.csv',
        'cashback export --batch 0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e06 --file november.csv',
      ),
    );

  addCommand(group, 'mark-paid', 'Record that a batch was paid. Repeating it with the same reference changes nothing.')
    .argument(...batchArgument)
    .requiredOption('--reference <text>', 'the bank’s or payer’s reference of the payment', nonEmptyText)
    .action(cli.door(pay, 'cashback mark-paid 0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e06 --reference SEPA-4711'));

  addCommand(group, 'return', 'Make a batch that is not paid, or the payout of one member, unpaid cashback again.')
    .argument(...batchArgument)
    .option('--member <member>', 'only this member, also after the batch was paid: id or UUID')
    .option(...ofOption)
    .option(...approveOption)
    .action(
      cli.door(
        giveBack,
        'cashback return 0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e06',
        'cashback return 0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e06 --member cc-1001 --of "Corner Coffee"',
      ),
    );

  addCommand(group, 'list', 'List the batches of a partnership.')
    .argument(...partnershipArgument)
    .action(cli.door(list, 'cashback list "Corner Coffee × Skyline Miles"'));

  addCommand(group, 'show', 'Show a batch with its payouts, and the unpaid cashback of each member after it.')
    .argument(...batchArgument)
    .action(cli.door(show, 'cashback show 0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e06'));
}

interface ExportOptions {
  readonly batch?: string | undefined;
  readonly file?: string | undefined;
  readonly minimum?: number | undefined;
}

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
  const timeZone = await loadTimeZone([exported.batch], deps);
  const [json, text] = [batchView(exported.batch, payees), batchFacts(exported.batch, payees, timeZone)];
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

async function pay(operator: Operator, batch: string, { reference }: { readonly reference: string }): Promise<Report> {
  const confirm = (planned: LoadedBatch) =>
    operator.confirm(`Is ${batchText(planned)} paid, with reference ${reference}?`);
  return batchReport(await markPaid({ batch, reference, confirm }, operator.deps), operator);
}

interface ReturnOptions {
  readonly member?: string | undefined;
  readonly of?: string | undefined;
  readonly approve?: true | undefined;
}

async function giveBack(operator: Operator, batch: string, { member, of, approve }: ReturnOptions): Promise<Report> {
  if (of !== undefined && member === undefined) throw new UsageError('--of needs --member');
  const { deps } = operator;
  const found = member === undefined ? undefined : await findMember({ id: member, organisation: of }, deps);
  if (approve) {
    if (!found) throw new UsageError('only the payout of one member is approved: give --member');
    return approvalReport(await approveReturn({ batch, userId: found.user.id }, deps));
  }
  const confirm = (planned: LoadedBatch) => operator.confirm(`Return ${batchText(planned)}? The money was not paid?`);
  return batchReport(await returnPayouts({ batch, userId: found?.user.id, confirm }, deps), operator);
}

async function list({ deps }: Operator, partnership: string): Promise<Report> {
  const batches: PayoutBatch[] = await listBatches(partnership, deps);
  return {
    json: { batches },
    text:
      batches.length > 0
        ? batchesTable(batches, await loadTimeZone(batches, deps))
        : 'The partnership has no batches; cashback export makes one.',
  };
}

async function show(operator: Operator, batch: string): Promise<Report> {
  return batchReport(await loadBatch(batch, operator.deps), operator);
}

async function batchReport(loaded: LoadedBatch, { deps }: Operator): Promise<Report> {
  const payees = await loadPayees(loaded, deps);
  const timeZone = await loadTimeZone([loaded.batch], deps);
  return { json: batchView(loaded.batch, payees), text: batchFacts(loaded.batch, payees, timeZone) };
}

export function statementCommands(cli: Cli): void {
  const group = cli.add('statement', 'Sums of the ledger by month, for bookkeeping. They read the whole table.');

  addCommand(group, 'program', 'State what a program issued, reversed and redeemed, and what is outstanding, by month.')
    .argument(...organisationArgument)
    .option('--from <month>', 'first month, such as 2026-11', month)
    .option('--to <month>', 'last month', month)
    .option('--time-zone <zone>', 'time zone of the months (default: UTC)', timeZone)
    .option('--file <path>', 'write the statement as CSV to this file')
    .action(cli.door(program, 'statement program "Skyline Miles" --from 2026-01 --file skyline.csv'));

  addCommand(
    group,
    'settlement',
    'State what the merchant and the partner of a partnership settle, by month in its time zone.',
  )
    .argument(...partnershipArgument)
    .option('--from <month>', 'first month, such as 2026-11', month)
    .option('--to <month>', 'last month', month)
    .option('--point-price <dollars>', 'the agreed price of a point; without it no amount is due', dollarPrice)
    .option('--file <path>', 'write the settlement as CSV to this file')
    .action(
      cli.door(
        settlement,
        'statement settlement "Corner Coffee × Skyline Miles" --from 2026-11 --to 2026-11 --point-price 0.012',
      ),
    );
}

interface Months {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly file?: string | undefined;
}

/** @throws UsageError when the range is backwards */
function requireOrder({ from, to }: Months): void {
  if (from !== undefined && to !== undefined && from > to) throw new UsageError('--from is after --to');
}

/** The deps of an operation that reads the whole ledger. */
function ledgerDeps({ deps, stage }: Operator) {
  const table = { name: stage.tableName, documents: stage.documents };
  return { ...deps, readLedger: async () => (await readAll(deps, table)).books };
}

async function program(
  operator: Operator,
  text: string,
  options: Months & { readonly timeZone?: string | undefined },
): Promise<Report> {
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
}

async function settlement(
  operator: Operator,
  text: string,
  options: Months & { readonly pointPrice?: number | undefined },
): Promise<Report> {
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
}
