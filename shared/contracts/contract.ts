import type * as z from 'zod/mini';
import type { StaffPermission } from './staff-permissions.ts';
import type { TableAccess } from './table.ts';

/** The six hosts of the specification. */
export const hosts = ['base', 'reward', 'campaign', 'user', 'order', 'notification'] as const;
export type Host = (typeof hosts)[number];

/** The host that only the dashboard calls. Partners have no credential for it (decision 0185). */
export const managementHost = 'management';
/** The path of the management host at the dashboard's address. The paths of its contracts continue it. */
export const managementPath = '/api';
/** The host of a contract. */
export type ContractHost = Host | typeof managementHost;

/** The permissions that a partner API key can have (docs/gaps.md, "Permissions of a key"). */
export const permissions = [
  'users:read',
  'users:write',
  'transactions:read',
  'campaigns:read',
  'partnerships:read',
  'triggers:write',
  'orders:read',
  'orders:write',
  'connect:write',
  'webhooks:read',
  'webhooks:write',
] as const;
type Permission = (typeof permissions)[number];

/** The scopes that a bearer token can have. */
export const scopes = ['transactions:read', 'templates:read'] as const;
export type Scope = (typeof scopes)[number];

/** One error reply: its status and its identifier. */
export interface Refusal {
  readonly status: number;
  readonly identifier: string;
}

/**
 * The credential that proves the caller's identity, by its place in the request:
 *
 * - `x-api-key`: `partnerKey`, `userToken`
 * - `Authorization`: `bearer`, or `client` (an OAuth client's id and secret)
 * - the path: `connectToken`
 * - a signature of the body: `programSignature` (a partner's own program), `paymentSignature` (a payment platform)
 * - the session cookie of a person at the dashboard: `staff` (who acts for the organisation in the path),
 *   `staffSession` (who acts for nobody), `optionalStaffSession` (the same; without a live session the caller is anonymous)
 */
export type CredentialKind =
  | 'partnerKey'
  | 'userToken'
  | 'bearer'
  | 'client'
  | 'connectToken'
  | 'programSignature'
  | 'paymentSignature'
  | 'staff'
  | 'staffSession'
  | 'optionalStaffSession'
  | 'none';

/** How a caller proves its identity, and the reply to each failure. */
export interface CredentialScheme<Kind extends CredentialKind = CredentialKind> {
  readonly kind: Kind;
  /** The credential is missing, malformed, unknown or revoked. */
  readonly invalid: Refusal;
  readonly expired: Refusal;
  /** The credential is valid, but it is of a different kind or does not have the permission. */
  readonly forbidden: Refusal;
}

function scheme<Kind extends CredentialKind>(
  kind: Kind,
  [invalid, expired = invalid, forbidden = expired]: readonly [Refusal, Refusal?, Refusal?],
): CredentialScheme<Kind> {
  return { kind, invalid, expired, forbidden };
}

// All endpoints check credentials in the same way, but their refusals differ (docs/gaps.md, "Errors").
const invalidToken = { status: 400, identifier: 'invalid_token' };
const unauthorizedRequest = { status: 401, identifier: 'unauthorized_request' };
const invalidClient = { status: 401, identifier: 'invalid_client' };
const insufficientScope = { status: 403, identifier: 'insufficient_scope' };

