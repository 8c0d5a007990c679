import type { Page } from 'playwright-core';
import { type ApiState, renameMeanwhile } from '../support/fixture-api.ts';

/** One picture: a screen in a state. */
export interface Screen {
  readonly name: string;
  readonly path: string;
  readonly api?: ApiState;
  /** What a person does before the picture. */
  readonly act?: (page: Page) => Promise<unknown>;
}

type Act = NonNullable<Screen['act']>;

const press =
  (name: string | RegExp, role: 'button' | 'menuitem' | 'option' = 'button'): Act =>
  (page) =>
    page.getByRole(role, { name }).first().click();
const fill =
  (label: string, text: string): Act =>
  (page) =>
    page
      .locator('input, textarea')
      .and(page.getByLabel(label, { exact: true }))
      .first()
      .fill(text);
const see =
  (text: string | RegExp): Act =>
  (page) =>
    page.getByText(text).first().waitFor();
const inTurn =
  (...acts: readonly Act[]): Act =>
  async (page) => {
    for (const act of acts) await act(page);
  };
const seeDialog: Act = (page) => page.locator('[role=dialog], [role=alertdialog]').waitFor();
const seeMenu: Act = (page) => page.getByRole('menu').waitFor();
const search: Act = inTurn((page) => page.keyboard.press('Control+k'), seeDialog);
/** On a narrow screen the navigation is behind a button. */
const openNavigation: Act = async (page) => {
  const button = page.getByRole('button', { name: 'Menu', exact: true });
  if (await button.isVisible()) await button.click();
};
/** The panel in which a draft is tried is the last on the page. */
const chooseTier: Act = (page) =>
  page
    .getByRole('button', { name: /Status tier/ })
    .last()
    .click();
const choose = (of: string, name: RegExp): Act => inTurn(press(`Acts of ${of}`), press(name, 'menuitem'), seeDialog);

export const screens: readonly Screen[] = [
  { name: 'sign-in', path: '/sign-in', api: 'signed-out' },
  { name: 'sign-in-refused', path: '/sign-in?problem=not_invited', api: 'signed-out' },
  { name: 'sign-in-return', path: '/1/campaigns', api: 'signed-out' },
  { name: 'sign-in-ended', path: '/1/campaigns', api: 'ended', act: seeDialog },
  { name: 'sign-in-stranger', path: '/', api: 'stranger' },
  { name: 'sign-in-invited', path: '/', api: 'invited' },
  { name: 'sign-in-not-offered', path: '/?invitation=one' },
  { name: 'sign-in-down', path: '/1', api: 'down' },
  { name: 'home', path: '/1' },
  { name: 'home-first-steps', path: '/1', api: 'empty' },
  { name: 'home-quiet', path: '/1', api: 'quiet' },
  { name: 'home-loading', path: '/1', api: 'loading' },
  { name: 'home-navigation', path: '/1', act: openNavigation },
  { name: 'campaigns', path: '/1/campaigns' },
  { name: 'campaigns-menu', path: '/1/campaigns', act: inTurn(press('Acts of Spring double'), seeMenu) },
  { name: 'campaigns-none-found', path: '/1/campaigns', act: fill('Search campaigns', 'summer') },
  { name: 'campaigns-empty', path: '/1/campaigns', api: 'empty' },
  { name: 'campaigns-loading', path: '/1/campaigns', api: 'loading' },
  { name: 'campaigns-failed', path: '/1/campaigns', api: 'failed' },
  { name: 'campaigns-delete', path: '/1/campaigns', act: choose('Spring double', /^Delete/) },
  { name: 'campaigns-template', path: '/1/campaigns', act: choose('Spring double', /template/) },
  { name: 'campaign', path: '/1/campaigns/11' },
  { name: 'campaign-draft', path: '/1/campaigns/13' },
  { name: 'campaign-long', path: '/1/campaigns/14' },
  { name: 'campaign-changes', path: '/1/campaigns/15' },
  { name: 'campaign-pause', path: '/1/campaigns/11', act: inTurn(press('Pause'), seeDialog) },
  { name: 'campaign-missing', path: '/1/campaigns/99999/nowhere' },
  { name: 'new-campaign', path: '/1/campaigns/new' },
  { name: 'edit-details', path: '/1/campaigns/15/edit/details' },
  { name: 'edit-schedule', path: '/1/campaigns/15/edit/schedule' },
  { name: 'edit-flows', path: '/1/campaigns/15/edit/flows' },
  { name: 'edit-goals', path: '/1/campaigns/15/edit/goals' },
  { name: 'edit-review', path: '/1/campaigns/17/edit/review' },
  { name: 'edit-review-changes', path: '/1/campaigns/15/edit/review' },
  { name: 'edit-faults-schedule', path: '/1/campaigns/13/edit/schedule?field=/endsAt' },
  { name: 'edit-faults-flows', path: '/1/campaigns/13/edit/flows?field=/flows/0' },
  { name: 'edit-faults-review', path: '/1/campaigns/13/edit/review' },
  {
    name: 'edit-add-condition',
    path: '/1/campaigns/15/edit/flows',
    act: inTurn(press('Add condition'), seeMenu),
  },
  {
    name: 'edit-half',
    path: '/1/campaigns/15/edit/flows',
    act: inTurn(press('Add condition'), press(/^Total spending/, 'menuitem'), see('Half parts are kept')),
  },
  {
    name: 'edit-tried',
    path: '/1/campaigns/15/edit/flows',
    act: inTurn(chooseTier, press('Gold', 'option'), fill('Place', 'Austin, TX'), see('127 points')),
  },
  {
    name: 'edit-conflict',
    path: '/1/campaigns/15/edit/details',
    act: inTurn(
      (page) => renameMeanwhile(page, 15, 'Golden days'),
      fill('Name', 'Golden weekends'),
      see(/changed this draft/),
    ),
  },
  { name: 'approvals', path: '/1/approvals' },
  { name: 'approvals-empty', path: '/1/approvals', api: 'quiet' },
  { name: 'approval', path: '/1/approvals/12' },
  { name: 'approval-changes', path: '/1/approvals/15' },
  { name: 'approval-reject', path: '/1/approvals/12', act: inTurn(press('Reject…'), seeDialog) },
  { name: 'templates', path: '/1/templates' },
  { name: 'templates-empty', path: '/1/templates', api: 'empty' },
  { name: 'people', path: '/1/people' },
  { name: 'people-invite', path: '/1/people', act: inTurn(press('Invite person'), seeDialog) },
  { name: 'people-roles', path: '/1/people', act: choose('Eve Editor', /roles/) },
  { name: 'people-remove', path: '/1/people', act: choose('Eve Editor', /^Remove/) },
  { name: 'audit', path: '/1/audit' },
  { name: 'audit-change', path: '/1/audit', act: (page) => page.getByText('What changed').first().click() },
  { name: 'audit-empty', path: '/1/audit', api: 'empty' },
  { name: 'settings', path: '/1/settings' },
  { name: 'search', path: '/1', act: search },
  { name: 'search-typed', path: '/1', act: inTurn(search, (page) => page.keyboard.type('week')) },
  { name: 'menu-organisations', path: '/1', act: inTurn(openNavigation, press(/^Corner Coffee/), seeMenu) },
  { name: 'menu-person', path: '/1', act: inTurn(openNavigation, press(/ann@corner/), seeMenu) },
  { name: 'not-a-member', path: '/9/campaigns' },
];
