import { beforeAll, describe, expect, it } from 'vitest';
import { findAccessibilityFaults } from './support/axe.ts';
import { mainScreens, playDemonstration, show } from './support/demonstration.ts';
import { findOverflow } from './support/look.ts';
import { usePeople } from './support/people.ts';

// The main screens of the running platform, with the data of the demonstration.

const people = usePeople();
let screens: Awaited<ReturnType<typeof playDemonstration>>;

beforeAll(async () => {
  screens = await playDemonstration(people.platform, people.signIn);
}, 120_000);

describe.each(mainScreens)('the screen %s', (name) => {
  it('has no faults of accessibility, light or dark, and fits 320 pixels', async () => {
    const { page } = screens[name];
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await show(screens[name], people.platform);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await findAccessibilityFaults(page), colorScheme).toEqual([]);
    }
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await findOverflow(page)).toBe(0);
  });
});
