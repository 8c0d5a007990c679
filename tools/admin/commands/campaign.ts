import { Option } from '@commander-js/extra-typings';
import * as z from 'zod/mini';
import { campaignStatuses } from '../../../shared/domain/campaign/document/campaign.ts';
import { campaignTypes } from '../../../shared/domain/campaign/document/kinds/kind.ts';
import { campaignView, summaryView, versionDocumentView } from '../../../shared/http/views/managed-campaign.ts';
import { browseCampaigns } from '../../../shared/operations/campaign/browse-campaigns.ts';
import { loadCampaign, loadVersion } from '../../../shared/operations/campaign/load-campaign.ts';
import {
  type AppliedDocument,
  applyCampaign,
  compareCampaign,
  createCampaign,
  duplicateCampaign,
  editCampaign,
  exportDocument,
} from '../../../shared/operations/campaign/write-campaign.ts';
import { findOrganisation } from '../../../shared/operations/organisation/find-organisation.ts';
import { loadTimeZone } from '../../../shared/operations/partnership/load-time-zone.ts';
import { findPartnership } from '../../../shared/operations/partnership/manage-partnership.ts';
import { addCommand, type Cli, type Operator, type Report } from '../cli/cli.ts';
import { readJsonFile, writeText } from '../cli/files.ts';
import * as input from '../cli/input.ts';
import { namedReport } from '../cli/names.ts';
import { paragraphs, section, UsageError } from '../cli/text.ts';
import {
  actsTable,
  approvalText,
  campaignsTable,
  campaignText,
  differencesText,
  differencesView,
  forPeople,
  versionText,
} from '../views/campaign.ts';
import { addChangeCommands, campaignReport } from './campaign-changes.ts';
import { fileHelp } from './campaign-file-help.ts';
import { addTrialCommands } from './campaign-trials.ts';

export function campaignCommands(cli: Cli): void {
  const group = cli.add('campaign', 'Campaigns: their documents, approvals and states.');

  addCommand(group, 'apply')
    .description('Create a campaign from a file, or change one to match a file. Nothing runs before it is approved.')
    .argument('<file>', 'JSON file')
    .requiredOption(...input.asOption)
    .option(
      '--partnership <partnership>',
      'create a campaign of this partnership, or change the one of the same name: its UUID or exact name',
    )
    .option('--new', 'with --partnership: create another campaign of the same name')
    .option('--campaign <id>', 'change this campaign (default: the "id" in the file)', input.wholeNumber)
    .option(...input.revisionOption)
    .addHelpText('after', fileHelp)
    .action(
      cli.door(
        async ({ deps }, path, options) => {
          const file = await readJsonFile(path, CampaignFile);
          const as = await findOrganisation(options.as, deps);
          if (options.partnership === undefined) {
            const { revision } = options;
            return applyReport(
              await editCampaign(file, { campaignId: campaignIdIn(file, options), as, revision }, deps),
              deps,
            );
          }
          const origin = {
            partnership: await findPartnership(options.partnership, deps),
            as,
            revision: options.revision,
          };
          const write = options.new ? createCampaign : applyCampaign;
          return applyReport(await write(file, origin, deps), deps);
        },
        'campaign apply earn.json --as "Skyline Miles" --partnership "Corner Coffee × Skyline Miles"',
        'campaign apply earn.json --as "Skyline Miles" --campaign 5',
      ),
    );

  addCommand(group, 'diff')
    .description('Show how a file differs from a campaign, and list its errors. Changes nothing.')
    .argument('<file>', 'JSON file')
    .requiredOption(...input.asOption)
    .option('--campaign <id>', 'the campaign (default: the "id" in the file)', input.wholeNumber)
    .action(
      cli.door(async ({ deps }, path, options) => {
        const file = await readJsonFile(path, CampaignFile);
        const as = await findOrganisation(options.as, deps);
        const differences = await compareCampaign(file, { campaignId: campaignIdIn(file, options), as }, deps);
        return { json: { differences: differencesView(differences) }, text: differencesText(differences) };
      }, 'campaign diff earn.json --as "Skyline Miles" --campaign 5'),
    );

  addCommand(group, 'list')
    .description('List the campaigns of an organisation, with drafts. Deleted ones are left out.')
    .argument(...input.organisationArgument)
    .addOption(new Option('--status <status>', 'only campaigns in this state').choices(campaignStatuses))
    .addOption(new Option('--type <type>', 'only campaigns of this type').choices(campaignTypes))
    .option('--text <text>', 'only campaigns with this text in their names')
    .option('--waiting', 'only campaigns with a review that waits for the organisation')
    .action(
      cli.door(
        async ({ deps }, text, { status, type, text: named, waiting }) => {
          const organisation = await findOrganisation(text, deps);
          const filter = { status, type, text: named, waiting: waiting ? ('you' as const) : undefined };
          const request = { filter, range: { limit: everyCampaign }, withDeletedPartnerships: true };
          const { items } = await browseCampaigns(organisation.id, request, deps);
          const none = `organisation ${organisation.id} (${organisation.name}) has no campaigns like that.`;
          const timeZone = await loadTimeZone(
            items.map(({ record }) => record),
            deps,
          );
          return {
            json: { campaigns: items.map((campaign) => summaryView(campaign, organisation.id)) },
            text: items.length > 0 ? campaignsTable(items, timeZone) : none,
          };
        },
        'campaign list "Corner Coffee"',
        'campaign list "Skyline Miles" --waiting',
      ),
    );

  addCommand(group, 'show')
    .description('Show the running and the next version of a campaign, or an earlier version.')
    .argument(...input.campaignArgument)
    .option('--version <number>', 'an approved version', input.wholeNumber)
    .option('--file <path>', 'write its document to this file, as campaign apply takes it')
    .option('--as <organisation>', 'also show what this organisation may do with it: its id or exact name')
    .action(
      cli.door(
        show,
        'campaign show 5',
        'campaign show 5 --as "Corner Coffee"',
        'campaign show 5 --version 1',
        'campaign show 5 --file earn.json',
      ),
    );

  addCommand(group, 'duplicate')
    .description('Copy a campaign, as a draft. Parts stay with their owners.')
    .argument(...input.campaignArgument)
    .requiredOption(...input.asOption)
    .action(
      cli.door(async ({ deps }, campaignId, options) => {
        return campaignReport(
          await duplicateCampaign({ campaignId, as: await findOrganisation(options.as, deps) }, deps),
          deps,
        );
      }, 'campaign duplicate 5 --as "Corner Coffee"'),
    );

  addTrialCommands(cli, group);
  addChangeCommands(cli, group);
}

