import { beforeAll, describe, expect, it } from 'vitest';
import { NotFoundError } from '../../../shared/operations/errors.ts';
import { acceptInvitation } from '../../../shared/operations/staff/accept-invitation.ts';
import { invitePerson, withdrawInvitation } from '../../../shared/operations/staff/invite-person.ts';
import { changeRoles, removePerson } from '../../../shared/operations/staff/manage-people.ts';
import { removeStaff, resetIdentity } from '../../../shared/operations/staff/manage-staff.ts';
import { openStaffDesk, type StaffDesk } from '../../support/staff-desk.ts';

let desk: StaffDesk;
beforeAll(async () => {
  desk = await openStaffDesk({ onDynamoDb: true });
});

let lastOrganisation = 0;
const newOrganisation = () => {
  lastOrganisation += 1;
  return lastOrganisation;
};
const rounds = Array.from({ length: 8 }, (_, round) => round);
const isDone = ({ status }: PromiseSettledResult<unknown>) => status === 'fulfilled';
const ownersOf = async (organisationId: number) =>
  (await desk.platform.people.peopleOf(organisationId)).filter(({ post }) => post.roles.includes('owner'));

describe('two owners at the same moment', () => {
  it.each(rounds)('leave one owner when they remove each other (%d)', async () => {
    const organisationId = newOrganisation();
    const [one, two] = [await desk.hire(organisationId, ['owner']), await desk.hire(organisationId, ['owner'])];
    const results = await Promise.allSettled([
      removePerson({ organisationId, staffId: two.staff.id }, desk.as(one, organisationId, ['owner'])),
      removePerson({ organisationId, staffId: one.staff.id }, desk.as(two, organisationId, ['owner'])),
    ]);
    expect(results.filter(isDone)).toHaveLength(1);
    expect(await ownersOf(organisationId)).toHaveLength(1);
  });

  it.each(rounds)('leave one owner when both leave or give the role up (%d)', async () => {
    const organisationId = newOrganisation();
    const [one, two] = [await desk.hire(organisationId, ['owner']), await desk.hire(organisationId, ['owner'])];
    const results = await Promise.allSettled([
      removePerson({ organisationId, staffId: one.staff.id }, desk.as(one, organisationId, ['owner'])),
      changeRoles(
        { organisationId, staffId: two.staff.id, roles: ['editor'], revision: 1 },
        desk.as(two, organisationId, ['owner']),
      ),
    ]);
    expect(results.filter(isDone)).toHaveLength(1);
    expect(await ownersOf(organisationId)).toHaveLength(1);
  });
});

