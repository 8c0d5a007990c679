import { readFileSync } from 'node:fs';

/** The vectors of test/fixtures/webhooks/signatures.json; the README beside them explains the fields. */

/** A request as the platform sends it. */
export interface DeliveryVector {
  readonly name: string;
  readonly salt: string;
  readonly next_salt?: string;
  readonly activates_at?: string;
  readonly event_id: string;
  readonly signed_at: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly accepted_with: { readonly platform: readonly string[]; readonly standard: readonly string[] };
}

/** A request as a receiver gets it. */
export interface ReceiptVector {
  readonly name: string;
  readonly salts: readonly string[];
  readonly received_at: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `accepted`, or the reason of the refusal. */
  readonly outcome: string;
}

interface Vectors {
  readonly deliveries: readonly DeliveryVector[];
  readonly receipts: readonly ReceiptVector[];
}

const file = new URL('../fixtures/webhooks/signatures.json', import.meta.url);
export const { deliveries, receipts }: Vectors = JSON.parse(readFileSync(file, 'utf8'));

/** Whether a request has the signature of each scheme. */
export const schemesOf = ({ headers }: ReceiptVector) => ({
  platform: 'x-platform-signature' in headers,
  standard: 'webhook-signature' in headers,
});

/** All salts of a delivery: the old one, and the new one during or after a rotation. */
export const saltsOf = ({ salt, next_salt }: DeliveryVector): string[] =>
  next_salt === undefined ? [salt] : [salt, next_salt];
