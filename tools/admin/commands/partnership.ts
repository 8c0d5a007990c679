import { Argument, Option } from '@commander-js/extra-typings';
import {
  type Partnership,
  type PartnershipKind,
  partnerApprovals,
  partnershipKinds,
  reversalPolicies,
} from '../../../shared/domain/partnership.ts';
import { subjectText } from '../../../shared/operations/errors.ts';
import { findOrganisation, findOrganisationOfKind } from '../../../shared/operations/organisation/find-organisation.ts';
import { loadPartnershipOverview, loadPartnerships } from '../../../shared/operations/partnership/load-overviews.ts';
import {
  createPartnership,
  partnershipSubject,
  setPartnerApproval,
  setPartnershipActive,
} from '../../../shared/operations/partnership/manage-partnership.ts';
import { addCommand, type Cli, type Operator, type Report } from '../cli/cli.ts';
import * as input from '../cli/input.ts';
import { paragraphs, section } from '../cli/text.ts';
import {
  activityText,
  campaignWithTotalsView,
  partnerApprovalText,
  partnershipView,
  triggerView,
} from '../views/partnership.ts';
import { addPartnershipChanges } from './partnership-changes.ts';

export function partnershipCommands(cli: Cli): void {
  const group = cli.add('partnership', 'Relations between one merchant and one partner, under which campaigns run.');
  const reversals = new Option('--reversals <policy>', 'limit of refunds on credited points (default: within_balance)');

  const kinds = new Option(
    '--kind <kind>',
    'direct: the merchant works with this partner only; marketplace: with several (default: marketplace)',
  );

  addCommand(group, 'create')
    .description(
      'Create a partnership. It is active from the start. A merchant and a partner have one active partnership.',
    )
    .argument('<name>', 'its name', input.nonEmptyText)
    .requiredOption('--merchant <organisation>', 'id or exact name of the merchant')
    .requiredOption('--partner <organisation>', 'id or exact name of the partner')
    .addOption(kinds.choices(partnershipKinds))
    .option('--description <text>', 'a description for its two sides', input.nonEmptyText)
    .option(
      '--time-zone <zone>',
      'time zone of the days and months of its limits (default: America/New_York)',
      input.timeZone,
    )
    .option('--cashback', 'let its campaigns award money')
    .addOption(reversals.choices(reversalPolicies))
    .action(
      cli.door(
        create,
        'partnership create "Coffee × Miles" --merchant "Corner Coffee" --partner 2',
        'partnership create "Books × Miles" --merchant "Harbour Books" --partner 2 --kind direct',
      ),
    );

  addCommand(group, 'list')
    .description('List partnerships. Deleted ones are left out.')
    .option('--of <organisation>', 'only those of one organisation, by id or exact name')
    .action(cli.door(list, 'partnership list', 'partnership list --of "Corner Coffee"'));

  addCommand(group, 'show')
    .description('Show a partnership with its totals, campaigns and triggers.')
    .argument(...input.partnershipArgument)
    .action(
      cli.door(async ({ deps }, text) => {
        const { partnership, totals, campaigns, triggers, nameOf } = await loadPartnershipOverview(text, deps);
        return {
          json: {
            partnership: partnershipView({ ...partnership, totals }),
            campaigns: campaigns.map(campaignWithTotalsView),
            triggers: triggers.map(triggerView),
          },
          text: paragraphs(
            partnershipView.facts({ ...partnership, totals }, nameOf),
            section('Campaigns', campaignWithTotalsView.table(campaigns)),
            section('Triggers', triggerView.table(triggers, {})),
          ),
        };
      }, 'partnership show "Corner Coffee × Skyline Miles"'),
    );

  addPartnershipChanges(cli, group);

  addCommand(group, 'activate')
    .description('Let the campaigns of a partnership reward again.')
    .argument(...input.partnershipArgument)
    .action(
      cli.door(async ({ deps }, text) => {
        return activityReport(await setPartnershipActive({ partnership: text, isActive: true }, deps));
      }, 'partnership activate "Corner Coffee × Skyline Miles"'),
    );

  addCommand(group, 'deactivate')
    .description('Stop all rewards of a partnership until it is activated again.')
    .argument(...input.partnershipArgument)
    .action(
      cli.door(async ({ deps, confirm }, text) => {
        const ask = (partnership: Partnership) =>
          confirm(
            `Deactivate ${subjectText(partnershipSubject(partnership))}? Its campaigns reward nothing until it is activated.`,
          );
        return activityReport(await setPartnershipActive({ partnership: text, isActive: false, confirm: ask }, deps));
      }, 'partnership deactivate "Corner Coffee × Skyline Miles" --yes'),
    );

  addCommand(group, 'approval')
    .description('Set whether the partner approves each campaign that moves its points. Only the partner decides.')
    .argument(...input.partnershipArgument)
    .addArgument(new Argument('<approval>', 'whether it is needed').choices(partnerApprovals))
    .requiredOption(...input.asOption)
    .action(
      cli.door(async ({ deps }, partnership, partnerApproval, options) => {
        const as = await findOrganisation(options.as, deps);
        const changed = await setPartnerApproval({ partnership, partnerApproval, as }, deps);
        return {
          json: { partnership: partnershipView(changed) },
          text: `In the ${subjectText(partnershipSubject(changed))}, ${partnerApprovalText(changed.partnerApproval)}.`,
        };
      }, 'partnership approval "Corner Coffee × Skyline Miles" not_needed --as "Skyline Miles"'),
    );
}

type CreateOptions = input.Needed<'merchant' | 'partner'> &
  input.Given<'kind', PartnershipKind> &
  input.Given<'description' | 'timeZone'> &
  input.Given<'cashback', true> &
  input.Given<'reversals', Partnership['reversalPolicy']>;

async function create({ deps }: Operator, name: string, options: CreateOptions): Promise<Report> {
  const merchant = await findOrganisationOfKind(options.merchant, 'MERCHANT', deps);
  const partner = await findOrganisationOfKind(options.partner, 'PARTNER', deps);
  const partnership = await createPartnership(
    {
      name,
      description: options.description ?? null,
      merchantId: merchant.id,
      partnerId: partner.id,
      ...(options.kind !== undefined && { kind: options.kind }),
      allowsCashback: options.cashback === true,
      ...(options.timeZone !== undefined && { timeZone: options.timeZone }),
      ...(options.reversals !== undefined && { reversalPolicy: options.reversals }),
    },
    deps,
  );
  const nameOf = (id: number) => (id === merchant.id ? merchant : partner).name;
  return { json: { partnership: partnershipView(partnership) }, text: partnershipView.facts(partnership, nameOf) };
}

async function list({ deps }: Operator, { of }: { readonly of?: string | undefined }): Promise<Report> {
  const { partnerships, nameOf } = await loadPartnerships(of, deps);
  return partnershipView.list(partnerships, { name: 'partnerships', none: 'There are no partnerships.' }, nameOf);
}

function activityReport(partnership: Partnership): Report {
  return {
    json: { partnership: partnershipView(partnership) },
    text: `The ${subjectText(partnershipSubject(partnership))} is ${activityText(partnership)} now.`,
  };
}
