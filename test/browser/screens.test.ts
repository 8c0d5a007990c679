import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Screen, screens } from './shots/screens.ts';
import { type ServedApplication, serveApplication } from './support/application.ts';
import { findAccessibilityFaults } from './support/axe.ts';
import { launchChromium } from './support/chromium.ts';
import { answerFromFixtures } from './support/fixture-api.ts';
import { prepareScreen } from './support/prepare-screen.ts';
import { Troubles } from './support/troubles.ts';

let application: ServedApplication;
let browser: Browser;

beforeAll(async () => {
  [application, browser] = await Promise.all([serveApplication(), launchChromium()]);
});
afterAll(() => Promise.all([browser.close(), application.stop()]));

const troubles = new Troubles();
afterEach(() => expect(troubles.take()).toEqual([]));

type Look = { readonly colorScheme: 'light' | 'dark'; readonly width: number };

/** Shows a screen, and calls back with its page. */
async function withScreen(screen: Screen, { colorScheme, width }: Look, check: (page: Page) => Promise<void>) {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  if (screen.api === 'failed') troubles.expectRefusals(503);
  try {
    await troubles.watch(page);
    await answerFromFixtures(page, screen.api ?? 'filled');
    await prepareScreen(page, application.url, screen);
    await check(page);
  } finally {
    await context.close();
  }
}

describe.each(screens)('the screen $name', (screen) => {
  it.each(['light', 'dark'] as const)('has no faults of accessibility when it is %s', async (colorScheme) => {
    await withScreen(screen, { colorScheme, width: 1280 }, async (page) => {
      expect(await findAccessibilityFaults(page)).toEqual([]);
    });
  });

  it('fits a width of 320 pixels', async () => {
    await withScreen(screen, { colorScheme: 'light', width: 320 }, async (page) => {
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    });
  });
});
