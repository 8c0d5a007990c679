import { timingSafeEqual } from 'node:crypto';
import type { AnyContract } from '../contracts/contract.ts';
import { cacheAgeMs, maximumCount } from '../contracts/limits.ts';
import { type ConnectSession, isOpen } from '../domain/connect/connect-session.ts';
import { once } from '../domain/memoize.ts';
import { runtime, withStores } from '../runtime/runtime.ts';
import { ConnectSessions } from '../store/connect/connect.ts';
import { type Credential, Credentials, digestOf, isSecretText } from '../store/credential/credentials.ts';
import { Idempotency } from '../store/credential/idempotency.ts';
import { Clients } from '../store/organisation/clients.ts';
import { RequestRefusedError } from './reply.ts';

/** An organisation, by its partner key, a bearer token or as an OAuth client. */
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
  readonly scope: string;
}

/** A caller without a credential. */
export interface AnonymousCaller {
  readonly kind: 'anonymous';
  readonly organisationId?: undefined;
  readonly scope: 'anonymous';
}

/** The caller of a request, as its credential proves. */
export type Caller = OrganisationCaller | UserCaller | ConnectingCaller | AnonymousCaller;

/** Request headers, names in lower case. */
export type Headers = Readonly<Record<string, string | undefined>>;

/** The parts of a request that may carry a credential. */
export interface CredentialSources {
  readonly headers: Headers;
  readonly path: Readonly<Record<string, string | undefined>>;
}

/** The repositories of the steps before every handler. */
export const callerDeps = once(() =>
  withStores(runtime(), {
    clients: Clients,
    connectSessions: ConnectSessions,
    credentials: Credentials,
    idempotency: Idempotency,
  }),
);
export type CallerDeps = ReturnType<typeof callerDeps>;

/**
 * Identifies the caller by the kind of credential that the contract asks for.
 *
 * @throws RequestRefusedError with the status and identifier of the contract's credential scheme
 */
export async function identifyCaller(
  contract: AnyContract,
  { headers, path }: CredentialSources,
  deps: CallerDeps,
): Promise<Caller> {
  switch (contract.credential.kind) {
    case 'none':
      return { kind: 'anonymous', scope: 'anonymous' };
    case 'client':
      return identifyClient(contract, headers, deps);
    case 'connectToken':
      return identifyConnecting(contract, path.connect_token ?? '', deps);
    default:
      return identifyByKey(contract, headers, deps);
  }
}

async function identifyByKey(contract: AnyContract, headers: Headers, deps: CallerDeps): Promise<Caller> {
  const secret = contract.credential.kind === 'bearer' ? bearerToken(headers) : headers['x-api-key'];
  if (secret === undefined) throw refusal(contract, 'invalid', 'The credential is missing');

  const credential = await findCredential(secret, deps);
  if (!credential || credential.isRevoked) throw refusal(contract, 'invalid', 'The credential is not valid');
  if (isExpired(credential, deps.now())) throw refusal(contract, 'expired', 'The token has expired');
  if (credential.kind !== contract.credential.kind) {
    throw refusal(contract, 'forbidden', 'This kind of credential is not authorized for the request');
  }
  if (contract.permission && 'permissions' in credential && !credential.permissions.includes(contract.permission)) {
    throw refusal(contract, 'forbidden', `The credential lacks the permission ${contract.permission}`);
  }
  return toCaller(credential);
}

function toCaller(credential: Credential): Caller {
  const { organisationId, digest: scope } = credential;
  if ('userId' in credential) {
    return { kind: 'user', organisationId, userId: credential.userId, userUuid: credential.userUuid, scope };
  }
  return { kind: 'organisation', organisationId, permissions: credential.permissions, scope };
}

function isExpired({ expiresAt }: Credential, now: Date): boolean {
  return expiresAt !== null && now.getTime() >= Date.parse(expiresAt);
}

function bearerToken(headers: Headers): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
}

