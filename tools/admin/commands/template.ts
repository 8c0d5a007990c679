import { templateView } from '../../../shared/http/views/managed-template.ts';
import {
  createCampaignFromTemplate,
  createTemplate,
  deleteTemplate,
} from '../../../shared/operations/campaign/manage-templates.ts';
import { findOrganisation } from '../../../shared/operations/organisation/find-organisation.ts';
import { findPartnership } from '../../../shared/operations/partnership/manage-partnership.ts';
import { addCommand, type Cli } from '../cli/cli.ts';
import * as input from '../cli/input.ts';
import { templatesTable } from '../views/campaign.ts';
import { campaignReport } from './campaign-changes.ts';

/** The list shows at most this many templates, the newest first. No organisation has more. */
const maximumTemplates = 1_000;

export function templateCommands(cli: Cli): void {
  const group = cli.add('template', 'Campaigns to create other campaigns from.');

  addCommand(group, 'create')
    .description('Create a template from a campaign, for the organisation that acts.')
    .argument(...input.campaignArgument)
    .requiredOption(...input.asOption)
    .action(
      cli.door(async ({ deps }, campaignId, options) => {
        const as = await findOrganisation(options.as, deps);
        const template = await createTemplate({ campaignId, as }, deps);
        const text = `Template ${template.id} is created from campaign ${campaignId}.`;
        return { json: { template: templateView(template, as.name) }, text };
      }, 'template create 5 --as "Corner Coffee"'),
    );

  addCommand(group, 'list')
    .description('List the templates of an organisation and of the platform.')
    .argument(...input.organisationArgument)
    .action(
      cli.door(async ({ deps }, organisation) => {
        const { id, name } = await findOrganisation(organisation, deps);
        const { items } = await deps.templates.offeredTo(id, { limit: maximumTemplates });
        const none = `There are no templates for organisation ${id} (${name}).`;
        return {
          json: { templates: items.map((template) => templateView(template, name)) },
          text: items.length > 0 ? templatesTable(items, name) : none,
        };
      }, 'template list "Corner Coffee"'),
    );

  addCommand(group, 'use')
    .description('Create a campaign from a template, as a draft.')
    .argument('<template>', 'id of the template', input.wholeNumber)
    .requiredOption(...input.asOption)
    .requiredOption('--partnership <partnership>', 'UUID or exact name of the partnership')
    .action(
      cli.door(async ({ deps }, templateId, options) => {
        const as = await findOrganisation(options.as, deps);
        const partnership = await findPartnership(options.partnership, deps);
        return campaignReport(await createCampaignFromTemplate({ templateId, partnership, as }, deps), deps);
      }, 'template use 7 --as 1 --partnership "Corner Coffee × Skyline Miles"'),
    );

  addCommand(group, 'delete')
    .description('Delete a template of an organisation. Campaigns that were made from it stay.')
    .argument('<template>', 'id of the template', input.wholeNumber)
    .requiredOption(...input.asOption)
    .action(
      cli.door(async ({ deps }, templateId, options) => {
        await deleteTemplate({ templateId, as: await findOrganisation(options.as, deps) }, deps);
        return { json: { deleted: templateId }, text: `Template ${templateId} is deleted.` };
      }, 'template delete 7 --as "Corner Coffee"'),
    );
}
