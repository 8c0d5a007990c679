import type { Page } from 'playwright-core';
import { describe, it } from 'vitest';
import { usePeople } from './support/people.ts';

// Events of the partnership, made where a flow needs them.

const people = usePeople();

/** Goes to a control as a person without a pointer does, and presses Enter. */
async function enterAt(page: Page, role: 'button' | 'menuitem' | 'option', name: string): Promise<void> {
  await page.getByRole(role, { name, exact: true }).last().focus();
  await page.keyboard.press('Enter');
}

describe('an event of the partnership', () => {
  it('is made in the builder by keyboard, and a flow that waits for it compares its field', {
    timeout: 120_000,
  }, async () => {
    const page = await people.signIn('Olivia Hart');
    await page.goto(`${people.platform.sites.dashboard}/1/campaigns/new`);
    await enterAt(page, 'button', 'Start from scratch');
    await page.getByLabel('Name').fill('Rides');
    await page.goto(page.url().replace('/details', '/flows'));
    await enterAt(page, 'button', 'Add flow');
    await page.locator('[id="at/flows/0/trigger"]').getByRole('button').first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'Event of your own' }).press('Enter');

    await enterAt(page, 'button', 'New event');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('ride completed!');
    await enterAt(page, 'button', 'Create event');
    await page.getByText('The name has to be letters, digits').waitFor();
    await page.getByLabel('Name', { exact: true }).last().fill('ride_completed');
    await enterAt(page, 'button', 'Field');
    await page.keyboard.type('city');
    await enterAt(page, 'button', 'Create event');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.getByLabel('Points', { exact: true }).fill('50');
    await enterAt(page, 'button', 'Add condition');
    await page.getByRole('menuitem', { name: /^Attribute/ }).press('Enter');
    await page.locator('[id$="/conditions/0/name"]').getByRole('button').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'city' }).press('Enter');
    await page.getByLabel('Values').fill('Austin');
    await page.keyboard.press('Enter');
    await page.getByText('When ride_completed happens, Skyline Miles gives 50 points, if city is Austin.').waitFor();
    await page.getByText(/^Saved today/).waitFor();
  });
});
