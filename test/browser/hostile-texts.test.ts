import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callApi } from './support/call-api.ts';
import { usePeople } from './support/people.ts';

// Every text that a person can write somewhere is written by somebody hostile, and shown on every screen.

const people = usePeople();
const script = 'window.hacked = true';
const markup = `"><img src=x onerror="${script}"></script><script>${script}</script>`;
/** It turns the text after it around, in a browser that lets it. */
const turned = '\u202Ejavascript:alert(1)\u2066 🎟️👩‍👩‍👧‍👦';
const endless = 'W'.repeat(200);

let owner: Page;
let partner: Page;
/** The campaigns of each text: a draft that was rejected, and one that waits for approvals. */
const campaigns = new Map<string, { readonly [State in 'draft' | 'rejected' | 'waiting']: number }>();

beforeAll(async () => {
  owner = await people.signIn('Olivia Hart');
  partner = await people.signIn('Pilar Ortega');
  await addPerson('mallory@corner.example', `${markup} ${turned}`);
  for (const text of [`${markup} ${turned}`, endless]) campaigns.set(text, await writeEverywhere(text));
  for (const page of [owner, partner]) await page.setViewportSize({ width: 320, height: 700 });
  await rename(`${markup} ${endless}`.slice(0, 255));
}, 120_000);
afterAll(() => rename('Corner Coffee'));

async function rename(name: string): Promise<void> {
  const { revision } = await callApi(owner, '/organisations/1');
  await callApi(owner, '/organisations/1', { method: 'PUT', revision, body: { name } });
}

/** A person whose name is at the issuer, where everybody writes it alone. */
async function addPerson(email: string, name: string): Promise<void> {
  await callApi(owner, '/organisations/1/people', { method: 'POST', body: { email, roles: ['editor'] } });
  const page = await people.openPage();
  await page.goto(people.platform.sites.dashboard);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByText('Sign up with an invited address').click();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.close();
}

const documentOf = (text: string) => ({
  ...{ name: text, description: text, logo: `javascript:${script}`, type: 'EARN' },
  flows: [
    {
      trigger: { type: 'SPEND' },
      actions: [{ kind: 'AWARD_POINTS', pointsPerDollarBp: 20_000 }],
      conditionGroups: [
        {
          logic: 'ALL',
          conditions: [
            { attribute: 'CUSTOM', operator: 'IS_IN', name: text, values: [text] },
            { attribute: 'ITEM', operator: 'IS_IN', name: 'CATEGORY', values: [text] },
          ],
        },
      ],
    },
  ],
});

/** Writes a text into everything that belongs to a campaign. */
async function writeEverywhere(text: string) {
  const [{ uuid }] = (await callApi(owner, '/organisations/1/partnerships')).partnerships;
  const create = async (document: object) => {
    const body = { partnership_uuid: uuid, document };
    return callApi(owner, '/organisations/1/campaigns', { method: 'POST', body });
  };
  const draft = await create(documentOf(text));
  await callApi(owner, '/organisations/1/templates', { method: 'POST', body: { campaign_id: draft.id, name: text } });
  const [flow] = documentOf(text).flows;
  const whole = { ...documentOf(text), logo: null, flows: [{ ...flow, conditionGroups: [] }] };
  const rejected = await create(whole);
  await act(owner, 1, rejected, { act: 'submit' });
  await act(partner, 2, rejected, { act: 'reject', reason: text });
  const waiting = await create(whole);
  await act(owner, 1, waiting, { act: 'submit' });
  return { draft: draft.id, rejected: rejected.id, waiting: waiting.id };
}

async function act(page: Page, organisation: number, { id }: { readonly id: number }, body: object): Promise<void> {
  const path = `/organisations/${organisation}/campaigns/${id}`;
  const { revision } = await callApi(page, path);
  await callApi(page, `${path}/acts`, { method: 'POST', revision, body });
}

/** Shows a screen on a narrow window. Nothing of it may run, or be wider than the window. */
async function checkScreen(page: Page, path: string): Promise<void> {
  await page.goto(people.platform.sites.dashboard + path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  const found = await page.evaluate(`[document.documentElement.scrollWidth, String(window.hacked)]`);
  expect(found, path).toEqual([320, 'undefined']);
}

describe('hostile texts', () => {
  it('run nowhere and fit everywhere, for the side that wrote them', { timeout: 180_000 }, async () => {
    for (const path of [
      '',
      '/campaigns',
      '/campaigns/new',
      '/approvals',
      '/templates',
      '/people',
      '/audit',
      '/settings',
    ])
      await checkScreen(owner, `/1${path}`);
    for (const { draft, rejected, waiting } of campaigns.values()) {
      for (const step of ['details', 'flows', 'review']) await checkScreen(owner, `/1/campaigns/${draft}/edit/${step}`);
      for (const id of [draft, rejected, waiting]) await checkScreen(owner, `/1/campaigns/${id}`);
      await checkScreen(owner, `/1/approvals/${waiting}`);
    }
  });

  it('run nowhere and fit everywhere, for the other side', { timeout: 120_000 }, async () => {
    for (const path of ['', '/campaigns', '/approvals']) await checkScreen(partner, `/2${path}`);
    for (const { waiting } of campaigns.values()) await checkScreen(partner, `/2/approvals/${waiting}`);
  });

  it('are names in menus, dialogs, messages and the list of places', async () => {
    await owner.goto(`${people.platform.sites.dashboard}/1/templates`);
    await owner
      .getByRole('button', { name: `Acts of ${endless}` })
      .first()
      .click();
    await owner.getByRole('menuitem', { name: 'Delete template' }).click();
    await owner.getByRole('dialog').or(owner.getByRole('alertdialog')).waitFor();
    expect(await owner.evaluate('document.documentElement.scrollWidth')).toBe(320);
    await owner.keyboard.press('Escape');
    await owner.keyboard.press('Control+k');
    await owner.getByPlaceholder('Search places and campaigns').pressSequentially('img');
    await owner.getByRole('menuitem', { name: '<img' }).first().waitFor();
    expect(await owner.evaluate('[document.documentElement.scrollWidth, String(window.hacked)]')).toEqual([
      320,
      'undefined',
    ]);
  });
});
