import type { Command } from '@commander-js/extra-typings';
import * as z from 'zod/mini';
import {
  maximumPoints,
  maximumPointsAdjustedAlone,
  maximumPointsMovedAlone,
  minimumPinDigits,
} from '../../../shared/contracts/limits.ts';
import { isPin } from '../../../shared/domain/connect/proof-counter.ts';
import { email, text } from '../../../shared/http/wire.ts';
import {
  approveAccountChange,
  changeProgramAccount,
  closeProgramAccount,
} from '../../../shared/operations/member/change-account.ts';
import {
  findHostedProgram,
  findProgramAccount,
  importProgramAccounts,
  listProgramAccounts,
  type NewProgramAccount,
  openingOf,
  openingsOf,
  openProgramAccount,
} from '../../../shared/operations/member/program-accounts.ts';
import { approveMove } from '../../../shared/operations/move-points.ts';
import { addCommand, type Cli, type Operator, type Report } from '../cli/cli.ts';
import { readCsvFile, withUnreadable } from '../cli/csv.ts';
import * as input from '../cli/input.ts';
import { count, UsageError } from '../cli/text.ts';
import { approvalReport } from '../views/approval.ts';
import { importReport } from '../views/import.ts';
import { accountReport, accountsReport } from '../views/program-account.ts';

const accountArgument = ['<account>', 'number of the account in the program', input.nonEmptyText] as const;
const defaultLimit = 50;

/** Adds the commands about the accounts of hosted programs. */
export function addAccountCommands(cli: Cli, program: Command): void {
  const group = addCommand(program, 'account')
    .description('The accounts of programs that the platform hosts.')
    .helpCommand(false);

  addCommand(group, 'open')
    .description('Open an account. Its holder links it with the PIN; without a PIN only member link can link it.')
    .argument(...input.organisationArgument)
    .argument(...accountArgument)
    .requiredOption('--first-name <name>', 'first name of its holder', input.nonEmptyText)
    .requiredOption('--last-name <name>', 'last name of its holder', input.nonEmptyText)
    .option('--email <address>', 'e-mail, which the program has verified', input.nonEmptyText)
    .option('--tier <id>', 'status tier', input.wholeNumber)
    .option(
      '--points <number>',
      'opening balance; it reaches the ledger with the first link (default: 0)',
      input.wholeNumber,
    )
    .option('--pin <digits>', `PIN of ${minimumPinDigits} digits or more; only its hash is stored`, input.pin)
    .option(...input.approveOption)
    .action(
      cli.door(async ({ deps }, program, account, options) => {
        const partner = await findHostedProgram(program, deps);
        const { firstName, lastName, email: address = null, tier = null, points = 0 } = options;
        const holder = { firstName, lastName, email: address, statusTierId: tier };
        const wanted = { ...holder, memberId: account, points, pin: options.pin };
        if (options.approve) {
          return approvalReport(await approveMove({ changes: [openingOf(partner.id, wanted)] }, deps));
        }
        await openProgramAccount(partner.id, wanted, deps);
        return accountReport(await findProgramAccount({ program: String(partner.id), account }, deps));
      }, 'program account open "Lakeside Miles" LM-7 --first-name Ada --last-name Byron --points 500 --pin 246802'),
    );

  addCommand(group, 'import')
    .description('Open the accounts of a CSV file. Accounts that are there already stay as they are.')
    .argument(...input.organisationArgument)
    .argument('<file>', 'CSV file')
    .option('--dry-run', 'check every line and write nothing')
    .option(...input.approveOption)
    .addHelpText('after', importHelp)
    .action(
      cli.door(
        async ({ deps }, program, path, options) => {
          const read = await readCsvFile(path, AccountRow);
          if (options.approve) {
            const { id: partnerId } = await findHostedProgram(program, deps);
            return approvalReport(await approveMove({ changes: openingsOf(partnerId, read.rows) }, deps));
          }
          const order = { program, rows: read.rows, isDryRun: options.dryRun === true };
          return importReport(withUnreadable(await importProgramAccounts(order, deps), read));
        },
        'program account import "Lakeside Miles" accounts.csv --dry-run',
        'program account import "Lakeside Miles" accounts.csv --approve',
      ),
    );

  addCommand(group, 'list')
    .description('List accounts, by their numbers.')
    .argument(...input.organisationArgument)
    .option('--limit <number>', `number of accounts at most (default: ${defaultLimit})`, input.positiveNumber)
    .option('--after <account>', 'begin after this account', input.nonEmptyText)
    .action(
      cli.door(async ({ deps }, program, { limit, after }) => {
        return accountsReport(await listProgramAccounts({ program, limit: limit ?? defaultLimit, after }, deps));
      }, 'program account list "Lakeside Miles" --after LM-7'),
    );

  addCommand(group, 'show')
    .description('Show an account, its member and its points; also of a program that its partner runs.')
    .argument(...input.organisationArgument)
    .argument(...accountArgument)
    .action(
      cli.door(async ({ deps }, program, account) => {
        return accountReport(await findProgramAccount({ program, account }, deps));
      }, 'program account show "Lakeside Miles" LM-7'),
    );

  addCommand(group, 'change')
    .description('Change an account. The opening balance changes only before the first link. A new PIN ends locks.')
    .argument(...input.organisationArgument)
    .argument(...accountArgument)
    .option('--first-name <name>', 'first name of its holder', input.nonEmptyText)
    .option('--last-name <name>', 'last name of its holder', input.nonEmptyText)
    .option('--email <address>', 'e-mail, which the program has verified', input.nonEmptyText)
    .option('--tier <id>', 'status tier', input.wholeNumber)
    .option('--points <number>', 'opening balance', input.wholeNumber)
    .option('--pin <digits>', `PIN of ${minimumPinDigits} digits or more`, input.pin)
    .option(...input.approveOption)
    .action(cli.door(change, 'program account change "Lakeside Miles" LM-7 --tier 2 --pin 135791'));

  addCommand(group, 'close')
    .description('Close an account for good. No merchant may use it any more: end its links with member unlink.')
    .argument(...input.organisationArgument)
    .argument(...accountArgument)
    .option('--write-off', 'give up the points that it has')
    .option(...input.approveOption)
    .action(cli.door(close, 'program account close "Lakeside Miles" LM-7 --write-off'));
}