/** A connect token is valid while its session can still end in a link. */
async function identifyConnecting(contract: AnyContract, token: string, deps: CallerDeps): Promise<Caller> {
  const digest = digestOf(token);
  const session = isSecretText(token, deps.config.stage) ? await deps.connectSessions.find(digest) : undefined;
  if (!session) throw refusal(contract, 'invalid', 'The connect token is not valid');
  if (!isOpen(session, deps.now())) throw refusal(contract, 'expired', 'The connect token has expired or was used');
  return { kind: 'connecting', organisationId: session.organisationId, session, scope: digest };
}

interface CachedCredential {
  readonly credential: Credential;
  readonly untilMs: number;
}

const caches = new WeakMap<CallerDeps, Map<string, CachedCredential>>();

/**
 * Finds a credential, in a cache of a few seconds first: a revoked key works no longer than that. Unknown keys
 * are not cached, so that invented ones cannot fill the memory.
 */
async function findCredential(secret: string, deps: CallerDeps): Promise<Credential | undefined> {
  if (!isSecretText(secret, deps.config.stage)) return undefined;
  const digest = digestOf(secret);
  const nowMs = deps.now().getTime();
  const cache = caches.get(deps) ?? new Map<string, CachedCredential>();
  caches.set(deps, cache);
  const cached = cache.get(digest);
  if (cached && nowMs < cached.untilMs) return cached.credential;

  const credential = await deps.credentials.find(digest);
  if (!credential) return undefined;
  const oldest = cache.size >= maximumCount.cachedCredentials ? cache.keys().next().value : undefined;
  if (oldest !== undefined) cache.delete(oldest);
  cache.set(digest, { credential, untilMs: nowMs + cacheAgeMs.credential });
  return credential;
}

/** Identifies a client by HTTP Basic with its id and secret, or by a partner key (docs/gaps.md, "Authentication"). */
async function identifyClient(contract: AnyContract, headers: Headers, deps: CallerDeps): Promise<Caller> {
  const key = headers['x-api-key'];
  const basic = basicCredentials(headers);
  if (basic && key !== undefined) {
    throw new RequestRefusedError(400, 'invalid_request', 'A client authenticates in one way only');
  }
  if (basic) {
    const client = await deps.clients.find(basic.user);
    if (!client || client.isRevoked || !isSameDigest(client.secretDigest, digestOf(basic.password))) {
      throw refusal(contract, 'invalid', 'The client id or the client secret is wrong');
    }
    const { organisationId, scopes, clientId } = client;
    return { kind: 'organisation', organisationId, permissions: scopes, scope: clientId };
  }
  const credential = key === undefined ? undefined : await findCredential(key, deps);
  if (credential?.kind !== 'partnerKey' || credential.isRevoked || isExpired(credential, deps.now())) {
    throw refusal(contract, 'invalid', 'The client has to authenticate, by HTTP Basic or with its partner key');
  }
  return toCaller(credential);
}

/** The secret that only the caller has: its key, its token, or its client secret. */
export function secretOf(headers: Headers): string {
  return headers['x-api-key'] ?? basicCredentials(headers)?.password ?? headers.authorization ?? '';
}

function basicCredentials(headers: Headers): { readonly user: string; readonly password: string } | undefined {
  const encoded = /^Basic +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [user = '', ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return { user: decodeForm(user), password: decodeForm(rest.join(':')) };
}

/** RFC 6749, 2.3.1 form-encodes both before they are joined. Many clients leave that out; ours need no encoding. */
function decodeForm(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function isSameDigest(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

function refusal({ credential }: AnyContract, failure: 'invalid' | 'expired' | 'forbidden', message: string) {
  const { status, identifier } = credential[failure];
  return new RequestRefusedError(status, identifier, message, { headers: challenge(credential.kind, identifier) });
}

/** RFC 6750 and RFC 6749 require the name of the scheme when a token or a client is refused. */
function challenge(kind: AnyContract['credential']['kind'], identifier: string): Record<string, string> {
  switch (kind) {
    case 'bearer':
      return { 'WWW-Authenticate': `Bearer error="${identifier}"` };
    case 'client':
      return { 'WWW-Authenticate': 'Basic realm="rewards"' };
    default:
      return {};
  }
}
