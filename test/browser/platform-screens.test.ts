import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { findAccessibilityFaults } from './support/axe.ts';
import { launchChromium } from './support/chromium.ts';
import { mainScreens, playDemonstration, show } from './support/demonstration.ts';
import { type LocalPlatform, startLocalPlatform } from './support/local-platform.ts';
import { findOverflow } from './support/look.ts';

/** The main screens of the running platform, with the data of the demonstration. */

let platform: LocalPlatform;
let browser: Browser;
let screens: Awaited<ReturnType<typeof playDemonstration>>;

beforeAll(async () => {
  [platform, browser] = await Promise.all([startLocalPlatform(temporaryFolder('screens')), launchChromium()]);
  screens = await playDemonstration(browser, platform, { reducedMotion: 'reduce' });
}, 180_000);
afterAll(() => Promise.all([browser?.close(), platform?.stop()]));

describe.each(mainScreens)('the screen %s', (name) => {
  it('has no faults of accessibility, light or dark, and fits 320 pixels', async () => {
    const { page } = screens[name];
    await page.setViewportSize({ width: 1280, height: 800 });
    await show(screens[name], platform);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await findAccessibilityFaults(page), colorScheme).toEqual([]);
    }
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await findOverflow(page)).toBe(0);
  });
});
