import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { AnyContract, Refusal } from '../contracts/contract.ts';
import type { StaffPermission } from '../contracts/staff-permissions.ts';
import type { ConnectSession } from '../domain/connect/connect-session.ts';
import { describeIssue, unworded } from '../domain/issues.ts';
import type { StaffRole } from '../domain/staff/roles.ts';
import type { PaymentWebhook } from '../payments/platform.ts';
import type { Write } from '../store/table/table-client.ts';
import { type Fault, pointerOf, type Replies, type Reply, RequestRefusedError } from './reply.ts';

/** The parsed parts of a request; undefined where the contract has no schema. */
export interface RequestParts {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** A request on its way through the steps. Each property is set by the first step that knows it. */
export interface IncomingRequest {
  id: string;
  startedAtMs: number;
  /** Names in lower case. */
  headers: Headers;
  path: string;
  rawBody: string;
  caller: Caller;
  parts: RequestParts;
  /** The revision in `If-Match`, if the contract asks for it. */
  revision?: number;
  /** The values of the reply's `Set-Cookie` headers. */
  cookies: string[];
  /** The value of the header `x-ignored-fields`; empty if the schema has every field of the body. */
  ignoredFields?: string;
  /** Whether the handler has sent a write to the table. */
  mayHaveWritten?: boolean;
  /** Returns the write that stores a reply; absent without an idempotency key. */
  replyWrite?: (reply: Reply) => Write;
  /** The reply, when it was stored in the same write as the changes of the request. */
  storedReply?: Reply | undefined;
}

/** The Lambda context of an endpoint, with the request in it. */
export type EndpointContext = Context & { incoming: IncomingRequest };
/** A step of an endpoint. */
export type Step = MiddlewareObj<APIGatewayProxyEvent, Reply, Error, EndpointContext>;

/**
 * Prepares the parser of an endpoint's requests. It parses path, query and body by the contract's schemas.
 *
 * @returns a function that throws RequestRefusedError with all faults of the query, or else with all faults of the body:
 * those that the caller has found before, and those of the schema
 */
export function prepareParser(
  { params, query, body }: AnyContract,
  { invalidRequest }: Pick<Replies, 'invalidRequest'>,
): (event: APIGatewayProxyEvent, bodyFaults: readonly Fault[]) => RequestParts {
  const parse = (schema: z.ZodMiniType, value: unknown, faults: readonly Fault[] = []): unknown => {
    const result = schema.safeParse(value, { error: () => unworded });
    if (result.success && faults.length === 0) return result.data;
    throw invalidRequest([...faults, ...(result.error?.issues ?? []).map((issue) => toFault(issue, value))]);
  };
  return (event, bodyFaults) => ({
    params: params?.parse(event.pathParameters ?? {}),
    query: query && parse(query, event.queryStringParameters ?? {}, repeatedParameters(query, event)),
    body: body && parse(body, event.body, bodyFaults),
  });
}

/**
 * Finds known parameters that are given more than once. API Gateway passes on only the last value, so the caller would
 * not notice that the other values are ignored.
 */
function repeatedParameters(query: z.ZodMiniObject, event: APIGatewayProxyEvent): Fault[] {
  const given = new Map(Object.entries(event.multiValueQueryStringParameters ?? {}));
  const repeated = Object.keys(query.shape).filter((name) => (given.get(name)?.length ?? 0) > 1);
  return repeated.map((name) => ({ pointer: pointerOf([name]), code: 'repeated', message: 'is given more than once' }));
}

function toFault(issue: z.core.$ZodIssue, value: unknown): Fault {
  const pointer = pointerOf(issue.path);
  // A field that is null counts as missing, like a field that is absent.
  const isMissing = issue.code === 'invalid_type' && (at(value, issue.path) ?? undefined) === undefined;
  // If the schema has a message of its own, it says more than the code of the issue.
  const message = issue.message === unworded ? describeIssue(issue) : issue.message;
  if (!isMissing) return { pointer, code: codeOf(issue), message };
  return { pointer, code: 'required', message: issue.path.length === 0 ? 'a body is required' : 'is required' };
}

/** The platform's own checks name their fault in `params.code`, because zod calls all of them `custom`. */
export function codeOf(issue: z.core.$ZodIssue): string {
  return issue.code === 'custom' && typeof issue.params?.code === 'string' ? issue.params.code : issue.code;
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, part) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, part) : undefined),
    value,
  );
}

/** An organisation that is identified by a partner key, a bearer token or the credentials of an OAuth client. */
export interface OrganisationCaller {
  readonly kind: 'organisation';
  readonly organisationId: number;
  readonly permissions: readonly string[];
  /** Identifies the credential. Stored replies belong to one credential. */
  readonly scope: string;
}

