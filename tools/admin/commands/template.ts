import { createCampaignFromTemplate, createTemplate } from '../../../shared/operations/campaign/manage-templates.ts';
import { findOrganisation } from '../../../shared/operations/organisation/find-organisation.ts';
import { findPartnership } from '../../../shared/operations/partnership/manage-partnership.ts';
import {
  addCommand,
  asOption,
  type Cli,
  campaignArgument,
  type Operator,
  organisationArgument,
  type Report,
  wholeNumber,
} from '../cli/cli.ts';
import { templatesTable, templateView } from '../views/campaign.ts';
import { campaignReport } from './campaign-changes.ts';

export function templateCommands(cli: Cli): void {
  const group = cli.add('template', 'Campaigns to create other campaigns from.');

  addCommand(group, 'create', 'Create a template from a campaign, for the organisation that acts.')
    .argument(...campaignArgument)
    .requiredOption(...asOption)
    .action(cli.door(create, 'template create 5 --as "Corner Coffee"'));

  addCommand(group, 'list', 'List the templates of an organisation and of the platform.')
    .argument(...organisationArgument)
    .action(cli.door(list, 'template list "Corner Coffee"'));

  addCommand(group, 'use', 'Create a campaign from a template, as a draft.')
    .argument('<template>', 'id of the template', wholeNumber)
    .requiredOption(...asOption)
    .requiredOption('--partnership <partnership>', 'UUID or exact name of the partnership')
    .action(cli.door(use, 'template use 7 --as 1 --partnership "Corner Coffee × Skyline Miles"'));
}

async function create({ deps }: Operator, campaignId: number, options: { readonly as: string }): Promise<Report> {
  const template = await createTemplate({ campaignId, as: await findOrganisation(options.as, deps) }, deps);
  return {
    json: { template: templateView(template) },
    text: `Template ${template.id} is created from campaign ${campaignId}.`,
  };
}

/** The list shows at most this many templates, the newest first. No organisation has more. */
const maximumTemplates = 1_000;

async function list({ deps }: Operator, text: string): Promise<Report> {
  const { id, name } = await findOrganisation(text, deps);
  const { items } = await deps.templates.offeredTo(id, { limit: maximumTemplates });
  return {
    json: { templates: items.map(templateView) },
    text: items.length > 0 ? templatesTable(items, name) : `There are no templates for organisation ${id} (${name}).`,
  };
}

async function use(
  { deps }: Operator,
  templateId: number,
  options: { readonly as: string; readonly partnership: string },
): Promise<Report> {
  const as = await findOrganisation(options.as, deps);
  const partnership = await findPartnership(options.partnership, deps);
  return campaignReport(await createCampaignFromTemplate({ templateId, partnership, as }, deps), deps);
}
