import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { Keyboard } from './support/keyboard.ts';
import { usePeople } from './support/people.ts';
import { buy } from './support/purchase.ts';

// Both parties build and approve a campaign without a pointer: nothing here clicks, fills a field or moves the focus.

const people = usePeople();
const name = 'Points by keyboard';

/** Signs a person in at the dashboard and at its issuer. */
async function signInByKeyboard(person: string): Promise<Keyboard> {
  const keyboard = new Keyboard(await people.openPage());
  await keyboard.page.goto(people.platform.sites.dashboard);
  await keyboard.enter('link', 'Sign in');
  await keyboard.enter('button', new RegExp(person));
  await keyboard.page.getByRole('heading', { name: 'Home' }).waitFor();
  return keyboard;
}

/** Follows a link. The focus has to be on the new screen, whose heading has a name. */
async function follow(keyboard: Keyboard, link: string | RegExp, heading: string): Promise<void> {
  await keyboard.enter('link', link);
  await keyboard.page.getByRole('heading', { level: 1, name: heading }).waitFor();
  await keyboard.expectFocusOn(keyboard.page.getByRole('main'));
}

const saved = (page: Page) =>
  page
    .getByRole('status')
    .filter({ hasText: /^Saved/ })
    .waitFor();

describe('a campaign without a pointer', () => {
  it('is built, approved by both parties, and gives a member points', { timeout: 120_000 }, async () => {
    const merchant = await signInByKeyboard('Olivia Hart');
    const { page } = merchant;
    await merchant.press('Control+k');
    await merchant.expectFocusOn(page.getByRole('searchbox', { name: 'Search places and campaigns' }));
    await merchant.type('campaigns');
    await merchant.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor();
    await merchant.expectFocusOn(page.getByRole('main'));
    await follow(merchant, 'New campaign', 'New campaign');
    await merchant.enter('button', 'Start from scratch');

    await merchant.expectFocusOn(page.getByLabel('Name'));
    await merchant.type(name);
    await merchant.tabTo('textbox', 'Description');
    await merchant.type('Two points for every dollar.');
    await follow(merchant, /Flows/, name);
    await merchant.enter('button', 'Add flow');
    await merchant.expectFocusOn(page.getByLabel('Points per $1'));
    await merchant.type('2');
    await saved(page);
    await follow(merchant, 'Review and approve', name);
    await merchant.enter('button', 'Approve campaign');
    await page.waitForURL(/\/campaigns\/\d+$/);
    await merchant.expectFocusOn(page.getByRole('main'));

    const partner = await signInByKeyboard('Pilar Ortega');
    await follow(partner, /^Approvals/, 'Approvals');
    await follow(partner, name, name);
    await partner.enter('button', 'Approve campaign');
    await partner.page.getByText('was approved').first().waitFor();
    expect([...merchant.invisible, ...partner.invisible]).toEqual([]);

    const campaign = Number(/\d+$/.exec(page.url())?.[0]);
    expect(await buy(people.platform, campaign)).toBe(85);
    await merchant.enter('link', 'Campaigns');
    const row = page.getByRole('row', { name });
    await row.getByText('Active').waitFor();
    await expect.poll(() => page.reload().then(() => row.textContent())).toContain('85');
  });
});
