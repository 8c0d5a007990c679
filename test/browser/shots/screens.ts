import type { Page } from 'playwright-core';
import type { ApiState } from '../support/fixture-api.ts';

/** One picture: a screen in a state. */
export interface Screen {
  readonly name: string;
  readonly path: string;
  readonly api?: ApiState;
  /** What a person does before the picture. */
  readonly act?: (page: Page) => Promise<unknown>;
}

const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click();

export const screens: readonly Screen[] = [
  { name: 'sign-in', path: '/sign-in', api: 'signed-out' },
  { name: 'home', path: '/1' },
  { name: 'home-empty', path: '/1', api: 'empty' },
  { name: 'campaigns', path: '/1/campaigns' },
  { name: 'campaigns-menu', path: '/1/campaigns', act: press('Acts of Spring double') },
  { name: 'campaigns-empty', path: '/1/campaigns', api: 'empty' },
  { name: 'campaigns-loading', path: '/1/campaigns', api: 'loading' },
  { name: 'campaigns-failed', path: '/1/campaigns', api: 'failed' },
  { name: 'campaign', path: '/1/campaigns/11' },
  { name: 'campaign-draft', path: '/1/campaigns/13' },
  { name: 'campaign-changes', path: '/1/campaigns/15' },
  { name: 'campaign-pause', path: '/1/campaigns/11', act: press('Pause') },
  { name: 'edit-details', path: '/1/campaigns/13/edit/details' },
  { name: 'edit-schedule', path: '/1/campaigns/13/edit/schedule' },
  { name: 'edit-flows', path: '/1/campaigns/13/edit/flows' },
  { name: 'edit-goals', path: '/1/campaigns/13/edit/goals' },
  { name: 'edit-review', path: '/1/campaigns/13/edit/review' },
  { name: 'new-campaign', path: '/1/campaigns/new' },
  { name: 'approvals', path: '/1/approvals' },
  { name: 'approval', path: '/1/approvals/12' },
  { name: 'approval-reject', path: '/1/approvals/12', act: press('Reject…') },
  { name: 'templates', path: '/1/templates' },
  { name: 'people', path: '/1/people' },
  { name: 'people-invite', path: '/1/people', act: press('Invite person') },
  { name: 'audit', path: '/1/audit' },
  { name: 'settings', path: '/1/settings' },
  { name: 'search', path: '/1', act: (page) => page.keyboard.press('Control+k') },
  { name: 'not-found', path: '/9/campaigns' },
];
