import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { usePeople } from './support/people.ts';

/** How people join an organisation, change and leave it, from the operator's invitation of the first owner on. */

const people = usePeople();

async function admin(...args: string[]) {
  const command = ['tools/admin/main.ts', ...args, '--state-dir', people.platform.stateDirectory, '--json', '--yes'];
  return JSON.parse((await promisify(execFile)(process.execPath, command)).stdout);
}

/** Opens a path of the dashboard and signs in by one click on the local page: on a name, or on an invited address. */
async function signIn(page: Page, who: string | RegExp, path = '/'): Promise<void> {
  const { dashboard } = people.platform.sites;
  await page.goto(dashboard + path);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: who }).click();
  await page.waitForURL(`${dashboard}/**`);
}

const place = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).first().click();

/** Invites a person under People. Returns the path of the link. */
async function invite(owner: Page, email: string, roles: readonly string[]): Promise<string> {
  await place(owner, 'People');
  await owner.getByRole('button', { name: 'Invite person' }).click();
  await owner.getByLabel('E-mail address').fill(email);
  for (const role of roles) await owner.getByRole('checkbox', { name: role }).check({ force: true });
  await owner.getByRole('button', { name: 'Create invitation' }).click();
  return readLink(owner);
}

async function readLink(owner: Page): Promise<string> {
  const link = await owner.getByLabel('Link of the invitation').inputValue();
  await owner.getByRole('button', { name: 'Done' }).click();
  return link.slice(people.platform.sites.dashboard.length);
}

async function act(owner: Page, row: string, name: string): Promise<void> {
  await owner.getByRole('button', { name: `Acts of ${row}` }).click();
  await owner.getByRole('menuitem', { name }).click();
}

let ada: Page;
beforeAll(async () => {
  // The first owner, whom an operator invites.
  await admin('organisation', 'invite', '2', '--email', 'ada.ruiz@skyline.example');
  ada = await people.openPage();
  await signIn(ada, /ada\.ruiz@skyline\.example/);
  await place(ada, 'People');
  await ada.getByRole('row', { name: /Ada Ruiz \(you\).*Owner/ }).waitFor();
}, 60_000);

describe('the people of an organisation', () => {
  it('join by the link of an owner, get other roles, and are gone at once', { timeout: 120_000 }, async () => {
    people.expectRefusals(404);
    const link = await invite(ada, 'bo.lind@skyline.example', ['Approver']);
    const bo = await people.openPage();
    await signIn(bo, /bo\.lind@skyline\.example/, link);
    await place(bo, 'People');
    await bo.getByRole('row', { name: /Bo Lind \(you\).*Editor and Approver/ }).waitFor();
    expect(await bo.getByRole('button', { name: 'Invite person' }).count()).toBe(0);

    await ada.reload();
    await act(ada, 'Bo Lind', 'Change roles');
    await ada.getByRole('checkbox', { name: 'Owner' }).check({ force: true });
    await ada.getByRole('button', { name: 'Save roles' }).click();
    await ada.getByRole('row', { name: /Bo Lind.*Owner, Editor and Approver/ }).waitFor();
    await bo.reload();
    await bo.getByRole('button', { name: 'Invite person' }).waitFor();

    await act(ada, 'Bo Lind', 'Remove person');
    await ada.getByRole('button', { name: 'Remove Bo Lind' }).click();
    await ada.getByText('Bo Lind was removed').first().waitFor();
    await bo.getByRole('button', { name: 'Invite person' }).click();
    await bo.getByLabel('E-mail address').fill('cy@skyline.example');
    await bo.getByRole('button', { name: 'Create invitation' }).click();
    await bo.getByRole('dialog').getByText('It does not exist any more, or you cannot see it.').waitFor();
    await bo.reload();
    await bo.getByText('There is nothing here').waitFor();
  });

  it('keep their last owner', async () => {
    people.expectRefusals(409);
    await place(ada, 'People');
    await act(ada, 'Ada Ruiz', 'Leave organisation');
    await ada.getByRole('button', { name: 'Leave Skyline Miles' }).click();
    await ada.getByRole('alertdialog').getByText('The last owner of an organisation cannot leave').waitFor();
    await ada.getByRole('button', { name: 'Stay' }).click();
  });

  it('who work elsewhere find the invitation at Home, and accept it once', { timeout: 120_000 }, async () => {
    people.expectRefusals(404);
    const emil = await people.openPage();
    await signIn(emil, 'Emil Novak');
    const link = await invite(ada, 'emil@corner-coffee.example', []);
    const second = await emil.context().newPage();
    await second.goto(people.platform.sites.dashboard + link);
    await second.getByText('Skyline Miles invites you').waitFor();
    await emil.reload();
    await emil.getByRole('button', { name: 'Accept invitation' }).click();
    await emil.waitForURL('**/2');
    expect(await emil.getByText('Skyline Miles invites you').count()).toBe(0);

    await second.getByRole('button', { name: 'Accept invitation' }).click();
    await second.getByText('It does not exist any more, or you cannot see it.').waitFor();
    await second.reload();
    await second.getByText('This invitation is not open for you').waitFor();
  });

  it('get in with the invited address only', { timeout: 120_000 }, async () => {
    people.expectRefusals(400);
    const link = await invite(ada, 'di@skyline.example', []);
    const pilar = await people.openPage();
    await signIn(pilar, 'Pilar Ortega', link);
    await pilar.getByText('You are signed in as pilar@skyline-miles.example.').waitFor();

    await act(ada, 'the invitation of di@skyline.example', 'Invite again');
    await ada.getByRole('button', { name: 'Create invitation' }).click();
    expect(await readLink(ada)).toBe(link);
    await act(ada, 'the invitation of di@skyline.example', 'Withdraw invitation');
    await ada.getByText('The invitation of di@skyline.example was withdrawn').first().waitFor();
    await pilar.getByRole('link', { name: 'Sign in as another person' }).click();
    await pilar.getByText('Sign up with an invited address').click();
    await pilar.getByLabel('Name').fill('Di');
    await pilar.getByLabel('E-mail address').fill('di@skyline.example');
    await pilar.getByRole('button', { name: 'Sign up' }).click();
    await pilar.getByText('this address has no open invitation').waitFor();
  });

  it('sign in with a new account after a reset', { timeout: 120_000 }, async () => {
    people.expectRefusals(401);
    await admin('staff', 'reset', 'ada.ruiz@skyline.example');
    await ada.reload();
    await ada.getByRole('link', { name: 'Sign in' }).click();
    await ada.getByRole('button', { name: /ada\.ruiz@skyline\.example/ }).click();
    await ada.getByRole('row', { name: /Ada Ruiz \(you\).*Owner/ }).waitFor();
  });
});
