import * as z from 'zod/mini';
import { organisationPartition } from '../../contracts/table.ts';
import { type CredentialOf, credentialsOfDigests, credentialWrite } from '../credential/credentials.ts';
import { defineEntity, isNew, Repository, type Write } from '../table/table-client.ts';
import { clientsOfIds, clientWrite, type OAuthClient } from './clients.ts';

/**
 * The keys and clients of an organisation. Requests find a key by its digest, and a client by its id. Operators find
 * both by organisation, through rows in the organisation's partition. A row never changes, because only the key or
 * client itself contains permissions and revocation.
 */

const keyPrefix = 'KEY#';
const KeyRow = z.object({ digest: z.string(), label: z.nullable(z.string()) });
const keyRows = defineEntity(KeyRow, (organisationId: number, digest: string) => ({
  pk: organisationPartition(organisationId),
  sk: keyPrefix + digest,
}));

const clientPrefix = 'CLIENT#';
const clientRows = defineEntity(z.object({ clientId: z.string() }), (organisationId: number, clientId: string) => ({
  pk: organisationPartition(organisationId),
  sk: clientPrefix + clientId,
}));

/** A partner key, with the label by which its organisation tells it from other keys. */
export interface LabelledKey {
  readonly key: CredentialOf<'partnerKey'>;
  readonly label: string | null;
}

export class OrganisationCredentials extends Repository {
  /** The partner keys of an organisation, revoked ones included, the oldest first. */
  async keysOf(organisationId: number, digestBeginsWith = ''): Promise<LabelledKey[]> {
    const items = await this.table.query({
      partition: organisationPartition(organisationId),
      sortBeginsWith: keyPrefix + digestBeginsWith,
    });
    const labels = new Map(items.map(keyRows.parse).map(({ digest, label }) => [digest, label]));
    const found = await credentialsOfDigests(this.table, [...labels.keys()]);
    return found
      .filter((credential) => credential.kind === 'partnerKey')
      .map((key) => ({ key, label: labels.get(key.digest) ?? null }))
      .sort((one, other) => byAge(one.key, other.key));
  }

  /** The OAuth clients of an organisation, revoked ones included, the oldest first. */
  async clientsOf(organisationId: number): Promise<OAuthClient[]> {
    const items = await this.table.query({
      partition: organisationPartition(organisationId),
      sortBeginsWith: clientPrefix,
    });
    const ids = items.map(clientRows.parse).map(({ clientId }) => clientId);
    return (await clientsOfIds(this.table, ids)).sort(byAge);
  }
}

function byAge(one: { readonly createdAt: string }, other: { readonly createdAt: string }): number {
  return one.createdAt.localeCompare(other.createdAt);
}

/** The writes of a new partner key. */
export function partnerKeyWrites({ key, label }: LabelledKey): Write[] {
  const { organisationId, digest } = key;
  const row = keyRows.item(keyRows.key(organisationId, digest), { digest, label });
  return [credentialWrite(key), { kind: 'put', item: row, when: isNew }];
}

/** The writes of a new OAuth client. */
export function organisationClientWrites(client: OAuthClient): Write[] {
  const { organisationId, clientId } = client;
  const row = clientRows.item(clientRows.key(organisationId, clientId), { clientId });
  return [clientWrite(client), { kind: 'put', item: row, when: isNew }];
}
