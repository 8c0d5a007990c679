import { permissions as allPermissions, scopes as allScopes } from '../../../shared/contracts/contract.ts';
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
import { addCommand, type Cli, type Report } from '../cli/cli.ts';
import * as input from '../cli/input.ts';
import { moment } from '../cli/moments.ts';
import { facts, listed } from '../cli/text.ts';
import { clientView, keyView, permissionsText } from '../views/organisation.ts';

const keyArgument = ['<key>', 'its id as key list shows it, its text, or the SHA-256 of its text'] as const;

export function keyCommands(cli: Cli): void {
  const group = cli.add('key', 'API keys of partners and merchants.');

  addCommand(group, 'create')
    .description('Create a key of an organisation. Its text is shown once.')
    .argument(...input.organisationArgument)
    .option('--permissions <list>', 'its permissions, separated by commas (default: all)', input.permissionList)
    .option('--label <text>', 'its purpose', input.nonEmptyText)
    .option('--expires <time>', 'when it stops working, such as 2027-01-01T00:00:00Z (default: never)', input.instant)
    .addHelpText('after', `\nPermissions: ${allPermissions.join(', ')}\n`)
    .action(
      cli.door(async ({ deps }, organisation, options) => {
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
      }, 'key create "Corner Coffee" --permissions transactions:read --label "till reports"'),
    );

  addCommand(group, 'list')
    .description('List the keys of an organisation. Their texts are not stored.')
    .argument(...input.organisationArgument)
    .action(
      cli.door(async ({ deps }, text) => {
        const { id, name } = await findOrganisation(text, deps);
        const keys = await deps.organisationCredentials.keysOf(id);
        return keyView.list(keys, { name: 'keys', none: `organisation ${id} (${name}) has no keys.` });
      }, 'key list "Corner Coffee"'),
    );

  addCommand(group, 'narrow')
    .description('Take permissions away from a key. They cannot be added again.')
    .argument(...keyArgument)
    .requiredOption('--permissions <list>', 'the permissions that it keeps, separated by commas', input.permissionList)
    .action(
      cli.door(async ({ deps, confirm }, text, { permissions }) => {
        const { key, lost } = await narrowKey(
          {
            key: text,
            permissions,
            confirm: (planned) => confirm(`Key ${keyIdOf(planned.key)} loses ${listed(planned.lost)}, for good?`),
          },
          deps,
        );
        return keyReport(key, `lost ${listed(lost)} and keeps ${listed(permissions)}`);
      }, 'key narrow 1-3f9ac2d41b07 --permissions transactions:read,users:read'),
    );

  addCommand(group, 'expire')
    .description('Set when a key stops working. A key that has expired cannot be used again.')
    .argument(...keyArgument)
    .argument('<time>', 'such as 2027-01-01T00:00:00Z, or never', instantOrNever)
    .action(
      cli.door(
        async ({ deps, confirm }, text, at) => {
          const expiresAt = at === 'never' ? undefined : at;
          const when = expiresAt === undefined ? 'never' : moment(expiresAt.toISOString());
          const ask = (planned: PartnerKey) => confirm(`Key ${keyIdOf(planned)} expires: ${when}?`);
          const key = await setKeyExpiry({ key: text, expiresAt, confirm: ask }, deps);
          return keyReport(key, expiresAt === undefined ? 'does not expire' : `expires at ${when}`);
        },
        'key expire 1-3f9ac2d41b07 2027-01-01T00:00:00Z',
        'key expire 1-3f9ac2d41b07 never',
      ),
    );

  addCommand(group, 'revoke')
    .description('Revoke a key, for good. It stops working within five seconds.')
    .argument(...keyArgument)
    .action(
      cli.door(
        async ({ deps, confirm }, text) => {
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
        },
        'key revoke 1-3f9ac2d41b07',
        'key revoke rwk_production_… --yes',
      ),
    );
}

const instantOrNever = (text: string) => (text === 'never' ? text : input.instant(text));

function keyReport(key: PartnerKey, change: string): Report {
  const { label: _, ...view } = keyView({ key, label: null });
  return { json: { key: view }, text: `Key ${keyIdOf(key)} ${change}.` };
}

const clientArgument = ['<client-id>', 'as client list shows it'] as const;

export function clientCommands(cli: Cli): void {
  const group = cli.add('client', 'OAuth clients of organisations, which get bearer tokens.');

  addCommand(group, 'create')
    .description('Create another client of an organisation. Its secret is shown once.')
    .argument(...input.organisationArgument)
    .action(
      cli.door(async ({ deps }, organisation) => {
        return secretReport(await createClient(organisation, deps));
      }, 'client create "Corner Coffee"'),
    );

  addCommand(group, 'list')
    .description('List the clients of an organisation.')
    .argument(...input.organisationArgument)
    .action(
      cli.door(async ({ deps }, text) => {
        const { id, name } = await findOrganisation(text, deps);
        const clients = await deps.organisationCredentials.clientsOf(id);
        return clientView.list(clients, { name: 'clients', none: `organisation ${id} (${name}) has no clients.` });
      }, 'client list "Corner Coffee"'),
    );

  addCommand(group, 'rotate')
    .description('Replace the secret of a client. The new one is shown once; the earlier one stops working at once.')
    .argument(...clientArgument)
    .action(
      cli.door(async ({ deps, confirm }, clientId) => {
        const question = `Replace the secret of client ${clientId}? The present one stops working at once, for good.`;
        return secretReport(await rotateClientSecret({ clientId, confirm: () => confirm(question) }, deps));
      }, 'client rotate rwc_sandbox_8dfb839848724775b35cac4169160884'),
    );

  addCommand(group, 'scopes')
    .description(
      'Set the scopes that new bearer tokens of a client can have. Tokens that it has keep theirs for an hour.',
    )
    .argument(...clientArgument)
    .argument('<list>', 'the scopes, separated by commas', input.scopeList)
    .addHelpText('after', `\nScopes: ${allScopes.join(', ')}\n`)
    .action(
      cli.door(async ({ deps, confirm }, clientId, wanted) => {
        const client = await setClientScopes(
          { clientId, scopes: wanted, confirm: () => confirm(`Client ${clientId} gets only ${listed(wanted)}?`) },
          deps,
        );
        return {
          json: { client: clientView(client) },
          text: `Client ${clientId} has the scopes ${client.scopes.join(' ')}.`,
        };
      }, 'client scopes rwc_sandbox_8dfb839848724775b35cac4169160884 transactions:read'),
    );

  addCommand(group, 'revoke')
    .description('Revoke a client, for good. Its bearer tokens stay valid until they expire: an hour at most.')
    .argument(...clientArgument)
    .action(
      cli.door(async ({ deps, confirm }, clientId) => {
        const client = await revokeClient(
          {
            clientId,
            confirm: ({ organisationId }) =>
              confirm(`Revoke client ${clientId} of organisation ${organisationId}, for good?`),
          },
          deps,
        );
        return { json: { client: clientView(client) }, text: `Client ${clientId} is revoked.` };
      }, 'client revoke rwc_sandbox_8dfb839848724775b35cac4169160884'),
    );
}

function secretReport({ client, secret }: IssuedClient): Report {
  return {
    json: { client: { ...clientView(client), secret } },
    text: facts({ 'client id': client.clientId, 'client secret (shown this once)': secret }),
  };
}
