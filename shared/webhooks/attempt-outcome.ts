import type { IncomingMessage } from 'node:http';
import * as z from 'zod/mini';
import { maximumBytes, maximumCount, toSeconds, webhookMs } from '../contracts/limits.ts';

/** Why an attempt did not deliver. The first classes, up to `protocol`, name the stage at which the attempt ended. */
export const ErrorClass = z.enum([
  /** Deliveries to the URL, or to an address of its host, are not allowed. No connection was made. */
  'forbidden',
  'dns',
  'connect',
  'tls',
  /** The deadline passed before the reply was complete, including its body. */
  'timeout',
  /** The connection ended before the end of the reply. */
  'reset',
  /** The reply is not HTTP. */
  'protocol',
  /** 3xx. A redirect is never followed, because its address was not checked. */
  'redirect',
  'rejected',
  'gone',
  'rate_limited',
  'server_error',
]);
export type ErrorClass = z.infer<typeof ErrorClass>;

const milliseconds = z.optional(z.number().check(z.gte(0)));

/** The durations of one attempt. DNS, connect and TLS times are absent for a reused connection. */
export const Timing = z.object({
  dnsMs: milliseconds,
  connectMs: milliseconds,
  tlsMs: milliseconds,
  /** From the established connection to the head of the reply. */
  firstByteMs: milliseconds,
  totalMs: z.number().check(z.gte(0)),
});
export type Timing = z.infer<typeof Timing>;

const common = {
  timing: Timing,
  /** The IP address of the connection. */
  address: z.optional(z.string()),
  /** The beginning of the reply's body, as text: at most the `excerptBytes` of the `Poster`, 512 by default. */
  excerpt: z.optional(z.string()),
};

/** The result of one attempt. */
export const AttemptOutcome = z.discriminatedUnion('result', [
  z.object({ result: z.literal('delivered'), status: z.int(), ...common }),
  z.object({
    result: z.literal('failed'),
    errorClass: ErrorClass,
    status: z.optional(z.int()),
    /**
     * The pause that the endpoint asked for, at most a day. Absent for a status for which `Retry-After` has no meaning.
     */
    retryAfterSeconds: z.optional(z.int()),
    ...common,
  }),
]);
export type AttemptOutcome = z.infer<typeof AttemptOutcome>;

/** The meaning of a reply's status. `AttemptOutcome` adds timing, address and excerpt. */
export type Verdict =
  | { readonly result: 'delivered'; readonly status: number }
  | {
      readonly result: 'failed';
      readonly errorClass: ErrorClass;
      readonly status?: number;
      readonly retryAfterSeconds?: number;
    };

const retryAfterStatuses = [429, 502, 503, 504];

/** Judges a reply by its status: only 2xx is a success. */
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

/** Reads Retry-After in both forms (RFC 9110, 10.2.3): seconds, or a date. */
export function retryAfterSeconds(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;

  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - now.getTime()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(toSeconds(webhookMs.retryAfter), Math.max(0, Math.ceil(seconds)));
}

/** The reply of an endpoint. */
export interface EndpointReply {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The beginning of the body as text; undefined while no byte has arrived. */
  readonly excerpt: string | undefined;
  /** Whether all of the reply has arrived. */
  readonly isComplete: boolean;
}

/**
 * `complete`: all of the body arrived. `enough`: the body is too long, or in too many pieces. `broken`: the connection
 * ended first.
 */
export type ReplyEnd = 'complete' | 'enough' | 'broken';

/**
 * Reads the body of a reply as it is on the wire. A compressed body stays compressed.
 *
 * @param excerptBytes how much of the beginning to keep
 */
export function readReply(
  response: IncomingMessage,
  excerptBytes: number,
  onEnd: (end: ReplyEnd) => void,
): EndpointReply {
  const beginning: Buffer[] = [];
  let readBytes = 0;
  let pieces = 0;

  response.on('data', (chunk: Buffer) => {
    // Copies the bytes: a view of them would keep the whole chunk in memory.
    if (readBytes < excerptBytes) beginning.push(Buffer.from(chunk.subarray(0, excerptBytes - readBytes)));
    readBytes += chunk.length;
    pieces += 1;
    // A body in chunks of one byte costs about thirty times the processor time of the same body in one chunk.
    if (readBytes > maximumBytes.webhookReplyBody || pieces > maximumCount.replyPieces) onEnd('enough');
  });
  response.on('end', () => onEnd('complete'));
  response.on('error', () => onEnd('broken'));

  return {
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'],
    get excerpt() {
      return readBytes === 0 ? undefined : Buffer.concat(beginning).toString('utf8');
    },
    get isComplete() {
      return response.complete;
    },
  };
}
