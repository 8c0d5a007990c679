import type { Command } from '@commander-js/extra-typings';
import * as z from 'zod/mini';
import { email, text } from '../../../shared/http/wire.ts';
import { importCustomers, linkCustomer } from '../../../shared/operations/member/link-customers.ts';
import { unlinkMember } from '../../../shared/operations/member/manage-accounts.ts';
import { addCommand, type Cli, type Operator, type Report } from '../cli/cli.ts';
import { readCsvFile, withUnreadable } from '../cli/csv.ts';
import * as input from '../cli/input.ts';
import { UsageError } from '../cli/text.ts';
import { importReport } from '../views/import.ts';

/** Adds the commands that link merchants' customers to program accounts, and the commands that end these links. */
export function addLinkCommands(cli: Cli, group: Command): void {
  addCommand(group, 'import')
    .description('Create the customers of a CSV file, and link their accounts. Customers that are there already stay.')
    .argument('<file>', 'CSV file')
    .requiredOption('--merchant <organisation>', 'id or exact name of the merchant whose customers they are')
    .option('--program <organisation>', 'id or exact name of the partner whose program has the accounts')
    .option('--dry-run', 'check every line and write nothing')
    .addHelpText('after', importHelp)
    .action(
      cli.door(async ({ deps }, path, options) => {
        const { merchant, program, dryRun } = options;
        const read = await readCsvFile(path, CustomerRow);
        if (program === undefined && read.rows.some(({ row }) => row.account !== undefined)) {
          throw new UsageError('the file names accounts: name their partner with --program');
        }
        const order = { merchant, program, rows: read.rows, isDryRun: dryRun === true };
        return importReport(withUnreadable(await importCustomers(order, deps), read));
      }, 'member import customers.csv --merchant "Corner Coffee" --program "Skyline Miles"'),
    );

  addCommand(group, 'link')
    .description(
      'Link an account of a program to a customer of a merchant, without the connect page and without tokens.',
    )
    .argument('<customer>', 'the id that the merchant uses; the platform need not know it yet', input.nonEmptyText)
    .requiredOption('--merchant <organisation>', 'id or exact name of the merchant')
    .requiredOption('--program <organisation>', 'id or exact name of the partner whose program has the account')
    .requiredOption('--account <number>', 'number of the account in the program', input.nonEmptyText)
    .option('--email <address>', 'e-mail that the merchant knows', input.nonEmptyText)
    .option('--proof <text>', 'PIN or password, which a program that its partner runs needs', input.nonEmptyText)
    .action(
      cli.door(link, 'member link cc-1001 --merchant "Corner Coffee" --program "Skyline Miles" --account SKY-77001'),
    );

  addCommand(group, 'unlink')
    .description('Unlink a member’s account of a program. It keeps its points, and may be linked again.')
    .argument(...input.memberArgument)
    .option(...input.ofOption)
    .requiredOption('--program <organisation>', 'id or exact name of the partner whose program has the account')
    .option('--merchant <organisation>', 'only at this merchant, by id or exact name (default: at every merchant)')
    .action(cli.door(unlink, 'member unlink cc-1001 --of "Corner Coffee" --program "Skyline Miles"'));
}

const importHelp = `
The first line names the columns. A line needs customer, the id that the merchant uses, and either first_name,
last_name and email, or account. A program that its partner runs needs the column proof too:
  customer,first_name,last_name,email,account
  cc-1001,Ada,Byron,ada@example.com,
  cc-1002,,,,SKY-77002
The command may be repeated with the same file.
`;

const CustomerRow = z.pipe(
  z
    .strictObject({
      customer: text(),
      first_name: z.optional(text()),
      last_name: z.optional(text()),
      email: z.optional(email),
      account: z.optional(text()),
      proof: z.optional(text()),
    })
    .check(
      z.refine(({ account, ...row }) => account !== undefined || (row.first_name && row.last_name && row.email), {
        error: 'needs first_name, last_name and email, or an account',
        // This check runs even when some cells are wrong, so that all faults of a row are reported at once.
        when: () => true,
      }),
    ),
  z.transform(({ first_name: firstName, last_name: lastName, ...row }) => ({ ...row, firstName, lastName })),
);

type LinkOptions = input.Needed<'merchant' | 'program' | 'account'> & input.Given<'email' | 'proof'>;

async function link({ deps, confirm }: Operator, customer: string, options: LinkOptions): Promise<Report> {
  const { merchant, program, account, email: address, proof } = options;
  const { outcome, user, merchantId, partnerId } = await linkCustomer(
    {
      ...{ merchant, program, account, proof },
      customer: { externalId: customer, ...(address !== undefined && { email: address }) },
      confirm: () =>
        confirm(
          `Link account ${account} of ${program} to customer ${customer} of ${merchant}? Its holder may be rewarded.`,
        ),
    },
    deps,
  );
  const now = outcome === 'unchanged' ? 'was linked before' : 'is linked';
  return {
    json: { outcome, memberId: user.id, uuid: user.uuid, merchantId, partnerId, account },
    text: `Account ${account} of partner ${partnerId} ${now} to customer ${customer} of merchant ${merchantId}: member ${user.id}.`,
  };
}

type UnlinkOptions = input.Needed<'program'> & input.Given<'of' | 'merchant'>;

async function unlink({ deps, confirm }: Operator, id: string, options: UnlinkOptions): Promise<Report> {
  const { of: organisation, program, merchant } = options;
  const order = {
    ...{ member: { id, organisation }, program, merchant },
    confirm: ({ merchantIds }: { readonly merchantIds: readonly number[] }) =>
      confirm(`Unlink member ${id} from ${program} at merchant ${merchantIds.join(', ')}? Its tokens there may end.`),
  };
  const unlinked = await unlinkMember(order, deps);
  return {
    json: { unlinked },
    text: unlinked
      .map(({ userId, partnerId, merchantId, isDetached }) => {
        const tokens = isDetached ? 'its tokens there are revoked' : 'the merchant uses another account of the member';
        return `Member ${userId} is unlinked from partner ${partnerId} at merchant ${merchantId}; ${tokens}.`;
      })
      .join('\n'),
  };
}
