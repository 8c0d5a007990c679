import { createHmac, timingSafeEqual } from 'node:crypto';
import type { webhooks } from './schema/notification.ts';
import { findHeader, requireHeader, type WebhookHeaders, WebhookVerificationError } from './webhook-headers.ts';

export type { WebhookHeaders } from './webhook-headers.ts';
export { type WebhookRefusal, WebhookVerificationError } from './webhook-headers.ts';

/** The body of a webhook: `event` decides the type of `entity`. */
export type WebhookBody = {
  [Name in keyof webhooks]: webhooks[Name]['post']['requestBody']['content']['application/json'];
}[keyof webhooks];

/**
 * A verified webhook. The platform may add events: ignore an `event` that you do not know.
 */
export type Webhook = WebhookBody & {
  /** The id of the event. Retries and replays have the same id, so process each id once. */
  readonly eventId: string;
  /** The time at which the platform signed this attempt, in whole seconds. */
  readonly timestamp: Date;
};

/**
 * The headers that contain the signature: `x-platform-…`, or those of Standard Webhooks. The platform sends both.
 * The signature of Standard Webhooks also covers the event id; the platform's own signature covers only timestamp and
 * body.
 */
export type WebhookScheme = 'platform' | 'standard';

interface RequestToVerify {
  readonly headers: WebhookHeaders;
  /** The body as it arrived, byte for byte, before any parser. */
  readonly body: string | Uint8Array;
  /** The time of the check; by default, now. */
  readonly now?: Date;
  /** How far the timestamp may be in the past or in the future; by default, 300. */
  readonly toleranceSeconds?: number;
  /**
   * The scheme to verify. By default, Standard Webhooks if the request has the signature of that scheme, otherwise the
   * platform's own scheme.
   */
  readonly scheme?: WebhookScheme;
}

/**
 * The options of {@link verifyWebhook}, with one of:
 *
 * - `salt`: the salt of the subscription, as the platform returned it
 * - `salts`: the current and the next salt during a rotation, or the salts of all subscriptions that use one URL
 */
export type VerifyWebhookOptions = RequestToVerify &
  (
    | { readonly salt: string; readonly salts?: undefined }
    | { readonly salts: readonly string[]; readonly salt?: undefined }
  );

/**
 * Verifies the signature and the age of a webhook, and returns its event. Signatures are compared in constant time.
 *
 * @throws WebhookVerificationError with a `reason` when the request is not genuine
 * @throws TypeError when an option is wrong: a salt is empty or malformed, or the body was already parsed
 *
 * @example
 * createServer(async (request, response) => {
 *   const body = Buffer.concat(await request.toArray());
 *   try {
 *     const { event, entity_id, eventId } = verifyWebhook({ headers: request.headers, body, salt });
 *     await queue.add({ event, entity_id, eventId }); // process it later: the platform waits only a few seconds
 *     response.writeHead(204).end();
 *   } catch (error) {
 *     response.writeHead(error instanceof WebhookVerificationError ? 401 : 500).end();
 *   }
 * });
 */
export function verifyWebhook(options: VerifyWebhookOptions): Webhook {
  const { headers, body, now = new Date(), toleranceSeconds = 300 } = options;
  const salts = saltsOf(options);
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    throw new TypeError('body must be the raw body, a string or bytes: verify it before a parser reads it');
  }

  const signed = readers[options.scheme ?? presentScheme(headers)](headers);
  checkAge(signed.timestamp, { now, toleranceSeconds });
  if (!salts.some((salt) => isSignedWith(salt, signed, body))) {
    const hint = 'check the salt, and that nothing changed the body before it was verified';
    throw new WebhookVerificationError('wrong_signature', `the signature is wrong: ${hint}`);
  }
  const timestamp = new Date(Number(signed.timestamp) * 1000);
  return { ...parseBody(body), eventId: signed.eventId, timestamp };
}

function saltsOf({ salt, salts = [salt ?? ''] }: VerifyWebhookOptions): readonly string[] {
  if (salts.length === 0) throw new TypeError('salts is empty');
  for (const each of salts) {
    // With an empty salt, an attacker could sign a webhook.
    if (typeof each !== 'string' || !/^\S+$/.test(each))
      throw new TypeError('a salt is empty, or contains spaces or line ends');
    if (each.startsWith('whsec_')) throw new TypeError('pass the salt, not the standard_webhooks_secret');
  }
  return salts;
}

/** The parts of a request that a scheme signs or compares. */
interface SignedParts {
  readonly eventId: string;
  readonly timestamp: string;
  /** The part of the signed text that comes before the body. */
  readonly prefix: string;
  readonly signatures: readonly string[];
  readonly encoding: 'hex' | 'base64';
}

function presentScheme(headers: WebhookHeaders): WebhookScheme {
  return findHeader(headers, 'webhook-signature') === undefined ? 'platform' : 'standard';
}

const readers: Readonly<Record<WebhookScheme, (headers: WebhookHeaders) => SignedParts>> = {
  platform: (headers) => {
    const signature = requireHeader(headers, 'x-platform-signature');
    const next = findHeader(headers, 'x-platform-signature-next');
    const timestamp = requireHeader(headers, 'x-platform-timestamp');
    return {
      eventId: requireHeader(headers, 'x-platform-event-id'),
      timestamp,
      prefix: timestamp,
      signatures: next === undefined ? [signature] : [signature, next],
      encoding: 'hex',
    };
  },
  standard: (headers) => {
    const values = requireHeader(headers, 'webhook-signature').split(' ');
    const eventId = requireHeader(headers, 'webhook-id');
    const timestamp = requireHeader(headers, 'webhook-timestamp');
    return {
      eventId,
      timestamp,
      prefix: `${eventId}.${timestamp}.`,
      // Ignores values of other versions, such as v1a: they are other kinds of signature.
      signatures: values.filter((value) => value.startsWith('v1,')).map((value) => value.slice('v1,'.length)),
      encoding: 'base64',
    };
  },
};

function checkAge(timestamp: string, { now, toleranceSeconds }: { now: Date; toleranceSeconds: number }): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError('malformed_timestamp', 'the timestamp is not a whole number of seconds');
  }
  const ageSeconds = Math.floor(now.getTime() / 1000) - Number(timestamp);
  const limit = `the limit is ${toleranceSeconds} seconds; is your clock right?`;
  if (ageSeconds < -toleranceSeconds) {
    throw new WebhookVerificationError('too_new', `the timestamp is ${-ageSeconds} seconds in the future; ${limit}`);
  }
  // Negated, so that an invalid `now` refuses every request: each comparison with NaN is false.
  if (!(ageSeconds <= toleranceSeconds)) {
    throw new WebhookVerificationError('too_old', `the webhook is ${ageSeconds} seconds old; ${limit}`);
  }
}

function isSignedWith(salt: string, signed: SignedParts, body: string | Uint8Array): boolean {
  const expected = Buffer.from(createHmac('sha256', salt).update(signed.prefix).update(body).digest(signed.encoding));
  return signed.signatures.some((signature) => {
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

function parseBody(body: string | Uint8Array): WebhookBody {
  const { event, entity, entity_id } = parseObject(body);
  if (typeof event !== 'string' || !Number.isInteger(entity) || typeof entity_id !== 'string') {
    throw new WebhookVerificationError('malformed_body', 'the body has no event, entity and entity_id');
  }
  return { event, entity, entity_id } as WebhookBody;
}

function parseObject(body: string | Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body);
    return { ...JSON.parse(text) };
  } catch {
    throw new WebhookVerificationError('malformed_body', 'the body is not JSON in UTF-8');
  }
}
