import { randomUUID } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openProgramAccount } from '../../shared/operations/member/program-accounts.ts';
import { digestOf } from '../../shared/store/credential/credentials.ts';
import { cannot, useFlow } from './support/flow.ts';
import { send } from './support/http.ts';
import { beginConnect, openPage, submit } from './support/page.ts';
import { buy } from './support/purchase.ts';

/** Tests the token endpoint with a standard OAuth library. */

const flow = useFlow();
const pin = '135790';
const redirectUri = 'http://127.0.0.1:8080/connected';
/** The tests use plain HTTP on loopback. */
const plainHttp = { [oauth.allowInsecureRequests]: true };

let server: oauth.AuthorizationServer;
let client: oauth.Client;
let secret: oauth.ClientAuth;
let account: string;
beforeAll(() => {
  const { base } = flow.hosts;
  server = { issuer: base, token_endpoint: `${base}/oauth/token`, revocation_endpoint: `${base}/oauth/revoke` };
  client = { client_id: flow.demo.merchant.clientId };
  secret = oauth.ClientSecretBasic(flow.demo.merchant.clientSecret);
});
beforeEach(async () => {
  account = `oauth-${randomUUID()}`;
  const holder = { firstName: 'Hedy', lastName: 'Lamarr', email: null, statusTierId: 1, points: 300 };
  await openProgramAccount(flow.demo.partner.id, { ...holder, memberId: account, pin }, flow.platform);
});

/** Plays the member: opens the connect page, submits the form, returns the redirect. */
async function authorize(state: string, codeChallenge: string): Promise<URL> {
  const body = { redirect_uri: redirectUri, state, code_challenge: codeChallenge, code_challenge_method: 'S256' };
  const { url } = await beginConnect(flow, body);
  const { status, location } = await submit(await openPage(url), { memberId: account, pin });
  expect(status).toBe(303);
  return new URL(location ?? '');
}

/** Plays the client: checks the redirect and exchanges the code. */
async function exchange(callback: URL, state: string, verifier: string) {
  const parameters = oauth.validateAuthResponse(server, client, callback, state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    secret,
    parameters,
    redirectUri,
    verifier,
    plainHttp,
  );
  return oauth.processAuthorizationCodeResponse(server, client, response);
}

async function connect() {
  const state = oauth.generateRandomState();
  const verifier = oauth.generateRandomCodeVerifier();
  const callback = await authorize(state, await oauth.calculatePKCECodeChallenge(verifier));
  return { callback, state, verifier, tokens: await exchange(callback, state, verifier) };
}

async function refresh(refreshToken: string | undefined, auth = secret, of = client) {
  const response = await oauth.refreshTokenGrantRequest(server, of, auth, refreshToken ?? '', plainHttp);
  return oauth.processRefreshTokenResponse(server, of, response);
}

/** Ends the time in which a used refresh token returns the same tokens again. */
async function letPass(refreshToken = ''): Promise<void> {
  const key = { pk: `CREDENTIAL#${digestOf(refreshToken)}`, sk: 'CREDENTIAL' };
  const stored = await flow.platform.table.get(key);
  const answer = { ...(stored?.answer as object), until: new Date(Date.now() - 1).toISOString() };
  await flow.platform.table.write({ kind: 'update', key, changes: { set: { answer } } });
}

const revoke = async (token: string) =>
  oauth.processRevocationResponse(await oauth.revocationRequest(server, client, secret, token, plainHttp));

const status = (token: string, userId: unknown) =>
  send('GET', `${flow.hosts.user}/users/${userId}`, { key: token }).then((answer) => answer.status);

/** Returns the error that the library parsed from the reply. */
async function errorOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof oauth.ResponseBodyError)) throw new Error('the library read no error', { cause: error });
  expect(error.error_description).toEqual(expect.any(String));
  return `${error.status} ${error.error}`;
}

describe.skipIf(cannot.reachTable)('the grant client_credentials', () => {
  const ask = async (parameters: Record<string, string> = {}, auth = secret) => {
    const response = await oauth.clientCredentialsGrantRequest(server, client, auth, parameters, plainHttp);
    return oauth.processClientCredentialsResponse(server, client, response);
  };

  it('returns a bearer token for endpoints 8 and 10', async () => {
    const tokens = await ask();
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'transactions:read templates:read' });

    const { id } = await buy(flow, { what: 'earn', amount: 3 });
    const bearer = tokens.access_token;
    expect((await send('GET', `${flow.hosts.reward}/transactions/${id}`, { bearer })).status).toBe(200);
    expect((await send('GET', `${flow.hosts.campaign}/templates`, { bearer })).status).toBe(200);
  });

  it('grants only the requested scope', async () => {
    const { access_token: bearer, scope } = await ask({ scope: 'templates:read' });
    expect(scope).toBe('templates:read');
    expect((await send('GET', `${flow.hosts.reward}/transactions/1`, { bearer })).status).toBe(403);
    expect(await errorOf(ask({ scope: 'everything' }))).toBe('400 invalid_scope');
  });

  it('returns 401 invalid_client for a wrong secret', async () => {
    expect(await errorOf(ask({}, oauth.ClientSecretBasic(flow.demo.partner.clientSecret)))).toBe('401 invalid_client');
  });
});

