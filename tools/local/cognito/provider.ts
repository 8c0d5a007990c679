import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { AccountClaims, ClientMetadata, Configuration, Provider } from 'oidc-provider';
import { messagePage } from './page.ts';
import { type PoolItems, PoolStorage } from './pool-storage.ts';
import type { PoolClient, UserPool } from './user-pool.ts';
import type { Users } from './users.ts';

/** The paths of a pool's domain on AWS. */
export const poolPaths = {
  authorize: '/oauth2/authorize',
  token: '/oauth2/token',
  logout: '/logout',
  /** Before the id of the interaction. */
  signIn: '/login/',
} as const;

/** The browser's cookie of the issuer's own session. */
export const sessionCookie = 'cognito';

export interface ProviderContext {
  readonly pool: UserPool;
  readonly users: Users;
  /** Where this server listens. */
  readonly url: string;
  /** Returns where a URL of the template leads on this machine. */
  readonly localize: (url: string) => string;
}

const hourSeconds = 3_600;

/** An ID token lives long enough for a platform whose clock was moved forward; on AWS five minutes. */
const idTokenSeconds = 366 * 24 * hourSeconds;

/**
 * Makes the OpenID Connect server of a pool. The library is loaded at the first sign-in, because most platforms are
 * started without one.
 */
export async function makeProvider(context: ProviderContext): Promise<Provider> {
  const [{ default: OidcProvider }, configuration] = await Promise.all([import('oidc-provider'), configure(context)]);
  return new OidcProvider(context.pool.issuer, configuration);
}

async function configure({ pool, users, url, localize }: ProviderContext): Promise<Configuration> {
  const items: PoolItems = new Map();
  return {
    adapter: (model) => new PoolStorage(model, items, (id) => users.find(id) !== undefined),
    clients: pool.clients.map((client) => toMetadata(client, localize)),
    jwks: { keys: [await makeKey()] },
    findAccount: (_, id) => {
      const user = users.find(id);
      const claims = (): AccountClaims => ({ sub: id, email: user?.email, email_verified: true, name: user?.name });
      return user && { accountId: id, claims };
    },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    scopes: ['openid', 'email', 'profile'],
    // Cognito puts the claims of the scopes into the ID token.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    routes: {
      authorization: poolPaths.authorize,
      token: poolPaths.token,
      userinfo: '/oauth2/userInfo',
      jwks: `/${pool.id}/.well-known/jwks.json`,
    },
    discovery: { end_session_endpoint: `${url}${poolPaths.logout}` },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    interactions: { url: (_, { uid }) => `${poolPaths.signIn}${uid}` },
    cookies: { keys: [randomBytes(32).toString('hex')], names: { session: sessionCookie } },
    loadExistingGrant,
    ttl: {
      ...{ AccessToken: hourSeconds, AuthorizationCode: 300, Grant: hourSeconds, IdToken: idTokenSeconds },
      ...{ Interaction: hourSeconds, Session: hourSeconds },
    },
    renderError: (ctx, { error, error_description: description = '' }) => {
      ctx.type = 'html';
      ctx.body = messagePage(`${error}: ${description}`);
    },
  };
}

function toMetadata({ id, callbackUrls }: PoolClient, localize: ProviderContext['localize']): ClientMetadata {
  return {
    client_id: id,
    token_endpoint_auth_method: 'none',
    redirect_uris: callbackUrls.map(localize),
    response_types: ['code'],
    grant_types: ['authorization_code'],
    id_token_signed_response_alg: 'RS256',
    require_auth_time: true,
  };
}

/** The people of a pool need not agree to their own organisation's application. */
const loadExistingGrant: Configuration['loadExistingGrant'] = async ({ oidc }) => {
  const { client, session, provider } = oidc;
  if (!client || !session?.accountId) return undefined;
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope('openid email profile');
  await grant.save();
  return grant;
};

async function makeKey() {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), kid: 'local', use: 'sig', alg: 'RS256' };
}
