import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import {
  defineContract,
  noCredential,
  optionalStaffSession,
  staff,
  staffSession,
} from '../../shared/contracts/contract.ts';
import { timingMs, validityMs } from '../../shared/contracts/limits.ts';
import { ChangedMeanwhileError } from '../../shared/domain/errors.ts';
import { personHeader } from '../../shared/http/browser-origin.ts';
import { managementEndpoint } from '../../shared/http/management-endpoint.ts';
import type { Reply } from '../../shared/http/reply.ts';
import { aContext, eventOf, type Request } from '../support/call.ts';
import {
  fromEdge,
  fromPage,
  openSettings,
  type SignedInPerson,
  signIn,
  startSession,
} from '../support/dashboard-desk.ts';
import { makeWorld, type World } from '../support/world.ts';

const common = {
  host: 'management',
  summary: 'An endpoint of the test.',
  data: z.object({ by: z.string(), revision: z.optional(z.int()) }),
  refusals: {},
  access: { table: {} },
} as const;
const inOrganisation = z.object({ organisation_id: z.string() });

const showThing = defineContract({
  ...{ ...common, name: 'show-thing', method: 'GET', path: '/organisations/{organisation_id}/things' },
  ...{ credential: staff, permission: 'campaigns:read', params: inOrganisation },
});
const changeThing = defineContract({
  ...{ ...common, name: 'change-thing', method: 'PUT', path: '/organisations/{organisation_id}/things' },
  ...{ credential: staff, permission: 'campaigns:write', params: inOrganisation },
  ...{ namesRevision: true, body: z.object({ name: z.string() }), maximumBodyBytes: 1_024 },
});
const deleteThing = defineContract({
  ...{ ...common, name: 'delete-thing', method: 'DELETE', path: '/organisations/{organisation_id}/things' },
  ...{ credential: staff, permission: 'people:write', params: inOrganisation, needsRecentSignIn: true },
});
const showPerson = defineContract({
  ...{ ...common, name: 'show-person', method: 'GET', path: '/session' },
  credential: staffSession,
});
const greet = defineContract({
  ...{ ...common, name: 'greet', method: 'GET', path: '/session/greeting' },
  credential: optionalStaffSession,
});
const leave = defineContract({
  ...{ ...common, name: 'leave', method: 'GET', path: '/session/leave', credential: noCredential },
  ...{ envelope: 'redirect', data: z.object({ location: z.string() }), refusals: { not_invited: 403 } },
});

const handlers = new Map<object, unknown>([
  [showThing, managementEndpoint(showThing, {}, async ({ caller }) => ({ by: caller.staffId }))],
  [
    changeThing,
    managementEndpoint(changeThing, {}, async ({ caller, revision }) => {
      const at = '2026-11-28T12:00:00.000Z';
      if (revision < 7) throw new ChangedMeanwhileError({ revision: 7, by: 'Grace', at });
      return { by: caller.roles.join(), revision };
    }),
  ],
  [deleteThing, managementEndpoint(deleteThing, {}, async ({ caller }) => ({ by: caller.email }))],
  [
    showPerson,
    managementEndpoint(showPerson, {}, async ({ caller, setCookie }) => {
      setCookie('first=1; Path=/');
      setCookie('second=2; Path=/');
      return { by: caller.staffId };
    }),
  ],
  [
    greet,
    managementEndpoint(greet, {}, async ({ caller }) => ({ by: caller.kind === 'signedIn' ? caller.email : 'nobody' })),
  ],
  [
    leave,
    managementEndpoint(leave, {}, async ({ refuse, setCookie }) => {
      setCookie('login=; Max-Age=0');
      return refuse('not_invited', 'Nobody invited you');
    }),
  ],
]);
type AskedContract = Parameters<typeof eventOf>[0];
type Handler = (event: unknown, context: unknown) => Promise<Reply>;

async function ask(contract: AskedContract, request: Request) {
  const reply = await (handlers.get(contract) as Handler)(eventOf(contract, request), { ...aContext });
  return { status: reply.statusCode, body: reply.body && JSON.parse(reply.body), reply };
}

let world: World;
let owner: SignedInPerson;
let analyst: SignedInPerson;
let home: { readonly organisation_id: string };
beforeAll(async () => {
  world = await makeWorld();
  await openSettings();
  const { id } = world.demo.merchant;
  home = { organisation_id: String(id) };
  [owner, analyst] = await Promise.all([
    signIn(world, { [id]: ['owner', 'editor'] }),
    signIn(world, { [id]: ['analyst'] }),
  ]);
});

const changed = { body: { name: 'New' }, headers: { 'If-Match': '"7"' } };
const change = (headers: Readonly<Record<string, string>>) =>
  ask(changeThing, { params: home, ...changed, headers: { ...changed.headers, ...headers } });
