import { contracts } from '../../../functions/contracts.ts';
import { type AnyContract, permissions, scopes } from '../../../shared/contracts/contract.ts';
import { code, type LinkTo, table } from './markdown.ts';

/** Sections about the endpoints, made from their contracts. */

/** The specification's number of an endpoint; undefined for one that the platform adds. */
function specifiedNumber({ summary }: AnyContract): string | undefined {
  return /^Endpoint (\d+):/.exec(summary)?.[1];
}

/** An endpoint as the pages call it: by its number, or by its name when it is added. */
export function endpointName(contract: AnyContract): string {
  return specifiedNumber(contract) ?? contract.name;
}

const position = (contract: AnyContract) => Number(specifiedNumber(contract) ?? Number.POSITIVE_INFINITY);

/** All endpoints: the specification's in its order, then the added ones. */
export const orderedContracts = contracts
  .filter(({ name }) => name !== 'get-openapi')
  .sort((one, other) => position(one) - position(other) || one.name.localeCompare(other.name));

export function endpointTable(linkTo: LinkTo): string[] {
  const rows = orderedContracts.map((contract) => [
    specifiedNumber(contract) ?? 'added',
    contract.host,
    `[${code(`${contract.method} ${contract.path}`)}](${linkTo(`functions/${contract.host}/${contract.name}/contract.ts`)})`,
    contract.credential.kind,
    contract.permission ? code(contract.permission) : '',
    code(...Object.entries(contract.refusals).map(([identifier, status]) => `${status} ${identifier}`)),
  ]);
  const openApi = ['added', 'every', code('GET /openapi.json'), 'none', '', ''];
  return table(['endpoint', 'host', 'route', 'credential', 'permission', 'own refusals'], [...rows, openApi]);
}

/** Endpoints that answer failures of their credential alike share a row. */
export function credentialTable(): string[] {
  const groups = Map.groupBy(orderedContracts, ({ credential }) => credential);
  const rows = [...groups].map(([{ kind, invalid, expired, forbidden }, endpoints]) => [
    endpoints.map(endpointName).join(', '),
    kind,
    ...[invalid, expired, forbidden].map(({ status, identifier }) => code(`${status} ${identifier}`)),
  ]);
  const failures = ['missing, unknown, malformed, revoked', 'expired', 'other kind, or no permission'];
  return table(['endpoints', 'credential', ...failures], rows);
}

export function permissionTable(): string[] {
  const endpoints = (permission: string, kind: string) =>
    orderedContracts
      .filter((contract) => contract.permission === permission && contract.credential.kind === kind)
      .map(endpointName)
      .join(', ');
  return table(
    ['credential', 'permission', 'endpoints'],
    [
      ...permissions.map((name) => ['partner key', code(name), endpoints(name, 'partnerKey')]),
      ...scopes.map((name) => ['bearer token', code(name), endpoints(name, 'bearer')]),
    ],
  );
}
