import { createHmac } from 'node:crypto';
import { isGenuine, keyOfSecret, secretOfKey } from '../../../shared/webhooks/standard-webhooks.ts';

/** A body to sign at a time. */
export interface Signing {
  readonly id: string;
  readonly body: string;
  readonly atMs: number;
}

/** Makes the key of an endpoint. The same number gives the same key. */
export const keyOf = (nth: number): Buffer =>
  Buffer.from(createHmac('sha256', 'webhooks bench').update(String(nth)).digest('hex'));

export { secretOfKey };

/** The headers of both schemes, made with `node:crypto` alone: two HMACs. */
export function signedHeaders(key: Buffer, { id, body, atMs }: Signing): Record<string, string> {
  const timestamp = String(Math.floor(atMs / 1000));
  return {
    'x-platform-timestamp': timestamp,
    'x-platform-signature': createHmac('sha256', key)
      .update(timestamp + body)
      .digest('hex'),
    'x-platform-date': new Date(atMs).toUTCString(),
    'x-platform-event-id': id,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  };
}

type Headers = Readonly<Record<string, string | undefined>>;

/**
 * Whether a request has a signature of Standard Webhooks by the secret. If it also has one of the specification, both
 * must be right.
 */
export function isSigned(headers: Headers, body: string, { secret, now }: { secret: string; now: Date }): boolean {
  const key = keyOfSecret(secret);
  const { 'x-platform-signature': given, 'x-platform-timestamp': timestamp = '' } = headers;
  const own = createHmac('sha256', key)
    .update(timestamp + body)
    .digest('hex');
  return isGenuine(headers, body, { keys: [key], now }) && (given === undefined || given === own);
}