/** Headers without those that are undefined. */
const without = (headers: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  JSON.parse(JSON.stringify(headers));

describe('an endpoint of the dashboard', () => {
  it('serves a person whose role permits it', async () => {
    expect(await ask(showThing, { params: home, headers: owner.headers })).toMatchObject({
      status: 200,
      body: { code: 'ok', data: { by: owner.staff.id } },
    });
    expect(await change(owner.headers)).toMatchObject({
      status: 200,
      body: { data: { by: 'owner,editor', revision: 7 } },
    });
  });

  it('returns 403 when no role of the person permits it', async () => {
    const { status, body } = await change(analyst.headers);

    expect({ status, body }).toMatchObject({
      status: 403,
      body: { error: 'not_permitted', request_id: expect.any(String) },
    });
  });

  it.each([
    ['of another organisation', () => String(world.demo.partner.id)],
    ['that does not exist', () => '999999'],
    ['that is no number', () => 'none'],
    ['that is zero', () => '0'],
  ])('returns the same 404 for the id of an organisation %s', async (_, idOf) => {
    const { status, body } = await ask(showThing, { params: { organisation_id: idOf() }, headers: owner.headers });

    expect(status).toBe(404);
    expect({ ...body, request_id: '' }).toEqual({
      ...{ error: 'not_found', message: 'There is no such organisation', request_id: '' },
    });
  });

  it('takes a role away at once', async () => {
    const { id } = world.demo.merchant;
    const person = await signIn(world, { [id]: ['editor'] });
    expect((await change(person.headers)).status).toBe(200);

    await world.platform.table.write({
      ...{ kind: 'delete', key: { pk: `STAFF#${person.staff.id}`, sk: `ORGANISATION#${id}` } },
    });

    expect((await change(person.headers)).status).toBe(404);
  });
});

describe('a session', () => {
  const showWith = (headers: Readonly<Record<string, string>>) => ask(showPerson, { headers });

  it.each([
    ['no cookie', {}],
    ['a cookie of http', { Cookie: 'rw_session=anything' }],
    ['an empty cookie', { Cookie: '__Host-rw_session=' }],
  ])('is required: 401 not_signed_in with %s', async (_, headers) => {
    const { status, body } = await showWith({ ...fromEdge, ...headers });

    expect({ status, error: body.error }).toEqual({ status: 401, error: 'not_signed_in' });
  });

  it.each([
    ['that nobody has made', () => owner.headers.Cookie?.replace(/.{6}$/, 'AAAAAA') ?? ''],
    ['of another stage', () => owner.headers.Cookie?.replace('rwd_local', 'rwd_sandbox') ?? ''],
  ])('with a text %s is 401 session_expired', async (_, cookieOf) => {
    const { status, body } = await showWith({ ...fromEdge, Cookie: cookieOf() });

    expect({ status, error: body.error }).toEqual({ status: 401, error: 'session_expired' });
  });

  it.each([
    ['after 30 minutes without a request', { seenMs: validityMs.idleStaffSession }, 401],
    ['not just before', { seenMs: validityMs.idleStaffSession - 60_000 }, 200],
    ['after 8 hours, whatever happens', { authenticatedMs: validityMs.staffSession }, 401],
    ['not just before 8 hours', { authenticatedMs: validityMs.staffSession - 60_000 }, 200],
  ])('ends %s', async (_, ages, status) => {
    const { headers } = await startSession(world, owner.staff, ages);

    expect((await showWith(headers)).status).toBe(status);
  });

  it('of another person than the page was opened for is 401', async () => {
    const { id } = owner.staff;
    expect((await change({ ...owner.headers, [personHeader]: id })).status).toBe(200);
    const refused = await change({ ...analyst.headers, [personHeader]: id });
    expect([refused.status, refused.body.error]).toEqual([401, 'session_expired']);
  });

  it('is not required where the contract serves nobody too: a dead one counts as none', async () => {
    const over = await startSession(world, owner.staff, { seenMs: validityMs.idleStaffSession });
    const byWith = async (headers: Readonly<Record<string, string>>) => (await ask(greet, { headers })).body.data.by;

    expect(await byWith(owner.headers)).toBe(owner.staff.email);
    expect(await byWith(fromEdge)).toBe('nobody');
    expect(await byWith(over.headers)).toBe('nobody');
  });

  it('is written as in use at most once a minute', async () => {
    const { platform } = world;
    const seenOf = async (digest: string) =>
      (await platform.table.get({ pk: `STAFF#${owner.staff.id}`, sk: `SESSION#${digest}` }))?.seenAt;
    const fresh = await startSession(world, owner.staff, { seenMs: timingMs.sessionTouch - 5_000 });
    const older = await startSession(world, owner.staff, { seenMs: timingMs.sessionTouch });

    await Promise.all([showWith(fresh.headers), showWith(older.headers)]);

    expect(await seenOf(fresh.session.digest)).toBe(fresh.session.seenAt);
    expect(String(await seenOf(older.session.digest)) > older.session.seenAt).toBe(true);
  });

  it('that was ended elsewhere stays ended', async () => {
    const { headers, session } = await startSession(world, owner.staff, { seenMs: timingMs.sessionTouch });
    const key = { pk: `STAFF#${owner.staff.id}`, sk: `SESSION#${session.digest}` };
    await world.platform.table.write({ kind: 'delete', key });

    expect((await showWith(headers)).status).toBe(401);
    expect(await world.platform.table.get(key)).toBeUndefined();
  });

  it('must begin with a recent sign-in for a sensitive act', async () => {
    const { headers } = await startSession(world, owner.staff, { authenticatedMs: validityMs.recentSignIn });
    const refused = await ask(deleteThing, { params: home, headers });

    expect(refused).toMatchObject({ status: 401, body: { error: 'reauthentication_required' } });
    expect((await ask(deleteThing, { params: home, headers: owner.headers })).status).toBe(200);
  });

  it('lets a reply set several cookies', async () => {
    const { reply } = await showWith(owner.headers);

    expect(reply.multiValueHeaders).toEqual({ 'Set-Cookie': ['first=1; Path=/', 'second=2; Path=/'] });
  });
});

describe('a forged request', () => {
  it.each([
    ['without the header of the dashboard', { 'x-rewards-dashboard': undefined }],
    ['with another value of the header', { 'x-rewards-dashboard': 'true' }],
    ['without an origin', { Origin: undefined }],
    ['of another origin', { Origin: 'https://hostile.example' }],
    ['of an origin that begins alike', { Origin: 'https://dashboard.rewards.test.hostile.example' }],
    ['of a sandboxed frame', { Origin: 'null' }],
    ['of another page of the same site', { 'Sec-Fetch-Site': 'same-site' }],
    ['of another site', { 'Sec-Fetch-Site': 'cross-site' }],
  ])('%s is 403 and changes nothing', async (_, headers) => {
    const { status, body } = await change(without({ ...owner.headers, ...headers }));

    expect({ status, error: body.error }).toEqual({ status: 403, error: 'forged_request' });
  });

  it('is told apart from one of a browser without Sec-Fetch-Site', async () => {
    expect((await change(without({ ...owner.headers, 'Sec-Fetch-Site': undefined }))).status).toBe(200);
  });

  it('may be a GET, which changes nothing', async () => {
    const headers = { ...fromEdge, Cookie: owner.headers.Cookie ?? '' };

    expect((await ask(showThing, { params: home, headers })).status).toBe(200);
  });

  it.each([
    ['without its secret', { 'x-rewards-edge-secret': undefined }],
    ['with a wrong secret', { 'x-rewards-edge-secret': 'guessed' }],
  ])('that goes around the delivery network %s is 403', async (_, headers) => {
    const { status, body } = await change(without({ ...owner.headers, ...headers }));

    expect({ status, error: body.error }).toEqual({ status: 403, error: 'wrong_address' });
  });

  it('to a public endpoint around the delivery network is refused too', async () => {
    const { status, reply } = await ask(leave, { headers: fromPage });

    expect({ status, to: reply.headers.Location }).toEqual({
      ...{ status: 302, to: expect.stringMatching(/^\/sign-in\?problem=wrong_address&request_id=/) },
    });
  });
});

describe('a change', () => {
  it.each([
    ['no revision', undefined],
    ['a text', '"latest"'],
    ['a number without quotation marks', '7'],
    ['any revision', '*'],
  ])('that names %s is 428', async (_, revision) => {
    const headers = without({ ...owner.headers, 'If-Match': revision });
    const { status, body } = await change({ ...headers, ...(revision === undefined && { 'If-Match': '' }) });

    expect({ status, error: body.error }).toEqual({ status: 428, error: 'revision_required' });
  });

  it('of an older revision is 412, with who and when', async () => {
    const { status, body } = await change({ ...owner.headers, 'If-Match': '"6"' });

    expect({ status, body }).toMatchObject({
      status: 412,
      body: {
        error: 'changed_meanwhile',
        message: 'Grace has changed it meanwhile',
        change: { revision: 7, by: 'Grace', at: '2026-11-28T12:00:00.000Z' },
      },
    });
  });

  it('with a larger body than its contract permits is 413', async () => {
    const { status } = await ask(changeThing, {
      params: home,
      headers: { ...owner.headers, 'If-Match': '"7"' },
      body: { name: 'x'.repeat(1_024) },
    });

    expect(status).toBe(413);
  });
});

describe('an endpoint that redirects', () => {
  it('sends a refusal to the dashboard, with its cookies', async () => {
    const { status, reply } = await ask(leave, { headers: fromEdge });

    expect(status).toBe(302);
    expect(reply.headers.Location).toMatch(/^\/sign-in\?problem=not_invited&request_id=[\w-]+$/);
    expect(reply.multiValueHeaders).toEqual({ 'Set-Cookie': ['login=; Max-Age=0'] });
    expect(reply.headers['Cache-Control']).toBe('no-store');
  });
});
