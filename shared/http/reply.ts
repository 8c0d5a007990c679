import * as z from 'zod/mini';
import { type AnyContract, crossOriginHeaders, managementRefusals } from '../contracts/contract.ts';
import { timingMs, toSeconds, validityMs } from '../contracts/limits.ts';
import { ChangedMeanwhileError, InvalidInputError, type LastChange, TooManyAttemptsError } from '../domain/errors.ts';
// The error is imported from items.ts and not from a repository: the OpenAPI documents load this module, and must not
// load the DynamoDB client.
import { ContentionError, TableUnavailableError } from '../store/table/items.ts';
import { messagePage, Page } from './connect-page.ts';

/** A reply in the form of API Gateway's payload 1.0. */
export interface Reply {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
}

/** The data of an endpoint whose envelope is `redirect`. */
export const Redirect = z.object({ location: z.string() });

/** One fault of a request: its place (JSON Pointer), its code, and a message. Place and message make a sentence. */
export interface Fault {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/** The optional parts of a refusal. */
export interface RefusalDetails {
  readonly faults?: readonly Fault[];
  readonly headers?: Readonly<Record<string, string>>;
  /** The change that came before the caller's, see {@link ChangedMeanwhileError}. */
  readonly change?: LastChange;
}

/** A request is refused: the status, the identifier and the message of the reply. */
export class RequestRefusedError extends Error {
  override readonly name = 'RequestRefusedError';
  readonly status: number;
  readonly identifier: string;
  readonly faults: readonly Fault[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly change: LastChange | undefined;

  constructor(status: number, identifier: string, message: string, details: RefusalDetails = {}) {
    super(message);
    this.status = status;
    this.identifier = identifier;
    this.faults = details.faults;
    this.headers = details.headers ?? {};
    this.change = details.change;
  }
}

/** A reply with a body that is JSON text already. */
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

function pageReply(
  { status, html, location, formActions }: Page,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const policy = `default-src 'none'; style-src 'unsafe-inline'; form-action 'self' ${formActions.join(' ')}; frame-ancestors 'none'; base-uri 'none'`;
  return jsonReply(status, html, requestId, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
    'Referrer-Policy': 'no-referrer',
    ...(location !== undefined && { Location: location }),
    ...headers,
  });
}

const redirectReply = (location: string, requestId: string, headers: Readonly<Record<string, string>> = {}): Reply =>
  jsonReply(302, '', requestId, { 'Referrer-Policy': 'no-referrer', Location: location, ...headers });

/** The place in the dashboard that shows a person why signing in did not work. */
const problemLocation = ({ identifier }: RequestRefusedError, requestId: string): string =>
  `/sign-in?${new URLSearchParams({ problem: identifier, request_id: requestId })}`;

/** The replies of one endpoint, prepared from its contract. */
export interface Replies {
  /** The reply with a handler's data. Fields that the contract's schema does not name are left out. */
  readonly success: (data: unknown, requestId: string) => Reply;
  /**
   * The reply to an error, in the contract's error shape. The reply to an unforeseen error contains no internal data.
   *
   * @param mayHaveWritten whether the request may have changed the table before the error
   */
  readonly failure: (error: unknown, requestId: string, mayHaveWritten?: boolean) => Reply;
  /** The refusal that the contract assigns to an error; undefined when the contract does not foresee the error. */
  readonly refusalFor: (error: unknown) => RequestRefusedError | undefined;
  /** The refusal of a faulty request. */
  readonly invalidRequest: (faults: readonly Fault[]) => RequestRefusedError;
}

/** Prepares the replies of an endpoint. */
export function prepareReplies(contract: AnyContract): Replies {
  const { data, envelope, errors = {}, refusals, invalidRequest: identifier = 'invalid_request' } = contract;
  const ownHeaders = contract.isForBrowsers ? crossOriginHeaders : {};
  const errorBody = contract.errorShape === 'oauth' ? oauthErrorBody : platformErrorBody(contract.errorField);

  const invalidRequest = (faults: readonly Fault[]) =>
    new RequestRefusedError(400, identifier, summaryOf(faults), { faults });

  const refusalFor = (error: unknown) => {
    if (error instanceof RequestRefusedError) return error;
    if (error instanceof InvalidInputError) return invalidRequest(error.faults.map(toFault));
    if (error instanceof TooManyAttemptsError) return tooMany(error);
    if (error instanceof ChangedMeanwhileError) return changedMeanwhile(error);
    if (isUnreadableBody(error)) return invalidRequest([unreadableFault(contract, error)]);
    if (!(error instanceof Error)) return undefined;
    const mapped = errors[error.name];
    return mapped === undefined ? undefined : new RequestRefusedError(refusals[mapped] ?? 500, mapped, error.message);
  };

  return {
    success: (handled, requestId) => {
      const projected = data.parse(handled);
      if (envelope === 'page') return pageReply(Page.parse(projected), requestId);
      if (envelope === 'redirect') return redirectReply(Redirect.parse(projected).location, requestId);
      return jsonReply(200, JSON.stringify(withEnvelope(contract, projected)), requestId, ownHeaders);
    },
    failure: (error, requestId, mayHaveWritten = false) => {
      const refusal = refusalFor(error) ?? temporaryRefusal(error, mayHaveWritten) ?? unforeseen;
      if (envelope === 'page') return pageReply(errorPage(refusal), requestId, refusal.headers);
      if (envelope === 'redirect')
        return redirectReply(problemLocation(refusal, requestId), requestId, refusal.headers);
      const headers = { ...ownHeaders, ...refusal.headers };
      return jsonReply(refusal.status, JSON.stringify(errorBody(refusal, requestId)), requestId, headers);
    },
    refusalFor,
    invalidRequest,
  };
}

/** The body of a success. */
export function withEnvelope({ envelope }: AnyContract, projected: unknown): unknown {
  if (envelope === 'bare') return projected;
  return envelope === 'list' ? { code: 'ok', ...(projected as object) } : { code: 'ok', data: projected };
}

const unforeseen = new RequestRefusedError(500, 'unexpected_error', 'An unexpected error has occurred');

const tooMany = ({ message, retryAfterSeconds }: TooManyAttemptsError) =>
  new RequestRefusedError(429, 'rate_limit_exceeded', message, {
    headers: { 'Retry-After': String(retryAfterSeconds) },
  });

function changedMeanwhile({ message, change }: ChangedMeanwhileError): RequestRefusedError {
  const { status, identifier } = managementRefusals.changedMeanwhile;
  return new RequestRefusedError(status, identifier, message, { change });
}

/** Too many requests changed the same item, most often a member, at the same time. Nothing was written. */
const busy = new RequestRefusedError(429, 'rate_limit_exceeded', 'Too many requests at once; try again', {
  headers: { 'Retry-After': '1' },
});

/** The table does not answer. Nothing was written. */
const unavailable = new RequestRefusedError(
  503,
  'temporarily_unavailable',
  'The platform does not answer at the moment, and has changed nothing; try again',
  { headers: { 'Retry-After': String(toSeconds(timingMs.unavailable)) } },
);

/** The refusal of a request that wrote nothing and may succeed soon; undefined for other errors. */
function temporaryRefusal(error: unknown, mayHaveWritten: boolean): RequestRefusedError | undefined {
  if (error instanceof ContentionError) return busy;
  return error instanceof TableUnavailableError && !mayHaveWritten ? unavailable : undefined;
}

const platformErrorBody =
  (errorField: AnyContract['errorField']) =>
  ({ identifier, message, faults, change }: RequestRefusedError, requestId: string) => ({
    [errorField]: identifier,
    message,
    request_id: requestId,
    ...(faults && { errors: faults }),
    ...(change && { change }),
  });

const oauthErrorBody = ({ identifier, message }: RequestRefusedError, requestId: string) => ({
  error: identifier,
  error_description: message,
  request_id: requestId,
});

function errorPage({ status, message, faults }: RequestRefusedError): Page {
  const html = faults
    ? messagePage('This did not work', 'Something in the form is missing or too long.', 'Back to the form')
    : messagePage('This did not work', `${message.replace(/\.$/, '')}. Return to the shop, and begin again there.`);
  return { status, html, formActions: [] };
}

/** JSON Pointer (RFC 6901). */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/**
 * Converts a fault of an operation's input. The input's camelCase name becomes the wire's snake_case name. Names of
 * fields inside the input stay as they are.
 */
function toFault({ path: [input = '', ...fields], code, message }: InvalidInputError['faults'][number]): Fault {
  const name = input.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return { pointer: pointerOf([name, ...fields]), code, message };
}

function summaryOf([first, ...others]: readonly Fault[]): string {
  if (!first) return 'the request is malformed';
  const where = first.pointer ? `${first.pointer}: ` : '';
  const more = others.length > 0 ? `, and ${others.length} more` : '';
  return `${where}${first.message}${more}`;
}

/** An error of middy's body parsers. */
interface UnreadableBodyError extends Error {
  readonly statusCode: number;
}

/** Middy's body parsers throw 4xx errors when the content type is not the expected one, or the body is malformed. */
function isUnreadableBody(error: unknown): error is UnreadableBodyError {
  if (!(error instanceof Error) || !('statusCode' in error)) return false;
  const { statusCode } = error;
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
}

/** The names of fields that middy refuses in JSON, at any depth, because every object inherits them. */
const forbiddenNames = ['__proto__', 'constructor'];

/** The forbidden name in a body; undefined when the body is unreadable for another reason. */
function findForbiddenName(cause: unknown): string | undefined {
  if (typeof cause !== 'object' || cause === null || !('data' in cause) || 'message' in cause) return undefined;
  return forbiddenNames.find((name) => name === cause.data);
}

function unreadableFault({ bodyType }: AnyContract, { statusCode, cause }: UnreadableBodyError): Fault {
  const isForm = bodyType === 'form';
  if (statusCode !== 415) {
    const name = findForbiddenName(cause);
    if (name) return { pointer: '', code: 'forbidden_name', message: `no field may have the name ${name}` };
    return {
      pointer: '',
      code: 'malformed_body',
      message: `the body has to be ${isForm ? 'a URL-encoded form' : 'JSON'}`,
    };
  }
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  return { pointer: '', code: 'unsupported_media_type', message: `Content-Type must be ${type}` };
}
