import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { beginAttempt, type LoginAttempt } from '../../shared/identity/login-attempt.ts';
import { OpenIdClient } from '../../shared/identity/open-id-client.ts';
import { clientId, makeSigningKey, type OpenIdIssuer, startOpenIdIssuer, subject } from '../support/open-id-issuer.ts';

const now = new Date('2026-11-22T12:00:00.000Z');
const callbackUrl = 'https://dashboard.example/api/session/callback';
const otherKey = makeSigningKey();

let issuer: OpenIdIssuer;
let client: OpenIdClient;
let attempt: LoginAttempt;
beforeAll(async () => {
  issuer = await startOpenIdIssuer(() => now);
});
afterAll(() => issuer.close());
beforeEach(() => {
  const { issuer: identifier } = issuer;
  client = new OpenIdClient({ issuer: identifier, clientId, endpoint: identifier }, () => now);
  attempt = beginAttempt(
    { returnPath: '/', reauthenticates: false },
    { now: () => now, random: (bytes) => randomBytes(bytes) },
  );
  issuer.claims = { nonce: attempt.nonce };
  issuer.header = { alg: 'RS256', kid: 'one' };
});

const callback = (parameters: Readonly<Record<string, string>> = {}) =>
  new URLSearchParams({ code: 'the-code', state: attempt.state, ...parameters });
const identify = (parameters = callback()) => client.identify(parameters, attempt, callbackUrl);

describe('the page of the sign-in', () => {
  it('is asked for a code with state, nonce and the challenge of the verifier', async () => {
    const url = new URL(await client.signInUrl(attempt, callbackUrl));

    expect(url.href).toContain(`${issuer.issuer}/oauth2/authorize?`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      ...{ response_type: 'code', client_id: clientId, redirect_uri: callbackUrl, scope: 'openid email profile' },
      ...{ state: attempt.state, nonce: attempt.nonce, code_challenge_method: 'S256' },
      code_challenge: createHash('sha256').update(attempt.verifier).digest('base64url'),
    });
  });

  it('is asked for a new proof when the person has to prove again who they are', async () => {
    const url = new URL(await client.signInUrl({ ...attempt, reauthenticates: true }, callbackUrl));

    expect(url.searchParams.get('prompt')).toBe('login');
  });
});

describe('a callback', () => {
  it('identifies the person by issuer, subject and verified address', async () => {
    expect(await identify()).toEqual({
      ...{ issuer: issuer.issuer, subject, email: 'mia@cornercoffee.example', name: null, authenticatedAt: now },
    });
  });

  it('reports the name that the issuer knows', async () => {
    issuer.claims = { ...issuer.claims, name: 'Mia Chen' };

    expect(await identify()).toMatchObject({ name: 'Mia Chen' });
  });

  it('exchanges the code with the verifier, and without a secret', async () => {
    await identify();

    expect(Object.fromEntries(issuer.exchanges.at(-1) ?? [])).toEqual({
      ...{ grant_type: 'authorization_code', code: 'the-code', redirect_uri: callbackUrl, client_id: clientId },
      code_verifier: attempt.verifier,
    });
  });

  it('reads addresses and keys of the issuer once', async () => {
    issuer.requests.clear();
    await identify();
    await identify();

    expect(issuer.requests.get('/.well-known/openid-configuration')).toBe(1);
    expect(issuer.requests.get('/keys')).toBe(1);
    expect(issuer.requests.get('/oauth2/token')).toBe(2);
  });

  it.each([
    ['the state of another attempt', { state: 'another' }],
    ['no state', { state: '' }],
    ['the name of another issuer', { iss: 'https://other.example' }],
  ])('is refused with %s, before the code is exchanged', async (_, parameters) => {
    issuer.exchanges.length = 0;

    await expect(identify(callback(parameters))).rejects.toMatchObject({ name: 'SignInInvalidError' });
    expect(issuer.exchanges).toEqual([]);
  });

  it('is refused when the issuer reports an error', async () => {
    const parameters = new URLSearchParams({ error: 'access_denied', state: attempt.state });

    await expect(identify(parameters)).rejects.toMatchObject({ name: 'SignInRefusedError' });
  });

  it('is refused with two states', async () => {
    const parameters = callback();
    parameters.append('state', attempt.state);

    await expect(identify(parameters)).rejects.toMatchObject({ name: 'SignInInvalidError' });
  });
});

