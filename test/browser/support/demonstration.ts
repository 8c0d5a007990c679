import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type PlatformAddresses, signIn } from './local-platform.ts';

/** The screens of the running platform, each with what a person of the demonstration sees on it. */
export interface Demonstration {
  /** Emil, who writes campaigns of Corner Coffee, signed in. */
  readonly editor: Page;
  /** Pilar, who approves for Skyline Miles, signed in. */
  readonly approver: Page;
  /** Paths of the editor's screens, by name. */
  readonly screens: ReadonlyMap<string, string>;
  /** Path of the approval that waits for Pilar. */
  readonly approval: string;
}

/** Signs both sides in, sends one campaign to review, and begins another one. */
export async function playDemonstration(
  browser: Browser,
  platform: PlatformAddresses,
  options: BrowserContextOptions = {},
): Promise<Demonstration> {
  const enter = async (name: string) => {
    const page = await (await browser.newContext(options)).newPage();
    await signIn(page, platform, name);
    return page;
  };
  const [editor, approver] = [await enter('Emil Novak'), await enter('Pilar Ortega')];
  const sent = await begin(editor, platform, 'Spring double');
  await editor.getByRole('link', { name: 'Review and approve' }).click();
  await editor.getByRole('button', { name: 'Send to review' }).click();
  await editor.waitForURL(/\/campaigns\/\d+$/);
  const draft = await begin(editor, platform, 'Gold weekends');
  const steps = ['details', 'schedule', 'flows', 'goals', 'review'];
  const screens = new Map([
    ['home', '/1'],
    ['campaigns', '/1/campaigns'],
    ['new campaign', '/1/campaigns/new'],
    ['campaign that runs', '/1/campaigns/1'],
    ['campaign in review', `/1/campaigns/${sent}`],
    ...steps.map((step): [string, string] => [`builder: ${step}`, `/1/campaigns/${draft}/edit/${step}`]),
    ['approvals', '/1/approvals'],
    ['templates', '/1/templates'],
    ['people', '/1/people'],
    ['settings', '/1/settings'],
  ]);
  return { editor, approver, screens, approval: `/2/approvals/${sent}` };
}

/** Begins a campaign with the template of two points for every dollar. Returns its id. */
async function begin(page: Page, { sites }: PlatformAddresses, name: string): Promise<number> {
  await page.goto(`${sites.dashboard}/1/campaigns/new`);
  await page.getByRole('button', { name: /^Use template Two points for every dollar/ }).click();
  await page.waitForURL(/\/edit\//);
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByText(/^Saved today/).waitFor();
  return Number(/campaigns\/(\d+)/.exec(page.url())?.[1]);
}
