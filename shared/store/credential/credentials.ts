import * as z from 'zod/mini';
import { retentionMs, toSeconds } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import { defineEntity, isNew, type Write } from '../table/items.ts';
import type { TableClient } from '../table/table-client.ts';

const common = {
  /** SHA-256 of the text, hex. The text itself is not stored. */
  digest: z.string(),
  /** The owner. */
  organisationId: z.int(),
  isRevoked: z.boolean(),
  /** ISO 8601; null: until revoked. */
  expiresAt: z.nullable(z.string()),
  createdAt: z.string(),
};

/** A member's consent that an organisation acts for the member. All its tokens are one family. */
const granted = { userId: z.int(), userUuid: z.string(), grantId: z.string() };

/** A key or token that the platform issued. */
export const Credential = z.discriminatedUnion('kind', [
  z.object({ ...common, kind: z.literal('partnerKey'), permissions: z.array(z.string()) }),
  z.object({ ...common, kind: z.literal('bearer'), permissions: z.array(z.string()) }),
  z.object({ ...common, ...granted, kind: z.literal('userToken') }),
  z.object({ ...common, ...granted, kind: z.literal('refreshToken') }),
  z.object({
    ...common,
    ...granted,
    kind: z.literal('authorizationCode'),
    redirectUri: z.nullable(z.string()),
    /** Base64url of the SHA-256 of the verifier (RFC 7636, S256); null when the flow has none. */
    codeChallenge: z.nullable(z.string()),
  }),
]);
export type Credential = z.infer<typeof Credential>;
export type CredentialOf<Kind extends Credential['kind']> = Extract<Credential, { kind: Kind }>;

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

/** Credentials by their digests, in no order. */
export async function credentialsOfDigests(table: TableClient, digests: readonly string[]): Promise<Credential[]> {
  const items = await table.getAll(digests.map((digest) => credentials.key(digest)));
  return items.map(credentials.parse);
}

/** The write that reduces a partner key's permissions, on the condition that they are as they were read. */
export function narrowWrite({ digest, permissions }: CredentialOf<'partnerKey'>, left: readonly string[]): Write {
  return {
    kind: 'update',
    key: credentials.key(digest),
    changes: { set: { permissions: left } },
    when: [
      { attribute: 'isRevoked', is: '=', value: false },
      { attribute: 'permissions', is: '=', value: permissions },
    ],
  };
}

/** The write that uses up or revokes a credential, on the condition that it is neither used nor revoked. */
export function revokeWrite(digest: string): Write {
  return {
    kind: 'update',
    key: credentials.key(digest),
    changes: { set: { isRevoked: true } },
    when: [{ attribute: 'isRevoked', is: '=', value: false }],
  };
}

/** The write of a new credential. DynamoDB deletes it some days after its expiry. */
export function credentialWrite(credential: Credential): Write {
  const attributes = credential.expiresAt
    ? { [ttlAttribute]: toSeconds(Date.parse(credential.expiresAt) + retentionMs.expiredCredential) }
    : {};
  return {
    kind: 'put',
    item: credentials.item(credentials.key(credential.digest), credential, attributes),
    when: isNew,
  };
}
