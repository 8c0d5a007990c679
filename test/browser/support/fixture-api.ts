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

const campaignPath = /^\/campaigns\/(\d+)$/;

function found(path: string): unknown {
  if (/^\/campaigns\/\d+\/acts$/.test(path)) return { data: { acts: fixtures.campaignActs }, cursor: lastPage };
  const id = campaignPath.exec(path)?.[1];
  return id === undefined ? replies[path] : { data: fixtures.campaignOf(Number(id)) };
}

const noCampaigns = { data: { campaigns: [] }, cursor: lastPage };
const emptyLists: Readonly<Record<string, unknown>> = {
  '/campaigns': noCampaigns,
  '/templates': { data: { templates: [] }, cursor: lastPage },
  '/audit': { data: { entries: [] }, cursor: lastPage },
  '/people': { data: { people: fixtures.people.people.slice(0, 1), invitations: [] } },
};
const ended = fixtures.campaigns.filter(({ status }) => status === 'ENDED');

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const ok = (body: unknown): Answer =>
  body === undefined
    ? { status: 404, body: { error: 'not_found', message: 'nothing is here' } }
    : { status: 200, body };
const refusal = (status: number, error: string): Answer => ({ status, body: { error, message: 'try again' } });
const session = ok({ data: fixtures.session });
const failure = refusal(503, 'temporarily_unavailable');

/** What the API does in a picture: its answer about the session, and its answers to all else. */
const states = {
  filled: { session, answer: (path) => ok(found(path)) },
  /** Without any campaign, template or second person. */
  empty: { session, answer: (path) => ok(emptyLists[path] ?? found(path)) },
  /** Nothing runs, and nothing waits. */
  quiet: {
    session,
    answer: (path) => ok(path === '/campaigns' ? { data: { campaigns: ended }, cursor: lastPage } : found(path)),
  },
  /** No answer, except about the session. */
  loading: { session, answer: () => failure },
  failed: { session, answer: () => failure },
  down: { session: failure, answer: () => failure },
  ended: { session, answer: () => refusal(401, 'session_expired') },
  'signed-out': { session: ok({ data: fixtures.noSession }), answer: () => refusal(401, 'not_signed_in') },
  /** The person belongs to no organisation. */
  stranger: {
    session: ok({ data: { ...fixtures.session, organisations: [] } }),
    answer: () => refusal(404, 'not_found'),
  },
  invited: {
    session: ok({ data: { ...fixtures.session, organisations: [], invitations: fixtures.ownInvitations } }),
    answer: () => refusal(404, 'not_found'),
  },
} satisfies Readonly<Record<string, { readonly session: Answer; readonly answer: (path: string) => Answer }>>;
export type ApiState = keyof typeof states;

/** Answers the calls of the application from examples, for what a platform cannot show at will. */
export async function answerFromFixtures(page: Page, state: ApiState): Promise<void> {
  await page.route('**/api/**', (route) => answer(route, state));
}

async function answer(route: Route, state: ApiState): Promise<void> {
  const { pathname } = new URL(route.request().url());
  if (state === 'loading' && pathname !== sessionPath) return;
  const { status, body } = exampleReply(pathname, state);
  await route.fulfill({ status, contentType: 'application/json', body: JSON.stringify(body) });
}

const sessionPath = '/api/session';

/** What the API replies to a call of a path. */
export function exampleReply(pathname: string, state: ApiState): Answer {
  if (pathname === sessionPath) return states[state].session;
  return states[state].answer(pathname.replace('/api/organisations/1', ''));
}

/** From now on a campaign has another name, and another revision than the application knows. */
export async function renameMeanwhile(page: Page, id: number, name: string): Promise<void> {
  const campaign = fixtures.campaignOf(id);
  const { draft } = campaign;
  const renamed = { ...campaign, revision: 8, draft: draft && { ...draft, document: { ...draft.document, name } } };
  await page.route(`**/campaigns/${id}`, async (route) => {
    const { status, body } =
      route.request().method() === 'GET' ? ok({ data: renamed }) : refusal(412, 'changed_meanwhile');
    await route.fulfill({ status, contentType: 'application/json', body: JSON.stringify(body) });
  });
}
