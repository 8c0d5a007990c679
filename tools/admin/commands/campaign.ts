import * as z from 'zod/mini';
import type { ManagedCampaign } from '../../../shared/domain/campaign/document/record.ts';
import { type Applied, diffCampaign, editCampaign, makeCampaign } from '../campaigns/apply.ts';
import { duplicateCampaign } from '../campaigns/copy.ts';
import { changedText, findCampaign } from '../campaigns/manage.ts';
import { wholeNumber } from '../cli/arguments.ts';
import { type Cli, examples } from '../cli/cli.ts';
import { OperatorError, UsageError } from '../cli/errors.ts';
import { readJsonFile } from '../cli/read-file.ts';
import type { Report } from '../cli/report.ts';
import { facts, paragraphs, section } from '../cli/text.ts';
import { campaignsOf } from '../find/campaigns.ts';
import { findOrganisation, organisationNames, organisationText } from '../find/organisations.ts';
import { findPartnership } from '../find/partnerships.ts';
import type { Change } from '../make/change.ts';
import type { Operator } from '../operator.ts';
import {
  campaignsTable,
  campaignText,
  campaignView,
  differencesText,
  differencesView,
  documentText,
  stateOf,
} from '../views/campaign.ts';
import { addChangeCommands, asOrganisation, revisionOption } from './campaign-changes.ts';
import { fileHelp } from './campaign-file-help.ts';

export function campaignCommands(cli: Cli): void {
  const group = cli.add('campaign', 'Campaigns: what they say, who approved it, and where they stand.');

  group
    .command('apply')
    .description('Make a campaign of a file, or change one to what a file says. Nothing runs before it is approved.')
    .argument('<file>', 'JSON file')
    .requiredOption(...asOrganisation)
    .option('--partnership <partnership>', 'make a campaign of this partnership: its UUID or exact name')
    .option('--campaign <id>', 'change this campaign; the "id" in the file unless given', wholeNumber)
    .option(...revisionOption)
    .addHelpText('after', fileHelp)
    .addHelpText(
      'after',
      examples(
        'campaign apply earn.json --as "Skyline Miles" --partnership "Corner Coffee × Skyline Miles"',
        'campaign apply earn.json --as "Skyline Miles" --campaign 5',
      ),
    )
    .action((file, options) => cli.run((operator) => apply(operator, file, options)));

  group
    .command('diff')
    .description('Tell what a file says otherwise than a campaign, and what is wrong with it. Changes nothing.')
    .argument('<file>', 'JSON file')
    .requiredOption(...asOrganisation)
    .option('--campaign <id>', 'the campaign; the "id" in the file unless given', wholeNumber)
    .addHelpText('after', examples('campaign diff earn.json --as "Skyline Miles" --campaign 5'))
    .action((file, options) => cli.run((operator) => diff(operator, file, options)));

  group
    .command('list')
    .description('List the campaigns of an organisation, drafts included, deleted ones left out.')
    .argument('<organisation>', 'its id or exact name')
    .addHelpText('after', examples('campaign list "Corner Coffee"'))
    .action((text) => cli.run((operator) => list(operator, text)));

  group
    .command('show')
    .description('Show a campaign: the version that runs and the next one, or a version that ran once.')
    .argument('<campaign>', 'its id', wholeNumber)
    .option('--version <number>', 'an approved version', wholeNumber)
    .addHelpText('after', examples('campaign show 5', 'campaign show 5 --version 1'))
    .action((id, { version }) => cli.run((operator) => show(operator, id, version)));

  group
    .command('duplicate')
    .description('Copy a campaign, as a draft. Parts stay with their owners.')
    .argument('<campaign>', 'its id', wholeNumber)
    .requiredOption(...asOrganisation)
    .addHelpText('after', examples('campaign duplicate 5 --as "Corner Coffee"'))
    .action((id, options) => cli.run((operator) => copy(operator, id, options.as)));

  addChangeCommands(cli, group);
}

const CampaignFile = z.record(z.string(), z.unknown(), 'it has to be an object, in { }');

interface ApplyOptions {
  readonly as: string;
  readonly partnership?: string | undefined;
  readonly campaign?: number | undefined;
  readonly revision?: number | undefined;
}

