import { Option } from '@commander-js/extra-typings';
import { outstandingOf } from '../../../shared/domain/ledger/statement.ts';
import { subjectText } from '../../../shared/operations/errors.ts';
import { deleteOrganisation, editOrganisation } from '../../../shared/operations/organisation/edit-organisation.ts';
import { allOrganisations, organisationSubject } from '../../../shared/operations/organisation/find-organisation.ts';
import {
  createOrganisation,
  type NewOrganisation,
} from '../../../shared/operations/organisation/provision-organisation.ts';
import { loadOrganisationOverview } from '../../../shared/operations/partnership/load-overviews.ts';
import {
  addCommand,
  type Cli,
  nonEmptyText,
  type Operator,
  organisationArgument,
  type Report,
  redirectUris,
} from '../cli/cli.ts';
import { facts, paragraphs, section, UsageError } from '../cli/text.ts';
import { readLedger } from '../reconcile/read-books.ts';
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

  addCommand(
    group,
    'create',
    'Create an organisation with a partner key and an OAuth client. Their secrets are shown once.',
  )
    .argument('<name>', 'its name', nonEmptyText)
    .addOption(new Option('--kind <kind>', 'its kind').choices(['merchant', 'partner']).makeOptionMandatory())
    .addOption(redirectUri.argParser(redirectUris))
    .action(
      cli.door(
        create,
        'organisation create "Corner Coffee" --kind merchant --redirect-uri https://coffee.example/connected',
      ),
    );

  addCommand(group, 'list', 'List all organisations.').action(
    cli.door(list, 'organisation list', 'organisation list --json'),
  );

  addCommand(group, 'show', 'Show an organisation with its keys, clients, partnerships and webhook subscriptions.')
    .argument(...organisationArgument)
    .action(cli.door(show, 'organisation show "Corner Coffee"', 'organisation show 1'));

  addCommand(group, 'edit', 'Change the name of an organisation, or the URLs that its connect flow may return to.')
    .argument(...organisationArgument)
    .option('--name <text>', 'another name', nonEmptyText)
    .addOption(new Option('--add-redirect-uri <url>', 'another URL; may be repeated').argParser(redirectUris))
    .option('--remove-redirect-uri <url>', 'a URL that it has; may be repeated', collected)
    .action(
      cli.door(
        edit,
        'organisation edit "Corner Coffee" --name "Corner Coffee Roasters"',
        'organisation edit 1 --add-redirect-uri https://coffee.example/done --remove-redirect-uri https://old.example/done',
      ),
    );

  addCommand(group, 'delete', 'Delete an organisation without partnerships, for good, and revoke its keys and clients.')
    .argument(...organisationArgument)
    .action(cli.door(remove, 'organisation delete "Harbour Books" --yes'));

  registryCommands(cli, group);
}

const collected = (text: string, earlier: readonly string[] = []) => [...earlier, text];

interface EditOptions {
  readonly name?: string | undefined;
  readonly addRedirectUri?: readonly string[] | undefined;
  readonly removeRedirectUri?: readonly string[] | undefined;
}

async function edit({ deps }: Operator, text: string, options: EditOptions): Promise<Report> {
  const { name, addRedirectUri: addRedirectUris, removeRedirectUri: removeRedirectUris } = options;
  if (name === undefined && !addRedirectUris && !removeRedirectUris) {
    throw new UsageError('give what to change: --name, --add-redirect-uri or --remove-redirect-uri');
  }
  const { organisation, isChanged } = await editOrganisation(text, { name, addRedirectUris, removeRedirectUris }, deps);
  const done = isChanged ? 'The organisation is changed.' : 'The organisation has these values already.';
  return {
    json: { outcome: isChanged ? 'changed' : 'unchanged', organisation: organisationView(organisation) },
    text: paragraphs(done, organisationFacts(organisation)),
  };
}

async function remove({ deps, stage, confirm }: Operator, text: string): Promise<Report> {
  const deleted = await deleteOrganisation(
    {
      organisation: text,
      readOutstanding: async (partnerId) =>
        outstandingOf(await readLedger({ name: stage.tableName, documents: stage.documents }), partnerId),
      confirm: (planned) =>
        confirm(`Delete ${subjectText(organisationSubject(planned))}, for good? Its keys and clients stop working.`),
    },
    deps,
  );
  return {
    json: { organisation: organisationView(deleted) },
    text: `The ${subjectText(organisationSubject(deleted))} is deleted. Its keys and clients are revoked.`,
  };
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
