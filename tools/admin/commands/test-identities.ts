import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import {
  type ProvisionedIdentity,
  provisionTestIdentities,
} from '../../../shared/operations/member/test-identities.ts';
import { addCommand, type Cli } from '../cli/cli.ts';
import { paragraphs } from '../cli/text.ts';
import { viewOf } from '../cli/view.ts';

/** Adds `test-identities` to the commands about members. It makes the test identities of a merchant. */
export function addTestIdentitiesCommand(cli: Cli, members: CommandUnknownOpts): void {
  addCommand(members, 'test-identities')
    .description('Create customers of a merchant that force one outcome each, for its engineers. Not on production.')
    .requiredOption('--merchant <organisation>', 'id or exact name of the merchant')
    .requiredOption('--program <organisation>', 'id or exact name of the partner whose accounts they get')
    .action(
      cli.door(async ({ deps }, options) => {
        const identities = await provisionTestIdentities(options, deps);
        return {
          json: { identities: identities.map(identityView) },
          text: paragraphs(
            identityView.table(identities),
            `Their tokens: npm run admin -- token issue test-failed --of "${options.merchant}"`,
          ),
        };
      }, 'member test-identities --merchant "Corner Coffee" --program "Skyline Miles"'),
    );
}

const identityView = viewOf<ProvisionedIdentity>()({
  externalId: { head: 'customer' },
  forces: { head: 'forces' },
  memberId: { head: 'member' },
  outcome: { head: 'outcome' },
});
