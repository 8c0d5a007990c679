import * as z from 'zod/mini';
import type { AnyContract } from '../contracts/contract.ts';
import { toSeconds, validityMs } from '../contracts/limits.ts';
import { ContentionError } from '../store/table/items.ts';
import { messagePage } from './connect-page.ts';
import { RequestRefusedError } from './refusal.ts';

/** A reply as API Gateway's payload 1.0 wants it. */
export interface Reply {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A reply of a body that is JSON text already. */
export function jsonReply(
  statusCode: number,
  body: string,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return {
    statusCode,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      'Strict-Transport-Security': `max-age=${toSeconds(validityMs.httpsOnly)}; includeSubDomains`,
      'X-Content-Type-Options': 'nosniff',
      'x-request-id': requestId,
      ...headers,
    },
    body,
  };
}

/** A page, or the way to another one. */
export const Page = z.object({
  status: z.int(),
  html: z.string(),
  location: z.optional(z.string()),
  /** Where the page's form may lead, by redirect too. */
  formActions: z.array(z.string()),
});
export type Page = z.infer<typeof Page>;

function pageReply({ status, html, location, formActions }: Page, requestId: string): Reply {
  // No script at all, from nowhere, and nobody may put the page into a frame of theirs.
  const policy = `default-src 'none'; style-src 'unsafe-inline'; form-action 'self' ${formActions.join(' ')}; frame-ancestors 'none'; base-uri 'none'`;
  return jsonReply(status, html, requestId, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
    'Referrer-Policy': 'no-referrer',
    ...(location !== undefined && { Location: location }),
  });
}

/** The success of a contract: only what its schema names leaves. */
export function successReply(contract: AnyContract, data: unknown, requestId: string): Reply {
  const projected = contract.data.parse(data);
  if (contract.envelope === 'page') return pageReply(Page.parse(projected), requestId);
  return jsonReply(200, JSON.stringify(enveloped(contract, projected)), requestId);
}

/** The body around the data of a success. */
export function enveloped({ envelope }: AnyContract, projected: unknown): unknown {
  if (envelope === 'bare') return projected;
  return envelope === 'list' ? { code: 'ok', ...(projected as object) } : { code: 'ok', data: projected };
}

/** What is said of anything that was not foreseen; nothing internal ever leaves. */
const unforeseen = new RequestRefusedError(500, 'unexpected_error', 'An unexpected error has occurred');

/** What is said where too many requests met on one thing, a member most often: nothing was written. */
const busy = new RequestRefusedError(429, 'rate_limit_exceeded', 'Too many requests at once; try again', {
  headers: { 'Retry-After': '1' },
});

/** The reply to whatever was thrown, in the contract's error shape. */
export function errorReply(contract: AnyContract, error: unknown, requestId: string): Reply {
  const refused = refusalOf(contract, error) ?? (error instanceof ContentionError ? busy : unforeseen);
  if (contract.envelope === 'page') {
    const html = refused.faults
      ? messagePage('This did not work', 'Something in the form is missing or too long.', 'Back to the form')
      : messagePage('This did not work', refused.message);
    return pageReply({ status: refused.status, html, formActions: [] }, requestId);
  }
  const body =
    contract.errorShape === 'oauth'
      ? { error: refused.identifier, error_description: refused.message, request_id: requestId }
      : {
          [contract.errorField]: refused.identifier,
          message: refused.message,
          request_id: requestId,
          ...(refused.faults && { errors: refused.faults }),
        };
  return jsonReply(refused.status, JSON.stringify(body), requestId, refused.headers);
}

/** The refusal that an error means; undefined when it was not foreseen. */
export function refusalOf(contract: AnyContract, error: unknown): RequestRefusedError | undefined {
  if (error instanceof RequestRefusedError) return error;
  if (isUnreadableBody(error)) {
    const { code, message } = unreadable(contract, error);
    const faults = [{ pointer: '', code, message }];
    return new RequestRefusedError(400, contract.invalidRequest ?? 'invalid_request', message, { faults });
  }
  return undefined;
}

/** What middy says of a body that it did not parse. */
interface Unreadable extends Error {
  readonly statusCode: number;
}

/** Middy's body parsers say with 4xx errors that the content type is another, or the body not readable. */
function isUnreadableBody(error: unknown): error is Unreadable {
  if (!(error instanceof Error) || !('statusCode' in error)) return false;
  const { statusCode } = error;
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
}

function unreadable({ bodyType }: AnyContract, { statusCode, message }: Unreadable) {
  if (statusCode !== 415) return { code: 'malformed_body', message };
  const type = bodyType === 'form' ? 'application/x-www-form-urlencoded' : 'application/json';
  return { code: 'unsupported_media_type', message: `Content-Type must be ${type}` };
}