const CampaignFile = z.record(z.string(), z.unknown(), 'it has to be an object, in { }');
type CampaignFile = z.infer<typeof CampaignFile>;

type FileOptions = input.Needed<'as'> &
  input.Given<'partnership'> &
  input.Given<'new', true> &
  input.Given<'campaign' | 'revision', number>;

/** @throws UsageError when neither the options nor the file name the campaign */
function campaignIdIn(file: CampaignFile, { campaign }: FileOptions): number {
  const campaignId = campaign ?? file.id;
  if (typeof campaignId === 'number') return campaignId;
  throw new UsageError('name the campaign with --campaign, or create one in a partnership with --partnership');
}

async function applyReport(
  { outcome, campaign, differences }: AppliedDocument,
  deps: Operator['deps'],
): Promise<Report> {
  if (outcome === 'unchanged') {
    return { json: { outcome, differences: [] }, text: 'The campaign equals the file already.' };
  }
  const { id, draft } = campaign.record;
  const isNew = outcome === 'created';
  const details = await loadCampaign(id, null, deps);
  const state = `Campaign ${id} is ${outcome}: version ${draft?.campaign.version} is ${draft?.campaign.status}.`;
  return {
    // Scripts expect the word `made`.
    json: {
      outcome: isNew ? 'made' : outcome,
      differences: differencesView(differences),
      campaign: campaignView(details),
    },
    text: paragraphs(
      [state, ...approvalText(forPeople(details))].join(' '),
      section('Differences', isNew ? 'everything is new' : differencesText(differences)),
    ),
  };
}

type ShowOptions = input.Given<'version', number> & input.Given<'file' | 'as'>;

async function show({ deps }: Operator, campaignId: number, { version, file, as }: ShowOptions): Promise<Report> {
  if (version !== undefined && file !== undefined)
    throw new UsageError('--file writes the version to edit, not --version');
  if (version !== undefined) return showVersion({ campaignId, version }, deps);
  const viewer = as === undefined ? null : { organisationId: (await findOrganisation(as, deps)).id };
  const details = await loadCampaign(campaignId, viewer, deps);
  if (file !== undefined) {
    await writeText(file, `${JSON.stringify(await exportDocument(details.campaign, deps), null, 2)}\n`);
  }
  const written = file === undefined ? [] : [`Its document is written to ${file}.`];
  const view = campaignView(details);
  const acts = viewer ? [section('Acts', actsTable(view.acts))] : [];
  const text = paragraphs(campaignText(forPeople(details)), ...acts, ...written);
  return namedReport({ json: { campaign: view }, text }, deps, [details.partnership.uuid]);
}

async function showVersion(of: Parameters<typeof loadVersion>[0], deps: Operator['deps']): Promise<Report> {
  const found = await loadVersion(of, null, deps);
  const { details, version } = found;
  const text = versionText(version, forPeople(details));
  return namedReport({ json: { version: versionDocumentView(found) }, text }, deps, [details.partnership.uuid]);
}

/** More campaigns than any organisation has. */
const everyCampaign = 100_000;
