import * as z from 'zod/mini';
import { defineEntity } from './entity.ts';
import { partitions, ttlAttribute } from './table.ts';
import type { TableClient } from './table-client.ts';
import { isNew, type Write } from './writes.ts';

const common = {
  /** SHA-256 of the text, hex. The text itself is nowhere. */
  digest: z.string(),
  /** The tenant that the credential belongs to. */
  organisationId: z.int(),
  isRevoked: z.boolean(),
  /** ISO 8601; null: until revoked. */
  expiresAt: z.nullable(z.string()),
  createdAt: z.string(),
};

/** What is known of a key or token that the platform gave out. */
export const Credential = z.discriminatedUnion('kind', [
  z.object({ ...common, kind: z.literal('partnerKey'), permissions: z.array(z.string()) }),
  z.object({ ...common, kind: z.literal('bearer'), permissions: z.array(z.string()) }),
  z.object({ ...common, kind: z.literal('userToken'), userId: z.int(), userUuid: z.string() }),
  z.object({ ...common, kind: z.literal('refreshToken'), userId: z.int(), userUuid: z.string() }),
]);
export type Credential = z.infer<typeof Credential>;

const credentials = defineEntity(Credential, (digest: string) => ({
  pk: `${partitions.credential}${digest}`,
  sk: 'CREDENTIAL',
}));

export class Credentials {
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table;
  }

  async find(digest: string): Promise<Credential | undefined> {
    const item = await this.#table.get(credentials.key(digest));
    return item && credentials.parse(item);
  }

  async add(credential: Credential): Promise<void> {
    await this.#table.write(credentialWrite(credential));
  }
}

/** The write of a new credential; one that expires is cleaned up some days after. */
export function credentialWrite(credential: Credential): Write {
  const keptForSeconds = 7 * 24 * 60 * 60;
  const attributes = credential.expiresAt
    ? { [ttlAttribute]: Math.floor(Date.parse(credential.expiresAt) / 1000) + keptForSeconds }
    : {};
  return {
    kind: 'put',
    item: credentials.item(credentials.key(credential.digest), credential, attributes),
    when: isNew,
  };
}
