import { newSecret } from '../../../shared/operations/user-tokens.ts';
import { digestOf } from '../../../shared/store/credential/secret-text.ts';
import { type OAuthClient, revokeClientWrite, rotateSecretWrite } from '../../../shared/store/organisation/clients.ts';
import type { Item } from '../../../shared/store/table/items.ts';
import { type Cli, examples } from '../cli/cli.ts';
import { OperatorError } from '../cli/errors.ts';
import type { Report } from '../cli/report.ts';
import { facts } from '../cli/text.ts';
import { findOrganisation, organisationText } from '../find/organisations.ts';
import { newClient } from '../make/organisation.ts';
import type { Operator } from '../operator.ts';
import { clientsTable, clientView } from '../views/client.ts';

export function clientCommands(cli: Cli): void {
  const group = cli.add('client', 'OAuth clients of organisations, which get bearer tokens.');

  group
    .command('create')
    .description('Make another client of an organisation. Its secret is shown once.')
    .argument('<organisation>', 'id or exact name of the organisation')
    .addHelpText('after', examples('client create "Corner Coffee"'))
    .action((text) => cli.run((operator) => create(operator, text)));

  group
    .command('list')
    .description('List the clients of an organisation.')
    .argument('<organisation>', 'id or exact name of the organisation')
    .addHelpText('after', examples('client list "Corner Coffee"'))
    .action((text) => cli.run((operator) => list(operator, text)));

  group
    .command('rotate')
    .description('Give a client another secret, which is shown once. The earlier one stops working at once.')
    .argument('<client-id>', 'as client list shows it')
    .addHelpText('after', examples('client rotate rwc_sandbox_8dfb839848724775b35cac4169160884'))
    .action((clientId) => cli.run((operator) => rotate(operator, clientId)));

  group
    .command('revoke')
    .description('End a client, for good. Its bearer tokens live on until they expire, an hour at most.')
    .argument('<client-id>', 'as client list shows it')
    .addHelpText('after', examples('client revoke rwc_sandbox_8dfb839848724775b35cac4169160884'))
    .action((clientId) => cli.run((operator) => revoke(operator, clientId)));
}

async function create(operator: Operator, text: string): Promise<Report> {
  const organisation = await findOrganisation(operator.platform, text);
  const { made, writes } = newClient(operator.platform, organisation.id);
  await operator.change({
    what: `made client ${made.client.clientId} of ${organisationText(organisation)}`,
    writes,
    conflict: 'there is such a client already; nothing was changed, try again',
  });
  return secretReport(made.client, made.secret);
}

async function list({ platform }: Operator, text: string): Promise<Report> {
  const organisation = await findOrganisation(platform, text);
  const clients = await platform.organisationCredentials.clientsOf(organisation.id);
  return {
    json: { clients: clients.map(clientView) },
    text: clients.length > 0 ? clientsTable(clients) : `${organisationText(organisation)} has no clients.`,
  };
}

async function rotate(operator: Operator, clientId: string): Promise<Report> {
  const client = await findLivingClient(operator, clientId);
  await operator.confirm(`Give client ${clientId} another secret? The one in use stops working at once, for good.`);
  const secret = newSecret(operator.platform, 'clientSecret');
  await operator.change({
    what: `gave client ${clientId} of organisation ${client.organisationId} another secret`,
    writes: [rotateSecretWrite(client, digestOf(secret))],
    conflict: (met) => conflictOf(client, met),
  });
  return secretReport(client, secret);
}

async function revoke(operator: Operator, clientId: string): Promise<Report> {
  const client = await findLivingClient(operator, clientId);
  await operator.confirm(`Revoke client ${clientId} of organisation ${client.organisationId}, for good?`);
  await operator.change({
    what: `revoked client ${clientId} of organisation ${client.organisationId}`,
    writes: [revokeClientWrite(client)],
    conflict: (met) => conflictOf(client, met),
  });
  return { json: { client: clientView({ ...client, isRevoked: true }) }, text: `Client ${clientId} is revoked.` };
}

async function findLivingClient({ platform }: Operator, clientId: string): Promise<OAuthClient> {
  const client = await platform.clients.find(clientId);
  if (!client) throw new OperatorError(`there is no client ${clientId}; client list shows those of an organisation`);
  if (client.isRevoked) throw new OperatorError(`client ${clientId} is revoked already`);
  return client;
}

function conflictOf({ clientId }: OAuthClient, met: Item | null): string {
  const how = met?.isRevoked === true ? 'was revoked' : 'got another secret from somebody else';
  return `client ${clientId} ${how} meanwhile; nothing was changed now`;
}

function secretReport(client: OAuthClient, secret: string): Report {
  return {
    json: { client: { ...clientView(client), secret } },
    text: facts({ 'client id': client.clientId, 'client secret (shown this once)': secret }),
  };
}
