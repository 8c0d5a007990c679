import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { Keyboard } from './support/keyboard.ts';
import { usePeople } from './support/people.ts';
import { buy } from './support/purchase.ts';

// Both parties build and approve a campaign without a pointer: nothing here clicks, fills a field or moves the focus.

const people = usePeople();
const name = 'Points by keyboard';
const template = 'Two points for every dollar';

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

/** Begins a draft with a template, and stays at its details. */
async function openDraft(): Promise<Keyboard> {
  const keyboard = new Keyboard(await people.signIn('Emil Novak'));
  await follow(keyboard, 'Campaigns', 'Campaigns');
  await follow(keyboard, 'New campaign', 'New campaign');
  await keyboard.enter('button', `Use template ${template}`);
  await keyboard.page.getByRole('heading', { level: 1, name: template }).waitFor();
  return keyboard;
}

/** The focus may be anywhere on the screen, but not lost. */
const expectFocusInMain = ({ page }: Keyboard) => page.locator('main:focus, main :focus').waitFor();

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
    await expect.poll(() => page.reload().then(() => row.textContent()), { timeout: 30_000 }).toContain('85');
  });

  it('is filled in and emptied without losing the focus', { timeout: 120_000 }, async () => {
    const keyboard = await openDraft();
    const { page } = keyboard;
    await keyboard.tabTo('radio', /^Earn/);
    await keyboard.press('ArrowDown');
    await keyboard.expectFocusOn(page.getByRole('radio', { name: /^Redeem/, checked: true }));
    await keyboard.press('ArrowUp');
    await follow(keyboard, /Schedule/, template);
    await page.getByRole('radiogroup', { name: 'End' }).waitFor();
    await keyboard.tabTo('radio', 'When it is ended');
    await keyboard.press('ArrowRight', 'Space');
    await keyboard.tabTo('spinbutton', /^year, End/);
    await keyboard.type('2031');
    await page
      .getByRole('spinbutton', { name: /^year, End/ })
      .filter({ hasText: '2031' })
      .waitFor();

    await follow(keyboard, /Flows/, template);
    await keyboard.enter('button', 'Add limit');
    await keyboard.choose(/transaction/);
    await keyboard.expectFocusOn(page.getByLabel('Amount', { exact: true }).first());
    await keyboard.enter('button', 'Remove limit');
    await expectFocusInMain(keyboard);
    await keyboard.enter('button', 'Add condition');
    await keyboard.choose('Place');
    await keyboard.expectFocusOn(page.getByRole('combobox'));
    await keyboard.type('US');
    await keyboard.press('Enter');
    await keyboard.enter('button', 'Or');
    await keyboard.press('Escape');
    await keyboard.expectFocusOn(page.getByRole('button', { name: 'Or' }));
    await keyboard.enter('button', 'Remove condition');
    await expectFocusInMain(keyboard);
    await keyboard.enter('button', /^Flow$/);
    await page.getByRole('heading', { name: 'Flow 2' }).waitFor();
    await expectFocusInMain(keyboard);
    await keyboard.enter('button', 'Acts of flow 2');
    await keyboard.choose('Remove flow');
    await page.getByRole('heading', { name: 'Flow 2' }).waitFor({ state: 'detached' });
    await expectFocusInMain(keyboard);
    await saved(page);
    expect(keyboard.invisible).toEqual([]);
  });

  it('is deleted by a dialog that gives the focus back', async () => {
    const keyboard = await openDraft();
    const { page } = keyboard;
    await follow(keyboard, 'Campaigns', 'Campaigns');
    const acts = `Acts of ${template}`;
    await keyboard.enter('button', acts);
    await keyboard.choose('Delete');
    await keyboard.expectFocusOn(page.getByLabel(/to confirm/));
    await keyboard.press('Escape');
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await keyboard.expectFocusOn(page.getByRole('button', { name: acts }).first());

    await keyboard.press('Enter');
    await keyboard.choose('Delete');
    await keyboard.type(template);
    await keyboard.enter('button', `Delete ${template}`);
    await page.getByText('was deleted').first().waitFor();
    await expectFocusInMain(keyboard);
  });
});
