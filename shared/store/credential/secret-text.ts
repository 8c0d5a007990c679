import { createHash } from 'node:crypto';

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
