import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOrganisation } from '../../shared/operations/organisation/provision-organisation.ts';
import { invitePerson } from '../../shared/operations/staff/invite-person.ts';
import { CookieBrowser } from '../support/cookie-browser.ts';
import { type SignInPlatform, startSignInPlatform } from '../support/sign-in-platform.ts';

/** The whole sign-in over HTTP: delivery network, API, functions, user pool and table of the template. */

const minuteMs = 60_000;

let running: SignInPlatform;
let organisationId: number;
let browser: CookieBrowser;
let invited = 0;
beforeAll(async () => {
  running = await startSignInPlatform();
  const { organisation } = await createOrganisation({ name: 'Corner Coffee', kind: 'MERCHANT' }, running.operators);
  organisationId = organisation.id;
}, 120_000);
afterAll(() => running?.platform.stop());
beforeEach(() => {
  browser = new CookieBrowser();
});

const api = (path: string) => `${running.dashboardUrl}/api${path}`;

/** Invites somebody and returns the address. */
async function invite(): Promise<string> {
  invited += 1;
  const email = `person-${invited}@corner.example`;
  await invitePerson({ organisationId, email, roles: ['editor'] }, running.operators);
  return email;
}

/** Opens the page of the user pool. Stops there, or at the first page of the dashboard. */
const begin = (query = '') => browser.open(api(`/session/login${query}`), `${running.dashboardUrl}/campaigns`);

/** Signs up at the user pool. Stops at the callback, which is not called. */
async function signUp(email: string, query = '') {
  const page = await begin(query);
  const fields = { name: 'Mia Chen', email };
  return browser.submit(page, `${new URL(page.url).pathname}/sign-up`, fields, api('/session/callback'));
}

/** Calls the callback, and returns where it leads. */
const finish = async (callback: string, from = browser) => {
  const { status, headers } = await from.send(callback);
  return { status, location: headers.get('location') ?? '', cookies: headers.getSetCookie() };
};

const session = async () => {
  const { status, text } = await browser.send(api('/session'));
  return { status, body: JSON.parse(text) };
};

const change = (path: string, body: object) =>
  browser.send(api(path), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-rewards-dashboard': '1', origin: running.dashboardUrl },
    body: JSON.stringify(body),
  });

describe('the sign-in of an invited person', () => {
  it('begins a session, and leads to the page that was asked for', async () => {
    const email = await invite();
    const { url } = await signUp(email, '?return_to=/campaigns/7%3Fflow=2');
    const { status, location, cookies } = await finish(url);

    expect([status, location]).toEqual([302, `${running.dashboardUrl}/campaigns/7?flow=2`]);
    expect(cookies).toContainEqual(expect.stringMatching(/^rw_login=; Path=\/; HttpOnly; SameSite=Lax; Max-Age=0$/));
    expect(cookies).toContainEqual(
      expect.stringMatching(/^rw_session=rwd_local_\S+; Path=\/; HttpOnly; SameSite=Strict$/),
    );
    expect(await session()).toMatchObject({
      status: 200,
      body: { data: { person: { email, name: 'Mia Chen' }, organisations: [{ organisation_id: organisationId }] } },
    });
  });

  it('accepts the invitation of the link, and leads to the home page', async () => {
    const email = await invite();
    const { organisation } = await createOrganisation({ name: 'Harbour Books', kind: 'MERCHANT' }, running.operators);
    const wanted = { organisationId: organisation.id, email, roles: ['approver'] as const };
    const { id } = await invitePerson(wanted, running.operators);
    const { url } = await signUp(email, `?return_to=${encodeURIComponent(`/?invitation=${id}`)}`);

    expect((await finish(url)).location).toBe(`${running.dashboardUrl}/`);
    expect((await session()).body.data).toMatchObject({
      organisations: [{ organisation_id: organisation.id, roles: ['approver'] }],
      invitations: [{ organisation_id: organisationId, roles: ['editor'] }],
    });
  });

  it('shows no page of the issuer while the issuer remembers the person', async () => {
    await finish((await signUp(await invite())).url);
    const first = browser.cookies(running.dashboardUrl).get('rw_session');
    const { url } = await begin('?return_to=/campaigns');

    expect(url).toBe(`${running.dashboardUrl}/campaigns`);
    const second = browser.cookies(running.dashboardUrl).get('rw_session');
    expect(second).toBeDefined();
    expect(second).not.toBe(first);
  });

  it('asks the issuer for a new proof when the person has to prove again who they are', async () => {
    await finish((await signUp(await invite())).url);
    await running.platform.clock.advance(20 * minuteMs);
    const page = await begin('?return_to=/campaigns&prompt=login');

    expect(page.text).toContain('Who are you?');
    const [, subject = ''] = /value="([\da-f-]{36})"><b>Mia Chen<\/b><span>person-4@/.exec(page.text) ?? [];
    const { url } = await browser.submit(
      page,
      `${new URL(page.url).pathname}/choose`,
      { subject },
      `${running.dashboardUrl}/campaigns`,
    );
    expect(url).toBe(`${running.dashboardUrl}/campaigns`);
  });
});