const importHelp = `
The first line names the columns. account, first_name and last_name are required; email, tier, points and pin are not:
  account,first_name,last_name,email,tier,points,pin
  LM-7,Ada,Byron,ada@example.com,2,500,246802
The command may be repeated with the same file. A line whose account has other values is a fault: use change.
Above ${count(maximumPointsAdjustedAlone)} points of an account, or ${count(maximumPointsMovedAlone)} points of one operator in a month, another operator
approves the same file first, with --approve.
`;

/** A cell with a whole number. */
const cellNumber = (maximum: number) =>
  z.pipe(
    z.string().check(z.regex(/^\d+$/, { error: 'has to be a whole number, from 0 on' })),
    z.pipe(z.transform(Number), z.int().check(z.lte(maximum))),
  );

const AccountRow = z.pipe(
  z.strictObject({
    account: text(),
    first_name: text(),
    last_name: text(),
    email: z.optional(email),
    tier: z.optional(cellNumber(Number.MAX_SAFE_INTEGER)),
    points: z.optional(cellNumber(maximumPoints)),
    pin: z.optional(z.string().check(z.refine(isPin, { error: `has to be ${minimumPinDigits} digits or more` }))),
  }),
  z.transform(
    (row): NewProgramAccount => ({
      ...{ memberId: row.account, firstName: row.first_name, lastName: row.last_name, email: row.email ?? null },
      ...{ statusTierId: row.tier ?? null, points: row.points ?? 0, pin: row.pin },
    }),
  ),
);

type AccountOptions = input.Given<'firstName' | 'lastName' | 'email' | 'pin'> &
  input.Given<'tier' | 'points', number> &
  input.Given<'approve', true>;

async function change({ deps }: Operator, program: string, account: string, options: AccountOptions): Promise<Report> {
  const { firstName, lastName, email: address, tier, points, pin: digits } = options;
  const values = {
    ...(firstName !== undefined && { firstName }),
    ...(lastName !== undefined && { lastName }),
    ...(address !== undefined && { email: address }),
    ...(tier !== undefined && { statusTierId: tier }),
    ...(points !== undefined && { openingPoints: points }),
  };
  if (options.approve) {
    if (points === undefined) throw new UsageError('only another opening balance is approved: give --points');
    return approvalReport(await approveAccountChange({ program, account }, values, deps));
  }
  if (Object.keys(options).length === 0) throw new UsageError('name what changes: one of the options, such as --tier');
  const { isChanged } = await changeProgramAccount({ program, account, values, pin: digits }, deps);
  const { json, text: shown } = await accountReport(await findProgramAccount({ program, account }, deps));
  const outcome = isChanged ? 'changed' : 'unchanged';
  return { json: { outcome, ...json }, text: `Account ${account} is ${outcome}.\n\n${shown}` };
}

type CloseOptions = input.Given<'writeOff' | 'approve', true>;

async function close(
  { deps, confirm }: Operator,
  program: string,
  account: string,
  { writeOff, approve }: CloseOptions,
): Promise<Report> {
  if (approve) return approvalReport(await approveAccountChange({ program, account }, undefined, deps));
  const order = { program, account, writesOff: writeOff === true };
  const closing = await closeProgramAccount(
    {
      ...order,
      confirm: ({ bookedPoints, unbookedPoints }) =>
        confirm(`Close account ${account} for good, and give up ${count(bookedPoints + unbookedPoints)} points of it?`),
    },
    deps,
  );
  const points = closing.bookedPoints + closing.unbookedPoints;
  return {
    json: { account, writtenOffPoints: points, inLedger: closing.bookedPoints },
    text: `Account ${account} is closed. ${count(points)} points of it were given up.`,
  };
}