describe('an ID token', () => {
  const seconds = now.getTime() / 1000;

  it.each([
    ['for another sign-in', { nonce: 'another' }],
    ['without nonce', { nonce: undefined }],
    ['for another client', { aud: 'another-client' }],
    ['for this and another client, which does not name itself', { aud: [clientId, 'another-client'] }],
    ['of another issuer', { iss: 'https://other.example' }],
    ['that has expired', { iat: seconds - 7200, exp: seconds - 3600 }],
    ['that is not valid yet', { nbf: seconds + 3600 }],
    ['without subject', { sub: undefined }],
    ['without the time of the proof', { auth_time: undefined }],
    ['with a proof of the future, which would stay recent', { auth_time: seconds + 3600 }],
    ['without address', { email: undefined }],
  ])('%s is refused', async (_, claims) => {
    issuer.claims = { ...issuer.claims, ...claims };

    await expect(identify()).rejects.toMatchObject({ name: 'SignInInvalidError' });
  });

  it.each([false, undefined, 'true', 1])('with email_verified %j is refused', async (isVerified) => {
    issuer.claims = { ...issuer.claims, email_verified: isVerified };

    await expect(identify()).rejects.toMatchObject({ name: 'EmailNotVerifiedError' });
  });

  it.each([
    ['another key', { key: otherKey }],
    ['no key, under the algorithm none', { key: null, header: { alg: 'none' } }],
    ['no key, under the right algorithm', { key: null }],
    ['a key that the issuer has not published', { key: otherKey, header: { alg: 'RS256', kid: 'two' } }],
    ['an algorithm that the issuer does not use', { header: { alg: 'HS256', kid: 'one' } }],
  ])('signed with %s is refused', async (_, spoiled) => {
    const { key } = issuer;
    Object.assign(issuer, spoiled);

    await expect(identify()).rejects.toMatchObject({ name: 'SignInInvalidError' });
    issuer.key = key;
  });
});

describe('a repeated proof', () => {
  beforeEach(() => {
    attempt = { ...attempt, reauthenticates: true };
  });

  it('is accepted when the person has proved again who they are', async () => {
    await expect(identify()).resolves.toMatchObject({ authenticatedAt: now });
  });

  it('is refused when the issuer remembered the person', async () => {
    issuer.claims = { ...issuer.claims, auth_time: now.getTime() / 1000 - 60 };

    await expect(identify()).rejects.toMatchObject({ name: 'SignInInvalidError' });
  });
});

describe('the page that signs out', () => {
  it('has the parameters of OpenID Connect and those of Cognito', async () => {
    const url = new URL(await client.signOutUrl('https://dashboard.example/'));

    expect(`${url.origin}${url.pathname}`).toBe(`${issuer.issuer}/logout`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: clientId,
      post_logout_redirect_uri: 'https://dashboard.example/',
      logout_uri: 'https://dashboard.example/',
    });
  });
});

describe('an issuer on a developer’s machine', () => {
  it('keeps its identifier, and is reached at another address', async () => {
    const identifier = 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_local';
    const reached = new OpenIdClient({ issuer: identifier, clientId, endpoint: issuer.issuer }, () => now);

    // This issuer names itself otherwise, which is refused: so it was reached.
    await expect(reached.signInUrl(attempt, callbackUrl)).rejects.toThrow();
    expect(issuer.requests.get('/us-east-1_local/.well-known/openid-configuration')).toBe(1);
  });
});
