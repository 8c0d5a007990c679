import { permissions as allPermissions } from '../../../shared/contracts/contract.ts';
import { subjectText } from '../../../shared/operations/errors.ts';
import { findOrganisation } from '../../../shared/operations/organisation/find-organisation.ts';
import {
  createKey,
  keyIdOf,
  narrowKey,
  type PartnerKey,
  revokeKey,
} from '../../../shared/operations/organisation/manage-keys.ts';
import {
  type Cli,
  examples,
  nonEmptyText,
  type Operator,
  organisationArgument,
  permissionList,
  type Report,
} from '../cli/cli.ts';
import { facts, listed } from '../cli/text.ts';
import { keysTable, keyView, permissionsText } from '../views/organisation.ts';

const keyArgument = ['<key>', 'its id as key list shows it, its text, or the SHA-256 of its text'] as const;

export function keyCommands(cli: Cli): void {
  const group = cli.add('key', 'API keys of partners and merchants.');

  group
    .command('create')
    .description('Create a key of an organisation. Its text is shown once.')
    .argument(...organisationArgument)
    .option('--permissions <list>', 'its permissions, separated by commas (default: all)', permissionList)
    .option('--label <text>', 'its purpose', nonEmptyText)
    .addHelpText('after', `\nPermissions: ${allPermissions.join(', ')}\n`)
    .addHelpText('after', examples('key create "Corner Coffee" --permissions transactions:read --label "till reports"'))
    .action(cli.door(create));

  group
    .command('list')
    .description('List the keys of an organisation. Their texts are not stored.')
    .argument(...organisationArgument)
    .addHelpText('after', examples('key list "Corner Coffee"'))
    .action(cli.door(list));

  group
    .command('narrow')
    .description('Take permissions away from a key. They cannot be added again.')
    .argument(...keyArgument)
    .requiredOption('--permissions <list>', 'the permissions that it keeps, separated by commas', permissionList)
    .addHelpText('after', examples('key narrow 1-3f9ac2d41b07 --permissions transactions:read,users:read'))
    .action(cli.door(narrow));

  group
    .command('revoke')
    .description('Revoke a key, for good. It stops working within five seconds.')
    .argument(...keyArgument)
    .addHelpText('after', examples('key revoke 1-3f9ac2d41b07', 'key revoke rwk_production_… --yes'))
    .action(cli.door(revoke));
}

interface CreateOptions {
  readonly permissions?: readonly string[] | undefined;
  readonly label?: string | undefined;
}

async function create({ deps }: Operator, organisation: string, options: CreateOptions): Promise<Report> {
  const { permissions = allPermissions, label = null } = options;
  const { key, secret } = await createKey(organisation, { permissions, label }, deps);
  return {
    json: { key: { ...keyView({ key, label }), secret } },
    text: facts({
      'key (shown this once)': secret,
      id: keyIdOf(key),
      label,
      permissions: permissionsText(key.permissions),
    }),
  };
}

async function list({ deps }: Operator, text: string): Promise<Report> {
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

async function revoke({ deps, confirm }: Operator, text: string): Promise<Report> {
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
