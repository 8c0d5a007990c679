import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { provisionTestIdentities } from '../../../shared/operations/member/test-identities.ts';
import { addCommand, type Cli, type Operator, type Report } from '../cli/cli.ts';
import { paragraphs, table } from '../cli/text.ts';

/** Adds `test-identities` to the commands about members. It makes the test identities of a merchant. */
export function addTestIdentitiesCommand(cli: Cli, members: CommandUnknownOpts): void {
  addCommand(
    members,
    'test-identities',
    'Create customers of a merchant that force one outcome each, for its engineers. Not on production.',
  )
    .requiredOption('--merchant <organisation>', 'id or exact name of the merchant')
    .requiredOption('--program <organisation>', 'id or exact name of the partner whose accounts they get')
    .action(cli.door(create, 'member test-identities --merchant "Corner Coffee" --program "Skyline Miles"'));
}

interface Options {
  readonly merchant: string;
  readonly program: string;
}

async function create({ deps }: Operator, options: Options): Promise<Report> {
  const identities = await provisionTestIdentities(options, deps);
  const rows = identities.map(({ externalId, forces, memberId, outcome }) => [externalId, forces, memberId, outcome]);
  return {
    json: { identities: identities.map((one) => ({ ...one })) },
    text: paragraphs(
      table(['customer', 'forces', 'member', 'outcome'], rows),
      `Their tokens: npm run admin -- token issue test-failed --of "${options.merchant}"`,
    ),
  };
}
