import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { retentionMs, toSeconds } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import {
  type Check,
  ConditionFailedError,
  defineEntity,
  isNew,
  type TableClient,
  type Write,
} from '../table/table-client.ts';

/**
 * The text of keys and tokens: a prefix with kind and stage, 32 random bytes, and a checksum. A typing error or a key
 * of another stage is refused without a read, and scanners for leaked secrets find the prefix.
 */

export const secretPrefixes = {
  partnerKey: 'rwk',
  userToken: 'rwu',
  refreshToken: 'rwr',
  bearer: 'rwb',
  clientSecret: 'rws',
  authorizationCode: 'rwx',
  connectToken: 'rwt',
} as const;
export type SecretKind = keyof typeof secretPrefixes;

const bodyLength = 43;
const checksumLength = 6;
const pattern = new RegExp(`^(rw[kurbsxt])_([a-z]+)_([\\w-]{${bodyLength}})([\\w-]{${checksumLength}})$`);

function checksumOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, checksumLength);
}

/** A new secret of 32 random bytes. */
export function secretText(kind: SecretKind, stage: string, random: Uint8Array): string {
  if (random.length < 32) throw new RangeError('a secret needs 32 random bytes');
  const text = `${secretPrefixes[kind]}_${stage}_${Buffer.from(random.subarray(0, 32)).toString('base64url')}`;
  return text + checksumOf(text);
}

/** Whether a text has the form of a stage's secret. */
export function isSecretText(text: string, stage: string): boolean {
  const match = pattern.exec(text);
  return match !== null && match[2] === stage && checksumOf(text.slice(0, -checksumLength)) === match[4];
}

/** The stored digest of a secret. Secrets are too long to guess, so a digest without salt is enough. */
export function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

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
    kind: z.literal('authorizationCode'),
    /** The grant that its exchange makes. */
    grantId: z.string(),
    /** The account that its exchange links. Not parsed here, because every function loads this file. */
    offer: z.record(z.string(), z.unknown()),
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

  async add(credential: Credential, replyWrites: readonly Write[] = []): Promise<void> {
    await this.#table.writeAll([credentialWrite(credential), ...replyWrites]);
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
    // Where it is a single write, a credential that is revoked already is as good.
    repetition: 'harmless',
  };
}

/** The write of a new credential. DynamoDB deletes it some time after its expiry. */
export function credentialWrite(credential: Credential): Write {
  const { kind, expiresAt } = credential;
  // A code contains personal data, and is soon worth nothing.
  const retained = kind === 'authorizationCode' ? retentionMs.expiredConnectSession : retentionMs.expiredCredential;
  const attributes = expiresAt ? { [ttlAttribute]: toSeconds(Date.parse(expiresAt) + retained) } : {};
  return {
    kind: 'put',
    item: credentials.item(credentials.key(credential.digest), credential, attributes),
    when: isNew,
  };
}

/** A member's consent that an organisation acts for the member. Every token of the family comes from it. */
export const Grant = z.object({
  id: z.string(),
  organisationId: z.int(),
  userId: z.int(),
  isRevoked: z.boolean(),
  createdAt: z.string(),
});
export type Grant = z.infer<typeof Grant>;

const partition = (grantId: string) => `${partitions.grant}${grantId}`;
const grants = defineEntity(Grant, (id: string) => ({ pk: partition(id), sk: 'GRANT' }));
const tokenPrefix = 'TOKEN#';
const tokens = defineEntity(z.object({ digest: z.string() }), (grantId: string, digest: string) => ({
  pk: partition(grantId),
  sk: `${tokenPrefix}${digest}`,
}));

/** The tokens that a grant issues together. */
export interface TokenPair {
  readonly access: CredentialOf<'userToken'>;
  readonly refresh: CredentialOf<'refreshToken'>;
}

/** Grants and their families of tokens. */
export class Grants {
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table;
  }

  /**
   * Exchanges a refresh token for new tokens. A token that is used twice was stolen, so its second use revokes the whole
   * family (RFC 9700, 4.14).
   *
   * @returns false when it was used or revoked before
   */
  async exchange(used: CredentialOf<'refreshToken'>, pair: TokenPair): Promise<boolean> {
    const isAlive: Check = {
      kind: 'check',
      key: grants.key(used.grantId),
      when: [{ attribute: 'isRevoked', is: '=', value: false }],
    };
    try {
      await this.#table.transact([revokeWrite(used.digest), isAlive, ...pairWrites(pair)]);
      return true;
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
      await this.revoke(used.grantId);
      return false;
    }
  }

  /** Revokes a grant and every token of its family, for good. Safe to repeat. */
  async revoke(grantId: string): Promise<void> {
    // The grant first: after that no token is added to the family.
    await this.#ifThere({
      kind: 'update',
      key: grants.key(grantId),
      changes: { set: { isRevoked: true } },
      when: [{ attribute: 'pk', is: 'present' }],
      repetition: 'harmless',
    });
    const family = await this.#table.query({ partition: partition(grantId), sortBeginsWith: tokenPrefix });
    await Promise.all(family.map(tokens.parse).map(({ digest }) => this.#ifThere(revokeWrite(digest))));
  }

  /** Revokes one credential. Safe to repeat. */
  async revokeOne({ digest }: Credential): Promise<void> {
    await this.#ifThere(revokeWrite(digest));
  }

  async #ifThere(write: Write): Promise<void> {
    try {
      await this.#table.write(write);
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
    }
  }
}

/** The write of a new grant. */
export function grantWrite(grant: Grant): Write {
  return { kind: 'put', item: grants.item(grants.key(grant.id), grant), when: isNew };
}

/** The writes of new tokens and of their entries in the family. */
export function pairWrites({ access, refresh }: TokenPair): Write[] {
  return [access, refresh].flatMap((credential): Write[] => [
    credentialWrite(credential),
    {
      kind: 'put',
      item: tokens.item(tokens.key(credential.grantId, credential.digest), { digest: credential.digest }),
    },
  ]);
}
