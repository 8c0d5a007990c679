import { platformOwnerId, type Template } from '../../../shared/domain/campaign/document/template.ts';
import { campaignFromTemplate, createTemplate } from '../campaigns/copy.ts';
import { wholeNumber } from '../cli/arguments.ts';
import { type Cli, examples } from '../cli/cli.ts';
import type { Report } from '../cli/report.ts';
import { table } from '../cli/text.ts';
import { findOrganisation, organisationText } from '../find/organisations.ts';
import { findPartnership } from '../find/partnerships.ts';
import type { Operator } from '../operator.ts';
import { made } from './campaign.ts';
import { asOrganisation } from './campaign-changes.ts';

export function templateCommands(cli: Cli): void {
  const group = cli.add('template', 'Campaigns to make other campaigns of.');

  group
    .command('create')
    .description('Make a template of a campaign, for the organisation that acts.')
    .argument('<campaign>', 'id of the campaign', wholeNumber)
    .requiredOption(...asOrganisation)
    .addHelpText('after', examples('template create 5 --as "Corner Coffee"'))
    .action((id, options) => cli.run((operator) => create(operator, id, options.as)));

  group
    .command('list')
    .description('List the templates of an organisation, and those that the platform offers.')
    .argument('<organisation>', 'its id or exact name')
    .addHelpText('after', examples('template list "Corner Coffee"'))
    .action((text) => cli.run((operator) => list(operator, text)));

  group
    .command('use')
    .description('Make a campaign of a template, as a draft.')
    .argument('<template>', 'id of the template', wholeNumber)
    .requiredOption(...asOrganisation)
    .requiredOption('--partnership <partnership>', 'UUID or exact name of the partnership')
    .addHelpText('after', examples('template use 7 --as 1 --partnership "Corner Coffee × Skyline Miles"'))
    .action((id, options) => cli.run((operator) => use(operator, id, options)));
}

async function create(operator: Operator, campaignId: number, as: string): Promise<Report> {
  const organisation = await findOrganisation(operator.platform, as);
  const change = await createTemplate(operator.platform, { campaignId, organisationId: organisation.id });
  const { id } = change.made;
  await operator.change({
    what: `made template ${id} of campaign ${campaignId} as ${organisationText(organisation)}`,
    writes: change.writes,
    conflict: 'there is such a template already; nothing was changed, try again',
  });
  return { json: { template: templateView(change.made) }, text: `Template ${id} is made of campaign ${campaignId}.` };
}

/** More than anybody has; who has more sees the newest. */
const most = 1_000;

async function list({ platform }: Operator, text: string): Promise<Report> {
  const organisation = await findOrganisation(platform, text);
  const { items } = await platform.templates.offeredTo(organisation.id, { limit: most });
  return {
    json: { templates: items.map(templateView) },
    text: items.length > 0 ? templatesTable(items) : `${organisationText(organisation)} is offered no templates.`,
  };
}

async function use(
  operator: Operator,
  id: number,
  options: { readonly as: string; readonly partnership: string },
): Promise<Report> {
  const organisation = await findOrganisation(operator.platform, options.as);
  const partnership = await findPartnership(operator.platform, options.partnership);
  const change = await campaignFromTemplate(operator.platform, id, { partnership, organisationId: organisation.id });
  return made(operator, change, `used template ${id} as ${organisationText(organisation)}`);
}

/** A template for scripts. */
function templateView(template: Template) {
  const { id, name, description, logo, type, ownerId, templateId, flows, goals, createdAt } = template;
  return { id, name, description, logo, type, ownerId, templateId, flows, goals, createdAt };
}

/** Templates for people. */
function templatesTable(templates: readonly Template[]): string {
  return table(
    ['id', 'name', 'type', 'of', 'flows'],
    templates.map(({ id, name, type, ownerId, flows }) => [
      id,
      name,
      type,
      ownerId === platformOwnerId ? 'the platform' : `organisation ${ownerId}`,
      flows.length,
    ]),
  );
}
