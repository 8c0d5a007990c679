import { mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { serveApplication } from '../support/application.ts';
import { launchChromium } from '../support/chromium.ts';
import { answerFromFixtures } from '../support/fixture-api.ts';
import { prepareScreen } from '../support/prepare-screen.ts';
import { type Screen, screens } from './screens.ts';

/**
 * `npm run shots`: pictures of every screen, light and dark, at 320 and 1440 pixels, into .local/shots. Words choose
 * screens by the beginnings of their names: `npm run shots -- campaigns home`.
 */
const folder = fileURLToPath(new URL('../../../.local/shots/', import.meta.url));
const sizes = [
  { width: 1440, height: 900 },
  { width: 320, height: 640 },
] as const;
type Size = (typeof sizes)[number];

const wanted = process.argv.slice(2);
const chosen =
  wanted.length === 0 ? screens : screens.filter(({ name }) => wanted.some((word) => name.startsWith(word)));

await mkdir(folder, { recursive: true });
if (wanted.length === 0) await rm(folder, { recursive: true }).then(() => mkdir(folder));
const application = await serveApplication();
const browser = await launchChromium();
let pictures = 0;
try {
  for (const screen of chosen) for (const size of sizes) await shoot(screen, size, browser);
} finally {
  await Promise.all([browser.close(), application.stop()]);
}
process.stdout.write(`${pictures} pictures of ${chosen.length} screens are in ${folder}\n`);

async function shoot(screen: Screen, size: Size, within: Browser): Promise<void> {
  const { name, api = 'filled' } = screen;
  const context = await within.newContext({ viewport: size, reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.setDefaultTimeout(8_000);
  page.on('pageerror', (error) => process.stderr.write(`${name}: ${error.stack}\n`));
  await answerFromFixtures(page, api);
  await prepareScreen(page, application.url, screen).catch((error: unknown) => {
    process.stderr.write(`${name} at ${size.width}: ${error}\n`);
    process.exitCode = 1;
  });
  await growToContent(page, size);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${folder}${name}-${colorScheme}-${size.width}.png` });
    pictures += 1;
  }
  await context.close();
}

/** Makes the window as tall as the screen: what sticks to an edge of the window then sticks to an edge of the picture. */
async function growToContent(page: Page, { width, height }: Size): Promise<void> {
  if ((await page.locator('[role=dialog], [role=alertdialog]').count()) > 0) return;
  const content = Number(await page.evaluate('document.documentElement.scrollHeight'));
  if (content > height) await page.setViewportSize({ width, height: content });
}
