import { Argument, Option } from '@commander-js/extra-typings';
import {
  type PartnerApproval,
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
import {
  addCommand,
  asOption,
  type Cli,
  nonEmptyText,
  type Operator,
  partnershipArgument,
  type Report,
  timeZone,
} from '../cli/cli.ts';
import { paragraphs, section } from '../cli/text.ts';
import {
  activityText,
  campaignsWithTotalsTable,
  campaignWithTotalsView,
  partnerApprovalText,
  partnershipFacts,
  partnershipsTable,
  partnershipView,
  triggersTable,
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

  addCommand(
    group,
    'create',
    'Create a partnership. It is active from the start. A merchant and a partner have one active partnership.',
  )
    .argument('<name>', 'its name', nonEmptyText)
    .requiredOption('--merchant <organisation>', 'id or exact name of the merchant')
    .requiredOption('--partner <organisation>', 'id or exact name of the partner')
    .addOption(kinds.choices(partnershipKinds))
    .option('--description <text>', 'a description for its two sides', nonEmptyText)
    .option(
      '--time-zone <zone>',
      'time zone of the days and months of its limits (default: America/New_York)',
      timeZone,
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

  addCommand(group, 'list', 'List partnerships. Deleted ones are left out.')
    .option('--of <organisation>', 'only those of one organisation, by id or exact name')
    .action(cli.door(list, 'partnership list', 'partnership list --of "Corner Coffee"'));

  addCommand(group, 'show', 'Show a partnership with its totals, campaigns and triggers.')
    .argument(...partnershipArgument)
    .action(cli.door(show, 'partnership show "Corner Coffee × Skyline Miles"'));

  addPartnershipChanges(cli, group);

  addCommand(group, 'activate', 'Let the campaigns of a partnership reward again.')
    .argument(...partnershipArgument)
    .action(cli.door(activate, 'partnership activate "Corner Coffee × Skyline Miles"'));

  addCommand(group, 'deactivate', 'Stop all rewards of a partnership until it is activated again.')
    .argument(...partnershipArgument)
    .action(cli.door(deactivate, 'partnership deactivate "Corner Coffee × Skyline Miles" --yes'));

  addCommand(
    group,
    'approval',
    'Set whether the partner approves each campaign that moves its points. Only the partner decides.',
  )
    .argument(...partnershipArgument)
    .addArgument(new Argument('<approval>', 'whether it is needed').choices(partnerApprovals))
    .requiredOption(...asOption)
    .action(
      cli.door(setApproval, 'partnership approval "Corner Coffee × Skyline Miles" not_needed --as "Skyline Miles"'),
    );
}

async function setApproval(
  { deps }: Operator,
  partnership: string,
  partnerApproval: PartnerApproval,
  options: { readonly as: string },
): Promise<Report> {
  const as = await findOrganisation(options.as, deps);
  const changed = await setPartnerApproval({ partnership, partnerApproval, as }, deps);
  return {
    json: { partnership: partnershipView(changed) },
    text: `In the ${subjectText(partnershipSubject(changed))}, ${partnerApprovalText(changed)}.`,
  };
}

interface CreateOptions {
  readonly merchant: string;
  readonly partner: string;
  readonly kind?: PartnershipKind | undefined;
  readonly description?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly cashback?: true | undefined;
  readonly reversals?: Partnership['reversalPolicy'] | undefined;
}

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
  return { json: { partnership: partnershipView(partnership) }, text: partnershipFacts(partnership, nameOf) };
}

async function list({ deps }: Operator, { of }: { readonly of?: string | undefined }): Promise<Report> {
  const { partnerships, nameOf } = await loadPartnerships(of, deps);
  return {
    json: { partnerships: partnerships.map(partnershipView) },
    text: partnerships.length === 0 ? 'There are no partnerships.' : partnershipsTable(partnerships, nameOf),
  };
}

async function show({ deps }: Operator, text: string): Promise<Report> {
  const { partnership, totals, campaigns, triggers, nameOf } = await loadPartnershipOverview(text, deps);
  return {
    json: {
      partnership: { ...partnershipView(partnership), totals },
      campaigns: campaigns.map(campaignWithTotalsView),
      triggers: triggers.map(triggerView),
    },
    text: paragraphs(
      partnershipFacts(partnership, nameOf, totals),
      section('Campaigns', campaignsWithTotalsTable(campaigns)),
      section('Triggers', triggersTable(triggers)),
    ),
  };
}

async function activate({ deps }: Operator, text: string): Promise<Report> {
  return activityReport(await setPartnershipActive({ partnership: text, isActive: true }, deps));
}

async function deactivate({ deps, confirm }: Operator, text: string): Promise<Report> {
  const ask = (partnership: Partnership) =>
    confirm(
      `Deactivate ${subjectText(partnershipSubject(partnership))}? Its campaigns reward nothing until it is activated.`,
    );
  return activityReport(await setPartnershipActive({ partnership: text, isActive: false, confirm: ask }, deps));
}

function activityReport(partnership: Partnership): Report {
  return {
    json: { partnership: partnershipView(partnership) },
    text: `The ${subjectText(partnershipSubject(partnership))} is ${activityText(partnership)} now.`,
  };
}
