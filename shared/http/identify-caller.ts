import { timingSafeEqual } from 'node:crypto';
import type { AnyContract, Refusal } from '../contracts/contract.ts';
import { cacheAgeMs, maximumCount } from '../contracts/limits.ts';
import { isOpen } from '../domain/connect/connect-session.ts';
import { once } from '../runtime/once.ts';
import { runtime, withStores } from '../runtime/runtime.ts';
import { ConnectSessions } from '../store/connect/connect-sessions.ts';
import { type Credential, Credentials } from '../store/credential/credentials.ts';
import { Idempotency } from '../store/credential/idempotency.ts';
import { digestOf, isSecretText } from '../store/credential/secret-text.ts';
import { Clients } from '../store/organisation/clients.ts';
import { anybody, type Caller, callerOf, callerOfClient } from './caller.ts';
import { RequestRefusedError } from './refusal.ts';

/** Request headers, names in lower case. */
export type Headers = Readonly<Record<string, string | undefined>>;

/** Where a request may carry a proof. */
export interface Proof {
  readonly headers: Headers;
  readonly path: Readonly<Record<string, string | undefined>>;
}

/** What stands before every handler: who calls, and whether it did before. */
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
 * Who calls.
 *
 * @throws RequestRefusedError as the contract's credential scheme says
 */
export async function identifyCaller(contract: AnyContract, proof: Proof, deps: CallerDeps): Promise<Caller> {
  switch (contract.credential.kind) {
    case 'none':
      return anybody;
    case 'client':
      return authenticateClient(contract, proof.headers, deps);
    case 'connectToken':
      return authenticateConnecting(contract, proof.path.connect_token ?? '', deps);
    default:
      return authenticateKey(contract, proof.headers, deps);
  }
}

async function authenticateKey(contract: AnyContract, headers: Headers, deps: CallerDeps): Promise<Caller> {
  const secret = contract.credential.kind === 'bearer' ? bearerToken(headers) : headers['x-api-key'];
  if (secret === undefined) throw refuse(contract, 'invalid', 'The credential is missing');

  const credential = await find(secret, deps);
  if (credential === undefined || credential.isRevoked)
    throw refuse(contract, 'invalid', 'The credential is not valid');
  if (isExpired(credential, deps.now())) {
    throw refuse(contract, 'expired', 'The token has expired');
  }
  if (credential.kind !== contract.credential.kind) {
    throw refuse(contract, 'forbidden', 'This kind of credential is not authorized for the request');
  }
  if (contract.permission && 'permissions' in credential && !credential.permissions.includes(contract.permission)) {
    throw refuse(contract, 'forbidden', `The credential lacks the permission ${contract.permission}`);
  }
  return callerOf(credential);
}

function isExpired({ expiresAt }: Credential, now: Date): boolean {
  return expiresAt !== null && now.getTime() >= Date.parse(expiresAt);
}

function bearerToken(headers: Headers): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
}

/** A connect token is good while its session can still end in a link. */
async function authenticateConnecting(contract: AnyContract, token: string, deps: CallerDeps): Promise<Caller> {
  const digest = digestOf(token);
  const session = isSecretText(token, deps.config.stage) ? await deps.connectSessions.find(digest) : undefined;
  if (session === undefined) throw refuse(contract, 'invalid', 'The connect token is not valid');
  if (!isOpen(session, deps.now())) throw refuse(contract, 'expired', 'The connect token has expired or was used');
  return { kind: 'connecting', organisationId: session.organisationId, session, scope: digest };
}

const cache = new WeakMap<CallerDeps, Map<string, { readonly credential: Credential; readonly until: number }>>();

async function find(secret: string, deps: CallerDeps): Promise<Credential | undefined> {
  if (!isSecretText(secret, deps.config.stage)) return undefined;
  const digest = digestOf(secret);
  const now = deps.now().getTime();
  const cached = cacheOf(deps).get(digest);
  if (cached && now < cached.until) return cached.credential;

  const credential = await deps.credentials.find(digest);
  if (credential) remember(cacheOf(deps), digest, { credential, until: now + cacheAgeMs.credential });
  return credential;
}

function cacheOf(deps: CallerDeps) {
  const existing = cache.get(deps);
  if (existing) return existing;
  const fresh = new Map();
  cache.set(deps, fresh);
  return fresh;
}

/** Only what was found is kept, so that nobody fills the memory with keys that do not exist. */
function remember<Value>(entries: Map<string, Value>, key: string, value: Value): void {
  const oldest = entries.size >= maximumCount.cachedCredentials ? entries.keys().next().value : undefined;
  if (oldest !== undefined) entries.delete(oldest);
  entries.set(key, value);
}

/** HTTP Basic with client id and secret, or a partner key (docs/gaps.md, "Authentication"). */
async function authenticateClient(contract: AnyContract, headers: Headers, deps: CallerDeps): Promise<Caller> {
  const basic = basicCredentials(headers);
  if (basic && headers['x-api-key'] !== undefined) {
    throw new RequestRefusedError(400, 'invalid_request', 'A client authenticates in one way only');
  }
  if (basic) {
    const client = await deps.clients.find(basic.user);
    if (client && !client.isRevoked && sameDigest(client.secretDigest, digestOf(basic.password))) {
      return callerOfClient(client);
    }
    throw refuse(contract, 'invalid', 'The client is not known by these credentials');
  }
  const key = headers['x-api-key'];
  const credential = key === undefined ? undefined : await find(key, deps);
  if (credential?.kind !== 'partnerKey' || credential.isRevoked || isExpired(credential, deps.now())) {
    throw refuse(contract, 'invalid', 'The client has to authenticate, by HTTP Basic or with its partner key');
  }
  return callerOf(credential);
}

/** What only the caller has: its key, its token, or the secret of its client however that is encoded. */
export function secretOf(headers: Headers): string {
  return headers['x-api-key'] ?? basicCredentials(headers)?.password ?? headers.authorization ?? '';
}

function basicCredentials(headers: Headers): { user: string; password: string } | undefined {
  const encoded = /^Basic +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const [user = '', ...rest] = text.split(':');
  return { user: formDecoded(user), password: formDecoded(rest.join(':')) };
}

/** RFC 6749, 2.3.1: both are form-encoded before they are joined; many clients leave that out, as ours need none. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function sameDigest(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

function refuse(contract: AnyContract, why: 'invalid' | 'expired' | 'forbidden', message: string): RequestRefusedError {
  const refusal: Refusal = contract.credential[why];
  return new RequestRefusedError(refusal.status, refusal.identifier, message, {
    headers: challenge(contract, refusal),
  });
}

/** RFC 6750 and RFC 6749 want the scheme named where a token or a client is refused. */
function challenge(contract: AnyContract, refusal: Refusal): Record<string, string> {
  switch (contract.credential.kind) {
    case 'bearer':
      return { 'WWW-Authenticate': `Bearer error="${refusal.identifier}"` };
    case 'client':
      return { 'WWW-Authenticate': 'Basic realm="rewards"' };
    default:
      return {};
  }
}
