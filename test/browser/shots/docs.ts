import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { launchChromium } from '../support/chromium.ts';
import { type PlatformScreen, playDemonstration, show } from '../support/demonstration.ts';
import { signIn, startLocalPlatform } from '../support/local-platform.ts';

/** `npm run shots:docs`: the pictures of docs/dashboard.md and of the README, from the demonstration's data. */
const folder = fileURLToPath(new URL('../../../docs/dashboard/', import.meta.url));
const directory = await mkdtemp(join(tmpdir(), 'shots-'));
const platform = await startLocalPlatform(directory);
const browser = await launchChromium();
try {
  const { campaigns, flows, approval, campaign } = await playDemonstration(platform, enter);
  await take('campaigns', campaigns);
  await take('campaign', campaign);
  await take('approval', approval);
  await show(flows, platform);
  await flows.page
    .getByRole('button', { name: /Status tier/ })
    .last()
    .click();
  await flows.page.getByRole('option', { name: 'Gold' }).click();
  await flows.page.getByText('127 points', { exact: true }).waitFor();
  await save('builder', flows);
} finally {
  await Promise.all([browser.close(), platform.stop()]);
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
}

async function enter(name: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await signIn(page, platform, name);
  return page;
}

async function take(name: string, screen: PlatformScreen): Promise<void> {
  await show(screen, platform);
  await save(name, screen);
}

async function save(name: string, { page }: PlatformScreen): Promise<void> {
  const picture = await page.screenshot({ path: `${folder}${name}.png` });
  process.stdout.write(`docs/dashboard/${name}.png has ${Math.ceil(picture.byteLength / 1024)} KB\n`);
}
