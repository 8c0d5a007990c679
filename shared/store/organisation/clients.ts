import * as z from 'zod/mini';
import { partitions } from '../../contracts/table.ts';
import {
  type Condition,
  defineEntity,
  isNew,
  Repository,
  type TableClient,
  type Write,
} from '../table/table-client.ts';

/** An OAuth client of an organisation (RFC 6749, section 2). */
export const OAuthClient = z.object({
  clientId: z.string(),
  organisationId: z.int(),
  /** SHA-256 of the client secret, hex. */
  secretDigest: z.string(),
  isRevoked: z.boolean(),
  /** The permissions that its bearer tokens may have. */
  scopes: z.array(z.string()),
  createdAt: z.string(),
});
export type OAuthClient = z.infer<typeof OAuthClient>;

const clients = defineEntity(OAuthClient, (clientId: string) => ({
  pk: `${partitions.client}${clientId}`,
  sk: 'CLIENT',
}));

/** A new client id. */
export const clientIdOf = (stage: string, random: Uint8Array) => `rwc_${stage}_${Buffer.from(random).toString('hex')}`;
const clientIdPattern = /^rwc_[a-z]+_[0-9a-f]{32}$/;

export class Clients extends Repository {
  /** The client with an id. A text without the form of an id is not looked up, because it may be too long for a key. */
  async find(clientId: string): Promise<OAuthClient | undefined> {
    if (!clientIdPattern.test(clientId)) return undefined;
    const item = await this.table.get(clients.key(clientId));
    return item && clients.parse(item);
  }
}

/** Clients by their ids, in no order. */
export async function clientsOfIds(table: TableClient, clientIds: readonly string[]): Promise<OAuthClient[]> {
  const items = await table.getAll(clientIds.map((clientId) => clients.key(clientId)));
  return items.map(clients.parse);
}

/**
 * The write that replaces a client's secret, on the condition that the client is not revoked and still has the old
 * secret.
 */
export function rotateSecretWrite({ clientId, secretDigest }: OAuthClient, nextDigest: string): Write {
  return {
    kind: 'update',
    key: clients.key(clientId),
    changes: { set: { secretDigest: nextDigest } },
    when: [isAlive, { attribute: 'secretDigest', is: '=', value: secretDigest }],
  };
}

/** The write that replaces a client's scopes, on the condition that they have not changed since they were read. */
export function scopesWrite({ clientId, scopes }: OAuthClient, next: readonly string[]): Write {
  return {
    kind: 'update',
    key: clients.key(clientId),
    changes: { set: { scopes: next } },
    when: [isAlive, { attribute: 'scopes', is: '=', value: scopes }],
  };
}

/** The write that revokes a client, on the condition that it is not revoked. */
export function revokeClientWrite({ clientId }: OAuthClient): Write {
  return { kind: 'update', key: clients.key(clientId), changes: { set: { isRevoked: true } }, when: [isAlive] };
}

const isAlive: Condition = { attribute: 'isRevoked', is: '=', value: false };

/** The write of a new client. */
export function clientWrite(client: OAuthClient): Write {
  return { kind: 'put', item: clients.item(clients.key(client.clientId), client), when: isNew };
}
