import { beforeAll, describe, expect, it } from 'vitest';
import { contract as exportAudit } from '../../functions/management/audit/export-audit/contract.ts';
import { handler as audit } from '../../functions/management/audit/index.ts';
import { contract as listAudit } from '../../functions/management/audit/list-audit/contract.ts';
import { contract as changeSettings } from '../../functions/management/organisation/change-settings/contract.ts';
import { contract as getOrganisation } from '../../functions/management/organisation/get-organisation/contract.ts';
import { handler as organisation } from '../../functions/management/organisation/index.ts';
import { contract as changeRoles } from '../../functions/management/people/change-roles/contract.ts';
import { handler as people } from '../../functions/management/people/index.ts';
import { contract as invitePerson } from '../../functions/management/people/invite-person/contract.ts';
import { contract as listPeople } from '../../functions/management/people/list-people/contract.ts';
import { contract as removePerson } from '../../functions/management/people/remove-person/contract.ts';
import { contract as acceptInvitation } from '../../functions/management/session/accept-invitation/contract.ts';
import { contract as getSession } from '../../functions/management/session/get-session/contract.ts';
import { handler as session } from '../../functions/management/session/index.ts';
import type { AnyContract } from '../../shared/contracts/contract.ts';
import { minuteMs } from '../../shared/contracts/limits.ts';
import { call, type Request } from '../support/call.ts';
import { dashboardUrl, openSettings, type SignedInPerson, signIn } from '../support/dashboard-desk.ts';
import { makeWorld, type World } from '../support/world.ts';

let world: World;
let owner: SignedInPerson;
let editor: SignedInPerson;
let own: { organisation_id: string };
beforeAll(async () => {
  await openSettings();
  world = await makeWorld();
  own = { organisation_id: String(world.demo.merchant.id) };
  owner = await signIn(world, { [world.demo.merchant.id]: ['owner'] });
  editor = await signIn(world, { [world.demo.merchant.id]: ['editor'] });
});

const handlers: Readonly<Record<string, unknown>> = { organisation, people, audit, session };

/** Sends a request to the Lambda of a resource. */
const send = (
  resource: string,
  contract: AnyContract,
  person: SignedInPerson,
  { params = {}, headers = {}, ...request }: Request = {},
) =>
  call(handlers[resource], contract, {
    ...request,
    params: { ...own, ...params },
    headers: { ...person.headers, ...headers },
  });
const named = (revision: number) => ({ 'If-Match': `"${revision}"` });

