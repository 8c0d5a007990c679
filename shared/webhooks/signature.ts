import { createHmac } from 'node:crypto';

/** Bytes of randomness in a salt; its text is their hex. */
export const saltBytes = 32;

/** What a delivery is signed from. */
export interface Signing {
  /** The subscription's salt as it was shown; its UTF-8 bytes are the key of both schemes. */
  readonly salt: string;
  /** Stable over retries and replays. */
  readonly eventId: string;
  readonly body: string;
  /** The moment of this attempt, so that a receiver may refuse old ones. */
  readonly signedAt: Date;
}

/**
 * The headers that prove a delivery: the specification's own ("Delivery"), and beside them the three of
 * Standard Webhooks 1.0.0, so that its libraries verify us as they are.
 */
export function signatureHeaders({ salt, eventId, body, signedAt }: Signing): Record<string, string> {
  const timestamp = String(Math.floor(signedAt.getTime() / 1000));
  const hmac = (content: string) => createHmac('sha256', salt).update(content);

  return {
    'x-platform-timestamp': timestamp,
    'x-platform-signature': hmac(timestamp + body).digest('hex'),
    'x-platform-date': signedAt.toUTCString(),
    'x-platform-event-id': eventId,
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${hmac(`${eventId}.${timestamp}.${body}`).digest('base64')}`,
  };
}

/** The salt in the notation that Standard Webhooks libraries take. */
export function standardWebhooksSecret(salt: string): string {
  return `whsec_${Buffer.from(salt, 'utf8').toString('base64')}`;
}
