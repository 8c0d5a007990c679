import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { usePeople } from './support/people.ts';

/** A campaign between its two sides: what each sees of the other while it is written, tried and approved. */

const people = usePeople();
const timeout = 120_000;

/** Sends a new campaign to review. Returns its id and the page of its editor, at the campaign. */
async function sendToReview(name: string): Promise<{ readonly id: string; readonly editor: Page }> {
  const editor = await people.signIn('Emil Novak');
  await editor.getByRole('link', { name: 'Campaigns' }).first().click();
  await editor.getByRole('link', { name: 'New campaign' }).first().click();
  await editor.getByRole('button', { name: 'Use template Two points for every dollar' }).click();
  await rename(editor, name);
  await editor.getByRole('link', { name: 'Review and approve' }).click();
  await editor.getByRole('button', { name: 'Send to review' }).click();
  await editor.waitForURL(/\/campaigns\/\d+$/);
  return { id: /\d+$/.exec(editor.url())?.[0] ?? '', editor };
}

async function rename(editor: Page, name: string): Promise<void> {
  await editor.getByLabel('Name').first().fill(name);
  await editor.getByText(/^Saved (today|yesterday)/).waitFor();
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });

describe('a campaign in review', () => {
  it('can be tried, and an approval that meets a change shows who made it, and the new one', { timeout }, async () => {
    const { id, editor } = await sendToReview('Tried before');
    const approver = await people.signIn('Pilar Ortega');
    await approver.getByRole('link', { name: /^Approvals/ }).click();
    await approver.getByRole('link', { name: 'Tried before' }).click();
    await approver.getByLabel('Amount').fill('10');
    await approver.getByText('20 points', { exact: true }).waitFor();

    await editor.getByRole('button', { name: 'Edit' }).click();
    await rename(editor, 'Changed since');
    people.expectRefusals(412);
    await approver.getByRole('button', { name: 'Approve campaign' }).click();
    await approver
      .getByText(/^Corner Coffee changed it meanwhile, today/)
      .first()
      .waitFor();
    await heading(approver, 'Changed since').waitFor();
    await approver.getByRole('button', { name: 'Approve campaign' }).click();
    await approver.waitForURL(new RegExp(`/campaigns/${id}$`));

    const history = approver.getByRole('region', { name: 'Who did what' });
    await history.getByText('Pilar Ortega approved it').waitFor();
    expect(await history.getByText('Corner Coffee sent it to review').count()).toBe(1);
    expect(await approver.getByText('Emil Novak').count()).toBe(0);

    await editor.reload();
    await editor.getByText('A change takes 1 approval away').waitFor();
    await editor.getByRole('link', { name: 'Changed since' }).click();
    await editor.getByText('Skyline Miles approved it').waitFor();
    expect(await editor.getByText('Pilar Ortega').count()).toBe(0);
  });
});

describe('the list of campaigns', () => {
  it('keeps search and filters in the address', { timeout }, async () => {
    const { id, editor } = await sendToReview('Found again');
    await editor.getByRole('link', { name: 'Campaigns' }).first().click();
    await editor.getByRole('radio', { name: 'Waiting' }).click();
    await editor.getByRole('searchbox', { name: 'Search campaigns' }).fill(id);
    await editor.waitForURL(/state=waiting.*text=/);
    await editor.reload();
    await editor.getByRole('link', { name: 'Found again' }).waitFor();
    expect(await editor.getByRole('row').count()).toBe(2);
    await editor.getByRole('radio', { name: 'Ended' }).click();
    await editor.getByText('No campaign fits these filters.').waitFor();
    await editor.goBack();
    await heading(editor, 'Found again').waitFor();
  });
});
