import type * as z from 'zod/mini';
import type { TableAccess } from './table.ts';

/** The six hosts of the specification. */
export const hosts = ['base', 'reward', 'campaign', 'user', 'order', 'notification'] as const;
export type Host = (typeof hosts)[number];

/** What a partner API key may be allowed to do (docs/gaps.md, "Permissions of a key"). */
export const permissions = [
  'users:read',
  'transactions:read',
  'campaigns:read',
  'partnerships:read',
  'triggers:write',
  'orders:write',
  'connect:write',
  'webhooks:write',
] as const;
type Permission = (typeof permissions)[number];

/** What a bearer token may be allowed to do. */
export const scopes = ['transactions:read', 'templates:read'] as const;
export type Scope = (typeof scopes)[number];

/** One reply that is not a success: its status and its identifier. */
export interface Refusal {
  readonly status: number;
  readonly identifier: string;
}

/**
 * Kinds of proof: two in `x-api-key`, a bearer token, an OAuth client's own credentials, the connect token
 * in the path, and none at all.
 */
export type CredentialKind = 'partnerKey' | 'userToken' | 'bearer' | 'client' | 'connectToken' | 'none';

/**
 * How a caller proves who it is, and what each failure to do so is answered with.
 * `invalid`: none, unknown, malformed or revoked. `expired`: was good once. `forbidden`: good, but of
 * another kind or without the permission.
 */
export interface CredentialScheme<Kind extends CredentialKind = CredentialKind> {
  readonly kind: Kind;
  readonly invalid: Refusal;
  readonly expired: Refusal;
  readonly forbidden: Refusal;
}

type ObjectSchema = z.ZodMiniObject;

/**
 * One endpoint's whole promise. The handler, the route, method, role and Lambda in the stacks,
 * the tests of refusals and the documentation are made from it.
 */
export interface Contract<
  Params extends ObjectSchema = ObjectSchema,
  Query extends ObjectSchema = ObjectSchema,
  Body extends z.ZodMiniType = z.ZodMiniType,
  Data extends z.ZodMiniType = z.ZodMiniType,
  Identifier extends string = string,
  Kind extends CredentialKind = CredentialKind,
> {
  readonly host: Host;
  /** The folder below functions/<host>, verb-noun. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** API Gateway resource path. One variable name per path level, over all contracts of a host. */
  readonly path: `/${string}`;
  /** One sentence for the documentation, with the specification's number of the endpoint. */
  readonly summary: string;
  readonly credential: CredentialScheme<Kind>;
  /** What the credential must be allowed: a permission of a partner key, a scope of a bearer token. */
  readonly permission?: Permission | Scope;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly bodyType?: 'json' | 'form';
  /** The reply's data. What the schema does not name never leaves. */
  readonly data: Data;
  /**
   * `data` wraps it as `{ code: "ok", data }`; `list` puts `code: "ok"` beside the data and the cursor of
   * {@link listReply}; `bare` sends it as it is; `page` sends a {@link Page} for people with browsers.
   */
  readonly envelope?: 'data' | 'list' | 'bare' | 'page';
  /** The name of the identifier's field in an error body; `oauth` is RFC 6749's own shape. */
  readonly errorField: 'error' | 'code';
  /** `oauth`: error bodies are RFC 6749's `{ error, error_description }`. */
  readonly errorShape?: 'platform' | 'oauth';
  /** The identifiers that the endpoint's own rules refuse with, and their status. */
  readonly refusals: Readonly<Record<Identifier, number>>;
  /** Identifier for a path id that cannot be an id of its kind: the same as for one that does not exist. */
  readonly notFound?: NoInfer<Identifier>;
  /** Identifier of a validation failure; `invalid_request` unless said. */
  readonly invalidRequest?: string;
  /** What the endpoint does to the table, its credential and idempotency record apart. */
  readonly access: TableAccess;
  /** For the documentation; a test holds it against the schemas. */
  readonly example?: ContractExample<z.input<Body>, z.input<Data>>;
}

/** A request and the reply to it, as they are on the wire; the reply without its envelope. */
interface ContractExample<Request = unknown, Reply = unknown> {
  readonly request?: Request;
  readonly reply: Reply;
}

/** Declares an endpoint. Gives its argument back, with the types of its schemas kept. */
export function defineContract<
  Params extends ObjectSchema,
  Query extends ObjectSchema,
  Body extends z.ZodMiniType,
  Data extends z.ZodMiniType,
  Identifier extends string,
  Kind extends CredentialKind,
>(
  contract: Contract<Params, Query, Body, Data, Identifier, Kind>,
): Contract<Params, Query, Body, Data, Identifier, Kind> {
  return contract;
}

/** A contract of whatever schemas: what lists of contracts hold. */
export type AnyContract = Contract;

/**
 * Whether an endpoint honours `Idempotency-Key`: every POST and PUT whose caller has a secret of its own, with
 * which the kept reply is sealed. The connect flow has none but its token, which is good once.
 */
export function isIdempotent({ method, credential: { kind } }: AnyContract): boolean {
  return method !== 'GET' && kind !== 'connectToken' && kind !== 'none';
}

/** The table access that the endpoint's middleware needs beside the handler's own. */
export function middlewareAccess(contract: AnyContract): TableAccess {
  const { kind } = contract.credential;
  return {
    table: {
      ...(kind === 'connectToken' && { connect: ['GetItem'] }),
      ...(kind === 'client' && { client: ['GetItem'] }),
      ...(kind !== 'connectToken' && kind !== 'none' && { credential: ['GetItem'] }),
      ...(isIdempotent(contract) && { idempotency: ['PutItem', 'UpdateItem', 'DeleteItem'] }),
    },
  };
}
