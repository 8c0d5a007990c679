import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Browser, BrowserContext, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findAccessibilityFaults } from './support/axe.ts';
import { launchChromium } from './support/chromium.ts';
import { type LocalPlatform, signIn } from './support/local-platform.ts';
import { findPlatform } from './support/people.ts';

/** What was typed is there afterwards, whatever happens to the page, the network, the session or the campaign. */

let platform: LocalPlatform;
let browser: Browser;
/** The windows of Emil, who writes campaigns of Corner Coffee. */
let emil: BrowserContext;
/** The windows of Olivia, who may do everything there. */
let olivia: BrowserContext;
const troubles: string[] = [];

beforeAll(async () => {
  [platform, browser] = await Promise.all([findPlatform(), launchChromium()]);
  emil = await browserOf('Emil Novak');
  olivia = await browserOf('Olivia Hart');
}, 180_000);
afterEach(() => Promise.all([...emil.pages(), ...olivia.pages()].map((page) => page.close())));
afterAll(() => browser?.close());

/** A browser in which a person is signed in. */
async function browserOf(name: string): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: platform.sites.dashboard });
  context.on('weberror', (error) => troubles.push(error.error().message));
  const page = await context.newPage();
  await signIn(page, platform, name);
  await page.close();
  return context;
}

interface Call {
  readonly method?: string;
  readonly revision?: number;
  readonly body?: unknown;
}

/** Calls the API as the page's person, without the page's code. */
async function callAs(
  context: BrowserContext,
  path: string,
  { method = 'GET', revision, body }: Call = {},
  // biome-ignore lint/suspicious/noExplicitAny: compared in the tests
): Promise<any> {
  const headers = {
    ...{ 'x-rewards-dashboard': '1', origin: platform.sites.dashboard },
    ...(revision !== undefined && { 'if-match': `"${revision}"` }),
  };
  const response = await context.request.fetch(`/api/organisations/1${path}`, {
    method,
    headers,
    ...(body !== undefined && { data: body }),
  });
  const { data, ...rest } = await response.json();
  return data ?? rest;
}

const pathOf = (id: number) => `/campaigns/${id}`;
const storedDraft = async (id: number) => (await callAs(emil, pathOf(id))).draft.document;

/** The points for a dollar, in basis points. */
const storedRate = async (id: number) => (await storedDraft(id)).flows[0].actions[0].pointsPerDollarBp;

/** A draft with one flow that gives points of the partner. */
async function makeDraft(name: string): Promise<number> {
  const [partnership] = (await callAs(emil, '/partnerships')).partnerships;
  const actions = [{ kind: 'AWARD_POINTS', pointsPerDollarBp: 20_000 }];
  const flows = [{ trigger: { type: 'SPEND' }, actions }];
  const body = { partnership_uuid: partnership.uuid, document: { name, type: 'EARN', flows } };
  return (await callAs(emil, '/campaigns', { method: 'POST', body })).id;
}