/** Endpoints 3, 4, 6, 7, 9, 11 and 12. */
export const partnerKey = scheme('partnerKey', [invalidToken, unauthorizedRequest]);
/** Endpoints 13 and 14. */
export const notificationPartnerKey = scheme('partnerKey', [{ status: 401, identifier: 'unauthorized_partner' }]);
/** Endpoints 2 and 5. */
export const userToken = scheme('userToken', [invalidToken, unauthorizedRequest]);
/** Endpoint 1. */
export const authenticatingUserToken = scheme('userToken', [{ status: 401, identifier: 'unauthorized_user' }]);
/** Endpoints 8 and 10 (RFC 6750). */
export const bearer = scheme('bearer', [
  { ...invalidToken, status: 401 },
  { ...invalidToken, status: 401 },
  insufficientScope,
]);
/** The token endpoint (RFC 6749, section 5.2). */
export const client = scheme('client', [
  invalidClient,
  invalidClient,
  { status: 400, identifier: 'unauthorized_client' },
]);
/** The connect flow: the token in the path is a person's only credential. */
export const connectToken = scheme('connectToken', [invalidToken]);
/** The reports of partners' own loyalty programs. */
export const programSignature = scheme('programSignature', [{ status: 401, identifier: 'invalid_signature' }]);
/** The webhooks of payment platforms. */
export const paymentSignature = scheme('paymentSignature', [{ status: 401, identifier: 'invalid_signature' }]);
const staffRefusals = [
  { status: 401, identifier: 'not_signed_in' },
  { status: 401, identifier: 'session_expired' },
  { status: 403, identifier: 'not_permitted' },
] as const;
/** A person at the dashboard, who acts for the organisation in the path. To others, the organisation does not exist. */
export const staff = scheme('staff', staffRefusals);
/** A person at the dashboard, who acts for no organisation. */
export const staffSession = scheme('staffSession', staffRefusals);
/** A person at the dashboard, or nobody: the endpoint tells which. It refuses neither. */
export const optionalStaffSession = scheme('optionalStaffSession', staffRefusals);
/** The refusals of the management host that do not depend on the contract. */
export const managementRefusals = {
  /** The request did not come through the delivery network. */
  wrongAddress: { status: 403, identifier: 'wrong_address' },
  /** A page of another origin may have sent the request (CSRF). */
  forged: { status: 403, identifier: 'forged_request' },
  /** The person has to sign in again, because the act is a sensitive one. */
  reauthentication: { status: 401, identifier: 'reauthentication_required' },
  /** There is no such organisation, or the person does not belong to it. */
  unknownOrganisation: { status: 404, identifier: 'not_found' },
  /** The request names no revision. */
  revisionMissing: { status: 428, identifier: 'revision_required' },
  /** The thing has another revision than the request names. */
  changedMeanwhile: { status: 412, identifier: 'changed_meanwhile' },
} as const satisfies Readonly<Record<string, Refusal>>;
/** Public endpoints. */
export const noCredential = scheme('none', [invalidToken]);

/**
 * The headers that let a page of any origin read a reply. The browser sends no cookies with such a request, and the
 * six hosts use none (decision 0164).
 */
export const crossOriginHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'x-request-id, x-ignored-fields, Retry-After',
} as const;

type ObjectSchema = z.ZodMiniObject;

/**
 * Everything that one endpoint promises. The handler, route, role, Lambda, alarm, OpenAPI document, client and tests of
 * refusals are made from this contract.
 */
export interface Contract<
  Params extends ObjectSchema = ObjectSchema,
  Query extends ObjectSchema = ObjectSchema,
  Body extends z.ZodMiniType = z.ZodMiniType,
  Data extends z.ZodMiniType = z.ZodMiniType,
  Identifier extends string = string,
  Kind extends CredentialKind = CredentialKind,
  At extends ContractHost = ContractHost,
  NamesRevision extends boolean = boolean,
> {
  readonly host: At;
  /** The folder below functions/<host> (of `management`: below functions/management/<resource>): verb-noun. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path of the API Gateway resource. In all paths of a host, the variables of one path level have the same name. */
  readonly path: `/${string}`;
  /** One sentence for the documentation, with the specification's number of the endpoint. */
  readonly summary: string;
  readonly credential: CredentialScheme<Kind>;
  /**
   * The permission that a partner key needs, the scope that a bearer token needs, or the permission that a person's
   * roles must give. OAuth clients have `connect:write`.
   */
  readonly permission?: Permission | Scope | StaffPermission;
  /** Whether a person must have signed in a short time ago (`validityMs.recentSignIn`). */
  readonly needsRecentSignIn?: boolean;
  /** Whether a request must name the revision that it changes, in `If-Match`. */
  readonly namesRevision?: NamesRevision;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly bodyType?: 'json' | 'form';
  /** The largest body in bytes; `maximumBytes.requestBody` by default. */
  readonly maximumBodyBytes?: number;
  /** The data of the reply. Fields that the schema does not name are removed. */
  readonly data: Data;
  /**
   * `data` (the default) replies `{ code: "ok", data }`; `list` replies `{ code: "ok", data, cursor }`, see {@link
   * listReply}; `bare` replies the data alone; `page` replies a {@link Page} for browsers; `redirect` sends the browser to
   * the `location` of the data with 302.
   */
  readonly envelope?: 'data' | 'list' | 'bare' | 'page' | 'redirect';
  /**
   * Whether web pages of other origins may call the endpoint (CORS). Only for endpoints that take no credential from a
   * header: any page may call them, and the reply shows a page only what the page's own token allows.
   */
  readonly isForBrowsers?: boolean;
  /** The field of an error body that contains the identifier; `error` by default. */
  readonly errorField: 'error' | 'code';
  /** `oauth`: error bodies are `{ error, error_description }` (RFC 6749). */
  readonly errorShape?: 'platform' | 'oauth';
  /** The errors of the endpoint's own rules: status by identifier. */
  readonly refusals: Readonly<Record<Identifier, number>>;
  /** Domain errors by class name, each with the refusal that the endpoint replies. */
  readonly errors?: Readonly<Record<string, NoInfer<Identifier>>>;
  /** The identifier for a malformed id in the path. An id that does not exist has the same identifier. */
  readonly notFound?: NoInfer<Identifier>;
  /** Identifier of a validation failure; `invalid_request` by default. */
  readonly invalidRequest?: string;
  /** An alarm goes off when the p99, as callers see it, is above these milliseconds. Absent: the p99 has no alarm. */
  readonly p99GoalMs?: number;
  /** Access of the handler to the table; {@link middlewareAccess} is added. */
  readonly access: TableAccess;
  /** Whether the handler may read the secrets that the platform shares with partners' own programs. */
  readonly readsProgramSecrets?: boolean;
  /**
   * The log messages that cause an alarm. `impact` is the impact of the reported problem, `section` the section of the
   * runbook about it.
   */
  readonly alarmingMessages?: Readonly<Record<string, { readonly impact: string; readonly section: string }>>;
  /** The sources with which the handler may put events on the bus. It receives the bus name as `BUS_NAME`. */
  readonly publishes?: readonly string[];
  /** The example in the documentation. A test checks it against the schemas. */
  readonly example?: ContractExample<z.input<Body>, z.input<Data>>;
}

