import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { usePeople } from './support/people.ts';

// What another page, or a program with a stolen cookie, can do at the dashboard: nothing. The hostile page is on the host
// of the dashboard with another port. For cookies that is the same site, so only the other guards are left.

const people = usePeople();
let owner: Page;
let hostile: Page;
let server: Server;
let port: number;
let campaigns: string;
let body: string;

beforeAll(async () => {
  server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<p>Win a prize</p>'));
  await once(server.listen(0), 'listening');
  port = (server.address() as AddressInfo).port;
  owner = await people.signIn('Olivia Hart');
  const organisation = `/api/organisations/${new URL(owner.url()).pathname.split('/')[1]}`;
  const partnerships = await read(`${organisation}/partnerships`);
  campaigns = `${people.platform.sites.dashboard}${organisation}/campaigns`;
  body = JSON.stringify({
    partnership_uuid: partnerships.partnerships[0].uuid,
    document: { name: 'Forged', type: 'EARN', flows: [] },
  });
}, 60_000);
afterAll(() => server.close());
beforeEach(async () => {
  await hostile?.close();
  // Its own console shows what the browser refuses it.
  hostile = await owner.context().newPage();
  await hostile.goto(`http://127.0.0.1:${port}/`);
});

// biome-ignore lint/suspicious/noExplicitAny: the data of any reply
async function read(path: string): Promise<any> {
  const reply = await owner.evaluate(`fetch('${path}').then((response) => response.json())`);
  return (reply as { readonly data: unknown }).data;
}

/** The names of all campaigns, and who is signed in. */
async function effects(): Promise<unknown> {
  const session = await read('/api/session');
  const list = await read(new URL(campaigns).pathname);
  return { person: session.person, names: list.campaigns.map(({ name }: { readonly name: string }) => name) };
}

/** Runs a script in the hostile page, and returns what it got. */
const attack = (script: string): Promise<unknown> => hostile.evaluate(`(async () => { ${script} })()`);

/** The status of the dashboard's answer to the next request of the hostile page. */
const answered = async () => (await hostile.waitForResponse(campaigns)).status();

