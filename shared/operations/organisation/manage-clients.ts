import { type Scope, scopes } from '../../contracts/contract.ts';
import { digestOf } from '../../store/credential/credentials.ts';
import {
  Clients,
  clientIdOf,
  type OAuthClient,
  revokeClientWrite,
  rotateSecretWrite,
  scopesWrite,
} from '../../store/organisation/clients.ts';
import { organisationClientWrites } from '../../store/organisation/organisation-credentials.ts';
import type { Item, Write } from '../../store/table/table-client.ts';
import { newSecret } from '../connect/user-tokens.ts';
import {
  AlreadyExistsError,
  ChangedMeanwhileError,
  NotFoundError,
  type Subject,
  subjectText,
  WrongStateError,
} from '../errors.ts';
import { type AuditedDeps, type Confirmable, writeAudited } from '../write-audited.ts';
import { findOrganisation, findOrganisationStores, organisationSubject } from './find-organisation.ts';

const manageClientsStores = { ...findOrganisationStores, clients: Clients };
export type ManageClientsDeps = AuditedDeps<typeof manageClientsStores>;

/** An OAuth client with a new secret. The secret cannot be shown again. */
export interface IssuedClient {
  readonly client: OAuthClient;
  readonly secret: string;
}

/** Makes an OAuth client of an organisation, and the writes that store the client. */
export function newClient(organisationId: number, deps: AuditedDeps): IssuedClient & { readonly writes: Write[] } {
  const secret = newSecret(deps, 'clientSecret');
  const client: OAuthClient = {
    clientId: clientIdOf(deps.config.stage, deps.random(16)),
    organisationId,
    secretDigest: digestOf(secret),
    isRevoked: false,
    scopes: [...scopes],
    createdAt: deps.now().toISOString(),
  };
  return { client, secret, writes: organisationClientWrites(client) };
}

/** Creates an OAuth client of the organisation with this id or exact name. */
export async function createClient(organisation: string, deps: ManageClientsDeps): Promise<IssuedClient> {
  const owner = await findOrganisation(organisation, deps);
  const { client, secret, writes } = newClient(owner.id, deps);
  await writeAudited(
    {
      what: `created client ${client.clientId} of ${subjectText(organisationSubject(owner))}`,
      writes,
      conflict: () => new AlreadyExistsError(clientSubject(client)),
    },
    deps,
  );
  return { client, secret };
}

/** Replaces a client's secret. The earlier secret stops working immediately. */
export async function rotateClientSecret(
  { clientId, confirm }: { readonly clientId: string } & Confirmable<OAuthClient>,
  deps: ManageClientsDeps,
): Promise<IssuedClient> {
  const client = await findValidClient(clientId, deps);
  await confirm?.(client);
  const secret = newSecret(deps, 'clientSecret');
  await writeAudited(
    {
      what: `replaced the secret of client ${clientId} of organisation ${client.organisationId}`,
      writes: [rotateSecretWrite(client, digestOf(secret))],
      conflict: (found) => clientConflict(client, found),
    },
    deps,
  );
  return { client, secret };
}

/**
 * Replaces the scopes of a client. Older bearer tokens of the client keep the old scopes until they expire.
 *
 * @returns the client with its new scopes; unchanged if it has these scopes already
 */
export async function setClientScopes(
  {
    clientId,
    scopes: wanted,
    confirm,
  }: { readonly clientId: string; readonly scopes: readonly Scope[] } & Confirmable<OAuthClient>,
  deps: ManageClientsDeps,
): Promise<OAuthClient> {
  const client = await findValidClient(clientId, deps);
  const changed = { ...client, scopes: scopes.filter((scope) => wanted.includes(scope)) };
  if (changed.scopes.join(' ') === client.scopes.join(' ')) return client;
  await confirm?.(changed);
  await writeAudited(
    {
      what: `set the scopes of client ${clientId} of organisation ${client.organisationId}`,
      change: { before: { scopes: client.scopes }, after: { scopes: changed.scopes } },
      writes: [scopesWrite(client, changed.scopes)],
      conflict: (found) => clientConflict(client, found),
    },
    deps,
  );
  return changed;
}

/** Revokes a client, for good. */
export async function revokeClient(
  { clientId, confirm }: { readonly clientId: string } & Confirmable<OAuthClient>,
  deps: ManageClientsDeps,
): Promise<OAuthClient> {
  const client = await findValidClient(clientId, deps);
  await confirm?.(client);
  await writeAudited(
    {
      what: `revoked client ${clientId} of organisation ${client.organisationId}`,
      writes: [revokeClientWrite(client)],
      conflict: (found) => clientConflict(client, found),
    },
    deps,
  );
  return { ...client, isRevoked: true };
}

const clientSubject = ({ clientId }: Pick<OAuthClient, 'clientId'>): Subject => ({ kind: 'client', id: clientId });

/** @throws NotFoundError; WrongStateError when the client is revoked */
async function findValidClient(clientId: string, { clients }: ManageClientsDeps): Promise<OAuthClient> {
  const client = await clients.find(clientId);
  if (!client) throw new NotFoundError(clientSubject({ clientId }));
  if (client.isRevoked) throw new WrongStateError(clientSubject(client), 'revoked');
  return client;
}

function clientConflict(client: OAuthClient, found: Item | null): Error {
  return new ChangedMeanwhileError(clientSubject(client), found?.isRevoked === true ? 'revoked' : 'changed');
}
