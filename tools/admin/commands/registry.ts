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
import {
  addCommand,
  type Cli,
  nonEmptyText,
  type Operator,
  organisationArgument,
  positiveNumber,
  type Report,
} from '../cli/cli.ts';
import { listed, paragraphs, section, table, UsageError } from '../cli/text.ts';

const attributeArgument = ['<name>', 'name of the attribute', nonEmptyText] as const;
const tierArgument = ['<id>', 'the program’s own number of the tier', positiveNumber] as const;

/** The commands of the registries, in the group of organisations. */
export function registryCommands(cli: Cli, organisations: CommandUnknownOpts): void {
  addAttributeCommands(cli, organisations);
  addTierCommands(cli, organisations);
}

function addAttributeCommands(cli: Cli, organisations: CommandUnknownOpts): void {
  const group = addCommand(
    organisations,
    'attribute',
    'Attributes that a merchant reports about its customers. Campaigns may refer to no others.',
  ).helpCommand(false);

  addCommand(group, 'set', 'Register an attribute of a merchant, or change its type and values.')
    .argument(...organisationArgument)
    .argument(...attributeArgument)
    .addOption(new Option('--type <type>', 'type of its values').choices(attributeTypes).default('text' as const))
    .option('--value <value>', 'an allowed value; may be repeated', (value, earlier: string[] = []) => [
      ...earlier,
      nonEmptyText(value),
    ])
    .option('--any-value', 'allow every value of the type')
    .action(
      cli.door(
        set,
        'organisation attribute set "Corner Coffee" plan --value monthly --value yearly',
        'organisation attribute set "Corner Coffee" cups-a-day --type number --any-value',
      ),
    );

  addCommand(group, 'list', 'List the attributes of a merchant, and the campaigns that use them.')
    .argument(...organisationArgument)
    .action(cli.door(listAttributes, 'organisation attribute list "Corner Coffee"'));

  addCommand(
    group,
    'remove',
    'Remove an attribute that no campaign uses. Members keep its values, which count nowhere.',
  )
    .argument(...organisationArgument)
    .argument(...attributeArgument)
    .action(cli.door(removeNamed, 'organisation attribute remove "Corner Coffee" plan'));
}

function addTierCommands(cli: Cli, organisations: CommandUnknownOpts): void {
  const group = addCommand(
    organisations,
    'tier',
    'Status tiers of a partner’s program. Campaigns may refer to no others.',
  ).helpCommand(false);

  addCommand(group, 'set', 'Register a status tier of a program, or change its name and order.')
    .argument(...organisationArgument)
    .argument(...tierArgument)
    .requiredOption('--name <name>', 'its name', nonEmptyText)
    .option('--order <number>', 'its rank, 1 is the lowest (default: above all others)', positiveNumber)
    .action(cli.door(setNumbered, 'organisation tier set "Skyline Miles" 2 --name Gold --order 2'));

  addCommand(group, 'list', 'List the status tiers of a program by their order, and the campaigns that use them.')
    .argument(...organisationArgument)
    .action(cli.door(listTiers, 'organisation tier list "Skyline Miles"'));

  addCommand(
    group,
    'remove',
    'Remove a status tier that no campaign uses. Members keep its number, which counts nowhere.',
  )
    .argument(...organisationArgument)
    .argument(...tierArgument)
    .action(cli.door(removeNumbered, 'organisation tier remove "Skyline Miles" 2'));
}

interface AttributeOptions {
  readonly type: (typeof attributeTypes)[number];
  readonly value?: readonly string[] | undefined;
  readonly anyValue?: true | undefined;
}

async function set({ deps }: Operator, organisation: string, name: string, options: AttributeOptions): Promise<Report> {
  const { type, value, anyValue = false } = options;
  if ((value === undefined) !== anyValue) {
    throw new UsageError('allow some values with --value, or every value of the type with --any-value');
  }
  const attribute = { name, type, values: value ? [...value] : null };
  return changeReport(`attribute ${name}`, await setAttribute(organisation, attribute, deps));
}

async function removeNamed({ deps }: Operator, organisation: string, name: string): Promise<Report> {
  return changeReport(`attribute ${name}`, await removeAttribute(organisation, name, deps));
}

async function listAttributes({ deps }: Operator, organisation: string): Promise<Report> {
  const overview = await loadRegistry(organisation, deps);
  return { json: attributesView(overview), text: attributesText(overview) };
}

interface TierOptions {
  readonly name: string;
  readonly order?: number | undefined;
}

async function setNumbered(
  { deps }: Operator,
  organisation: string,
  id: number,
  { name, order }: TierOptions,
): Promise<Report> {
  const tier = { id, name, ...(order !== undefined && { order }) };
  return changeReport(`status tier ${id} (${name})`, await setTier(organisation, tier, deps));
}

async function removeNumbered({ deps }: Operator, organisation: string, id: number): Promise<Report> {
  return changeReport(`status tier ${id}`, await removeTier(organisation, id, deps));
}

async function listTiers({ deps }: Operator, organisation: string): Promise<Report> {
  const overview = await loadRegistry(organisation, deps);
  return { json: tiersView(overview), text: tiersText(overview) };
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

/** The attributes of a merchant, and the campaigns that use each. */
function attributesView({ attributes, missingAttributes }: RegistryOverview) {
  return {
    attributes: attributes.map(({ name, type, values, campaignIds }) => ({ name, type, values, campaignIds })),
    missing: missingAttributes.map(({ name, campaignIds }) => ({ name, campaignIds })),
  };
}

function attributesText({ organisation, attributes, missingAttributes }: RegistryOverview): string {
  const rows = attributes.map(({ name, type, values, campaignIds }) => [
    ...[name, type, values === null ? 'every value' : values.join(', '), campaignIds.join(', ')],
  ]);
  const entries =
    rows.length > 0
      ? table(['name', 'type', 'values', 'campaigns'], rows)
      : `${organisation.name} has no attributes in its registry.`;
  return withMissing(
    entries,
    missingAttributes.map(({ name, campaignIds }) => ({ name, campaignIds })),
  );
}

/** The status tiers of a program, and the campaigns that use each. */
function tiersView({ tiers, missingTiers }: RegistryOverview) {
  return {
    tiers: tiers.map(({ id, name, order, campaignIds }) => ({ id, name, order, campaignIds })),
    missing: missingTiers.map(({ id, campaignIds }) => ({ id, campaignIds })),
  };
}

function tiersText({ organisation, tiers, missingTiers }: RegistryOverview): string {
  const rows = tiers.map(({ id, name, order, campaignIds }) => [order, id, name, campaignIds.join(', ')]);
  const entries =
    rows.length > 0
      ? table(['order', 'id', 'name', 'campaigns'], rows)
      : `${organisation.name} has no status tiers in its registry.`;
  return withMissing(
    entries,
    missingTiers.map(({ id, campaignIds }) => ({ name: String(id), campaignIds })),
  );
}

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