async function apply(operator: Operator, path: string, options: ApplyOptions): Promise<Report> {
  const { platform } = operator;
  const file = await readJsonFile(path, CampaignFile);
  const organisation = await findOrganisation(platform, options.as);
  const applied =
    options.partnership === undefined
      ? await editCampaign(platform, file, { ...options, ...acting(organisation.id, file, options.campaign) })
      : await makeCampaign(platform, file, {
          partnership: await findPartnership(platform, options.partnership),
          organisationId: organisation.id,
        });
  return written(operator, applied, organisationText(organisation));
}

/** Which campaign a file is about, and for whom. */
function acting(organisationId: number, file: z.infer<typeof CampaignFile>, campaign: number | undefined) {
  const campaignId = campaign ?? file.id;
  if (typeof campaignId === 'number') return { campaignId, organisationId };
  throw new UsageError('name the campaign with --campaign, or make one of a partnership with --partnership');
}

async function written(operator: Operator, { change, differences }: Applied, as: string): Promise<Report> {
  if (!change) return { json: { outcome: 'unchanged', differences: [] }, text: 'The campaign says so already.' };
  const { record } = change.made;
  const isNew = record.revision === 1;
  const outcome = isNew ? 'made' : 'changed';
  await operator.change({
    what: `${outcome} campaign ${record.id} as ${as}`,
    writes: change.writes,
    conflict: changedText(record.id),
  });
  const draft = record.draft?.campaign;
  return {
    json: { outcome, differences: differencesView(differences), campaign: campaignView(change.made) },
    text: paragraphs(
      `Campaign ${record.id} is ${outcome}: version ${draft?.version} is ${draft?.status}.`,
      section('What is otherwise', isNew ? 'everything' : differencesText(differences)),
    ),
  };
}

async function diff(operator: Operator, path: string, { as, campaign }: ApplyOptions): Promise<Report> {
  const file = await readJsonFile(path, CampaignFile);
  const { id } = await findOrganisation(operator.platform, as);
  const differences = await diffCampaign(operator.platform, file, acting(id, file, campaign));
  return { json: { differences: differencesView(differences) }, text: differencesText(differences) };
}

async function list({ platform }: Operator, text: string): Promise<Report> {
  const organisation = await findOrganisation(platform, text);
  const campaigns = await campaignsOf(platform, organisation);
  return {
    json: { campaigns: campaigns.map(campaignView) },
    text: campaigns.length > 0 ? campaignsTable(campaigns) : `${organisationText(organisation)} has no campaigns.`,
  };
}

async function show({ platform }: Operator, id: number, version: number | undefined): Promise<Report> {
  const campaign = await findCampaign(platform, id);
  if (version !== undefined) return showVersion(platform, id, version);
  const { merchantId, partnerId } = campaign.record;
  const nameOf = await organisationNames(platform, [merchantId, partnerId]);
  return { json: { campaign: campaignView(campaign) }, text: campaignText(campaign, nameOf) };
}

async function showVersion(platform: Operator['platform'], id: number, version: number): Promise<Report> {
  const found = await platform.campaignRecords.version(id, version);
  if (!found) throw new OperatorError(`campaign ${id} has no approved version ${version}`);
  const { campaign, approvals } = found;
  const given = approvals.map(({ organisationId, at }) => [`approved by organisation ${organisationId}`, at]);
  return {
    json: { version: { campaign, approvals } },
    text: paragraphs(facts({ version, ...Object.fromEntries(given) }), documentText(campaign)),
  };
}

async function copy(operator: Operator, id: number, as: string): Promise<Report> {
  const organisation = await findOrganisation(operator.platform, as);
  const change = await duplicateCampaign(operator.platform, { campaignId: id, organisationId: organisation.id });
  return made(operator, change, `duplicated campaign ${id} as ${organisationText(organisation)}`);
}

/** Writes a campaign that was made without a file, and tells of it. */
export async function made(operator: Operator, change: Change<ManagedCampaign>, what: string): Promise<Report> {
  const { id } = change.made.record;
  await operator.change({ what: `${what}: campaign ${id}`, writes: change.writes, conflict: changedText(id) });
  return {
    json: { campaign: campaignView(change.made) },
    text: `Campaign ${id} is ${stateOf(change.made)}.`,
  };
}
