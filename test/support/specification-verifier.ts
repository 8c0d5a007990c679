import { createHmac } from 'node:crypto';

/** A request as a receiver gets it. */
interface ReceivedRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly rawBody: string;
}

/**
 * A receiver that was written from the specification alone ("Events", "Delivery", 3) and does not know that salts can
 * be rotated. It has one salt: it concatenates the timestamp header and the raw body, computes HMAC-SHA-256, and
 * compares. It rejects replays by their age. This file imports nothing of the platform.
 */
export function isGenuineBySpecification(
  { headers, rawBody }: ReceivedRequest,
  { salt, now }: { readonly salt: string; readonly now: Date },
): boolean {
  const timestamp = headers['x-platform-timestamp'] ?? '';
  const ageSeconds = Math.floor(now.getTime() / 1000) - Number(timestamp);
  const computed = createHmac('sha256', salt).update(timestamp).update(rawBody).digest('hex');
  return Math.abs(ageSeconds) <= 300 && computed === headers['x-platform-signature'];
}
