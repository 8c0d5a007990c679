import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { openProgramAccount } from '../../shared/operations/member/program-accounts.ts';
import { createPartnership } from '../../shared/operations/partnership/manage-partnership.ts';
import { digestOf } from '../../shared/store/credential/credentials.ts';
import { type Provisioned, provisionOrganisation } from '../support/provision.ts';
import { cannot, useFlow } from './support/flow.ts';
import { type BrowserPage, beginConnect, formOf, openPage, submit, unescaped } from './support/page.ts';
import { sendRaw } from './support/raw.ts';

/** The connect flow in a browser without script. */

const flow = useFlow();
const pin = '864213';
const redirectUri = 'https://corner-coffee.example/connected';
let account: string;
beforeEach(async () => {
  account = await openAccount();
});

async function openAccount(): Promise<string> {
  const memberId = `page-${randomUUID()}`;
  const holder = { firstName: 'Rosalind', lastName: 'Franklin', email: null, statusTierId: 1, points: 50 };
  await openProgramAccount(flow.demo.partner.id, { ...holder, memberId, pin }, flow.platform);
  return memberId;
}

/** Creates a merchant, and a partnership between it and the partner of the tests. */
async function makeMerchant(name: string, redirectUris: string[] = []): Promise<Provisioned> {
  const merchant = await provisionOrganisation(flow.platform, { name, kind: 'MERCHANT', redirectUris });
  const sides = { merchantId: merchant.id, partnerId: flow.demo.partner.id };
  await createPartnership({ ...sides, name, description: null }, flow.platform);
  return merchant;
}

