import { randomBytes } from 'node:crypto';
import { get } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { beginAttempt } from '../../../shared/identity/login-attempt.ts';
import { OpenIdClient } from '../../../shared/identity/open-id-client.ts';
import { type AdmitSignUp, type Cognito, startCognito } from '../../../tools/local/cognito/server.ts';
import { Users } from '../../../tools/local/cognito/users.ts';
import { CookieBrowser } from '../../support/cookie-browser.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const dashboard = 'http://127.0.0.1:4999';
const callbackUrl = `${dashboard}/api/session/callback`;
const pool = {
  id: 'us-east-1_aBcDeF123',
  issuer: 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_aBcDeF123',
  preSignUp: undefined,
  clients: [
    {
      id: 'client-of-the-dashboard',
      callbackUrls: ['https://d111.cloudfront.net/api/session/callback'],
      logoutUrls: ['https://d111.cloudfront.net/'],
    },
  ],
};
const localize = (url: string) => url.replace('https://d111.cloudfront.net', dashboard);
const admit: AdmitSignUp = async ({ email }) => (email.endsWith('@corner.example') ? undefined : 'nobody invited you');

const findInvited = async () => ['grace.hopper@corner.example', 'mia@corner.example'];

let nowMs = Date.now();
const now = () => new Date(nowMs);
const random = (bytes: number) => new Uint8Array(randomBytes(bytes));
const users = new Users();
const mia = users.add(pool.id, { name: 'Mia Chen', email: 'mia@corner.example' }, nowMs);
const omar = users.add(pool.id, { name: 'Omar <Diaz>', email: 'omar@corner.example' }, nowMs);

let cognito: Cognito;
let client: OpenIdClient;
let browser: CookieBrowser;
beforeAll(async () => {
  cognito = await startCognito({ pool, users, localize, admit, findInvited, now: () => nowMs });
  client = new OpenIdClient({ issuer: pool.issuer, clientId: 'client-of-the-dashboard', endpoint: cognito.url }, now);
});
afterAll(() => cognito.close());
beforeEach(() => {
  browser = new CookieBrowser();
  nowMs = Date.now();
});

/** Begins a sign-in. Returns the page of the choice, or the callback if the issuer remembers the person. */
async function begin(reauthenticates = false) {
  const attempt = beginAttempt({ returnPath: '/', reauthenticates }, { now, random });
  const page = await browser.open(await client.signInUrl(attempt, callbackUrl), dashboard);
  const identify = (url: string) => client.identify(new URL(url).searchParams, attempt, callbackUrl);
  const choose = async (subject: string) => {
    const { url } = await browser.submit(page, `${new URL(page.url).pathname}/choose`, { subject }, dashboard);
    return identify(url);
  };
  return { page, choose, identify };
}

describe('the local user pool', () => {
  it('shows the people to be, and says that it is not the real one', async () => {
    const { page } = await begin();

    expect(page.status).toBe(200);
    expect(page.text).toContain('This page stands in for Cognito on this machine.');
    expect(page.text).toContain(`value="${mia.subject}"`);
    expect(page.text).toContain('Omar &#60;Diaz&#62;');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('signs a person in with one click', async () => {
    const { choose } = await begin();

    expect(await choose(mia.subject)).toMatchObject({
      ...{ issuer: pool.issuer, subject: mia.subject, email: 'mia@corner.example' },
      authenticatedAt: new Date(Math.floor(nowMs / 1000) * 1000),
    });
  });

  it('remembers the person, with the time of the last proof', async () => {
    await (await begin()).choose(mia.subject);
    const provedAtMs = nowMs;
    nowMs += 20 * 60_000;
    const { page, identify } = await begin();

    const { authenticatedAt, subject } = await identify(page.url);
    expect(subject).toBe(mia.subject);
    expect(authenticatedAt.getTime()).toBe(Math.floor(provedAtMs / 1000) * 1000);
  });

  it('asks again when a new proof is needed', async () => {
    await (await begin()).choose(mia.subject);
    nowMs += 20 * 60_000;
    const { choose } = await begin(true);

    const { authenticatedAt } = await choose(mia.subject);
    expect(authenticatedAt.getTime()).toBe(Math.floor(nowMs / 1000) * 1000);
  });

  it('lets another person take over when asked again', async () => {
    await (await begin()).choose(mia.subject);
    const { choose } = await begin(true);

    expect(await choose(omar.subject)).toMatchObject({ subject: omar.subject });
    const { page, identify } = await begin();
    expect(await identify(page.url)).toMatchObject({ subject: omar.subject });
  });

  it('forgets the person at the sign-out', async () => {
    await (await begin()).choose(mia.subject);
    const { status, url } = await browser.open(await client.signOutUrl(`${dashboard}/`), dashboard);

    expect([status, url]).toEqual([302, `${dashboard}/`]);
    expect((await begin()).page.status).toBe(200);
  });

  it('forgets a person whose account was deleted', async () => {
    const kim = users.add(pool.id, { name: 'Kim', email: 'kim@corner.example' }, nowMs);
    await (await begin()).choose(kim.subject);
    users.delete(kim);

    expect((await begin()).page).toMatchObject({ status: 200, text: expect.stringContaining('Who are you?') });
  });

  it('leads to no other address, neither at the sign-in nor at the sign-out', async () => {
    const out = await browser.open(await client.signOutUrl('https://other.example/'));
    const attempt = beginAttempt({ returnPath: '/', reauthenticates: false }, { now, random });
    const back = await browser.open(await client.signInUrl(attempt, 'https://other.example/callback'));

    expect([out.status, back.status]).toEqual([400, 400]);
  });

  it('refuses a page of the internet whose name leads to this machine', async () => {
    const status = await new Promise((resolve) => {
      get(cognito.url, { headers: { host: 'rebound.example' } }, ({ statusCode }) => resolve(statusCode));
    });

    expect(status).toBe(421);
  });
});

describe('a sign-up', () => {
  const signUp = async (fields: Readonly<Record<string, string>>) => {
    const { page, identify } = await begin();
    const reply = await browser.submit(page, `${new URL(page.url).pathname}/sign-up`, fields, dashboard);
    return { reply, identify };
  };

  it('signs in a person whom the platform admits', async () => {
    const { reply, identify } = await signUp({ name: 'Zoe', email: 'Zoe@corner.example' });

    expect(await identify(reply.url)).toMatchObject({ email: 'zoe@corner.example' });
  });

  it('is one click for an address that is invited', async () => {
    const { page, identify } = await begin();
    const [form = ''] = /<form[^>]*sign-up" class="invited">.*?<\/form>/s.exec(page.text) ?? [];
    expect(form).toContain('value="grace.hopper@corner.example"');
    expect(page.text).not.toContain('name="email" value="mia@corner.example"');

    const [, name = ''] = /name="name" value="([^"]+)"/.exec(form) ?? [];
    const fields = { name, email: 'grace.hopper@corner.example' };
    const { url } = await browser.submit(page, `${new URL(page.url).pathname}/sign-up`, fields, dashboard);
    expect(await identify(url)).toMatchObject({ email: 'grace.hopper@corner.example', name: 'Grace Hopper' });
  });

  it.each([
    ['nobody invited', 'eve@other.example', 'nobody invited you'],
    ['that has signed up', 'MIA@corner.example', 'this address has signed up already'],
  ])('with an address %s shows why it is refused', async (_, email, reason) => {
    const { reply } = await signUp({ name: 'Somebody', email });

    expect(reply.status).toBe(400);
    expect(reply.text).toContain(reason);
  });
});

