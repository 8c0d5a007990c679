import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Screen, screens } from './shots/screens.ts';
import { type ServedApplication, serveApplication } from './support/application.ts';
import { findAccessibilityFaults, findLowContrast } from './support/axe.ts';
import { launchChromium } from './support/chromium.ts';
import { answerFromFixtures } from './support/fixture-api.ts';
import { findBorderlessControls, findHiddenFocus, findMotion, findOverflow } from './support/look.ts';
import { prepareScreen } from './support/prepare-screen.ts';
import { Troubles } from './support/troubles.ts';

let application: ServedApplication;
let browser: Browser;

beforeAll(async () => {
  [application, browser] = await Promise.all([serveApplication(), launchChromium()]);
});
afterAll(() => Promise.all([browser.close(), application.stop()]));

const desk = { width: 1280, height: 800 };
/** Whether a screen is shown as it is found, without an act or a state of its own. */
const isMain = ({ act, api }: Screen) => act === undefined && api === undefined;

/** Checks that the page does not scroll sideways. An open menu follows the window's size a moment later. */
const fits = (page: Page) => expect.poll(() => findOverflow(page)).toBe(0);

describe.each(screens)('the screen $name', (screen) => {
  const troubles = new Troubles();
  let page: Page;

  beforeAll(async () => {
    const context = await browser.newContext({ viewport: desk, reducedMotion: 'reduce' });
    page = await context.newPage();
    await troubles.watch(page);
    await answerFromFixtures(page, screen.api ?? 'filled');
    await prepareScreen(page, application.url, screen);
  });
  afterAll(() => page.context().close());

  it('reports no errors', () => {
    if (screen.api !== undefined || screen.act !== undefined) troubles.expectRefusals(401, 404, 412, 503);
    expect(troubles.take()).toEqual([]);
  });

  it('has no faults of accessibility, and contrast in the dark too', async () => {
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await findLowContrast(page)).toEqual([]);
  });

  it('does not move when motion is reduced', async () => {
    expect(await findMotion(page)).toEqual([]);
  });

  it('has an edge around every control in forced colours', async () => {
    await page.emulateMedia({ forcedColors: 'active' });
    expect(await findBorderlessControls(page)).toEqual([]);
  });

  // The frame around every screen is the same, so one round of the states is enough.
  it.runIf(isMain(screen))('shows where the focus is, in all colours and in forced ones', async () => {
    for (const forcedColors of ['none', 'active'] as const) {
      await page.emulateMedia({ forcedColors });
      expect(await findHiddenFocus(page, 12)).toEqual([]);
    }
  });

  it('fits a width of 320 pixels, and texts of twice the size', async () => {
    await page.setViewportSize({ ...desk, width: 320 });
    await fits(page);
    await page.setViewportSize({ ...desk, width: 640 });
    await page.evaluate("document.documentElement.style.fontSize = '200%'");
    await fits(page);
  });
});
