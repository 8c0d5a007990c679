import { createHmac, timingSafeEqual } from 'node:crypto';
import { programSecretBytes, timingMs, toSeconds } from '../contracts/limits.ts';

/** The signatures of Standard Webhooks 1.0.0. Partners find libraries for them in most languages. */

/** A message to sign. */
export interface SignedMessage {
  /** Identifies the message. */
  readonly id: string;
  /** The body as it is sent. */
  readonly body: string;
  readonly signedAt: Date;
}

const prefix = 'whsec_';

/** Returns the text of a signing key as Standard Webhooks writes it: `whsec_` and base64. */
export function secretOfKey(key: Uint8Array): string {
  return prefix + Buffer.from(key).toString('base64');
}

/**
 * Decodes the text of a secret into the bytes that sign messages.
 *
 * @throws RangeError when the text is no secret of Standard Webhooks
 */
export function keyOfSecret(secret: string): Buffer {
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  if (secretOfKey(key) !== secret) throw new RangeError('a secret is whsec_ followed by base64: copy the whole text');
  const { fewest, most } = programSecretBytes;
  if (key.length < fewest || key.length > most) {
    throw new RangeError(
      `a secret has ${fewest} to ${most} bytes, and this one has ${key.length}: make a new random one`,
    );
  }
  return key;
}

/**
 * Signs with each key. While a secret is replaced, a receiver that has the old or the new secret can verify the
 * message.
 */
export function standardHeaders({ id, body, signedAt }: SignedMessage, keys: readonly Uint8Array[]) {
  const timestamp = String(toSeconds(signedAt.getTime()));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': keys.map((key) => signature(key, `${id}.${timestamp}.${body}`)).join(' '),
  };
}

/** Whether one of the keys signed the message at most some minutes ago, or some minutes ahead because clocks differ. */
export function isGenuine(
  headers: Readonly<Record<string, string | undefined>>,
  body: string,
  { keys, now }: { readonly keys: readonly Uint8Array[]; readonly now: Date },
): boolean {
  const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '', 'webhook-signature': given = '' } = headers;
  const ageMs = now.getTime() - Number(timestamp) * 1000;
  if (id === '' || !/^\d{1,12}$/.test(timestamp) || Math.abs(ageMs) > timingMs.signatureAge) return false;
  const signatures = given.split(' ').map((one) => Buffer.from(one));
  return keys.some((key) => {
    const expected = Buffer.from(signature(key, `${id}.${timestamp}.${body}`));
    return signatures.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
  });
}

const signature = (key: Uint8Array, content: string): string =>
  `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