async function openBuilder(context: BrowserContext, id: number, step = 'details'): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`/1/campaigns/${id}/edit/${step}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page
    .getByText(/^(Saved|Saving|Half|Not saved)/)
    .first()
    .waitFor();
  return page;
}

const nameOf = (page: Page) => page.getByLabel('Name', { exact: true });
const description = (page: Page) => page.getByRole('textbox', { name: /^Description/ });
const saved = (page: Page) =>
  page
    .getByText(/^Saved/)
    .first()
    .waitFor();
const press = (page: Page, name: string) => page.getByRole('button', { name }).click();
/** The line that screen readers say. */
const said = (page: Page) => page.locator('[role=status][aria-live=polite]').last();

/** Reads until the value is the expected one. */
const eventually = <Value>(read: () => Promise<Value>) => expect.poll(read, { timeout: 20_000 });

/** The answers to changes are lost: the server has handled them. */
const loseAnswer = async (route: Route) => {
  if (route.request().method() === 'GET') return route.fallback();
  await route.fetch();
  await route.abort();
};

describe('what was typed', () => {
  it('is there after a reload at once, and is saved then', async () => {
    const id = await makeDraft('Reload');
    const page = await openBuilder(emil, id);
    await nameOf(page).fill('Reloaded');
    await page.reload();
    expect(await nameOf(page).inputValue()).toBe('Reloaded');
    await eventually(async () => (await storedDraft(id)).name).toBe('Reloaded');
    await saved(page);
  });

  it('is saved when the person goes back or closes the window before the pause ends', async () => {
    const id = await makeDraft('Back');
    const page = await openBuilder(emil, id);
    await page.getByRole('link', { name: 'Campaigns' }).first().click();
    await page.getByRole('heading', { name: 'Campaigns' }).waitFor();
    await page.goBack();
    await nameOf(page).fill('Back and forth');
    await page.goForward();
    await eventually(async () => (await storedDraft(id)).name).toBe('Back and forth');
    await page.goBack();
    expect(await nameOf(page).inputValue()).toBe('Back and forth');
    await nameOf(page).fill('Closed');
    await page.close({ runBeforeUnload: true });
    await eventually(async () => (await storedDraft(id)).name).toBe('Closed');
  });

  it('is no conflict with itself when the answer to a save was lost', async () => {
    const id = await makeDraft('Answer');
    const page = await openBuilder(emil, id);
    await page.route('**/api/**', loseAnswer);
    await nameOf(page).fill('Lost answer');
    await page.getByText('There is no connection').first().waitFor();
    await page.unrouteAll();
    await description(page).fill('Typed meanwhile');
    await press(page, 'Try again');
    await eventually(() => storedDraft(id)).toMatchObject({ name: 'Lost answer', description: 'Typed meanwhile' });
    await saved(page);
  });

  it('waits while there is no network or no server, and is saved afterwards', async () => {
    const id = await makeDraft('Offline');
    const page = await openBuilder(emil, id);
    await emil.setOffline(true);
    await nameOf(page).fill('Written offline');
    await page.getByText('Your work is kept in this browser').waitFor();
    expect(await said(page).innerText()).toContain('Not saved. There is no connection');
    await emil.setOffline(false);
    await saved(page);
    expect(await said(page).innerText()).toContain('Saved');
    for (const status of [500, 503, 429]) {
      await page.route('**/api/**', (route) => route.fulfill({ status, json: { error: 'temporary' } }), { times: 1 });
      await nameOf(page).fill(`After ${status}`);
      await page.getByText('The server cannot save at the moment').first().waitFor();
      await press(page, 'Try again');
      await saved(page);
    }
    expect((await storedDraft(id)).name).toBe('After 429');
  });

  it('is there after a reload although it does not parse yet', async () => {
    const id = await makeDraft('Half');
    const page = await openBuilder(emil, id, 'flows');
    const rate = page.locator('[id$="pointsPerDollarBp"] input');
    await rate.fill('2.5x');
    await page.getByText('Half parts are kept').waitFor();
    await page.reload();
    await page.getByText('What you typed before is here again.').first().waitFor();
    expect([await rate.inputValue(), await storedRate(id)]).toEqual(['2.5x', 20_000]);
    await rate.fill('2.5');
    await eventually(() => storedRate(id)).toBe(25_000);
  });

  it('is warned about when the browser keeps nothing and the page would be left', async () => {
    const id = await makeDraft('Full');
    const page = await emil.newPage();
    await page.addInitScript(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
    });
    await page.goto(`/1/campaigns/${id}/edit/details`);
    await nameOf(page).waitFor();
    await page.route('**/api/**', (route) => route.abort());
    await nameOf(page).fill('Nowhere kept');
    await page.getByText('This browser cannot keep your work').waitFor();
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    expect((await asked).type()).toBe('beforeunload');
    await (await asked).dismiss();
    await page.unrouteAll();
    await page.evaluate("dispatchEvent(new Event('online'))");
    await saved(page);
  });
});

describe('two windows and two people', () => {
  it('are shown what the other changed, in words, and keep both', async () => {
    const id = await makeDraft('Two windows');
    const [first, second] = [await openBuilder(emil, id), await openBuilder(emil, id)];
    await nameOf(first).fill('From the first');
    await saved(first);
    await eventually(async () => (await storedDraft(id)).name).toBe('From the first');
    await description(second).fill('From the second');
    await second.getByText('You, in another window, changed this draft meanwhile').first().waitFor();
    expect(await second.getByLabel('Changed there').innerText()).toContain('From the first');
    expect(await second.getByLabel('Changed by you').innerText()).toContain('From the second');
    expect(await findAccessibilityFaults(second)).toEqual([]);
    await second.reload();
    await press(second, 'Keep mine');
    const both = { name: 'From the first', description: 'From the second' };
    await eventually(() => storedDraft(id)).toMatchObject(both);
  });

  it('see what the other side decided before a change takes an approval away', async () => {
    const id = await makeDraft('Approved meanwhile');
    const page = await openBuilder(emil, id);
    const { revision } = await callAs(olivia, pathOf(id));
    await callAs(olivia, `${pathOf(id)}/acts`, { method: 'POST', revision, body: { act: 'approve' } });
    await nameOf(page).fill('Changed after the approval');
    await page.getByText('Corner Coffee approved it as it is there').waitFor();
    await press(page, 'Take theirs');
    expect(await nameOf(page).inputValue()).toBe('Approved meanwhile');
    expect((await callAs(emil, pathOf(id))).draft.approvals).toHaveLength(1);
  });

  it('are not shown the work of each other in one browser, and nothing is saved in the name of the other', async () => {
    const id = await makeDraft('One browser');
    const shared = await browserOf('Emil Novak');
    const page = await openBuilder(shared, id, 'flows');
    await page.locator('[id$="pointsPerDollarBp"] input').fill('3.x');
    await page.getByText('Half parts are kept').waitFor();
    const other = await shared.newPage();
    await other.goto('/api/session/login?return_to=/&prompt=login');
    await other.getByText('Olivia Hart').click();
    await other.getByRole('link', { name: 'Campaigns' }).first().waitFor();

    await page.locator('[id$="pointsPerDollarBp"] input').fill('3');
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    expect(await storedRate(id)).toBe(20_000);
    await other.goto(`/1/campaigns/${id}/edit/flows`);
    expect(await other.locator('[id$="pointsPerDollarBp"] input').inputValue()).toBe('2');
    await shared.close();
  });

  it('find the last words in the browser when the campaign was deleted meanwhile', async () => {
    const id = await makeDraft('Deleted');
    const page = await openBuilder(emil, id);
    const { revision } = await callAs(emil, pathOf(id));
    await callAs(emil, pathOf(id), { method: 'DELETE', revision });
    await nameOf(page).fill('Too late');
    await page.getByText('The draft could not be saved').first().waitFor();
    await page.reload();
    const file = page.waitForEvent('download');
    await press(page, 'Save as file');
    expect((await file).suggestedFilename()).toBe('Too late.json');
    await press(page, 'Forget it');
    await page.getByText('What you typed last was not saved').waitFor({ state: 'detached' });
  });
});

describe('a form', () => {
  it('keeps its text while the person confirms who it is', async () => {
    const page = await olivia.newPage();
    await page.goto('/1/settings');
    await nameOf(page).fill('Corner Coffee Roasters');
    await page.getByText('Four eyes', { exact: true }).click();
    await eventually(async () => (await callAs(olivia, '')).four_eyes).toBe(true);
    await page.reload();
    expect(await nameOf(page).inputValue()).toBe('Corner Coffee Roasters');

    await ageSignIn((await (await olivia.request.get('/api/session')).json()).data.person.id);
    await press(page, 'Save name');
    const [popup] = await Promise.all([
      olivia.waitForEvent('page'),
      page.getByRole('dialog', { name: 'Confirm that it is you' }).getByRole('link', { name: 'Confirm' }).click(),
    ]);
    await popup.getByText('Olivia Hart').click();
    await page.getByText('The organisation is now called Corner Coffee Roasters').first().waitFor();
    const { revision } = await callAs(olivia, '');
    const settings = { name: 'Corner Coffee', four_eyes: false };
    await callAs(olivia, '', { method: 'PUT', revision, body: settings });
  });

  it('keeps the reason of a rejection that failed, also after a reload', async () => {
    const id = await makeDraft('Rejected');
    const { revision } = await callAs(emil, pathOf(id));
    await callAs(emil, `${pathOf(id)}/acts`, { method: 'POST', revision, body: { act: 'submit' } });
    const page = await olivia.newPage();
    await page.goto(`/1/approvals/${id}`);
    await press(page, 'Reject…');
    await page.getByLabel('Reason').fill('Two points are too many');
    await page.route('**/acts', (route) => route.abort());
    await press(page, 'Reject campaign');
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.unrouteAll();
    await page.reload();
    await press(page, 'Reject…');
    expect(await page.getByLabel('Reason').inputValue()).toBe('Two points are too many');
    await press(page, 'Reject campaign');
    await page.getByText('Rejected was sent back').first().waitFor();
    expect((await callAs(emil, pathOf(id))).draft.rejection.reason).toBe('Two points are too many');
  });

  it('creates one campaign when the answer was lost and the person tries again', async () => {
    const all = async () => (await callAs(emil, '/campaigns?text=New%20campaign')).campaigns.length;
    const before = await all();
    const page = await emil.newPage();
    await page.goto('/1/campaigns/new');
    await page.route('**/api/**', loseAnswer);
    await press(page, 'Start from scratch');
    await page.getByText('The campaign was not created').waitFor();
    await page.unrouteAll();
    await press(page, 'Start from scratch');
    await page.waitForURL(/\/edit\/details/);
    expect(await all()).toBe(before + 1);
  });

  /** Lets the last proof of a person's identity be an hour old. */
  async function ageSignIn(person: string): Promise<void> {
    const { dynamodb: endpoint, region, table: TableName } = platform.aws;
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    const table = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region, credentials }));
    const { Items = [] } = await table.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
        ExpressionAttributeValues: { ':pk': `STAFF#${person}`, ':sk': 'SESSION#' },
      }),
    );
    const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
    for (const { pk, sk } of Items) {
      await table.send(
        new UpdateCommand({
          TableName,
          Key: { pk, sk },
          UpdateExpression: 'SET authenticatedAt = :at',
          ExpressionAttributeValues: { ':at': hourAgo },
        }),
      );
    }
    table.destroy();
  }
});

