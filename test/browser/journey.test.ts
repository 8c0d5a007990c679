import { beforeAll, describe, expect, it } from 'vitest';
import { usePeople } from './support/people.ts';
import { Person } from './support/person.ts';
import { buy } from './support/purchase.ts';

// What a person has to do for a running campaign, in clicks and typed fields: the promises of the dashboard.

const people = usePeople();

/** Signs a person in, who looks at the campaigns then. The count begins there. */
async function openCampaigns(name: string): Promise<Person> {
  const page = await people.signIn(name);
  await page.getByRole('link', { name: 'Campaigns' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor();
  return new Person(page);
}

/** The id of the campaign on the screen that follows an act. */
async function shownCampaign({ page }: Person): Promise<number> {
  await page.waitForURL(/\/campaigns\/\d+$/);
  return Number(/\d+$/.exec(page.url())?.[0]);
}

/** Waits until the campaign on the screen runs. */
const isActive = ({ page }: Person) => page.getByRole('main').getByText('Active', { exact: true }).waitFor();

/** Builds a campaign whose money is the merchant's alone: nobody else has to approve it. */
async function buildFromScratch(owner: Person, name: string): Promise<void> {
  await owner.click('link', 'New campaign');
  await owner.click('button', 'Start from scratch');
  await owner.type('Name', name);
  await owner.click('link', /Flows/);
  await owner.click('button', 'Add flow');
  await owner.click('button', /Action/);
  await owner.click('option', 'Award cashback');
  await owner.type('Share', '5');
  await owner.click('link', 'Review and approve');
  await owner.click('button', 'Approve campaign');
}

describe('a campaign of one party', () => {
  it('from scratch takes at most 9 clicks and 2 typed fields', async () => {
    const owner = await openCampaigns('Olivia Hart');
    await buildFromScratch(owner, 'Cashback from scratch');
    await isActive(owner);

    expect(owner.clicks).toBeLessThanOrEqual(9);
    expect(owner.typedFields).toBeLessThanOrEqual(2);
  });

  it('from a template takes at most 6 clicks and no typed field', async () => {
    const owner = await openCampaigns('Olivia Hart');
    await buildFromScratch(owner, 'Cashback as a template');
    await owner.click('button', 'More acts of Cashback as a template');
    await owner.click('menuitem', 'Create template');
    await owner.click('button', 'Create template');
    await owner.page.getByText('The template Cashback as a template was created').first().waitFor();
    const other = await openCampaigns('Olivia Hart');
    await other.click('link', 'New campaign');
    await other.click('button', 'Use template Cashback as a template');
    await other.click('link', 'Review and approve');
    await other.click('button', 'Approve campaign');
    await isActive(other);

    expect(other.clicks).toBeLessThanOrEqual(6);
    expect(other.typedFields).toBe(0);
  });
});

describe('a campaign of two parties', () => {
  let editor: Person;
  let campaign: number;
  beforeAll(async () => {
    editor = await openCampaigns('Emil Novak');
    await editor.click('link', 'New campaign');
    await editor.click('button', 'Use template Two points for every dollar');
    await editor.click('link', 'Review and approve');
    await editor.click('button', 'Send to review');
    campaign = await shownCampaign(editor);
  });

  it('takes at most 3 clicks of each approver, and rewards a purchase', async () => {
    for (const approver of ['Olivia Hart', 'Pilar Ortega']) {
      const person = new Person(await people.signIn(approver));
      await person.click('link', /^Approvals/);
      await person.page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();
      await person.clickOn(person.page.locator(`a[href$="/approvals/${campaign}"]`));
      await person.click('button', 'Approve campaign');
      await person.page.getByText('was approved').first().waitFor();
      expect(person.clicks).toBeLessThanOrEqual(3);
    }

    await editor.page.reload();
    await isActive(editor);
    // Ada has the tier Gold: 2 points per dollar, half as much again.
    expect(await buy(people.platform, campaign)).toBe(127);
  });
});
