import { permissions as allPermissions, scopes as allScopes, type Scope } from '../../../shared/contracts/contract.ts';
import { subjectText } from '../../../shared/operations/errors.ts';
import { findOrganisation } from '../../../shared/operations/organisation/find-organisation.ts';
import {
  createClient,
  type IssuedClient,
  revokeClient,
  rotateClientSecret,
  setClientScopes,
} from '../../../shared/operations/organisation/manage-clients.ts';
import {
  createKey,
  keyIdOf,
  narrowKey,
  type PartnerKey,
  revokeKey,
  setKeyExpiry,
} from '../../../shared/operations/organisation/manage-keys.ts';
import {
  addCommand,
  type Cli,
  instant,
  nonEmptyText,
  type Operator,
  organisationArgument,
  permissionList,
  type Report,
  scopeList,
} from '../cli/cli.ts';
import { moment } from '../cli/moments.ts';
import { facts, listed } from '../cli/text.ts';
import { clientsTable, clientView, keysTable, keyView, permissionsText } from '../views/organisation.ts';

const keyArgument = ['<key>', 'its id as key list shows it, its text, or the SHA-256 of its text'] as const;

export function keyCommands(cli: Cli): void {
  const group = cli.add('key', 'API keys of partners and merchants.');

  addCommand(group, 'create', 'Create a key of an organisation. Its text is shown once.')
    .argument(...organisationArgument)
    .option('--permissions <list>', 'its permissions, separated by commas (default: all)', permissionList)
    .option('--label <text>', 'its purpose', nonEmptyText)
    .option('--expires <time>', 'when it stops working, such as 2027-01-01T00:00:00Z (default: never)', instant)
    .addHelpText('after', `\nPermissions: ${allPermissions.join(', ')}\n`)
    .action(cli.door(addKey, 'key create "Corner Coffee" --permissions transactions:read --label "till reports"'));

  addCommand(group, 'list', 'List the keys of an organisation. Their texts are not stored.')
    .argument(...organisationArgument)
    .action(cli.door(listKeys, 'key list "Corner Coffee"'));

  addCommand(group, 'narrow', 'Take permissions away from a key. They cannot be added again.')
    .argument(...keyArgument)
    .requiredOption('--permissions <list>', 'the permissions that it keeps, separated by commas', permissionList)
    .action(cli.door(narrow, 'key narrow 1-3f9ac2d41b07 --permissions transactions:read,users:read'));

  addCommand(group, 'expire', 'Set when a key stops working. A key that has expired cannot be used again.')
    .argument(...keyArgument)
    .argument('<time>', 'such as 2027-01-01T00:00:00Z, or never', instantOrNever)
    .action(cli.door(expire, 'key expire 1-3f9ac2d41b07 2027-01-01T00:00:00Z', 'key expire 1-3f9ac2d41b07 never'));

  addCommand(group, 'revoke', 'Revoke a key, for good. It stops working within five seconds.')
    .argument(...keyArgument)
    .action(cli.door(retireKey, 'key revoke 1-3f9ac2d41b07', 'key revoke rwk_production_… --yes'));
}

const instantOrNever = (text: string) => (text === 'never' ? text : instant(text));

async function expire({ deps, confirm }: Operator, text: string, at: Date | 'never'): Promise<Report> {
  const expiresAt = at === 'never' ? undefined : at;
  const when = expiresAt === undefined ? 'never' : moment(expiresAt.toISOString());
  const ask = (planned: PartnerKey) => confirm(`Key ${keyIdOf(planned)} expires: ${when}?`);
  const key = await setKeyExpiry({ key: text, expiresAt, confirm: ask }, deps);
  return keyReport(key, expiresAt === undefined ? 'does not expire' : `expires at ${when}`);
}

interface CreateOptions {
  readonly permissions?: readonly string[] | undefined;
  readonly label?: string | undefined;
  readonly expires?: Date | undefined;
}

async function addKey({ deps }: Operator, organisation: string, options: CreateOptions): Promise<Report> {
  const { permissions = allPermissions, label = null, expires: expiresAt } = options;
  const { key, secret } = await createKey(organisation, { permissions, label, expiresAt }, deps);
  return {
    json: { key: { ...keyView({ key, label }), secret } },
    text: facts({
      'key (shown this once)': secret,
      id: keyIdOf(key),
      label,
      permissions: permissionsText(key.permissions),
      expires: key.expiresAt && moment(key.expiresAt),
    }),
  };
}

