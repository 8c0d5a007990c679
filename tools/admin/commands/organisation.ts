import { Option } from '@commander-js/extra-typings';
import type { Organisation } from '../../../shared/domain/organisation.ts';
import type { Subscription } from '../../../shared/webhooks/subscription.ts';
import { someText, webAddresses } from '../cli/arguments.ts';
import { type Cli, examples } from '../cli/cli.ts';
import { OperatorError } from '../cli/errors.ts';
import type { Report } from '../cli/report.ts';
import { facts, listed, moment, paragraphs, section, table } from '../cli/text.ts';
import { allOrganisations, findOrganisation, organisationText } from '../find/organisations.ts';
import { newOrganisation } from '../make/organisation.ts';
import type { Operator } from '../operator.ts';
import { clientsTable, clientView } from '../views/client.ts';
import { keysTable, keyView } from '../views/key.ts';
import { partnershipsTable, partnershipView } from '../views/partnership.ts';

export function organisationCommands(cli: Cli): void {
  const group = cli.add('organisation', 'Merchants, and partners with their loyalty programs.');

  group
    .command('create')
    .description(
      'Make an organisation, its first partner key and its first OAuth client. Their secrets are shown once.',
    )
    .argument('<name>', 'its name', someText)
    .addOption(new Option('--kind <kind>', 'what it is').choices(['merchant', 'partner']).makeOptionMandatory())
    .addOption(
      new Option('--redirect-uri <url>', 'where its connect flow may send people back to; may be repeated').argParser(
        webAddresses,
      ),
    )
    .addHelpText(
      'after',
      examples('organisation create "Corner Coffee" --kind merchant --redirect-uri https://coffee.example/connected'),
    )
    .action((name, { kind, redirectUri: redirectUris = [] }) =>
      cli.run((operator) =>
        create(operator, { name, kind: kind === 'merchant' ? 'MERCHANT' : 'PARTNER', redirectUris }),
      ),
    );

  group
    .command('list')
    .description('List all organisations.')
    .addHelpText('after', examples('organisation list', 'organisation list --json'))
    .action(() => cli.run(list));

  group
    .command('show')
    .description('Show an organisation with its keys, clients, partnerships and webhook subscriptions.')
    .argument('<organisation>', 'its id or exact name')
    .addHelpText('after', examples('organisation show "Corner Coffee"', 'organisation show 1'))
    .action((text) => cli.run((operator) => show(operator, text)));
}

async function create(
  operator: Operator,
  wanted: Pick<Organisation, 'name' | 'kind' | 'redirectUris'>,
): Promise<Report> {
  const namesake = (await allOrganisations(operator.platform)).find(({ name }) => name === wanted.name);
  if (namesake) throw new OperatorError(`${organisationText(namesake)} has this name already`);

  const { made, writes } = await newOrganisation(operator.platform, wanted);
  const { organisation, key, client } = made;
  await operator.change({
    what: `made ${organisationText(organisation)}, a ${organisation.kind.toLowerCase()}, with its first credentials`,
    writes,
    conflict: 'another operator made something at the same moment; nothing was changed, try again',
  });
  return {
    json: {
      organisation: organisationView(organisation),
      key: { ...keyView(key), secret: key.secret },
      client: { ...clientView(client.client), secret: client.secret },
    },
    text: paragraphs(
      factsOf(organisation),
      section(
        'Its first credentials, which are shown this once:',
        facts({ 'partner key': key.secret, 'client id': client.client.clientId, 'client secret': client.secret }),
      ),
    ),
  };
}

async function list({ platform }: Operator): Promise<Report> {
  const organisations = await allOrganisations(platform);
  const rows = organisations.map(({ id, name, kind, createdAt }) => [id, name, kind, moment(createdAt)]);
  return {
    json: { organisations: organisations.map(organisationView) },
    text: rows.length > 0 ? table(['id', 'name', 'kind', 'made'], rows) : 'There are no organisations.',
  };
}

async function show({ platform }: Operator, text: string): Promise<Report> {
  const organisation = await findOrganisation(platform, text);
  const { id, kind } = organisation;
  const [keys, clients, partnerships, subscriptions] = await Promise.all([
    platform.organisationCredentials.keysOf(id),
    platform.organisationCredentials.clientsOf(id),
    platform.campaigns.partnershipsOf(kind === 'MERCHANT' ? 'byMerchant' : 'byPartner', id),
    platform.subscriptions.of(id),
  ]);
  return {
    json: {
      organisation: organisationView(organisation),
      keys: keys.map(keyView),
      clients: clients.map(clientView),
      partnerships: partnerships.map(partnershipView),
      webhooks: subscriptions.map(webhookView),
    },
    text: paragraphs(
      factsOf(organisation),
      section('Partner keys', keysTable(keys)),
      section('OAuth clients', clientsTable(clients)),
      section('Partnerships', await partnershipsTable(platform, partnerships)),
      section('Webhooks', webhooksTable(subscriptions)),
    ),
  };
}

function organisationView({ id, name, kind, program, redirectUris, createdAt }: Organisation) {
  return { id, name, kind, program: program?.kind ?? null, redirectUris, createdAt };
}

function factsOf({ id, name, kind, program, redirectUris, createdAt }: Organisation): string {
  return facts({
    id,
    name,
    kind,
    program: program?.kind ?? null,
    'redirect URIs': redirectUris.length > 0 ? listed(redirectUris) : null,
    made: moment(createdAt),
  });
}

/** Without the salt, which is the key of the signatures. */
function webhookView({ subscriptionId, endpointUrl, eventName, entityType, createdAt }: Subscription) {
  return { subscriptionId, endpointUrl, eventName: eventName ?? null, entityType: entityType ?? null, createdAt };
}

function webhooksTable(subscriptions: readonly Subscription[]): string {
  if (subscriptions.length === 0) return 'none';
  return table(
    ['subscription', 'event', 'entity type', 'endpoint'],
    subscriptions.map((one) => [
      one.subscriptionId,
      one.eventName ?? 'all',
      one.entityType === undefined ? 'all' : String(one.entityType),
      one.endpointUrl,
    ]),
  );
}
