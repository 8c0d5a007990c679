import { permissions as allPermissions } from '../../../shared/contracts/contract.ts';
import type { Organisation } from '../../../shared/domain/organisation.ts';
import { keyIdOf } from '../../../shared/operations/organisation/manage-keys.ts';
import type { OAuthClient } from '../../../shared/store/organisation/clients.ts';
import type { LabelledKey } from '../../../shared/store/organisation/organisation-credentials.ts';
import type { Subscription } from '../../../shared/webhooks/subscription.ts';
import { moment } from '../cli/moments.ts';
import { facts, listed, table } from '../cli/text.ts';

// Output about organisations, keys, clients and webhooks. `…View` functions return JSON for scripts, the other
// functions return text.

export function organisationView({ id, name, kind, program, redirectUris, createdAt, deletedAt }: Organisation) {
  return {
    id,
    name,
    kind,
    program: program?.kind ?? null,
    redirectUris,
    createdAt,
    ...(deletedAt !== undefined && { deletedAt }),
  };
}

export function organisationFacts({ id, name, kind, program, redirectUris, createdAt }: Organisation): string {
  return facts({
    id,
    name,
    kind,
    program: program?.kind ?? null,
    'redirect URIs': redirectUris.length > 0 ? listed(redirectUris) : null,
    created: moment(createdAt),
  });
}

export const organisationsTable = (organisations: readonly Organisation[]) =>
  table(
    ['id', 'name', 'kind', 'created'],
    organisations.map(({ id, name, kind, createdAt }) => [id, name, kind, moment(createdAt)]),
  );

/** A partner key, without its text, which is stored nowhere. */
export function keyView({ key, label }: LabelledKey) {
  const { organisationId, permissions, isRevoked, expiresAt, createdAt } = key;
  return { id: keyIdOf(key), organisationId, label, permissions, isRevoked, expiresAt, createdAt };
}

export function keysTable(keys: readonly LabelledKey[]): string {
  if (keys.length === 0) return 'none';
  return table(
    ['id', 'label', 'state', 'created', 'expires', 'permissions'],
    keys.map(({ key, label }) => [
      keyIdOf(key),
      label,
      validityText(key.isRevoked),
      moment(key.createdAt),
      key.expiresAt && moment(key.expiresAt),
      permissionsText(key.permissions),
    ]),
  );
}

/** `all`, or the permissions one by one. */
export function permissionsText(permissions: readonly string[]): string {
  return allPermissions.every((name) => permissions.includes(name)) ? 'all' : permissions.join(' ');
}

/** An OAuth client, without the digest of its secret. */
export function clientView({ clientId, organisationId, scopes, isRevoked, createdAt }: OAuthClient) {
  return { clientId, organisationId, scopes, isRevoked, createdAt };
}

export function clientsTable(clients: readonly OAuthClient[]): string {
  if (clients.length === 0) return 'none';
  return table(
    ['client id', 'state', 'created', 'scopes'],
    clients.map((one) => [one.clientId, validityText(one.isRevoked), moment(one.createdAt), one.scopes.join(' ')]),
  );
}

const validityText = (isRevoked: boolean) => (isRevoked ? 'revoked' : 'valid');

/** A webhook, without the salt, because the salt is the key of the signatures. */
export function webhookView({ subscriptionId, endpointUrl, eventName, entityType, createdAt }: Subscription) {
  return { subscriptionId, endpointUrl, eventName: eventName ?? null, entityType: entityType ?? null, createdAt };
}

export function webhooksTable(subscriptions: readonly Subscription[]): string {
  if (subscriptions.length === 0) return 'none';
  return table(
    ['subscription', 'event', 'entity type', 'endpoint'],
    subscriptions.map((one) => [
      one.subscriptionId,
      one.eventName ?? 'all',
      one.entityType === undefined ? 'all' : String(one.entityType),
      one.endpointUrl,
    ]),
  );
}
