import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { attributeTypes, type Registry } from '../../../shared/domain/registry/registry.ts';
import {
  type ChangedRegistry,
  loadRegistry,
  type RegistryOverview,
  removeAttribute,
  removeTier,
  setAttribute,
  setTier,
} from '../../../shared/operations/registry/manage-registry.ts';
import { addCommand, type Cli, type Report } from '../cli/cli.ts';
import * as input from '../cli/input.ts';
import { listed, paragraphs, section, UsageError } from '../cli/text.ts';
import { viewOf } from '../cli/view.ts';

const attributeArgument = ['<name>', 'name of the attribute', input.nonEmptyText] as const;
const tierArgument = ['<id>', 'the program’s own number of the tier', input.positiveNumber] as const;

/** The commands of the registries, in the group of organisations. */
export function registryCommands(cli: Cli, organisations: CommandUnknownOpts): void {
  addAttributeCommands(cli, organisations);
  addTierCommands(cli, organisations);
}

function addAttributeCommands(cli: Cli, organisations: CommandUnknownOpts): void {
  const group = addCommand(organisations, 'attribute')
    .description('Attributes that a merchant reports about its customers. Campaigns may refer to no others.')
    .helpCommand(false);

  addCommand(group, 'set')
    .description('Register an attribute of a merchant, or change its type and values.')
    .argument(...input.organisationArgument)
    .argument(...attributeArgument)
    .addOption(new Option('--type <type>', 'type of its values').choices(attributeTypes).default('text' as const))
    .option('--value <value>', 'an allowed value; may be repeated', (value, earlier: string[] = []) => [
      ...earlier,
      input.nonEmptyText(value),
    ])
    .option('--any-value', 'allow every value of the type')
    .action(
      cli.door(
        async ({ deps }, organisation, name, options) => {
          const { type, value, anyValue = false } = options;
          if ((value === undefined) !== anyValue) {
            throw new UsageError('allow some values with --value, or every value of the type with --any-value');
          }
          const attribute = { name, type, values: value ? [...value] : null };
          return changeReport(`attribute ${name}`, await setAttribute(organisation, attribute, deps));
        },
        'organisation attribute set "Corner Coffee" plan --value monthly --value yearly',
        'organisation attribute set "Corner Coffee" cups-a-day --type number --any-value',
      ),
    );

  addCommand(group, 'list')
    .description('List the attributes of a merchant, and the campaigns that use them.')
    .argument(...input.organisationArgument)
    .action(
      cli.door(async ({ deps }, organisation) => {
        const { organisation: merchant, attributes, missingAttributes } = await loadRegistry(organisation, deps);
        const none = `${merchant.name} has no attributes in its registry.`;
        const { json, text } = attributeView.list(attributes, { name: 'attributes', none });
        return { json: { ...json, missing: missingAttributes }, text: withMissing(text, missingAttributes) };
      }, 'organisation attribute list "Corner Coffee"'),
    );

  addCommand(group, 'remove')
    .description('Remove an attribute that no campaign uses. Members keep its values, which count nowhere.')
    .argument(...input.organisationArgument)
    .argument(...attributeArgument)
    .action(
      cli.door(async ({ deps }, organisation, name) => {
        return changeReport(`attribute ${name}`, await removeAttribute(organisation, name, deps));
      }, 'organisation attribute remove "Corner Coffee" plan'),
    );
}

function addTierCommands(cli: Cli, organisations: CommandUnknownOpts): void {
  const group = addCommand(organisations, 'tier')
    .description('Status tiers of a partner’s program. Campaigns may refer to no others.')
    .helpCommand(false);

  addCommand(group, 'set')
    .description('Register a status tier of a program, or change its name and order.')
    .argument(...input.organisationArgument)
    .argument(...tierArgument)
    .requiredOption('--name <name>', 'its name', input.nonEmptyText)
    .option('--order <number>', 'its rank, 1 is the lowest (default: above all others)', input.positiveNumber)
    .action(
      cli.door(async ({ deps }, organisation, id, { name, order }) => {
        const tier = { id, name, ...(order !== undefined && { order }) };
        return changeReport(`status tier ${id} (${name})`, await setTier(organisation, tier, deps));
      }, 'organisation tier set "Skyline Miles" 2 --name Gold --order 2'),
    );

  addCommand(group, 'list')
    .description('List the status tiers of a program by their order, and the campaigns that use them.')
    .argument(...input.organisationArgument)
    .action(
      cli.door(async ({ deps }, organisation) => {
        const { organisation: partner, tiers, missingTiers } = await loadRegistry(organisation, deps);
        const none = `${partner.name} has no status tiers in its registry.`;
        const { json, text } = tierView.list(tiers, { name: 'tiers', none });
        const missing = missingTiers.map(({ id, campaignIds }) => ({ name: String(id), campaignIds }));
        return { json: { ...json, missing: missingTiers }, text: withMissing(text, missing) };
      }, 'organisation tier list "Skyline Miles"'),
    );

  addCommand(group, 'remove')
    .description('Remove a status tier that no campaign uses. Members keep its number, which counts nowhere.')
    .argument(...input.organisationArgument)
    .argument(...tierArgument)
    .action(
      cli.door(async ({ deps }, organisation, id) => {
        return changeReport(`status tier ${id}`, await removeTier(organisation, id, deps));
      }, 'organisation tier remove "Skyline Miles" 2'),
    );
}

function changeReport(entry: string, { outcome, organisation, registry }: ChangedRegistry): Report {
  return {
    json: { outcome, registry: registryView(registry) },
    text: `The ${entry} of ${organisation.name} is ${outcome}.`,
  };
}

/** The entries of a registry. */
function registryView({ attributes, tiers, revision }: Registry) {
  return {
    attributes: attributes.map(({ name, type, values }) => ({ name, type, values })),
    tiers: tiers.map(({ id, name, order }) => ({ id, name, order })),
    revision,
  };
}

const attributeView = viewOf<RegistryOverview['attributes'][number]>()({
  name: { head: 'name' },
  type: { head: 'type' },
  values: { head: 'values', cell: ({ values }) => values?.join(', ') ?? 'every value' },
  campaignIds: { head: 'campaigns', as: (ids) => ids.join(', ') },
});

const tierView = viewOf<RegistryOverview['tiers'][number]>()({
  order: { head: 'order' },
  id: { head: 'id' },
  name: { head: 'name' },
  campaignIds: { head: 'campaigns', as: (ids) => ids.join(', ') },
});

interface MissingEntry {
  readonly name: string;
  readonly campaignIds: readonly number[];
}

/**
 * Adds to the report the entries that campaigns use and that the registry lacks. Campaigns that were approved before
 * registries existed keep running, but an edit of them cannot be approved until the entries are registered.
 */
function withMissing(entries: string, missing: readonly MissingEntry[]): string {
  if (missing.length === 0) return entries;
  const lines = missing.map(({ name, campaignIds }) => `${name}: campaign ${listed(campaignIds.map(String))}`);
  return paragraphs(entries, section('Used by campaigns, and not registered:', lines.join('\n')));
}
