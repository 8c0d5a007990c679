import { createHmac } from 'node:crypto';

/** A request as a receiver gets it. */
interface ReceivedRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly rawBody: string;
}

/**
 * Verifies a request by the specification alone ("Events", "Delivery", 3), with one fixed salt. The signature is the
 * HMAC-SHA-256 of the timestamp header followed by the raw body. An old request is rejected as a replay. This file
 * imports nothing of the platform.
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
