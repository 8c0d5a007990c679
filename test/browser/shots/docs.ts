import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { launchChromium } from '../support/chromium.ts';
import { playDemonstration } from '../support/demonstration.ts';
import { startLocalPlatform } from '../support/local-platform.ts';

/** `npm run shots:docs`: the pictures of docs/dashboard.md and of the README, from the demonstration's data. */
const folder = fileURLToPath(new URL('../../../docs/dashboard/', import.meta.url));
const directory = await mkdtemp(join(tmpdir(), 'shots-'));
const platform = await startLocalPlatform(directory);
const browser = await launchChromium();
try {
  const viewport = { width: 1280, height: 800 };
  const { editor, approver, screens, approval } = await playDemonstration(browser, platform, { viewport });
  await take('campaigns', editor, screens.get('campaigns'));
  await take('builder', editor, screens.get('builder: flows'));
  await take('campaign', editor, screens.get('campaign that runs'));
  await take('approval', approver, approval);
} finally {
  await Promise.all([browser.close(), platform.stop()]);
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
}

async function take(name: string, page: Page, path = '/'): Promise<void> {
  await page.goto(platform.sites.dashboard + path);
  await page.locator('h1').first().waitFor();
  await page.locator('body:not(:has([aria-busy=true]))').waitFor();
  const picture = await page.screenshot({ path: `${folder}${name}.png` });
  process.stdout.write(`docs/dashboard/${name}.png has ${Math.ceil(picture.byteLength / 1024)} KB\n`);
}