describe('a hostile page of the same site', () => {
  it('sends a form in vain', async () => {
    const before = await effects();
    const answer = answered();
    // A form can send JSON as text: the name and the value of a field, with = between them.
    await attack(`const form = document.createElement('form');
      Object.assign(form, { method: 'POST', action: '${campaigns}', enctype: 'text/plain' });
      const field = document.createElement('input');
      Object.assign(field, { name: ${JSON.stringify(body.replace(/}$/, ',"x":"'))}, value: '"}' });
      form.append(field);
      document.body.append(form);
      form.submit();`);

    expect(await answer).toBe(403);
    expect(await effects()).toEqual(before);
  });

  it('sends a request with the session of the person in vain', async () => {
    const before = await effects();
    const answer = answered();
    await attack(`await fetch('${campaigns}', { method: 'POST', mode: 'no-cors', credentials: 'include',
      body: ${JSON.stringify(body)} })`);

    expect(await answer).toBe(403);
    expect(await effects()).toEqual(before);
  });

  it.each([
    ['that the dashboard sends', 'POST', { 'x-rewards-dashboard': '1' }],
    ['of JSON', 'POST', { 'content-type': 'application/json' }],
    ['of a change', 'PUT', { 'if-match': '"1"' }],
  ])('may not send the header %s', async (_, method, headers) => {
    const before = await effects();
    const caught = await attack(`return fetch('${campaigns}', { method: '${method}', credentials: 'include',
      headers: ${JSON.stringify(headers)}, body: ${JSON.stringify(body)} }).then(() => 'sent', (error) => error.name)`);

    expect(caught).toBe('TypeError');
    expect(await effects()).toEqual(before);
  });

  it('reads nothing', async () => {
    const readBy = (credentials: string) =>
      attack(`return fetch('${campaigns}', { credentials: '${credentials}' })
        .then((response) => response.text(), (error) => error.name)`);

    expect(await readBy('include')).toBe('TypeError');
    expect(await readBy('omit')).toBe('TypeError');
    const script = `return new Promise((resolve) => {
      const element = document.createElement('script');
      Object.assign(element, { src: '${campaigns}', onload: () => resolve('run'), onerror: () => resolve('refused') });
      document.body.append(element);
    })`;
    expect(await attack(script)).toBe('refused');
  });

  it.each(['/session/logout', '/session/invitation', '/organisations/1/people/1'])(
    'changes nothing by leading the person to %s',
    async (path) => {
      const before = await effects();
      const response = await hostile.goto(`${people.platform.sites.dashboard}/api${path}`);

      expect(response?.status()).toBeGreaterThanOrEqual(400);
      expect(await effects()).toEqual(before);
    },
  );

  it('cannot frame the dashboard, nor a reply of its API', async () => {
    const framed = async (url: string) => {
      const refused = hostile.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
      await attack(`const frame = document.createElement('iframe');
        frame.src = '${url}';
        document.body.append(frame);`);
      await refused;
      return hostile.frames().filter((frame) => frame.url() === url);
    };

    expect(await framed(`${people.platform.sites.dashboard}/1/settings`)).toEqual([]);
    expect(await framed(campaigns)).toEqual([]);
  });

  it('keeps no hold of a dashboard that it opens', async () => {
    const opening = hostile.context().waitForEvent('page');
    await attack(`window.opened = window.open('${people.platform.sites.dashboard}/1')`);
    const opened = await opening;
    await opened.getByRole('heading', { name: 'Home' }).waitFor();

    expect(await opened.evaluate('window.opener')).toBeNull();
    expect(await attack('return window.opened.closed')).toBe(true);
    await opened.close();
  });
});

describe('the session of a person', () => {
  it.each([
    ['sent', 'the same site', '127.0.0.1', 'Olivia Hart'],
    ['not sent', 'another site', 'localhost', undefined],
  ])('is %s when a page of %s leads the person to the dashboard', async (_, _site, host, person) => {
    await hostile.goto(`http://${host}:${port}/`);
    const arrived = hostile.waitForResponse('**/api/session');
    await attack(`location.href = '${people.platform.sites.dashboard}/api/session'`);
    const { data } = await (await arrived).json();

    expect(data.person?.name).toBe(person);
  });
});

describe('a request with the cookie of a person', () => {
  const post = async (headers: Readonly<Record<string, string | undefined>>) => {
    const cookies = await owner.context().cookies(people.platform.sites.dashboard);
    const sent = {
      cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
      origin: people.platform.sites.dashboard,
      'x-rewards-dashboard': '1',
      'content-type': 'application/json',
      ...headers,
    };
    // A body without a document: the endpoint refuses it, so even the whole request changes nothing.
    const response = await fetch(campaigns, { method: 'POST', headers: JSON.parse(JSON.stringify(sent)), body: '{}' });
    const { error } = (await response.json()) as { readonly error: string };
    return `${response.status} ${error}`;
  };

  it('passes when it is one of the dashboard', async () => {
    expect(await post({})).toBe('400 invalid_request');
    expect(await post({ 'sec-fetch-site': 'same-origin' })).toBe('400 invalid_request');
  });

  it.each([
    ['without the origin', { origin: undefined }],
    ['of another origin', { origin: 'https://hostile.example' }],
    ['of another port', { origin: 'http://127.0.0.1:1' }],
    ['of a sandboxed frame', { origin: 'null' }],
    ['without the header of the dashboard', { 'x-rewards-dashboard': undefined }],
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
    ['of another page of the site', { 'sec-fetch-site': 'same-site' }],
  ])('is refused %s', async (_, headers) => {
    expect(await post(headers)).toBe('403 forged_request');
  });
});
