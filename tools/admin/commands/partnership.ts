import { Option } from '@commander-js/extra-typings';
import type { Totals } from '../../../shared/domain/ledger/totals.ts';
import { type Partnership, reversalPolicies } from '../../../shared/domain/partnership.ts';
import { activationWrite, type CampaignWithTotals } from '../../../shared/store/campaign/campaigns.ts';
import { someText, timeZone } from '../cli/arguments.ts';
import { type Cli, examples } from '../cli/cli.ts';
import { OperatorError } from '../cli/errors.ts';
import type { Report } from '../cli/report.ts';
import { count, dollars, facts, moment, paragraphs, section, table } from '../cli/text.ts';
import { findOrganisation, findOrganisationOfKind, organisationNames } from '../find/organisations.ts';
import { allPartnerships, findPartnership, partnershipText } from '../find/partnerships.ts';
import { newPartnership } from '../make/partnership.ts';
import type { Operator } from '../operator.ts';
import { partnershipsTable, partnershipView, stateOf } from '../views/partnership.ts';
import { triggersTable, triggerView } from '../views/trigger.ts';

/** What `partnership create` was told. */
interface Wanted {
  readonly merchant: string;
  readonly partner: string;
  readonly description?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly cashback?: true | undefined;
  readonly reversals?: Partnership['reversalPolicy'] | undefined;
}

export function partnershipCommands(cli: Cli): void {
  const group = cli.add('partnership', 'Relations between one merchant and one partner, under which campaigns run.');

  group
    .command('create')
    .description('Make a partnership. It is active from the start.')
    .argument('<name>', 'its name', someText)
    .requiredOption('--merchant <organisation>', 'id or exact name of the merchant')
    .requiredOption('--partner <organisation>', 'id or exact name of the partner')
    .option('--description <text>', 'for its two sides', someText)
    .option('--time-zone <zone>', 'whose days and months its limits mean (default: America/New_York)', timeZone)
    .option('--cashback', 'let its campaigns award money')
    .addOption(
      new Option('--reversals <policy>', 'how far refunds take back credited points (default: within_balance)').choices(
        reversalPolicies,
      ),
    )
    .addHelpText('after', examples('partnership create "Coffee × Miles" --merchant "Corner Coffee" --partner 2'))
    .action((name, options) => cli.run((operator) => create(operator, name, options)));

  group
    .command('list')
    .description('List partnerships, deleted ones left out.')
    .option('--of <organisation>', 'only those of an organisation, by id or exact name')
    .addHelpText('after', examples('partnership list', 'partnership list --of "Corner Coffee"'))
    .action(({ of }) => cli.run((operator) => list(operator, of)));

  group
    .command('show')
    .description('Show a partnership with its totals, campaigns and triggers.')
    .argument('<partnership>', 'its UUID or exact name')
    .addHelpText('after', examples('partnership show "Corner Coffee × Skyline Miles"'))
    .action((text) => cli.run((operator) => show(operator, text)));

  group
    .command('activate')
    .description('Have the campaigns of a partnership reward again.')
    .argument('<partnership>', 'its UUID or exact name')
    .addHelpText('after', examples('partnership activate "Corner Coffee × Skyline Miles"'))
    .action((text) => cli.run((operator) => activate(operator, text)));

  group
    .command('deactivate')
    .description('Have no campaign of a partnership reward anything, until it is activated again.')
    .argument('<partnership>', 'its UUID or exact name')
    .addHelpText('after', examples('partnership deactivate "Corner Coffee × Skyline Miles" --yes'))
    .action((text) => cli.run((operator) => deactivate(operator, text)));
}

async function create(operator: Operator, name: string, options: Wanted): Promise<Report> {
  const { platform } = operator;
  const merchant = await findOrganisationOfKind(platform, options.merchant, 'MERCHANT');
  const partner = await findOrganisationOfKind(platform, options.partner, 'PARTNER');
  const namesake = (await platform.campaigns.partnershipsOf('byMerchant', merchant.id)).find(
    (one) => one.name === name,
  );
  if (namesake) throw new OperatorError(`${partnershipText(namesake)} has this name already`);

  const { made, writes } = newPartnership(platform, {
    name,
    description: options.description ?? null,
    merchantId: merchant.id,
    partnerId: partner.id,
    allowsCashback: options.cashback === true,
    ...(options.timeZone !== undefined && { timeZone: options.timeZone }),
    ...(options.reversals !== undefined && { reversalPolicy: options.reversals }),
  });
  await operator.change({
    what: `made ${partnershipText(made)} between ${merchant.id} (${merchant.name}) and ${partner.id} (${partner.name})`,
    writes,
    conflict: 'there is such a partnership already; nothing was changed, try again',
  });
  return { json: { partnership: partnershipView(made) }, text: await factsOf(operator, made) };
}