describe('a sign-in', () => {
  it.each(['//other.example', '/\\other.example', 'https://other.example', '/.//other.example'])(
    'with return_to %s leads to the home page',
    async (path) => {
      const { url } = await signUp(await invite(), `?return_to=${encodeURIComponent(path)}`);

      expect((await finish(url)).location).toBe(`${running.dashboardUrl}/`);
    },
  );

  it('of nobody who is invited is refused by the user pool', async () => {
    const { status, text } = await signUp('stranger@other.example');

    expect(status).toBe(400);
    expect(text).toContain('this address has no open invitation');
  });

  it.each([
    ['in another browser', 'sign_in_expired', async (callback: string) => finish(callback, new CookieBrowser())],
    [
      'with another state',
      'sign_in_failed',
      async (callback: string) => finish(callback.replace(/state=[^&]+/, 'state=another')),
    ],
    [
      'with the code of another sign-in',
      'sign_in_failed',
      async (callback: string) => finish(callback.replace(/code=[^&]+/, 'code=another')),
    ],
    [
      'with the name of another issuer',
      'sign_in_failed',
      async (callback: string) => finish(callback.replace(/iss=[^&]+/, 'iss=https://other.example')),
    ],
  ])('that ends %s is refused', async (_, problem, end) => {
    const { url } = await signUp(await invite());
    const { status, location, cookies } = await end(url);

    expect(status).toBe(302);
    expect(location).toMatch(new RegExp(`^/sign-in\\?problem=${problem}&request_id=`));
    expect(cookies.filter((cookie) => cookie.startsWith('rw_session'))).toEqual([]);
  });

  it('cannot be ended twice', async () => {
    const { url } = await signUp(await invite());
    await finish(url);
    const { location, cookies } = await finish(url);

    expect(location).toContain('problem=sign_in_expired');
    expect(cookies.join()).not.toContain('rw_session');
  });

  it('is over after ten minutes', async () => {
    const { url } = await signUp(await invite());
    await running.platform.clock.advance(10 * minuteMs);

    expect((await finish(url)).location).toContain('problem=sign_in_expired');
  });

  it('that a person gave up leads to the page that says so', async () => {
    const { url } = await signUp(await invite());
    const { searchParams } = new URL(url);
    const given = new URLSearchParams({ error: 'access_denied', state: searchParams.get('state') ?? '' });
    given.set('iss', searchParams.get('iss') ?? '');

    expect((await finish(`${api('/session/callback')}?${given}`)).location).toContain('problem=sign_in_cancelled');
  });
});

describe('a sign-out', () => {
  it('ends the session, and the one of the issuer', async () => {
    await finish((await signUp(await invite())).url);
    const { status, text, headers } = await change('/session/logout', {});

    expect(status).toBe(200);
    expect(headers.getSetCookie()).toEqual(['rw_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0']);
    expect((await session()).body.data.person).toBeNull();
    const { url } = await browser.open(JSON.parse(text).data.location, running.dashboardUrl);
    expect(url).toBe(`${running.dashboardUrl}/`);
    expect((await begin()).text).toContain('Who are you?');
  });

  it('ends the sessions of other browsers when asked to', async () => {
    await finish((await signUp(await invite())).url);
    const before = browser.cookies(running.dashboardUrl).get('rw_session') ?? '';
    await begin('?return_to=/campaigns');
    await change('/session/logout', { everywhere: true });
    browser.cookies(running.dashboardUrl).set('rw_session', before);

    expect((await session()).body.data.person).toBeNull();
  });
});

describe('the functions of the sign-in', () => {
  it('cannot be called past the delivery network', async () => {
    const { status, headers } = await new CookieBrowser().send(`${running.managementUrl}/api/session/login`);

    expect(status).toBe(302);
    expect(headers.get('location')).toContain('problem=wrong_address');
  });
});
