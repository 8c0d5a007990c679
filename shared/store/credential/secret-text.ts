import { createHash } from 'node:crypto';

/**
 * The text of keys and tokens: a prefix that says what it is and which stage it is for, 32 random
 * bytes, and a checksum. A typing error, or a key of the other stage, is told without a look-up, and
 * scanners for leaked secrets can find the prefix.
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

/** Whether a text can be a secret of a stage at all. */
export function isSecretText(text: string, stage: string): boolean {
  const match = pattern.exec(text);
  return match !== null && match[2] === stage && checksumOf(text.slice(0, -checksumLength)) === match[4];
}

/** What is stored of a secret. They are too long to guess, so a plain digest is enough. */
export function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
