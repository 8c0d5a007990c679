import type { Page } from 'playwright-core';
import type { LocalPlatform } from './local-platform.ts';

/** A screen of the running platform, and the person who sees it. */
export interface PlatformScreen {
  readonly page: Page;
  readonly path: string;
}

const steps = ['details', 'schedule', 'flows', 'goals', 'review'] as const;

/** The main screens of the dashboard, by name. */
export const mainScreens = [
  ...(['home', 'campaigns', 'new campaign', 'campaign', 'campaign in review'] as const),
  ...steps,
  ...(['approvals', 'approval', 'templates', 'people', 'audit', 'settings'] as const),
] as const;

/**
 * Signs an owner of Corner Coffee and an approver of Skyline Miles in, sends one campaign to review, and begins
 * another one.
 */
export async function playDemonstration(
  platform: LocalPlatform,
  signIn: (name: string) => Promise<Page>,
): Promise<Readonly<Record<(typeof mainScreens)[number], PlatformScreen>>> {
  const owner = await signIn('Olivia Hart');
  const approver = await signIn('Pilar Ortega');
  const sent = await begin(owner, platform, 'Autumn points');
  await owner.getByRole('link', { name: 'Review and approve' }).click();
  await owner.getByRole('button', { name: 'Send to review' }).click();
  await owner.waitForURL(/\/campaigns\/\d+$/);
  const draft = await begin(owner, platform, 'Spring points');
  const own = (path: string) => ({ page: owner, path: `/1${path}` });
  const step = (name: (typeof steps)[number]) => own(`/campaigns/${draft}/edit/${name}`);
  return {
    home: own(''),
    campaigns: own('/campaigns'),
    'new campaign': own('/campaigns/new'),
    campaign: own('/campaigns/1'),
    'campaign in review': own(`/campaigns/${sent}`),
    details: step('details'),
    schedule: step('schedule'),
    flows: step('flows'),
    goals: step('goals'),
    review: step('review'),
    approvals: own('/approvals'),
    approval: { page: approver, path: `/2/approvals/${sent}` },
    templates: own('/templates'),
    people: own('/people'),
    audit: own('/audit'),
    settings: own('/settings'),
  };
}

/** Shows a screen, with all of its data. */
export async function show({ page, path }: PlatformScreen, { sites }: LocalPlatform): Promise<void> {
  await page.goto(sites.dashboard + path, { waitUntil: 'networkidle' });
  await page.locator('h1').first().waitFor();
  await page.locator('body:not(:has([aria-busy=true]))').waitFor();
}

/** Begins a campaign with the template of two points for every dollar. Returns its id. */
async function begin(page: Page, { sites }: LocalPlatform, name: string): Promise<number> {
  await page.goto(`${sites.dashboard}/1/campaigns/new`);
  await page
    .getByRole('button', { name: /^Use template Two points for every dollar/ })
    .first()
    .click();
  await page.waitForURL(/\/edit\//);
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByText(/^Saved today/).waitFor();
  return Number(/campaigns\/(\d+)/.exec(page.url())?.[1]);
}
