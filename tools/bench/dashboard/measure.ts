import type { Browser, BrowserContext, Page } from 'playwright-core';
import { largeCampaign } from './site.ts';

/** What a browser reports about a page, as the Web Vitals define it. */

/** Slow 4G, as Lighthouse has it. */
const slowNetwork = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_638_400 / 8,
  uploadThroughput: 750_000 / 8,
};

/** How many times slower than this machine the browser's scripts run. */
const slowdown = 4;

/** Notes paints, shifts and interactions from the beginning of a page. */
const noteVitals = `
  globalThis.vitals = { paint: 0, shift: 0, interactions: [] };
  const observe = (type, note, options) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true, ...options });
  observe('largest-contentful-paint', ({ startTime }) => { vitals.paint = startTime; });
  observe('layout-shift', ({ value, hadRecentInput }) => { if (!hadRecentInput) vitals.shift += value; });
  observe('event', ({ interactionId, duration, name }) => {
    if (interactionId > 0) vitals.interactions.push({ name, duration });
  }, { durationThreshold: 16 });
`;

interface Vitals {
  /** In milliseconds since the navigation. */
  readonly paint: number;
  readonly shift: number;
  readonly interactions: readonly { readonly name: string; readonly duration: number }[];
}

/** Opens a page in a new browser profile, so that nothing is cached. Calls back with the slowed page. */
async function withPage<Result>(browser: Browser, use: (page: Page) => Promise<Result>): Promise<Result> {
  const context: BrowserContext = await browser.newContext({ viewport: { width: 1_280, height: 860 } });
  try {
    const page = await context.newPage();
    await page.addInitScript({ content: noteVitals });
    return await use(page);
  } finally {
    await context.close();
  }
}

async function slowDown(page: Page, network: boolean): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  if (network) await session.send('Network.emulateNetworkConditions', slowNetwork);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
}

/** The vitals after everything of the last interactions was painted. */
const readVitals = (page: Page): Promise<Vitals> =>
  page.evaluate('new Promise((done) => setTimeout(() => requestAnimationFrame(() => done(vitals)), 300))');

/** Opens the home of an organisation over the slow network. */
export const measureLoad = (browser: Browser, url: string): Promise<Vitals> =>
  withPage(browser, async (page) => {
    await slowDown(page, true);
    await page.goto(`${url}/1`);
    await page.locator('h1').first().waitFor();
    await page.waitForLoadState('networkidle');
    return readVitals(page);
  });

/** Opens two flows of a large campaign, types, adds a condition and removes it. */
export const measureBuilder = (browser: Browser, url: string): Promise<Vitals> =>
  withPage(browser, async (page) => {
    await page.goto(`${url}/1/campaigns/${largeCampaign.id}/edit/flows`);
    const edit = page.getByRole('button', { name: 'Edit', exact: true });
    await edit.nth(largeCampaign.flows - 1).waitFor();
    await slowDown(page, false);
    await edit.first().click();
    await edit.last().click();
    const rate = page.getByLabel('Points per $1').last();
    await rate.click();
    await rate.press('Control+a');
    await rate.pressSequentially('12.75', { delay: 60 });
    await page.getByRole('button', { name: 'Add limit' }).last().click();
    await page.getByRole('menuitem', { name: 'Each transaction' }).click();
    const added = `at/flows/${largeCampaign.flows - 1}/limits/1/amount`;
    await page.locator(`[id="${added}"]`).getByRole('textbox').click();
    await page.keyboard.type('250', { delay: 60 });
    await page.getByRole('button', { name: 'Remove limit' }).last().click();
    return readVitals(page);
  });
