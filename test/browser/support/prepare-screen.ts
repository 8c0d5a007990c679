import type { Page } from 'playwright-core';
import type { Screen } from '../shots/screens.ts';

/** Leads a page to a screen, and does what the screen needs. */
export async function prepareScreen(page: Page, url: string, { path, api = 'filled', act }: Screen): Promise<void> {
  await page.goto(url + path);
  await page.locator('h1').first().waitFor();
  if (api === 'loading') await page.getByRole('status', { name: 'Loading' }).waitFor();
  else if (api !== 'ended') await page.locator('body:not(:has([aria-busy=true]))').waitFor();
  await act?.(page);
}
