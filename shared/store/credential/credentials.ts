import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { retentionMs, toSeconds } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import { defineEntity, isNew, Repository, type TableClient, type Write } from '../table/table-client.ts';

/**
 * The text of keys and tokens: a prefix with kind and stage, 32 random bytes, and a checksum. A key with a typing
 * error, or of another stage, is refused without a read. Scanners for leaked secrets find the prefix.
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

export const bodyLength = 43;
export const checksumLength = 6;
const pattern = new RegExp(`^(rw[kurbsxt])_([a-z]+)_([\\w-]{${bodyLength}})([\\w-]{${checksumLength}})$`);

/** The last characters of a secret: they are made from all characters before them. */
export function checksumOf(text: string): string {
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

/**
 * A new user token: 16 random bytes, and the id of its grant. So a token that was deleted after its expiry still leads
 * to its family. The state of the family decides how the token is refused.
 */
export function userTokenText(stage: string, grantId: string, random: Uint8Array): string {
  return secretText('userToken', stage, Buffer.concat([random.subarray(0, 16), uuidBytes(grantId)]));
}

const uuidBytes = (uuid: string) => Buffer.from(uuid.replaceAll('-', ''), 'hex');

function grantIdIn(text: string): string | undefined {
  const [, prefix, , body = ''] = pattern.exec(text) ?? [];
  if (prefix !== secretPrefixes.userToken) return undefined;
  const hex = Buffer.from(body, 'base64url').toString('hex', 16);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
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
  /** ISO 8601; null when the credential is valid until it is revoked. */
  expiresAt: z.nullable(z.string()),
  createdAt: z.string(),
};

/** A member's consent that an organisation acts for the member. All tokens of a grant are one family. */
const granted = { userId: z.int(), userUuid: z.string(), grantId: z.string() };

/** A key or token that the platform issued. */
export const Credential = z.discriminatedUnion('kind', [
  z.object({ ...common, kind: z.literal('partnerKey'), permissions: z.array(z.string()) }),
  z.object({ ...common, kind: z.literal('bearer'), permissions: z.array(z.string()) }),
  z.object({ ...common, ...granted, kind: z.literal('userToken') }),
  z.object({
    ...common,
    ...granted,
    kind: z.literal('refreshToken'),
    /**
     * The tokens for which this refresh token was exchanged. A repeated exchange before `until` returns the same
     * tokens. The key that opens the sealed text is derived from the refresh token, which only the client has.
     */
    answer: z.optional(z.object({ sealed: z.string(), until: z.string() })),
  }),
  z.object({
    ...common,
    kind: z.literal('authorizationCode'),
    /** The grant that the exchange of the code makes. */
    grantId: z.string(),
    /**
     * The account that the exchange of the code links. This file does not parse it, because every function loads this
     * file.
     */
    offer: z.record(z.string(), z.unknown()),
    redirectUri: z.nullable(z.string()),
    /** Base64url of the SHA-256 of the verifier (RFC 7636, S256); null when the flow has no verifier. */
    codeChallenge: z.nullable(z.string()),
  }),
]);
export type Credential = z.infer<typeof Credential>;
export type CredentialOf<Kind extends Credential['kind']> = Extract<Credential, { kind: Kind }>;

const credentials = defineEntity(Credential, (digest: string) => ({
  pk: `${partitions.credential}${digest}`,
  sk: 'CREDENTIAL',
}));

export class Credentials extends Repository {
  async find(digest: string): Promise<Credential | undefined> {
    const item = await this.table.get(credentials.key(digest));
    return item && credentials.parse(item);
  }

  /** The grant whose id a user token contains; undefined for other texts, and when the grant does not exist. */
  async findGrantOf(userToken: string): Promise<Grant | undefined> {
    const grantId = grantIdIn(userToken);
    const item = grantId === undefined ? undefined : await this.table.get(grants.key(grantId));
    return item && grants.parse(item);
  }

  async add(credential: Credential, replyWrites: readonly Write[] = []): Promise<void> {
    await this.table.writeAll([credentialWrite(credential), ...replyWrites]);
  }
}

/** Credentials by their digests, in no order. */
export async function credentialsOfDigests(table: TableClient, digests: readonly string[]): Promise<Credential[]> {
  const items = await table.getAll(digests.map((digest) => credentials.key(digest)));
  return items.map(credentials.parse);
}

/**
 * The write that reduces a partner key's permissions, on the condition that the permissions have not changed since they
 * were read.
 */
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

/**
 * The write that sets when a partner key expires, on the condition that the key is not revoked and that its expiry has
 * not changed since it was read.
 */
export function keyExpiryWrite(
  { digest, expiresAt: seen }: CredentialOf<'partnerKey'>,
  expiresAt: string | null,
): Write {
  return {
    kind: 'update',
    key: credentials.key(digest),
    changes: { set: { expiresAt } },
    when: [
      { attribute: 'isRevoked', is: '=', value: false },
      { attribute: 'expiresAt', is: '=', value: seen },
    ],
  };
}

/**
 * The write that uses up or revokes a credential, on the condition that it is neither used nor revoked.
 *
 * @param answer what a repeated use of a refresh token returns
 */
export function revokeWrite(digest: string, answer?: CredentialOf<'refreshToken'>['answer']): Write {
  return {
    kind: 'update',
    key: credentials.key(digest),
    changes: { set: { isRevoked: true, ...(answer && { answer }) } },
    when: [{ attribute: 'isRevoked', is: '=', value: false }],
    // A repetition of the write is harmless: the credential is revoked in any case.
    repetition: 'harmless',
  };
}

/**
 * The attributes that make DynamoDB delete a credential, or an item that belongs to it, some time after the credential
 * expired.
 */
export function expiryAttributes({ kind, expiresAt }: Pick<Credential, 'kind' | 'expiresAt'>) {
  // A partner key is never deleted, because the list of its organisation's keys shows it.
  if (kind === 'partnerKey') return {};
  // A code contains personal data and is useless after a short time.
  const retained = kind === 'authorizationCode' ? retentionMs.expiredConnectSession : retentionMs.expiredCredential;
  return expiresAt === null ? {} : { [ttlAttribute]: toSeconds(Date.parse(expiresAt) + retained) };
}

/** The write of a new credential. */
export function credentialWrite(credential: Credential): Write {
  const item = credentials.item(credentials.key(credential.digest), credential, expiryAttributes(credential));
  return { kind: 'put', item, when: isNew };
}

/** A member's consent that an organisation acts for the member. Every token of the family comes from it. */
export const Grant = z.object({
  id: z.string(),
  organisationId: z.int(),
  userId: z.int(),
  isRevoked: z.boolean(),
  /** The expiry of the last refresh token; ISO 8601. */
  refreshableUntil: z.string(),
  createdAt: z.string(),
});
export type Grant = z.infer<typeof Grant>;

/** The partition of a grant and of the tokens of its family. */
export const grantPartition = (grantId: string) => `${partitions.grant}${grantId}`;

export const grants = defineEntity(Grant, (id: string) => ({ pk: grantPartition(id), sk: 'GRANT' }));

/** Whether a grant can issue new tokens at `now`. */
export const isRefreshable = ({ isRevoked, refreshableUntil }: Grant, now: Date): boolean =>
  !isRevoked && now.getTime() < Date.parse(refreshableUntil);
