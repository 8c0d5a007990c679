import * as z from 'zod/mini';
import { retentionMs, toSeconds } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import { defineEntity, isNew, type Write } from '../table/items.ts';
import type { TableClient } from '../table/table-client.ts';

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

/** A member's consent that an organisation acts for it; all that was given out for it is one family. */
const granted = { userId: z.int(), userUuid: z.string(), grantId: z.string() };

/** What is known of a key or token that the platform gave out. */
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
    /** Base64url of the SHA-256 of the verifier (RFC 7636, S256); null when the flow began without. */
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

/** The write that leaves a partner key some of its permissions, on the condition that it still has what was read. */
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

/** The write that uses a credential up or revokes it, on the condition that nobody did before. */
export function revokeWrite(digest: string): Write {
  return {
    kind: 'update',
    key: credentials.key(digest),
    changes: { set: { isRevoked: true } },
    when: [{ attribute: 'isRevoked', is: '=', value: false }],
  };
}

/** The write of a new credential; one that expires is cleaned up some days after. */
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
