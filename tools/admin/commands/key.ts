import { permissions as allPermissions } from '../../../shared/contracts/contract.ts';
import { type CredentialOf, narrowWrite, revokeWrite } from '../../../shared/store/credential/credentials.ts';
import type { Item } from '../../../shared/store/table/items.ts';
import { permissionList, someText } from '../cli/arguments.ts';
import { type Cli, examples } from '../cli/cli.ts';
import { OperatorError } from '../cli/errors.ts';
import type { Report } from '../cli/report.ts';
import { facts, listed } from '../cli/text.ts';
import { findKey, keyIdOf } from '../find/keys.ts';
import { findOrganisation, organisationText } from '../find/organisations.ts';
import { newPartnerKey } from '../make/organisation.ts';
import type { Operator } from '../operator.ts';
import { keysTable, keyView, permissionsText } from '../views/key.ts';

type PartnerKey = CredentialOf<'partnerKey'>;

const keyArgument = ['<key>', 'its id as key list shows it, its text, or the SHA-256 of its text'] as const;

export function keyCommands(cli: Cli): void {
  const group = cli.add('key', 'API keys of partners and merchants.');

  group
    .command('create')
    .description('Make a key of an organisation. Its text is shown once.')
    .argument('<organisation>', 'id or exact name of the organisation')
    .option('--permissions <list>', 'what it may do, separated by commas; everything unless given', permissionList)
    .option('--label <text>', 'what it is for', someText)
    .addHelpText('after', `\nPermissions: ${allPermissions.join(', ')}\n`)
    .addHelpText('after', examples('key create "Corner Coffee" --permissions transactions:read --label "till reports"'))
    .action((text, options) => cli.run((operator) => create(operator, text, options)));

  group
    .command('list')
    .description('List the keys of an organisation. Their texts are nowhere any more.')
    .argument('<organisation>', 'id or exact name of the organisation')
    .addHelpText('after', examples('key list "Corner Coffee"'))
    .action((text) => cli.run((operator) => list(operator, text)));

  group
    .command('narrow')
    .description('Leave a key some of its permissions. It cannot be given more afterwards.')
    .argument(...keyArgument)
    .requiredOption('--permissions <list>', 'what it may still do, separated by commas', permissionList)
    .addHelpText('after', examples('key narrow 1-3f9ac2d41b07 --permissions transactions:read,users:read'))
    .action((text, { permissions }) => cli.run((operator) => narrow(operator, text, permissions)));

  group
    .command('revoke')
    .description('End a key, for good. It stops working within five seconds.')
    .argument(...keyArgument)
    .addHelpText('after', examples('key revoke 1-3f9ac2d41b07', 'key revoke rwk_production_… --yes'))
    .action((text) => cli.run((operator) => revoke(operator, text)));
}

async function create(
  operator: Operator,
  text: string,
  { permissions = allPermissions, label = null }: { permissions?: readonly string[]; label?: string | null },
): Promise<Report> {
  const organisation = await findOrganisation(operator.platform, text);
  const { made, writes } = newPartnerKey(operator.platform, organisation.id, { permissions, label });
  await operator.change({
    what: `made key ${keyIdOf(made.key)} of ${organisationText(organisation)} for ${made.key.permissions.join(' ')}`,
    writes,
    conflict: 'there is such a key already; nothing was changed, try again',
  });
  return {
    json: { key: { ...keyView(made), secret: made.secret } },
    text: facts({
      'key (shown this once)': made.secret,
      id: keyIdOf(made.key),
      label,
      permissions: permissionsText(made.key.permissions),
    }),
  };
}

async function list({ platform }: Operator, text: string): Promise<Report> {
  const organisation = await findOrganisation(platform, text);
  const keys = await platform.organisationCredentials.keysOf(organisation.id);
  return {
    json: { keys: keys.map(keyView) },
    text: keys.length > 0 ? keysTable(keys) : `${organisationText(organisation)} has no keys.`,
  };
}

async function narrow(operator: Operator, text: string, permissions: readonly string[]): Promise<Report> {
  const key = await findLivingKey(operator, text);
  const more = permissions.filter((name) => !key.permissions.includes(name));
  if (more.length > 0) {
    throw new OperatorError(`key ${keyIdOf(key)} has no permission ${listed(more)}, and none can be added: make a key`);
  }
  const lost = key.permissions.filter((name) => !permissions.includes(name));
  if (lost.length === 0) throw new OperatorError(`key ${keyIdOf(key)} has no other permissions`);

  await operator.confirm(`Key ${keyIdOf(key)} loses ${listed(lost)}, for good?`);
  await operator.change({
    what: `narrowed key ${keyIdOf(key)} to ${permissions.join(' ')}; it lost ${lost.join(' ')}`,
    writes: [narrowWrite(key, permissions)],
    conflict: (met) => conflictOf(key, met),
  });
  return reportOf({ ...key, permissions: [...permissions] }, `lost ${listed(lost)} and keeps ${listed(permissions)}`);
}

async function revoke(operator: Operator, text: string): Promise<Report> {
  const key = await findLivingKey(operator, text);
  const organisation = await operator.platform.organisations.find(key.organisationId);
  const owner = organisation ? organisationText(organisation) : `organisation ${key.organisationId}`;
  await operator.confirm(`Revoke key ${keyIdOf(key)} of ${owner}? It stops working within seconds, for good.`);
  await operator.change({
    what: `revoked key ${keyIdOf(key)} of ${owner}`,
    writes: [revokeWrite(key.digest)],
    conflict: (met) => conflictOf(key, met),
  });
  return reportOf({ ...key, isRevoked: true }, 'is revoked');
}

async function findLivingKey({ platform }: Operator, text: string): Promise<PartnerKey> {
  const key = await findKey(platform, text);
  if (key.isRevoked) throw new OperatorError(`key ${keyIdOf(key)} is revoked already`);
  return key;
}

function conflictOf(key: PartnerKey, met: Item | null): string {
  const how = met?.isRevoked === true ? 'revoked' : 'changed by somebody else';
  return `key ${keyIdOf(key)} was ${how} meanwhile; nothing was changed now`;
}

function reportOf(key: PartnerKey, what: string): Report {
  const { label: _, ...view } = keyView({ key, label: null });
  return { json: { key: view }, text: `Key ${keyIdOf(key)} ${what}.` };
}