/** A request and its reply on the wire. The reply has no envelope here. */
interface ContractExample<Request = unknown, Reply = unknown> {
  readonly request?: Request;
  readonly reply: Reply;
}

/** Declares an endpoint. Returns it with the types of its schemas, and with the default of `errorField`. */
export function defineContract<
  Params extends ObjectSchema,
  Query extends ObjectSchema,
  Body extends z.ZodMiniType,
  Data extends z.ZodMiniType,
  Identifier extends string,
  Kind extends CredentialKind,
  At extends ContractHost,
  NamesRevision extends boolean = false,
>(
  contract: Omit<Contract<Params, Query, Body, Data, Identifier, Kind, At, NamesRevision>, 'errorField'> &
    Partial<Pick<Contract, 'errorField'>>,
): Contract<Params, Query, Body, Data, Identifier, Kind, At, NamesRevision> {
  return { errorField: 'error', ...contract };
}

/** A contract with any schemas, for lists of contracts. */
export type AnyContract = Contract;
/** A contract of one of the six hosts. */
export type HostContract = AnyContract & { readonly host: Host };
/** A contract of the host that only the dashboard calls. */
export type ManagementContract = AnyContract & { readonly host: typeof managementHost };

/**
 * Whether an endpoint honours `Idempotency-Key`: every POST and PUT whose caller has a secret. The secret encrypts the
 * stored reply. The connect flow has no secret, only a token for a single use. The dashboard repeats nothing on its own.
 */
export function isIdempotent({ method, credential: { kind } }: AnyContract): boolean {
  return method !== 'GET' && hasCredentialItem(kind);
}

/** Whether the table has an item for each credential of a kind. */
const hasCredentialItem = (kind: CredentialKind): boolean =>
  !isOfStaff(kind) && !['connectToken', 'programSignature', 'paymentSignature', 'none'].includes(kind);

/** Whether a credential is the session of a person at the dashboard. */
export const isOfStaff = (kind: CredentialKind): boolean =>
  kind === 'staff' || kind === 'staffSession' || kind === 'optionalStaffSession';

/** Whether a request without a valid credential is refused. */
export const needsCredential = ({ credential: { kind } }: AnyContract): boolean =>
  kind !== 'none' && kind !== 'optionalStaffSession';

/** The table access that the endpoint's middleware needs in addition to the handler's. */
export function middlewareAccess(contract: AnyContract): TableAccess {
  const { kind } = contract.credential;
  return {
    table: {
      ...(kind === 'connectToken' && { connect: ['GetItem'] }),
      ...(kind === 'client' && { client: ['GetItem'] }),
      ...(hasCredentialItem(kind) && { credential: ['GetItem'] }),
      ...(kind === 'programSignature' && { organisation: ['GetItem'] }),
      ...(kind === 'paymentSignature' && { paymentAccount: ['GetItem'] }),
      ...(kind === 'userToken' && { grant: ['GetItem'] }),
      ...(isOfStaff(kind) && { staff: ['BatchGetItem', 'UpdateItem'] }),
      // Refused acts are in the audit trail of the organisation.
      ...(kind === 'staff' && { organisationAudit: ['PutItem'] }),
      ...(isIdempotent(contract) && { idempotency: ['PutItem', 'UpdateItem', 'DeleteItem'] }),
    },
  };
}