/** The user of a user token, at the merchant that the token was issued to. */
export interface UserCaller {
  readonly kind: 'user';
  readonly organisationId: number;
  readonly userId: number;
  readonly userUuid: string;
  readonly scope: string;
}

/** A person in the connect flow that an organisation started. */
export interface ConnectingCaller {
  readonly kind: 'connecting';
  readonly organisationId: number;
  readonly session: ConnectSession;
  /** The address that the request came from, as API Gateway saw it. */
  readonly address: string;
  readonly scope: string;
}

/** A partner's own loyalty program. */
export interface ProgramCaller {
  readonly kind: 'program';
  readonly organisationId: number;
  readonly scope: string;
}

/** A payment account. Its payment platform sent a webhook. */
export interface PaymentAccountCaller {
  readonly kind: 'paymentAccount';
  /** The merchant that the account is connected to. */
  readonly organisationId: number;
  readonly scope: string;
  /** The webhook as the payment platform signed it. */
  readonly webhook: PaymentWebhook;
}

/** A person at the dashboard. */
interface SignedInPerson {
  /** UUID of the person. */
  readonly staffId: string;
  readonly email: string;
  /** Null if the issuer reports none. */
  readonly name: string | null;
  /** When the issuer authenticated the person for this session. ISO 8601. */
  readonly authenticatedAt: string;
  /** SHA-256 of the session's text, hex: the id of the session. */
  readonly scope: string;
}

/** A person who acts for no organisation. */
export interface SignedInCaller extends SignedInPerson {
  readonly kind: 'signedIn';
  readonly organisationId?: undefined;
}

/** A person who acts for the organisation in the path. */
export interface StaffCaller extends SignedInPerson {
  readonly kind: 'staff';
  readonly organisationId: number;
  readonly roles: readonly StaffRole[];
  readonly permissions: readonly StaffPermission[];
}

/** A caller without a credential. */
export interface AnonymousCaller {
  readonly kind: 'anonymous';
  readonly organisationId?: undefined;
  readonly scope: 'anonymous';
}

/** The caller of a request. The credential proves who it is. */
export type Caller =
  | OrganisationCaller
  | UserCaller
  | ConnectingCaller
  | ProgramCaller
  | PaymentAccountCaller
  | StaffCaller
  | SignedInCaller
  | AnonymousCaller;

/** Request headers, names in lower case. */
export type Headers = Readonly<Record<string, string | undefined>>;

/** The parts of a request that may carry a credential, or that a signature may cover. */
interface CredentialSources {
  readonly headers: Headers;
  readonly path: Readonly<Record<string, string | undefined>>;
  /** The body as it arrived. */
  readonly body: string;
  /** The address that the request came from. API Gateway reports it, because a header could contain any address. */
  readonly address: string;
}

/**
 * Identifies the caller of a request by one kind of credential.
 *
 * @throws RequestRefusedError with the status and identifier of the contract's credential scheme
 */
export type IdentifyCaller = (contract: AnyContract, sources: CredentialSources) => Promise<Caller>;

/** @throws RequestRefusedError when the contract needs a permission that is not in the list */
export function requirePermission(contract: AnyContract, permissions: readonly string[]): void {
  const { permission } = contract;
  if (permission === undefined || permissions.includes(permission)) return;
  throw refusal(contract, 'forbidden', `The credential lacks the permission ${permission}`);
}

/** The secret that only the caller has: its key, its token, or its client secret. */
export function secretOf(headers: Headers): string {
  return headers['x-api-key'] ?? basicCredentials(headers)?.password ?? headers.authorization ?? '';
}

/** The client id and the client secret of HTTP Basic; undefined without them. */
export function basicCredentials(headers: Headers): { readonly user: string; readonly password: string } | undefined {
  const encoded = /^Basic +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [user = '', ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return { user: decodeForm(user), password: decodeForm(rest.join(':')) };
}

/**
 * RFC 6749, 2.3.1 requires clients to form-encode id and secret before they join them. Many clients do not encode. The
 * platform's own ids and secrets need no encoding.
 */
function decodeForm(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** Makes the refusal that a contract lists for a credential that is invalid, expired or forbidden. */
export function refusal({ credential }: AnyContract, failure: 'invalid' | 'expired' | 'forbidden', message: string) {
  const { status, identifier } = credential[failure];
  return new RequestRefusedError(status, identifier, message, {
    headers: challenge(credential.kind, credential[failure]),
  });
}

/** RFC 6750 and RFC 6749 require the name of the scheme when a token or a client is refused. */
function challenge(kind: AnyContract['credential']['kind'], { status, identifier }: Refusal): Record<string, string> {
  switch (kind) {
    case 'bearer':
      return { 'WWW-Authenticate': `Bearer error="${identifier}"` };
    case 'client':
      return status === 401 ? { 'WWW-Authenticate': 'Basic realm="rewards"' } : {};
    default:
      return {};
  }
}