describe('the users of a pool', () => {
  it('have the same subject at every start', () => {
    const file = join(temporaryFolder('cognito'), 'users.json');
    const first = new Users(file).add(pool.id, { name: 'Mia', email: 'Mia@corner.example' }, 1);

    expect(new Users(file).find('mia@corner.example')).toEqual(first);
    expect(first.subject).toBe(mia.subject);
    expect(first.subject).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
  });

  it('have another subject after they were deleted', () => {
    const file = join(temporaryFolder('cognito'), 'users.json');
    const kept = new Users(file);
    const first = kept.add(pool.id, { name: 'Mia', email: 'mia@corner.example' }, 1);
    kept.delete(first);
    const second = new Users(file).add(pool.id, { name: 'Mia', email: 'mia@corner.example' }, 2);

    expect(second.subject).not.toBe(first.subject);
    expect(second.createdMs).toBe(2);
    expect(new Users(file).list()).toEqual([second]);
  });
});

describe('the calls of an operator', () => {
  const call = async (operation: string, input: object) => {
    const target = `AWSCognitoIdentityProviderService.${operation}`;
    const body = JSON.stringify({ UserPoolId: pool.id, ...input });
    const response = await fetch(cognito.url, { method: 'POST', headers: { 'x-amz-target': target }, body });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  it('create, show, list and delete a user', async () => {
    const attributes = [
      { Name: 'email', Value: 'kim@corner.example' },
      { Name: 'name', Value: 'Kim' },
    ];
    const created = await call('AdminCreateUser', { Username: 'kim@corner.example', UserAttributes: attributes });
    onTestFinished(async () =>
      expect((await call('AdminGetUser', { Username: 'kim@corner.example' })).status).toBe(400),
    );
    const found = await call('AdminGetUser', { Username: 'kim@corner.example' });

    expect(created.body.User).toMatchObject({ UserStatus: 'CONFIRMED' });
    expect(found.body.UserAttributes).toContainEqual({ Name: 'name', Value: 'Kim' });
    expect(JSON.stringify(await call('ListUsers', {}))).toContain('kim@corner.example');
    expect(await call('AdminDeleteUser', { Username: 'kim@corner.example' })).toEqual({ status: 200, body: {} });
  });

  it.each([
    ['AdminCreateUser', { Username: 'mia@corner.example' }, 'UsernameExistsException'],
    ['AdminGetUser', { Username: 'nobody' }, 'UserNotFoundException'],
    ['ListUsers', { UserPoolId: 'us-east-1_other' }, 'ResourceNotFoundException'],
    ['AdminInitiateAuth', {}, 'UnknownOperationException'],
  ])('%s with %j is refused', async (operation, input, error) => {
    expect(await call(operation, input)).toMatchObject({ status: 400, body: { __type: error } });
  });
});