describe('an invitation', () => {
  it.each(rounds)('is the only one of its address when two owners send it at the same moment (%d)', async () => {
    const organisationId = newOrganisation();
    const wanted = { organisationId, email: `both-${organisationId}@corner.example`, roles: ['owner'] } as const;
    await Promise.allSettled([invitePerson(wanted, desk.platform), invitePerson(wanted, desk.platform)]);

    expect(await desk.platform.invitations.ofOrganisation(organisationId)).toHaveLength(1);
  });

  it.each(rounds)('makes one person when two browsers sign in at the same moment (%d)', async () => {
    const organisationId = newOrganisation();
    const email = `twice-${organisationId}@corner.example`;
    await invitePerson({ organisationId, email, roles: ['owner'] }, desk.platform);
    const [one, two] = await Promise.all([desk.enter(email), desk.enter(email)]);

    expect(one.staff.id).toBe(two.staff.id);
    expect(await desk.platform.people.peopleOf(organisationId)).toHaveLength(1);
    await expect(
      removePerson({ organisationId, staffId: one.staff.id }, desk.platform),
      'the counter counted the owner once',
    ).rejects.toThrow('last owner');
  });

  it.each(rounds)('is accepted once by two different identities (%d)', async () => {
    const organisationId = newOrganisation();
    const email = `identities-${organisationId}@corner.example`;
    await invitePerson({ organisationId, email, roles: ['editor'] }, desk.platform);
    const results = await Promise.allSettled([desk.enter(email, `${email} 1`), desk.enter(email, `${email} 2`)]);

    expect(results.filter(isDone)).toHaveLength(1);
    expect(await desk.platform.people.peopleOf(organisationId)).toHaveLength(1);
  });

  it.each(rounds)('is accepted once by a person who clicks twice (%d)', async () => {
    const [home, organisationId] = [newOrganisation(), newOrganisation()];
    const { staff } = await desk.hire(home, ['editor']);
    const { id } = await invitePerson({ organisationId, email: staff.email, roles: ['owner'] }, desk.platform);
    const click = () => acceptInvitation({ staff, invitationId: id }, desk.platform);
    const results = await Promise.allSettled([click(), click()]);

    expect(results.filter(isDone)).toHaveLength(1);
    expect(await desk.platform.people.findPost(staff.id, organisationId)).toMatchObject({
      roles: ['owner'],
      revision: 1,
    });
  });

  it.each(rounds)('is accepted or withdrawn, never both (%d)', async () => {
    const organisationId = newOrganisation();
    const email = `withdrawn-${organisationId}@corner.example`;
    const { id } = await invitePerson({ organisationId, email, roles: ['editor'] }, desk.platform);
    const [withdrawal, entry] = await Promise.allSettled([
      withdrawInvitation({ organisationId, id }, desk.platform),
      desk.enter(email),
    ]);

    expect(isDone(withdrawal)).toBe(!isDone(entry));
    expect(await desk.platform.people.peopleOf(organisationId)).toHaveLength(isDone(entry) ? 1 : 0);
    expect(await desk.platform.invitations.ofOrganisation(organisationId)).toEqual([]);
  });
});

describe('a person who is removed', () => {
  it.each(rounds)('has no post by an invitation that is accepted at the same moment (%d)', async () => {
    const [home, organisationId] = [newOrganisation(), newOrganisation()];
    const { staff } = await desk.hire(home, ['editor']);
    const { id } = await invitePerson({ organisationId, email: staff.email, roles: ['editor'] }, desk.platform);
    await Promise.allSettled([
      removeStaff({ id: staff.id }, desk.platform),
      acceptInvitation({ staff, invitationId: id }, desk.platform),
    ]);
    await removeStaff({ id: staff.id }, desk.platform).catch(() => undefined);

    expect(await desk.platform.people.postsOf(staff.id)).toEqual([]);
  });

  it('accepts no invitation any more', async () => {
    const [home, organisationId] = [newOrganisation(), newOrganisation()];
    const { staff } = await desk.hire(home, ['editor']);
    await removeStaff({ id: staff.id }, desk.platform);
    const { id } = await invitePerson({ organisationId, email: staff.email, roles: ['owner'] }, desk.platform);

    await expect(acceptInvitation({ staff, invitationId: id }, desk.platform)).rejects.toThrow(NotFoundError);
    expect(await desk.platform.people.postsOf(staff.id)).toEqual([]);
  });
});

describe('a sign-in', () => {
  it.each(rounds)('leaves no session of an identity that is reset at the same moment (%d)', async () => {
    const organisationId = newOrganisation();
    const { staff } = await desk.hire(organisationId, ['editor']);
    await Promise.allSettled([desk.enter(staff.email), resetIdentity({ id: staff.id }, desk.platform)]);

    expect(await desk.platform.sessions.of(staff.id)).toEqual([]);
    expect((await desk.platform.people.find(staff.id))?.identity).toBeNull();
  });

  it.each(rounds)('leaves nothing of a person who is removed at the same moment (%d)', async () => {
    const organisationId = newOrganisation();
    const { staff } = await desk.hire(organisationId, ['editor']);
    const remove = () => removeStaff({ id: staff.id }, desk.platform);
    await Promise.allSettled([desk.enter(staff.email), remove()]);

    expect(await desk.platform.people.find(staff.id)).toBeUndefined();
    expect(await desk.platform.sessions.of(staff.id)).toEqual([]);
    expect(await desk.platform.people.peopleOf(organisationId)).toEqual([]);
  });
});
