import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { serveApplication } from '../support/application.ts';
import { launchChromium } from '../support/chromium.ts';
import { answerFromFixtures } from '../support/fixture-api.ts';
import { prepareScreen } from '../support/prepare-screen.ts';
import { type Screen, screens } from './screens.ts';

/**
 * `npm run shots`: pictures of every screen, light and dark, at 320 and 1440 pixels, into .local/shots. Words choose
 * screens: `npm run shots -- campaigns home`.
 */
const folder = fileURLToPath(new URL('../../../.local/shots/', import.meta.url));
const looks = [
  { colorScheme: 'light', width: 1440, height: 900 },
  { colorScheme: 'dark', width: 1440, height: 900 },
  { colorScheme: 'light', width: 320, height: 640 },
  { colorScheme: 'dark', width: 320, height: 640 },
] as const;
type Look = (typeof looks)[number];

const wanted = process.argv.slice(2);
const chosen =
  wanted.length === 0 ? screens : screens.filter(({ name }) => wanted.some((word) => name.startsWith(word)));

await mkdir(folder, { recursive: true });
const application = await serveApplication();
const browser = await launchChromium();
try {
  for (const look of looks) for (const screen of chosen) await shoot(screen, look, browser);
} finally {
  await browser.close();
  await application.stop();
}

async function shoot(screen: Screen, look: Look, within: Browser): Promise<void> {
  const { name, api = 'filled', act } = screen;
  const { colorScheme, width, height } = look;
  const context = await within.newContext({ colorScheme, viewport: { width, height }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  page.on('pageerror', (error) => process.stderr.write(`${name}: ${error.stack}\n`));
  page.on('console', (message) => message.type() === 'error' && process.stderr.write(`${name}: ${message.text()}\n`));
  await answerFromFixtures(page, api);
  await prepareScreen(page, application.url, screen).catch((error: unknown) =>
    process.stderr.write(`${name}: ${error}\n`),
  );
  await page.screenshot({ path: `${folder}${name}-${colorScheme}-${width}.png`, fullPage: act === undefined });
  await context.close();
}
