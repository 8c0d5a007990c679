import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { launchChromium } from './support/chromium.ts';
import { type LocalPlatform, signIn, startLocalPlatform } from './support/local-platform.ts';

/** Two parties at the dashboard of `npm start`, in a browser each: from the sign-in to the points of a member. */

let platform: LocalPlatform;
let browser: Browser;
/** What the browsers reported: errors of the application, refused loads, violations of the security policy. */
const troubles: string[] = [];

beforeAll(async () => {
  [platform, browser] = await Promise.all([startLocalPlatform(temporaryFolder('journey')), launchChromium()]);
}, 180_000);
afterAll(() => Promise.all([browser?.close(), platform?.stop()]));

/** Counts the clicks of a person, as the promises of the dashboard count them. */
class Person {
  readonly page: Page;
  clicks = 0;

  constructor(page: Page) {
    this.page = page;
  }

  async click(role: 'link' | 'button', name: string | RegExp, which: 'first' | 'last' = 'first'): Promise<void> {
    this.clicks += 1;
    await this.page.getByRole(role, { name })[which]().click();
  }
}

async function enter(name: string): Promise<Person> {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 860 } })).newPage();
  page.on('pageerror', ({ message }) => troubles.push(message));
  page.on('console', (message) => {
    // Whether somebody is signed in is asked before the sign-in, and answered with 401.
    const isQuestion = message.location().url.endsWith('/api/session');
    if (message.type() === 'error' && !isQuestion) troubles.push(message.text());
  });
  await signIn(page, platform, name);
  return new Person(page);
}

async function buy(campaignId: number): Promise<number> {
  const post = async (path: string, body: object) => {
    const headers = {
      'x-api-key': platform.demo.members[0]?.accessToken ?? '',
      'content-type': 'application/json',
    };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    // biome-ignore lint/suspicious/noExplicitAny: compared below
    return ((await (await fetch(`${platform.hosts.reward}${path}`, init)).json()) as any).data;
  };
  const purchase = {
    transaction_amount: 42.5,
    external_transaction_id: `journey-${campaignId}`,
    campaign_id: campaignId,
  };
  const { authentication_id } = await post('/reward_transaction/auth', purchase);
  const created = await post('/reward_transaction/create', { reward_authentication_token: authentication_id });
  return created.reward_transactions[0].reward_amount;
}

describe('a campaign from a template', () => {
  it('is sent, approved by both parties, and rewards a purchase', { timeout: 120_000 }, async () => {
    const editor = await enter('Emil Novak');
    await editor.page.getByRole('link', { name: 'Campaigns' }).first().click();
    await editor.click('link', 'New campaign');
    await editor.page.getByText('Two points for every dollar').waitFor();
    await editor.click('button', 'Use template', 'last');
    await editor.click('link', 'Review and approve');
    await editor.click('button', 'Send to review');
    await editor.page.waitForURL(/\/campaigns\/\d+$/);
    const campaignId = Number(/\d+$/.exec(editor.page.url())?.[0]);
    expect(editor.clicks).toBeLessThanOrEqual(6);

    for (const name of ['Olivia Hart', 'Pilar Ortega']) {
      const approver = await enter(name);
      await approver.click('link', /^Approvals/);
      await approver.click('link', /Two points for every dollar/);
      await approver.click('button', 'Approve campaign');
      await approver.page.getByText('was approved').first().waitFor();
      expect(approver.clicks).toBeLessThanOrEqual(3);
    }

    await editor.page.reload();
    await editor.page.getByText('Active').first().waitFor();
    // Ada has the tier Gold: 2 points per dollar, half as much again.
    expect(await buy(campaignId)).toBe(127);
    expect(troubles).toEqual([]);
  });
});
