import { beforeEach, describe, expect, it } from 'vitest';
import { dayMs, minuteMs } from '../../../shared/contracts/limits.ts';
import { isSessionOver, isSignInRecent } from '../../../shared/domain/staff/staff.ts';
import { acceptInvitation } from '../../../shared/operations/staff/accept-invitation.ts';
import { invitePerson, withdrawInvitation } from '../../../shared/operations/staff/invite-person.ts';
import { loadEmployment, removeStaff, resetIdentity } from '../../../shared/operations/staff/manage-staff.ts';
import { NotInvitedError, signIn, signOut } from '../../../shared/operations/staff/sign-in.ts';
import { issuer, openStaffDesk, type StaffDesk } from '../../support/staff-desk.ts';

let desk: StaffDesk;
beforeEach(async () => {
  desk = await openStaffDesk();
});

const ada = 'ada@corner.example';
const invite = (email = ada, organisationId = 1) =>
  invitePerson({ organisationId, email, roles: ['owner'] }, desk.platform);
const signedIn = (text: string, organisationId?: number) =>
  desk.platform.sessions.signedIn(text, 'local', organisationId);

describe('signIn', () => {
  it('makes staff of a person whose address is invited, with the roles of the invitation', async () => {
    await invite();
    const { text, staff } = await desk.enter(ada);

    expect(await signedIn(text, 1)).toMatchObject({
      staff: { id: staff.id, email: ada, identity: { issuer, subject: ada } },
      session: { staffId: staff.id, authenticatedAt: '2026-11-28T09:00:00.000Z' },
      post: { organisationId: 1, roles: ['owner'], revision: 1 },
    });
    expect(await desk.platform.invitations.ofOrganisation(1)).toEqual([]);
  });

  it('knows the person the next time, also under another address', async () => {
    await invite();
    const first = await desk.enter(ada);
    const again = await desk.enter('ada.byron@corner.example', ada);

    expect(again.staff).toMatchObject({ id: first.staff.id, email: 'ada.byron@corner.example' });
    expect(again.text).not.toBe(first.text);
    expect(await signedIn(first.text)).toBeDefined();
  });

  it.each(['eve@corner.example', 'ada@corner.example.org', 'xada@corner.example', 'ada+1@corner.example'])(
    'refuses %s, whom nobody invited',
    async (email) => {
      await invite();
      await expect(desk.enter(email)).rejects.toThrow(NotInvitedError);
      expect(await desk.platform.people.peopleOf(1)).toEqual([]);
    },
  );

  it('takes addresses in upper case for the same address', async () => {
    await invite('Ada@Corner.example');
    expect((await desk.enter('ADA@corner.EXAMPLE')).staff.email).toBe(ada);
  });

  it('tells addresses apart whose other letters look alike', async () => {
    await invite('mark@corner.example');
    await expect(desk.enter('mar\u212a@corner.example'), 'the Kelvin sign is no k').rejects.toThrow(NotInvitedError);
  });

  it('refuses an invitation that is over, withdrawn or used up', async () => {
    await invite();
    desk.wait(7 * dayMs);
    await expect(desk.enter(ada)).rejects.toThrow(NotInvitedError);

    const { id } = await invite();
    await withdrawInvitation({ organisationId: 1, id }, desk.platform);
    await expect(desk.enter(ada)).rejects.toThrow(NotInvitedError);

    await invite();
    await desk.enter(ada);
    await expect(desk.enter(ada, 'another subject')).rejects.toThrow(NotInvitedError);
  });

  it('accepts the invitation that the person chose, or else the oldest', async () => {
    await invite(ada, 1);
    const second = await invite(ada, 2);
    const proven = {
      identity: { issuer, subject: ada },
      verifiedEmail: ada,
      name: 'Ada',
      authenticatedAt: new Date(0),
    };
    const { staff } = await signIn({ ...proven, invitationId: second.id }, desk.platform);
    expect((await desk.platform.people.postsOf(staff.id)).map((post) => post.organisationId)).toEqual([2]);

    await invite('grace@corner.example', 3);
    await invite('grace@corner.example', 4);
    const grace = await desk.enter('grace@corner.example');
    expect((await desk.platform.people.postsOf(grace.staff.id)).map((post) => post.organisationId)).toEqual([3]);
  });

  it('is in the audit trail of each organisation of the person', async () => {
    await invite(ada, 1);
    const { staff } = await desk.enter(ada);
    const second = await invite(ada, 2);
    await acceptInvitation({ staff, invitationId: second.id }, desk.platform);
    await desk.enter(ada);

    const acts = async (organisationId: number) =>
      (await desk.platform.organisationAudit.of(organisationId, '2026-11', { limit: 9 })).items.map(({ act }) => act);
    expect(await acts(1)).toEqual(['sign in', 'accept invitation']);
    expect(await acts(2)).toEqual(['sign in', 'accept invitation']);
  });
});

