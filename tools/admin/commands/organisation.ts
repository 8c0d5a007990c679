import { Option } from '@commander-js/extra-typings';
import { allOrganisations } from '../../../shared/operations/organisation/find-organisation.ts';
import {
  createOrganisation,
  type NewOrganisation,
} from '../../../shared/operations/organisation/provision-organisation.ts';
import { loadOrganisationOverview } from '../../../shared/operations/partnership/load-overviews.ts';
import {
  type Cli,
  examples,
  nonEmptyText,
  type Operator,
  organisationArgument,
  type Report,
  redirectUris,
} from '../cli/cli.ts';
import { facts, paragraphs, section } from '../cli/text.ts';
import {
  clientsTable,
  clientView,
  keysTable,
  keyView,
  organisationFacts,
  organisationsTable,
  organisationView,
  webhooksTable,
  webhookView,
} from '../views/organisation.ts';
import { partnershipsTable, partnershipView } from '../views/partnership.ts';
import { registryCommands } from './registry.ts';

export function organisationCommands(cli: Cli): void {
  const group = cli.add('organisation', 'Merchants, and partners with their loyalty programs.');
  const redirectUri = new Option('--redirect-uri <url>', 'URL that its connect flow may return to; may be repeated');

  group
    .command('create')
    .description('Create an organisation with a partner key and an OAuth client. Their secrets are shown once.')
    .argument('<name>', 'its name', nonEmptyText)
    .addOption(new Option('--kind <kind>', 'its kind').choices(['merchant', 'partner']).makeOptionMandatory())
    .addOption(redirectUri.argParser(redirectUris))
    .addHelpText(
      'after',
      examples('organisation create "Corner Coffee" --kind merchant --redirect-uri https://coffee.example/connected'),
    )
    .action(cli.door(create));

  group
    .command('list')
    .description('List all organisations.')
    .addHelpText('after', examples('organisation list', 'organisation list --json'))
    .action(cli.door(list));

  group
    .command('show')
    .description('Show an organisation with its keys, clients, partnerships and webhook subscriptions.')
    .argument(...organisationArgument)
    .addHelpText('after', examples('organisation show "Corner Coffee"', 'organisation show 1'))
    .action(cli.door(show));

  registryCommands(cli, group);
}

interface CreateOptions {
  readonly kind: 'merchant' | 'partner';
  readonly redirectUri?: readonly string[] | undefined;
}

async function create({ deps }: Operator, name: string, options: CreateOptions): Promise<Report> {
  const kind: NewOrganisation['kind'] = options.kind === 'merchant' ? 'MERCHANT' : 'PARTNER';
  const { organisation, key, client } = await createOrganisation(
    { name, kind, redirectUris: options.redirectUri ?? [] },
    deps,
  );
  const secrets = { 'partner key': key.secret, 'client id': client.client.clientId, 'client secret': client.secret };
  return {
    json: {
      organisation: organisationView(organisation),
      key: { ...keyView(key), secret: key.secret },
      client: { ...clientView(client.client), secret: client.secret },
    },
    text: paragraphs(
      organisationFacts(organisation),
      section('Its first credentials, which are shown this once:', facts(secrets)),
    ),
  };
}

async function list({ deps }: Operator): Promise<Report> {
  const organisations = await allOrganisations(deps);
  return {
    json: { organisations: organisations.map(organisationView) },
    text: organisations.length > 0 ? organisationsTable(organisations) : 'There are no organisations.',
  };
}

async function show({ deps }: Operator, text: string): Promise<Report> {
  const { organisation, keys, clients, partnerships, subscriptions, nameOf } = await loadOrganisationOverview(
    text,
    deps,
  );
  return {
    json: {
      organisation: organisationView(organisation),
      keys: keys.map(keyView),
      clients: clients.map(clientView),
      partnerships: partnerships.map(partnershipView),
      webhooks: subscriptions.map(webhookView),
    },
    text: paragraphs(
      organisationFacts(organisation),
      section('Partner keys', keysTable(keys)),
      section('OAuth clients', clientsTable(clients)),
      section('Partnerships', partnershipsTable(partnerships, nameOf)),
      section('Webhooks', webhooksTable(subscriptions)),
    ),
  };
}