async function list({ platform }: Operator, of: string | undefined): Promise<Report> {
  const partnerships = of === undefined ? await allPartnerships(platform) : await partnershipsOf(platform, of);
  const isEmpty = partnerships.length === 0;
  return {
    json: { partnerships: partnerships.map(partnershipView) },
    text: isEmpty ? 'There are no partnerships.' : await partnershipsTable(platform, partnerships),
  };
}

async function partnershipsOf(platform: Operator['platform'], text: string): Promise<Partnership[]> {
  const { id, kind } = await findOrganisation(platform, text);
  return platform.campaigns.partnershipsOf(kind === 'MERCHANT' ? 'byMerchant' : 'byPartner', id);
}

async function show(operator: Operator, text: string): Promise<Report> {
  const { platform } = operator;
  const partnership = await findPartnership(platform, text);
  const [found, triggers] = await Promise.all([
    platform.campaigns.partnership(partnership.uuid),
    platform.triggers.of(partnership.uuid),
  ]);
  const { totals, campaigns } = found ?? { totals: undefined, campaigns: [] };
  return {
    json: {
      partnership: { ...partnershipView(partnership), totals },
      campaigns: campaigns.map(campaignView),
      triggers: triggers.map(triggerView),
    },
    text: paragraphs(
      await factsOf(operator, partnership, totals),
      section('Campaigns', campaignsTable(campaigns)),
      section('Triggers', triggersTable(triggers)),
    ),
  };
}

async function activate(operator: Operator, text: string): Promise<Report> {
  return setActive(operator, await findPartnership(operator.platform, text), true);
}

async function deactivate(operator: Operator, text: string): Promise<Report> {
  const partnership = await findPartnership(operator.platform, text);
  checkActivation(partnership, false);
  await operator.confirm(
    `Deactivate ${partnershipText(partnership)}? Its campaigns reward nothing until it is activated.`,
  );
  return setActive(operator, partnership, false);
}

async function setActive(operator: Operator, partnership: Partnership, isActive: boolean): Promise<Report> {
  checkActivation(partnership, isActive);
  const next = { ...partnership, isActive };
  await operator.change({
    what: `${isActive ? 'activated' : 'deactivated'} ${partnershipText(partnership)}`,
    writes: [activationWrite(partnership.uuid, isActive)],
    conflict: `${partnershipText(partnership)} was changed by somebody else meanwhile; nothing was changed now`,
  });
  return {
    json: { partnership: partnershipView(next) },
    text: `The ${partnershipText(next)} is ${stateOf(next)} now.`,
  };
}

function checkActivation(partnership: Partnership, isActive: boolean): void {
  if (partnership.isDeleted) throw new OperatorError(`${partnershipText(partnership)} is deleted`);
  if (partnership.isActive !== isActive) return;
  throw new OperatorError(`${partnershipText(partnership)} is ${stateOf(partnership)} already`);
}

async function factsOf({ platform }: Operator, partnership: Partnership, totals?: Totals): Promise<string> {
  const {
    uuid,
    name,
    description,
    merchantId,
    partnerId,
    timeZone: zone,
    allowsCashback,
    reversalPolicy,
    createdAt,
  } = partnership;
  const nameOf = await organisationNames(platform, [merchantId, partnerId]);
  return facts({
    uuid,
    name,
    description,
    merchant: `${merchantId} (${nameOf(merchantId)})`,
    partner: `${partnerId} (${nameOf(partnerId)})`,
    state: stateOf(partnership),
    'time zone': zone,
    cashback: allowsCashback ? 'allowed' : 'not allowed',
    reversals: reversalPolicy,
    made: moment(createdAt),
    ...(totals && {
      'points earned': count(totals.earnedPoints),
      'points redeemed': count(totals.redeemedPoints),
      'cashback awarded': dollars(totals.cashbackCents),
      transactions: count(totals.transactions),
    }),
  });
}

function campaignView({ campaign, totals }: CampaignWithTotals) {
  const { id, version, name, type, status, startsAt, endsAt, isDeleted } = campaign;
  return { id, version, name, type, status, startsAt, endsAt, isDeleted, totals };
}

function campaignsTable(campaigns: readonly CampaignWithTotals[]): string {
  if (campaigns.length === 0) return 'none';
  return table(
    ['id', 'version', 'name', 'type', 'status', 'earned', 'redeemed', 'transactions'],
    campaigns.map(({ campaign: { id, version, name, type, status, isDeleted }, totals }) => [
      id,
      version,
      name,
      type,
      isDeleted ? `${status}, deleted` : status,
      count(totals.earnedPoints),
      count(totals.redeemedPoints),
      count(totals.transactions),
    ]),
  );
}