describe('a session', () => {
  it('is not found by a text with an error, of another stage, or of another person', async () => {
    await invite();
    const { text, staff } = await desk.enter(ada);
    const other = await desk.hire(1, ['editor']);

    expect(await desk.platform.sessions.signedIn(text, 'sandbox')).toBeUndefined();
    expect(await signedIn(`${text.slice(0, -1)}_`)).toBeUndefined();
    expect(await signedIn(text.replace(staff.id, other.staff.id))).toBeUndefined();
    expect(await signedIn('')).toBeUndefined();
  });

  it('ends after 30 minutes without a request, and after 8 hours', async () => {
    await invite();
    const { text } = await desk.enter(ada);
    const isOver = async () =>
      isSessionOver((await signedIn(text))?.session ?? expect.unreachable(), desk.platform.now());

    for (let minutes = 0; minutes < 8 * 60; minutes += 20) {
      const found = (await signedIn(text)) ?? expect.unreachable();
      expect(isSessionOver(found.session, desk.platform.now())).toBe(false);
      await desk.platform.sessions.touch(found.session, desk.platform.now());
      desk.wait(20 * minuteMs);
    }
    expect(await isOver()).toBe(true);

    const second = await desk.enter(ada);
    desk.wait(30 * minuteMs);
    const idle = (await signedIn(second.text)) ?? expect.unreachable();
    expect(isSessionOver(idle.session, desk.platform.now())).toBe(true);
  });

  it('writes its use at most once a minute, and not after its end', async () => {
    await invite();
    const { session } = await desk.enter(ada);
    desk.wait(minuteMs - 1);
    expect(await desk.platform.sessions.touch(session, desk.platform.now())).toBe(session);
    desk.wait(1);
    expect(await desk.platform.sessions.touch(session, desk.platform.now())).toMatchObject({
      seenAt: '2026-11-28T09:01:00.000Z',
    });
    await signOut({ ...session, isEverywhere: false }, desk.platform);
    expect(await desk.platform.sessions.touch(session, desk.platform.now())).toBeUndefined();
    expect(await desk.platform.sessions.of(session.staffId)).toEqual([]);
  });

  it('has a recent sign-in for 15 minutes', async () => {
    await invite();
    const { session } = await desk.enter(ada);
    desk.wait(15 * minuteMs - 1);
    expect(isSignInRecent(session, desk.platform.now())).toBe(true);
    desk.wait(1);
    expect(isSignInRecent(session, desk.platform.now())).toBe(false);
  });

  it('ends alone, or with all sessions of the person', async () => {
    await invite();
    const [one, two, three] = [await desk.enter(ada), await desk.enter(ada), await desk.enter(ada)];
    await signOut({ ...one.session, isEverywhere: false }, desk.platform);
    expect(await signedIn(one.text)).toBeUndefined();
    expect(await signedIn(two.text)).toBeDefined();

    await signOut({ ...two.session, isEverywhere: true }, desk.platform);
    expect(await signedIn(two.text)).toBeUndefined();
    expect(await signedIn(three.text)).toBeUndefined();
  });
});

describe('an operator', () => {
  it('resets an identity: it leads to nobody, and another one with the address to the person', async () => {
    await invite();
    const { staff, text } = await desk.enter(ada);
    await resetIdentity({ id: staff.id }, desk.platform);

    expect(await signedIn(text)).toBeUndefined();
    await expect(desk.enter(ada)).rejects.toThrow(NotInvitedError);
    expect(await desk.platform.invitations.isInvited(ada, desk.platform.now())).toBe(true);
    expect((await desk.enter(ada, 'new subject')).staff.id).toBe(staff.id);
    await expect(desk.enter(ada, 'a third subject')).rejects.toThrow(NotInvitedError);
    await expect(desk.enter(ada)).rejects.toThrow(NotInvitedError);
  });

  it('removes a person with all data, and nothing that the table keeps contains the address', async () => {
    await desk.hire(1, ['owner']);
    await invite();
    const { staff, text } = await desk.enter(ada);
    await invite(ada, 2);
    await removeStaff({ id: staff.id }, desk.platform);

    expect(await signedIn(text)).toBeUndefined();
    await expect(desk.enter(ada)).rejects.toThrow(NotInvitedError);
    await expect(loadEmployment(staff.id, desk.platform)).rejects.toThrow('does not exist');
    const items = JSON.stringify(await desk.table.mirror.items());
    expect(items).not.toContain(ada);
    expect(items).not.toContain(`STAFF#${staff.id}`);
    expect(items).toContain(`"staffId":"${staff.id}"`);
  });
});
