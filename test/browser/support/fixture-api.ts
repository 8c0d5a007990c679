import type { Page, Route } from 'playwright-core';
import * as fixtures from './fixtures.ts';

const lastPage = { next: null, prev: null };

/** The replies of a management host with example data, by path below /api/organisations/1. */
const replies: Readonly<Record<string, unknown>> = {
  '': { data: fixtures.organisation },
  '/campaigns': { data: { campaigns: fixtures.campaigns }, cursor: lastPage },
  '/partnerships': { data: { partnerships: fixtures.partnerships } },
  '/templates': { data: { templates: fixtures.templates }, cursor: lastPage },
  '/people': { data: fixtures.people },
  '/audit': { data: { entries: fixtures.audit }, cursor: lastPage },
};

/** What the API does in a picture: replies, never replies, fails, or has no data yet. */
export type ApiState = 'filled' | 'empty' | 'loading' | 'failed' | 'signed-out';

/** Answers the calls of the application from examples. For pictures only: tests use the real platform. */
export async function answerFromFixtures(page: Page, state: ApiState): Promise<void> {
  await page.route('**/api/**', (route) => answer(route, state));
}

async function answer(route: Route, state: ApiState): Promise<void> {
  const { pathname } = new URL(route.request().url());
  if (state === 'loading' && pathname !== sessionPath) return;
  const { status, body } = exampleReply(pathname, state);
  return route.fulfill({ status, contentType: 'application/json', body: JSON.stringify(body) });
}

const sessionPath = '/api/session';

/** What the API replies to a read of a path. */
export function exampleReply(pathname: string, state: ApiState): { readonly status: number; readonly body: unknown } {
  if (pathname === sessionPath) {
    return { status: 200, body: { data: state === 'signed-out' ? fixtures.noSession : fixtures.session } };
  }
  if (state === 'failed') return { status: 503, body: { error: 'temporarily_unavailable', message: 'try again' } };
  const path = pathname.replace('/api/organisations/1', '');
  const body = state === 'empty' ? emptied(path) : found(path);
  return body === undefined ? { status: 404, body: { error: 'not_found' } } : { status: 200, body };
}

function found(path: string): unknown {
  const id = /^\/campaigns\/(\d+)$/.exec(path)?.[1];
  return id === undefined ? replies[path] : { data: fixtures.campaignOf(Number(id)) };
}

const emptyLists: Readonly<Record<string, unknown>> = {
  '/campaigns': { data: { campaigns: [] }, cursor: lastPage },
  '/templates': { data: { templates: [] }, cursor: lastPage },
  '/audit': { data: { entries: [] }, cursor: lastPage },
  '/people': { data: { people: fixtures.people.people.slice(0, 1), invitations: [] } },
};

const emptied = (path: string): unknown => emptyLists[path] ?? found(path);
