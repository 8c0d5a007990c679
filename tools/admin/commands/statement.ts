import { loadProgramStatement, loadSettlement } from '../../../shared/operations/ledger/load-statements.ts';
import {
  type Cli,
  dollarPrice,
  examples,
  month,
  type Operator,
  organisationArgument,
  partnershipArgument,
  type Report,
  timeZone,
  writeText,
} from '../cli/cli.ts';
import { UsageError } from '../cli/text.ts';
import { readAll } from '../reconcile/read-books.ts';
import { programCsv, programText, settlementCsv, settlementText } from '../views/statement.ts';

export function statementCommands(cli: Cli): void {
  const group = cli.add('statement', 'Sums of the ledger by month, for bookkeeping. They read the whole table.');

  group
    .command('program')
    .description('State what a program issued, reversed and redeemed, and what is outstanding, by month.')
    .argument(...organisationArgument)
    .option('--from <month>', 'first month, such as 2026-11', month)
    .option('--to <month>', 'last month', month)
    .option('--time-zone <zone>', 'time zone of the months (default: UTC)', timeZone)
    .option('--file <path>', 'write the statement as CSV to this file')
    .addHelpText('after', examples('statement program "Skyline Miles" --from 2026-01 --file skyline.csv'))
    .action(cli.door(program));

  group
    .command('settlement')
    .description('State what the merchant and the partner of a partnership settle, by month in its time zone.')
    .argument(...partnershipArgument)
    .option('--from <month>', 'first month, such as 2026-11', month)
    .option('--to <month>', 'last month', month)
    .option('--point-price <dollars>', 'the agreed price of a point; without it no amount is due', dollarPrice)
    .option('--file <path>', 'write the settlement as CSV to this file')
    .addHelpText(
      'after',
      examples('statement settlement "Corner Coffee × Skyline Miles" --from 2026-11 --to 2026-11 --point-price 0.012'),
    )
    .action(cli.door(settlement));
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
