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
import { addCommand, type Cli, type Operator, type Report } from '../cli/cli.ts';
import * as input from '../cli/input.ts';
import { facts, paragraphs, section, UsageError } from '../cli/text.ts';
import { readLedger } from '../reconcile/read-books.ts';
import { clientView, keyView, organisationView } from '../views/organisation.ts';
import { partnershipView } from '../views/partnership.ts';
import { webhookView } from '../views/webhook.ts';
import { registryCommands } from './registry.ts';
import { inviteCommand } from './staff.ts';

export function organisationCommands(cli: Cli): void {
  const group = cli.add('organisation', 'Merchants, and partners with their loyalty programs.');
  const redirectUri = new Option('--redirect-uri <url>', 'URL that its connect flow may return to; may be repeated');

  addCommand(group, 'create')
    .description('Create an organisation with a partner key and an OAuth client. Their secrets are shown once.')
    .argument('<name>', 'its name', input.nonEmptyText)
    .addOption(new Option('--kind <kind>', 'its kind').choices(['merchant', 'partner']).makeOptionMandatory())
    .addOption(redirectUri.argParser(input.redirectUris))
    .action(
      cli.door(
        create,
        'organisation create "Corner Coffee" --kind merchant --redirect-uri https://coffee.example/connected',
      ),
    );

  addCommand(group, 'list')
    .description('List all organisations.')
    .action(cli.door(list, 'organisation list', 'organisation list --json'));

  addCommand(group, 'show')
    .description('Show an organisation with its keys, clients, partnerships and webhook subscriptions.')
    .argument(...input.organisationArgument)
    .action(cli.door(show, 'organisation show "Corner Coffee"', 'organisation show 1'));

  addCommand(group, 'edit')
    .description('Change the name of an organisation, or the URLs that its connect flow may return to.')
    .argument(...input.organisationArgument)
    .option('--name <text>', 'another name', input.nonEmptyText)
    .addOption(new Option('--add-redirect-uri <url>', 'another URL; may be repeated').argParser(input.redirectUris))
    .option('--remove-redirect-uri <url>', 'a URL that it has; may be repeated', collected)
    .action(
      cli.door(
        async ({ deps }, text, options) => {
          const { name, addRedirectUri: addRedirectUris, removeRedirectUri: removeRedirectUris } = options;
          if (name === undefined && !addRedirectUris && !removeRedirectUris) {
            throw new UsageError('give what to change: --name, --add-redirect-uri or --remove-redirect-uri');
          }
          const { organisation, isChanged } = await editOrganisation(
            text,
            { name, addRedirectUris, removeRedirectUris },
            deps,
          );
          const done = isChanged ? 'The organisation is changed.' : 'The organisation has these values already.';
          return {
            json: { outcome: isChanged ? 'changed' : 'unchanged', organisation: organisationView(organisation) },
            text: paragraphs(done, organisationView.facts(organisation)),
          };
        },
        'organisation edit "Corner Coffee" --name "Corner Coffee Roasters"',
        'organisation edit 1 --add-redirect-uri https://coffee.example/done --remove-redirect-uri https://old.example/done',
      ),
    );

  addCommand(group, 'delete')
    .description('Delete an organisation without partnerships, for good, and revoke its keys and clients.')
    .argument(...input.organisationArgument)
    .action(
      cli.door(async ({ deps, stage, confirm }, text) => {
        const deleted = await deleteOrganisation(
          {
            organisation: text,
            readOutstanding: async (partnerId) =>
              outstandingOf(await readLedger({ name: stage.tableName, documents: stage.documents }), partnerId),
            confirm: (planned) =>
              confirm(
                `Delete ${subjectText(organisationSubject(planned))}, for good? Its keys and clients stop working.`,
              ),
          },
          deps,
        );
        return {
          json: { organisation: organisationView(deleted) },
          text: `The ${subjectText(organisationSubject(deleted))} is deleted. Its keys and clients are revoked.`,
        };
      }, 'organisation delete "Harbour Books" --yes'),
    );

  inviteCommand(cli, group);
  registryCommands(cli, group);
}

const collected = (text: string, earlier: readonly string[] = []) => [...earlier, text];

type CreateOptions = input.Needed<'kind', 'merchant' | 'partner'> & input.Given<'redirectUri', readonly string[]>;

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
      organisationView.facts(organisation),
      section('Its first credentials, which are shown this once:', facts(secrets)),
    ),
  };
}

async function list({ deps }: Operator): Promise<Report> {
  const list = { name: 'organisations', none: 'There are no organisations.' };
  return organisationView.list(await allOrganisations(deps), list);
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
      organisationView.facts(organisation),
      section('Partner keys', keyView.table(keys)),
      section('OAuth clients', clientView.table(clients)),
      section('Partnerships', partnershipView.table(partnerships, nameOf)),
      section('Webhooks', webhookView.table(subscriptions)),
    ),
  };
}