describe('the people of an organisation', () => {
  it('are invited by a link to the dashboard, and only those who invite see invitations', async () => {
    const body = { email: 'Grace@corner.example', roles: ['developer', 'editor'] };
    const { status, body: reply } = await send('people', invitePerson, owner, { body });
    expect({ status, data: reply.data }).toMatchObject({
      status: 200,
      data: {
        invitation: { email: 'grace@corner.example', roles: ['editor', 'developer'], revision: 1 },
        link: `${dashboardUrl}/?invitation=${reply.data.invitation.id}`,
      },
    });
    const forOwner = await send('people', listPeople, owner);
    expect(forOwner.body.data.invitations).toEqual([reply.data.invitation]);
    const forEditor = await send('people', listPeople, editor);
    expect(forEditor.body.data.people.map(({ id }: { id: string }) => id)).toContain(owner.staff.id);
    expect(forEditor.body.data.invitations).toEqual([]);
  });

  it('are invited by owners only, and the refusal is in the audit trail', async () => {
    const { status, body } = await send('people', invitePerson, editor, {
      body: { email: 'eve@corner.example', roles: ['owner'] },
    });
    expect({ status, error: body.error }).toEqual({ status: 403, error: 'not_permitted' });

    const refused = await send('audit', listAudit, owner, { query: { outcome: 'refused' } });
    expect(refused.body.data.entries[0]).toMatchObject({
      person: { id: editor.staff.id },
      act: 'invite person',
      outcome: 'refused',
    });
  });

  it('get other roles by the revision that was seen', async () => {
    const { staff } = await signIn(world, { [world.demo.merchant.id]: ['editor'] });
    const params = { id: staff.id };
    const body = { roles: ['analyst'] };
    const wanted = { params, body };

    expect((await send('people', changeRoles, owner, wanted)).status).toBe(428);
    const done = await send('people', changeRoles, owner, { ...wanted, headers: named(1) });
    expect(done.body.data).toMatchObject({ id: staff.id, roles: ['analyst'], revision: 2 });
    const late = await send('people', changeRoles, owner, { ...wanted, headers: named(1) });
    expect({ status: late.status, body: late.body }).toMatchObject({
      status: 412,
      body: { error: 'changed_meanwhile', change: { by: 'Ada', revision: 2 } },
    });
    const none = await send('people', changeRoles, owner, { params, body: { roles: [] }, headers: named(2) });
    expect(none.status).toBe(400);
  });

  it('are removed by an owner, who has signed in lately; others can only leave', async () => {
    const colleague = await signIn(world, { [world.demo.merchant.id]: ['editor'] });
    const stale = await signIn(world, { [world.demo.merchant.id]: ['owner'] }, { authenticatedMs: 16 * minuteMs });
    const removal = { params: { id: colleague.staff.id }, headers: named(1) };

    expect((await send('people', removePerson, editor, removal)).body).toMatchObject({ error: 'not_permitted' });
    expect((await send('people', removePerson, stale, removal)).body).toMatchObject({
      error: 'reauthentication_required',
    });
    expect((await send('people', removePerson, colleague, removal)).body.data).toEqual({ removed: 'person' });
    expect((await send('people', listPeople, colleague)).status).toBe(404);
    await send('people', removePerson, owner, { params: { id: stale.staff.id }, headers: named(1) });
    expect(
      (await send('people', removePerson, owner, { params: { id: owner.staff.id }, headers: named(1) })).body,
    ).toMatchObject({
      error: 'last_owner',
    });
  });

  it('withdraw invitations, and accept those of their own address', async () => {
    const invite = async (email: string) => {
      const { body } = await send('people', invitePerson, owner, { body: { email, roles: ['approver'] } });
      return body.data.invitation.id as string;
    };
    const newcomer = await signIn(world);
    const [withdrawn, open] = [await invite('never@corner.example'), await invite(newcomer.staff.email)];

    const removal = await send('people', removePerson, owner, { params: { id: withdrawn }, headers: named(1) });
    expect(removal.body.data).toEqual({ removed: 'invitation' });
    const accept = (person: SignedInPerson, invitation_id: string) =>
      send('session', acceptInvitation, person, { body: { invitation_id } });
    const { body: seen } = await send('session', getSession, newcomer);
    const offer = { id: open, name: world.demo.merchant.name, roles: ['approver'] };
    expect(seen.data).toMatchObject({ organisations: [], invitations: [offer] });
    expect((await accept(editor, open)).status).toBe(404);
    expect((await accept(newcomer, open)).body.data).toEqual({
      organisation_id: world.demo.merchant.id,
      roles: ['approver'],
    });
    expect((await accept(newcomer, open)).status).toBe(404);
    expect((await send('people', listPeople, newcomer)).status).toBe(200);
  });
});

describe('the settings of an organisation', () => {
  it('are read by everybody, and changed by an owner by the revision that was seen', async () => {
    const before = await send('organisation', getOrganisation, editor);
    expect(before.body.data).toMatchObject({
      id: world.demo.merchant.id,
      kind: 'MERCHANT',
      four_eyes: false,
      revision: 0,
    });

    const body = { four_eyes: true };
    expect((await send('organisation', changeSettings, editor, { body, headers: named(0) })).status).toBe(403);
    const done = await send('organisation', changeSettings, owner, { body, headers: named(0) });
    expect(done.body.data).toMatchObject({ four_eyes: true, revision: 1, name: before.body.data.name });
    expect((await send('organisation', changeSettings, owner, { body, headers: named(0) })).status).toBe(412);
    const taken = { body: { name: world.demo.outsider.name }, headers: named(1) };
    expect((await send('organisation', changeSettings, owner, taken)).body).toMatchObject({ error: 'already_exists' });
  });
});

describe('the audit trail of an organisation', () => {
  it('is for owners, in pages and as CSV', async () => {
    expect((await send('audit', listAudit, editor)).status).toBe(403);
    const first = await send('audit', listAudit, owner, { query: { limit: '1' } });
    expect(first.body.data.entries).toHaveLength(1);
    const query = { limit: '1', cursor: first.body.cursor.next };
    const second = await send('audit', listAudit, owner, { query });
    expect(second.body.data.entries[0].id < first.body.data.entries[0].id).toBe(true);

    const { file_name: name, csv } = (await send('audit', exportAudit, owner)).body.data;
    expect(name).toMatch(/^audit-\d+-\d{4}-\d\d\.csv$/);
    expect(csv).toContain(',change settings,done,');
    expect((await send('audit', listAudit, owner, { query: { month: '2026-13' } })).status).toBe(400);
  });
});
