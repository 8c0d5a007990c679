import * as z from 'zod/mini';
import { toSeconds, webhookMs } from '../contracts/limits.ts';

/** Why an attempt did not deliver. The first six are told apart by how far the attempt came. */
export const ErrorClass = z.enum([
  /** The URL, or an address it leads to, is not one that deliveries may go to. No connection was made. */
  'forbidden',
  'dns',
  'connect',
  'tls',
  /** The deadline passed; the answer's body is included. */
  'timeout',
  /** The connection ended before the answer did. */
  'reset',
  /** What came back is not HTTP. */
  'protocol',
  /** 3xx: never followed, for the address behind it was never checked. */
  'redirect',
  'rejected',
  'gone',
  'rate_limited',
  'server_error',
]);
export type ErrorClass = z.infer<typeof ErrorClass>;

const milliseconds = z.optional(z.number().check(z.gte(0)));

/** Where the time of one attempt went. A reused connection has no name, connect and TLS time. */
export const Timing = z.object({
  dnsMs: milliseconds,
  connectMs: milliseconds,
  tlsMs: milliseconds,
  /** From the connection standing to the answer's head. */
  firstByteMs: milliseconds,
  totalMs: z.number().check(z.gte(0)),
});
export type Timing = z.infer<typeof Timing>;

const attempted = {
  timing: Timing,
  /** The address that was connected to. */
  address: z.optional(z.string()),
  /** The first 512 bytes of the answer's body, as text. */
  excerpt: z.optional(z.string()),
};

/** What became of one attempt. */
export const PostOutcome = z.discriminatedUnion('result', [
  z.object({ result: z.literal('delivered'), status: z.int(), ...attempted }),
  z.object({
    result: z.literal('failed'),
    errorClass: ErrorClass,
    status: z.optional(z.int()),
    /** What the endpoint asked for, at most a day; only where the status makes it mean something. */
    retryAfterSeconds: z.optional(z.int()),
    ...attempted,
  }),
]);
export type PostOutcome = z.infer<typeof PostOutcome>;

/** How an attempt ended, before its times are known. */
export type Verdict =
  | { readonly result: 'delivered'; readonly status: number }
  | {
      readonly result: 'failed';
      readonly errorClass: ErrorClass;
      readonly status?: number;
      readonly retryAfterSeconds?: number;
    };

const retryAfterStatuses = [429, 502, 503, 504];

/** Judges an answer by its status: 2xx is success and nothing else is. */
export function verdictOf(status: number, retryAfter: string | undefined, now: Date): Verdict {
  if (status >= 200 && status < 300) return { result: 'delivered', status };

  const seconds = retryAfterStatuses.includes(status) ? retryAfterSeconds(retryAfter, now) : undefined;
  return {
    result: 'failed',
    errorClass: errorClassOf(status),
    status,
    ...(seconds !== undefined && { retryAfterSeconds: seconds }),
  };
}

function errorClassOf(status: number): ErrorClass {
  if (status === 410) return 'gone';
  if (status === 429) return 'rate_limited';
  if (status >= 500) return 'server_error';
  if (status >= 400) return 'rejected';
  return status >= 300 ? 'redirect' : 'protocol';
}

/** Reads Retry-After in both its forms (RFC 9110, 10.2.3): seconds, or a date. */
export function retryAfterSeconds(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;

  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - now.getTime()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(toSeconds(webhookMs.retryAfter), Math.max(0, Math.ceil(seconds)));
}