async function listKeys({ deps }: Operator, text: string): Promise<Report> {
  const { id, name } = await findOrganisation(text, deps);
  const keys = await deps.organisationCredentials.keysOf(id);
  return {
    json: { keys: keys.map(keyView) },
    text: keys.length > 0 ? keysTable(keys) : `organisation ${id} (${name}) has no keys.`,
  };
}

async function narrow(
  { deps, confirm }: Operator,
  text: string,
  { permissions }: { readonly permissions: readonly string[] },
): Promise<Report> {
  const { key, lost } = await narrowKey(
    {
      key: text,
      permissions,
      confirm: (planned) => confirm(`Key ${keyIdOf(planned.key)} loses ${listed(planned.lost)}, for good?`),
    },
    deps,
  );
  return keyReport(key, `lost ${listed(lost)} and keeps ${listed(permissions)}`);
}

async function retireKey({ deps, confirm }: Operator, text: string): Promise<Report> {
  const { key } = await revokeKey(
    {
      key: text,
      confirm: (planned) =>
        confirm(
          `Revoke key ${keyIdOf(planned.key)} of ${subjectText(planned.owner)}? It stops working within seconds, for good.`,
        ),
    },
    deps,
  );
  return keyReport(key, 'is revoked');
}

function keyReport(key: PartnerKey, change: string): Report {
  const { label: _, ...view } = keyView({ key, label: null });
  return { json: { key: view }, text: `Key ${keyIdOf(key)} ${change}.` };
}

const clientArgument = ['<client-id>', 'as client list shows it'] as const;

export function clientCommands(cli: Cli): void {
  const group = cli.add('client', 'OAuth clients of organisations, which get bearer tokens.');

  addCommand(group, 'create', 'Create another client of an organisation. Its secret is shown once.')
    .argument(...organisationArgument)
    .action(cli.door(addClient, 'client create "Corner Coffee"'));

  addCommand(group, 'list', 'List the clients of an organisation.')
    .argument(...organisationArgument)
    .action(cli.door(listClients, 'client list "Corner Coffee"'));

  addCommand(
    group,
    'rotate',
    'Replace the secret of a client. The new one is shown once; the earlier one stops working at once.',
  )
    .argument(...clientArgument)
    .action(cli.door(rotateSecret, 'client rotate rwc_sandbox_8dfb839848724775b35cac4169160884'));

  addCommand(
    group,
    'scopes',
    'Set the scopes that new bearer tokens of a client can have. Tokens that it has keep theirs for an hour.',
  )
    .argument(...clientArgument)
    .argument('<list>', 'the scopes, separated by commas', scopeList)
    .addHelpText('after', `\nScopes: ${allScopes.join(', ')}\n`)
    .action(cli.door(limitScopes, 'client scopes rwc_sandbox_8dfb839848724775b35cac4169160884 transactions:read'));

  addCommand(
    group,
    'revoke',
    'Revoke a client, for good. Its bearer tokens stay valid until they expire: an hour at most.',
  )
    .argument(...clientArgument)
    .action(cli.door(retireClient, 'client revoke rwc_sandbox_8dfb839848724775b35cac4169160884'));
}

async function addClient({ deps }: Operator, organisation: string): Promise<Report> {
  return secretReport(await createClient(organisation, deps));
}

async function listClients({ deps }: Operator, text: string): Promise<Report> {
  const { id, name } = await findOrganisation(text, deps);
  const clients = await deps.organisationCredentials.clientsOf(id);
  return {
    json: { clients: clients.map(clientView) },
    text: clients.length > 0 ? clientsTable(clients) : `organisation ${id} (${name}) has no clients.`,
  };
}

async function rotateSecret({ deps, confirm }: Operator, clientId: string): Promise<Report> {
  const question = `Replace the secret of client ${clientId}? The present one stops working at once, for good.`;
  return secretReport(await rotateClientSecret({ clientId, confirm: () => confirm(question) }, deps));
}

async function limitScopes({ deps, confirm }: Operator, clientId: string, wanted: readonly Scope[]): Promise<Report> {
  const client = await setClientScopes(
    { clientId, scopes: wanted, confirm: () => confirm(`Client ${clientId} gets only ${listed(wanted)}?`) },
    deps,
  );
  return {
    json: { client: clientView(client) },
    text: `Client ${clientId} has the scopes ${client.scopes.join(' ')}.`,
  };
}

async function retireClient({ deps, confirm }: Operator, clientId: string): Promise<Report> {
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
