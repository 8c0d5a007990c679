import { permissions as allPermissions } from '../../../shared/contracts/contract.ts';
import type { Organisation } from '../../../shared/domain/organisation.ts';
import { keyIdOf } from '../../../shared/operations/organisation/manage-keys.ts';
import type { OAuthClient } from '../../../shared/store/organisation/clients.ts';
import type { LabelledKey } from '../../../shared/store/organisation/organisation-credentials.ts';
import { moment } from '../cli/moments.ts';
import { listed } from '../cli/text.ts';
import { viewOf } from '../cli/view.ts';

/** Organisations, keys and clients, for scripts and for people. */

export const organisationView = viewOf<Organisation>()(
  {
    id: { head: 'id' },
    name: { head: 'name' },
    kind: { head: 'kind' },
    program: { head: 'program', json: ({ program }) => program?.kind ?? null },
    redirectUris: { head: 'redirect URIs', as: (all) => (all.length > 0 ? listed(all) : null) },
    createdAt: { head: 'created', as: moment },
    deletedAt: { json: ({ deletedAt }) => deletedAt },
  },
  ['id', 'name', 'kind', 'createdAt'],
);

/** A partner key, without its text, which is stored nowhere. */
export const keyView = viewOf<LabelledKey>()({
  id: { head: 'id', json: ({ key }) => keyIdOf(key) },
  organisationId: { json: ({ key }) => key.organisationId },
  label: { head: 'label' },
  isRevoked: { head: 'state', json: ({ key }) => key.isRevoked, cell: ({ key }) => validityText(key.isRevoked) },
  createdAt: { head: 'created', json: ({ key }) => key.createdAt, cell: ({ key }) => moment(key.createdAt) },
  expiresAt: {
    head: 'expires',
    json: ({ key }) => key.expiresAt,
    cell: ({ key }) => key.expiresAt && moment(key.expiresAt),
  },
  permissions: {
    head: 'permissions',
    json: ({ key }) => key.permissions,
    cell: ({ key }) => permissionsText(key.permissions),
  },
});

/** `all`, or the permissions one by one. */
export function permissionsText(permissions: readonly string[]): string {
  return allPermissions.every((name) => permissions.includes(name)) ? 'all' : permissions.join(' ');
}

/** An OAuth client, without the digest of its secret. */
export const clientView = viewOf<OAuthClient>()({
  clientId: { head: 'client id' },
  organisationId: {},
  isRevoked: { head: 'state', as: validityText },
  createdAt: { head: 'created', as: moment },
  scopes: { head: 'scopes', as: (scopes) => scopes.join(' ') },
});

function validityText(isRevoked: boolean): string {
  return isRevoked ? 'revoked' : 'valid';
}