describe.skipIf(cannot.reachTable)('the grant authorization_code with PKCE', () => {
  it('returns a user token of the linked member', async () => {
    const { tokens } = await connect();
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 90 * 24 * 60 * 60, user_id: expect.any(Number) });

    const url = `${flow.hosts.user}/users/${tokens.user_id}`;
    const { body } = await send('GET', url, { key: tokens.access_token });
    expect(body.data.user.partner_status_tiers).toMatchObject([{ external_id: account, total_rewards: 300 }]);
  });

  it('returns the state of the request', async () => {
    const callback = await authorize('one', await oauth.calculatePKCECodeChallenge(oauth.generateRandomCodeVerifier()));
    expect(() => oauth.validateAuthResponse(server, client, callback, 'another')).toThrow(/state/);
  });

  it('accepts the right verifier after a wrong verifier', async () => {
    const verifier = oauth.generateRandomCodeVerifier();
    const callback = await authorize('s', await oauth.calculatePKCECodeChallenge(verifier));
    expect(await errorOf(exchange(callback, 's', oauth.generateRandomCodeVerifier()))).toBe('400 invalid_grant');
    expect((await exchange(callback, 's', verifier)).refresh_token).toEqual(expect.any(String));
  });

  it('revokes every token of a code that is used twice', async () => {
    const { callback, state, verifier, tokens } = await connect();
    expect(await errorOf(exchange(callback, state, verifier))).toBe('400 invalid_grant');
    expect(await errorOf(refresh(tokens.refresh_token))).toBe('400 invalid_grant');
    expect(await status(tokens.access_token, tokens.user_id)).toBe(400);
  });
});

describe.skipIf(cannot.reachTable)('the grant refresh_token', () => {
  it('returns new tokens at every exchange', async () => {
    const { tokens: first } = await connect();
    const second = await refresh(first.refresh_token);
    const third = await refresh(second.refresh_token);
    const all = [first, second, third];
    expect(new Set(all.map(({ refresh_token }) => refresh_token)).size).toBe(3);
    for (const { access_token } of all) expect(await status(access_token, first.user_id)).toBe(200);
  });

  it('returns the same tokens to two requests at once', async () => {
    const { tokens: first } = await connect();
    const [one, other] = await Promise.all([refresh(first.refresh_token), refresh(first.refresh_token)]);
    expect(other.refresh_token).toBe(one.refresh_token);
    expect(await status(other.access_token, first.user_id)).toBe(200);
  });

  it('revokes the family when an old refresh token is used again', async () => {
    const { tokens: first } = await connect();
    const second = await refresh(first.refresh_token);
    await letPass(first.refresh_token);
    expect(await errorOf(refresh(first.refresh_token))).toBe('400 invalid_grant');
    expect(await errorOf(refresh(second.refresh_token))).toBe('400 invalid_grant');
    expect(await status(second.access_token, first.user_id)).toBe(400);
  });

  it('returns 400 invalid_grant to another client', async () => {
    const { tokens } = await connect();
    const { clientId, clientSecret } = flow.demo.outsider;
    const thief = oauth.ClientSecretBasic(clientSecret);
    expect(await errorOf(refresh(tokens.refresh_token, thief, { client_id: clientId }))).toBe('400 invalid_grant');
    expect((await refresh(tokens.refresh_token)).access_token).toEqual(expect.any(String));
  });
});

describe.skipIf(cannot.reachTable)('revocation of a token', () => {
  it('revokes the family of a refresh token', async () => {
    const { tokens } = await connect();
    await revoke(tokens.refresh_token ?? '');
    expect(await errorOf(refresh(tokens.refresh_token))).toBe('400 invalid_grant');
    expect(await status(tokens.access_token, tokens.user_id)).toBe(400);
  });

  it('revokes an access token and ignores an unknown one', async () => {
    const { tokens } = await connect();
    await revoke(tokens.access_token);
    expect(await status(tokens.access_token, tokens.user_id)).toBe(400);
    expect((await refresh(tokens.refresh_token)).access_token).toEqual(expect.any(String));
    await expect(revoke('unknown')).resolves.toBeUndefined();
  });
});