describe('a session that ended', () => {
  /** Olivia's builder, after all of her sessions were ended. */
  async function endedAt(id: number): Promise<Page> {
    const page = await openBuilder(olivia, id);
    const headers = { 'x-rewards-dashboard': '1', origin: platform.sites.dashboard };
    await olivia.request.post('/api/session/logout', { headers, data: { everywhere: true } });
    return page;
  }

  it('is begun again in a window of its own, and the work is saved', async () => {
    const id = await makeDraft('Session');
    const page = await endedAt(id);
    await nameOf(page).fill('After the session');
    await page.getByRole('dialog').getByRole('link', { name: 'Sign in' }).click();
    await saved(page);
    expect((await storedDraft(id)).name).toBe('After the session');
  });

  it('leads back to the same place with the text, after a reload too', async () => {
    const id = await makeDraft('Later');
    const page = await endedAt(id);
    await nameOf(page).fill('Signed in later');
    await press(page, 'Not now');
    await page.getByText('Your session has ended').first().waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.waitForURL(`**/1/campaigns/${id}/edit/details`);
    expect(await nameOf(page).inputValue()).toBe('Signed in later');
    await eventually(async () => (await storedDraft(id)).name).toBe('Signed in later');
  });
});

it('none of it is an error of the application', () => {
  expect(troubles).toEqual([]);
});