function expectPlain({ headers, html }: BrowserPage): void {
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  const policy = headers.get('content-security-policy');
  for (const rule of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"])
    expect(policy).toContain(rule);
  expect(policy).not.toContain('script-src');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(html).toMatch(/^<!doctype html><html lang="en">/);
  expect(html).not.toMatch(/<script|javascript:|\son\w+=|<(?:link|img|iframe)\b/i);
}

const problemOf = ({ html }: BrowserPage) => unescaped(/role="alert">([^<]*)</.exec(html)?.[1] ?? '');

describe.skipIf(cannot.reachTable)('the connect page', () => {
  it('shows the merchant and its programs, without a script', async () => {
    const { token, url } = await beginConnect(flow, { redirect_uri: redirectUri });
    const page = await openPage(url);

    expect(page.status).toBe(200);
    expectPlain(page);
    expect(page.html).toContain('<h1>Link your account with Corner Coffee</h1>');
    expect(formOf(page.html)).toEqual({
      method: 'post',
      action: `${flow.hosts.base}/connect/${token}/page`,
      fields: ['partner_id', 'member_id', 'proof'],
      options: { 'Corner Coffee × Skyline Miles': String(flow.demo.partner.id) },
    });
    // Browsers apply the page's policy to the redirect that follows the form.
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain("form-action 'self' https://corner-coffee.example;");
  });

  it('contains only the platform’s address, even if request headers name another host', async () => {
    const forged = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
    const headers = { ...forged, 'x-api-key': flow.demo.merchant.apiKey, 'content-type': 'application/json' };
    const begun = await sendRaw(flow.hosts.base, { method: 'POST', path: '/auth/connect', headers, body: '{}' });
    const { connect_url } = JSON.parse(begun.text).data;
    expect(connect_url).toMatch(new RegExp(`^${flow.hosts.base}/connect/rwt_[^/]+/page$`));

    const path = connect_url.slice(flow.hosts.base.length);
    const page = await sendRaw(flow.hosts.base, { path, headers: forged });
    expect(formOf(page.text).action).toBe(connect_url);
    expect(page.text).not.toContain('evil.example');
  });

  it('has a cancel link that returns access_denied to the merchant', async () => {
    const state = '"><b>&state=x#cancelled';
    const { url } = await beginConnect(flow, { redirect_uri: redirectUri, state });
    const form = await openPage(url);
    for (const page of [form, await submit(form, { memberId: account, pin: '000000' })]) {
      const [, href = ''] = /<a href="([^"]*)">Cancel and return to Corner Coffee</.exec(page.html) ?? [];
      const target = new URL(unescaped(href));
      expect(target.origin + target.pathname).toBe(redirectUri);
      expect([...target.searchParams]).toEqual([
        ['error', 'access_denied'],
        ['state', state],
      ]);
    }
  });

  it('redirects to the merchant with a code and the unchanged state', async () => {
    const state = `"><b>&state=x#${randomUUID()}`;
    const { url } = await beginConnect(flow, { redirect_uri: redirectUri, state });
    const page = await submit(await openPage(url), { memberId: account, pin });

    expect(page.status).toBe(303);
    const target = new URL(page.location ?? '');
    expect(target.origin + target.pathname).toBe('https://corner-coffee.example/connected');
    expect([...target.searchParams.keys()]).toEqual(['code', 'state']);
    expect(target.searchParams.get('state')).toBe(state);
  });

  it('asks for no PIN when the merchant has no redirect URI', async () => {
    const { apiKey } = await makeMerchant('Plain Shop');
    const { url } = await beginConnect(flow, {}, apiKey);
    const page = await openPage(url);
    expect(page.html).toContain('The shop has given no address to return to');
    expect(page.html).not.toContain('<form');
    expectPlain(page);
  });

  it('shows which customer the merchant named, or warns that none was named', async () => {
    const user = { external_id: 'cc-"<b>', first_name: 'Rosalind', last_name: 'Franklin', email: 'r@example.com' };
    const named = await openPage((await beginConnect(flow, { user, redirect_uri: redirectUri })).url);
    expect(unescaped(named.html)).toContain(
      '<strong>Rosalind Franklin, r@example.com, customer number cc-"<b></strong>',
    );
    expect(named.html).not.toContain('<b>');
    const unnamed = await openPage((await beginConnect(flow, { redirect_uri: redirectUri })).url);
    expect(unnamed.html).toContain('Corner Coffee has not named the customer account.');
  });

  it('escapes HTML in the names of merchant and program', async () => {
    const name = `</title><script>alert(1)</script>"'&<img src=x onerror=alert(1)>`;
    const { apiKey } = await makeMerchant(name, [redirectUri]);
    const page = await openPage((await beginConnect(flow, {}, apiKey)).url);
    expect(page.html).not.toMatch(/<script|<img/i);
    expect(Object.keys(formOf(page.html).options)).toEqual([name]);
    expect(unescaped(page.html)).toContain(`Link your account with ${name}`);
  });

  it('shows the form again after a wrong PIN', async () => {
    const { url } = await beginConnect(flow, { redirect_uri: redirectUri });
    const again = await submit(await openPage(url), { memberId: account, pin: '000000' });
    expect(again.status).toBe(400);
    expectPlain(again);
    expect(problemOf(again)).toBe('The program does not know this account by this proof');
    // The page does not repeat what the member typed.
    expect(again.html).not.toContain(account);
    expect(again.html).not.toContain('000000');

    expect((await submit(again, { memberId: account, pin })).status).toBe(303);
  });

  it.each(['', ' '])(
    'shows an error that links back to the form when the membership number is %j',
    async (memberId) => {
      const { url } = await beginConnect(flow, { redirect_uri: redirectUri });
      const refused = await submit(await openPage(url), { memberId, pin });
      expect(refused.status).toBe(400);
      expectPlain(refused);
      expect(refused.html).toContain('Something in the form is missing or too long.');

      const [, href] = /<a href="([^"]*)">Back to the form</.exec(refused.html) ?? [];
      const form = await openPage(new URL(href ?? 'nowhere', url).href);
      expect((await submit(form, { memberId: account, pin })).status).toBe(303);
    },
  );

  it.each([
    ['unknown', async () => `${flow.hosts.base}/connect/rwt_local_nonsense/page`],
    [
      'used',
      async () => {
        const { url } = await beginConnect(flow, { redirect_uri: redirectUri });
        await submit(await openPage(url), { memberId: account, pin });
        return url;
      },
    ],
    [
      'expired',
      async () => {
        const { token, url } = await beginConnect(flow);
        const session = await flow.platform.connectSessions.find(digestOf(token));
        if (!session) throw new Error('there is no session');
        const key = { pk: `CONNECT#${session.digest}`, sk: 'CONNECT' };
        const changes = { set: { expiresAt: new Date(Date.now() - 1_000).toISOString() } };
        await flow.platform.table.write({ kind: 'update', key, changes, when: [{ attribute: 'pk', is: 'present' }] });
        return url;
      },
    ],
  ])('returns a plain page with status 400 to GET and POST when the token is %s', async (_, make) => {
    const url = await make();
    const body = new URLSearchParams({ partner_id: '1', member_id: account, proof: pin });
    const sent = await fetch(url, { method: 'POST', body, redirect: 'manual' });
    const page = await openPage(url);
    for (const each of [page, { ...page, status: sent.status, headers: sent.headers, html: await sent.text() }]) {
      expect(each.status).toBe(400);
      expectPlain(each);
      expect(each.html).toMatch(/connect token (is not valid|has expired or was used)/);
      expect(each.html).toContain('Return to the shop, and begin again there.');
      expect(each.html).not.toContain('<form');
    }
  });
});
