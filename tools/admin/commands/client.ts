import { findOrganisation } from '../../../shared/operations/organisation/find-organisation.ts';
import {
  createClient,
  type IssuedClient,
  revokeClient,
  rotateClientSecret,
} from '../../../shared/operations/organisation/manage-clients.ts';
import { type Cli, examples, type Operator, organisationArgument, type Report } from '../cli/cli.ts';
import { facts } from '../cli/text.ts';
import { clientsTable, clientView } from '../views/organisation.ts';

const clientArgument = ['<client-id>', 'as client list shows it'] as const;

export function clientCommands(cli: Cli): void {
  const group = cli.add('client', 'OAuth clients of organisations, which get bearer tokens.');

  group
    .command('create')
    .description('Create another client of an organisation. Its secret is shown once.')
    .argument(...organisationArgument)
    .addHelpText('after', examples('client create "Corner Coffee"'))
    .action(cli.door(create));

  group
    .command('list')
    .description('List the clients of an organisation.')
    .argument(...organisationArgument)
    .addHelpText('after', examples('client list "Corner Coffee"'))
    .action(cli.door(list));

  group
    .command('rotate')
    .description('Replace the secret of a client. The new one is shown once; the earlier one stops working at once.')
    .argument(...clientArgument)
    .addHelpText('after', examples('client rotate rwc_sandbox_8dfb839848724775b35cac4169160884'))
    .action(cli.door(rotate));

  group
    .command('revoke')
    .description('Revoke a client, for good. Its bearer tokens stay valid until they expire: an hour at most.')
    .argument(...clientArgument)
    .addHelpText('after', examples('client revoke rwc_sandbox_8dfb839848724775b35cac4169160884'))
    .action(cli.door(revoke));
}

async function create({ deps }: Operator, organisation: string): Promise<Report> {
  return secretReport(await createClient(organisation, deps));
}

async function list({ deps }: Operator, text: string): Promise<Report> {
  const { id, name } = await findOrganisation(text, deps);
  const clients = await deps.organisationCredentials.clientsOf(id);
  return {
    json: { clients: clients.map(clientView) },
    text: clients.length > 0 ? clientsTable(clients) : `organisation ${id} (${name}) has no clients.`,
  };
}

async function rotate({ deps, confirm }: Operator, clientId: string): Promise<Report> {
  const question = `Replace the secret of client ${clientId}? The present one stops working at once, for good.`;
  return secretReport(await rotateClientSecret({ clientId, confirm: () => confirm(question) }, deps));
}

async function revoke({ deps, confirm }: Operator, clientId: string): Promise<Report> {
  const client = await revokeClient(
    {
      clientId,
      confirm: ({ organisationId }) =>
        confirm(`Revoke client ${clientId} of organisation ${organisationId}, for good?`),
    },
    deps,
  );
  return { json: { client: clientView(client) }, text: `Client ${clientId} is revoked.` };
}

function secretReport({ client, secret }: IssuedClient): Report {
  return {
    json: { client: { ...clientView(client), secret } },
    text: facts({ 'client id': client.clientId, 'client secret (shown this once)': secret }),
  };
}
