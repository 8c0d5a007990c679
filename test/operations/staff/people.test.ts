import { beforeEach, describe, expect, it } from 'vitest';
import { minuteMs } from '../../../shared/contracts/limits.ts';
import { ChangedMeanwhileError, InvalidInputError } from '../../../shared/domain/errors.ts';
import {
  AlreadyExistsError,
  LastOwnerError,
  NotFoundError,
  NotPermittedError,
} from '../../../shared/operations/errors.ts';
import { acceptInvitation } from '../../../shared/operations/staff/accept-invitation.ts';
import { changeSettings } from '../../../shared/operations/staff/change-settings.ts';
import { invitePerson, withdrawInvitation } from '../../../shared/operations/staff/invite-person.ts';
import { changeRoles, listPeople, removePerson } from '../../../shared/operations/staff/manage-people.ts';
import { provisionOrganisation } from '../../support/provision.ts';
import { openStaffDesk, type StaffDesk } from '../../support/staff-desk.ts';

let desk: StaffDesk;
let organisationId: number;
beforeEach(async () => {
  desk = await openStaffDesk();
  ({ id: organisationId } = await provisionOrganisation(desk.platform, { name: 'Corner Coffee', kind: 'MERCHANT' }));
});

const rolesOf = async (staffId: string) => (await desk.platform.people.findPost(staffId, organisationId))?.roles;

describe('an invitation', () => {
  it('is refused without a role, for no address, and for a colleague', async () => {
    const owner = await desk.hire(organisationId, ['owner'], 'ada@corner.example');
    const deps = desk.as(owner, organisationId, ['owner']);
    const invite = (email: string, roles: readonly 'editor'[] = ['editor']) =>
      invitePerson({ organisationId, email, roles }, deps);

    await expect(invite('grace@corner.example', [])).rejects.toThrow(InvalidInputError);
    await expect(invite('grace')).rejects.toThrow(InvalidInputError);
    await expect(invite('Ada@corner.example')).rejects.toThrow(AlreadyExistsError);
  });

  it('is valid for seven days again when the address is invited again, also after its end, and has the new roles', async () => {
    const invite = (roles: readonly ('editor' | 'approver')[]) =>
      invitePerson({ organisationId, email: 'grace@corner.example', roles }, desk.platform);
    const invited = await invite(['editor']);
    desk.wait(8 * 24 * 60 * minuteMs);
    const again = await invite(['approver']);

    expect(again).toMatchObject({ id: invited.id, expiresAt: '2026-12-13T09:00:00.000Z', revision: 2 });
    await expect(withdrawInvitation(invited, desk.platform)).rejects.toThrow('meanwhile');
    const { staff } = await desk.enter('grace@corner.example');
    expect(await rolesOf(staff.id)).toEqual(['approver']);
    await expect(withdrawInvitation(invited, desk.platform)).rejects.toThrow(NotFoundError);
  });

  it('is accepted by a signed-in person with exactly the address, and by nobody else', async () => {
    const grace = await desk.hire(organisationId, ['editor'], 'grace@corner.example');
    const other = await desk.hire(organisationId, ['editor'], 'eve@corner.example');
    const { id } = await invitePerson(
      { organisationId: 77, email: 'grace@corner.example', roles: ['approver'] },
      desk.platform,
    );

    await expect(acceptInvitation({ staff: other.staff, invitationId: id }, desk.platform)).rejects.toThrow(
      NotFoundError,
    );
    await acceptInvitation({ staff: grace.staff, invitationId: id }, desk.platform);
    expect(await desk.platform.people.findPost(grace.staff.id, 77)).toMatchObject({ roles: ['approver'] });
    await expect(acceptInvitation({ staff: grace.staff, invitationId: id }, desk.platform)).rejects.toThrow(
      NotFoundError,
    );
  });

  it('adds its roles when the person has become a colleague meanwhile', async () => {
    const grace = await desk.hire(organisationId, ['approver'], 'grace@corner.example');
    await desk.enter('grace.m@corner.example', 'grace@corner.example');
    const { id } = await invitePerson(
      { organisationId, email: 'grace@corner.example', roles: ['owner'] },
      desk.platform,
    );
    await acceptInvitation(
      { staff: { ...grace.staff, email: 'grace@corner.example' }, invitationId: id },
      desk.platform,
    );

    expect(await rolesOf(grace.staff.id)).toEqual(['owner', 'approver']);
    await expect(removePerson({ organisationId, staffId: grace.staff.id }, desk.platform)).rejects.toThrow(
      LastOwnerError,
    );
  });
});

describe('changeRoles', () => {
  it('changes the roles at once, and names who changed them when the revision is old', async () => {
    const owner = await desk.hire(organisationId, ['owner'], 'ada@corner.example');
    const { staff } = await desk.hire(organisationId, ['editor']);
    const deps = desk.as(owner, organisationId, ['owner']);
    const change = { organisationId, staffId: staff.id, revision: 1 };

    const changed = await changeRoles({ ...change, roles: ['developer', 'analyst'] }, deps);
    expect(changed.post).toMatchObject({ roles: ['analyst', 'developer'], revision: 2 });
    expect(await rolesOf(staff.id)).toEqual(['analyst', 'developer']);

    const conflict = await changeRoles({ ...change, roles: ['editor'] }, deps).catch((error: unknown) => error);
    expect(conflict).toBeInstanceOf(ChangedMeanwhileError);
    expect(conflict).toMatchObject({
      change: { revision: 2, by: 'ada@corner.example', at: '2026-11-28T09:00:00.000Z' },
    });
  });

  it('is refused to a person who lost the role meanwhile', async () => {
    const owner = await desk.hire(organisationId, ['owner']);
    const second = await desk.hire(organisationId, ['owner']);
    const { staff } = await desk.hire(organisationId, ['editor']);
    await changeRoles(
      { organisationId, staffId: second.staff.id, revision: 1, roles: ['editor'] },
      desk.as(owner, organisationId, ['owner']),
    );

    const late = desk.as(second, organisationId, ['owner']);
    const change = { organisationId, staffId: staff.id, revision: 1, roles: ['owner'] } as const;
    await expect(changeRoles(change, late)).rejects.toThrow(NotPermittedError);
    await expect(removePerson(change, late)).rejects.toThrow(NotPermittedError);
    const own = { organisationId, staffId: second.staff.id, revision: 2, roles: ['owner'] } as const;
    await expect(changeRoles(own, late), 'the own roles too').rejects.toThrow(NotPermittedError);
    const newcomer = { organisationId, email: 'x@corner.example', roles: ['owner'] } as const;
    await expect(invitePerson(newcomer, late)).rejects.toThrow(NotPermittedError);
    expect(await rolesOf(staff.id)).toEqual(['editor']);
  });

  it('leaves an owner: the last one can neither give the role up nor leave', async () => {
    const owner = await desk.hire(organisationId, ['owner']);
    const deps = desk.as(owner, organisationId, ['owner']);
    const own = { organisationId, staffId: owner.staff.id };

    await expect(changeRoles({ ...own, revision: 1, roles: ['editor'] }, deps)).rejects.toThrow(LastOwnerError);
    await expect(removePerson(own, deps)).rejects.toThrow(LastOwnerError);

    await desk.hire(organisationId, ['owner']);
    await removePerson(own, deps);
    expect((await listPeople(organisationId, desk.platform)).people).toHaveLength(1);
  });
});

describe('changeSettings', () => {
  it('changes name and four eyes, refuses an old revision and a name of another organisation', async () => {
    await provisionOrganisation(desk.platform, { name: 'Harbour Books', kind: 'MERCHANT' });
    const owner = await desk.hire(organisationId, ['owner'], 'ada@corner.example');
    const deps = desk.as(owner, organisationId, ['owner'], 'change settings');
    const wanted = { organisationId, name: 'Corner Coffee Roasters', fourEyes: true, revision: 0 };

    expect(await changeSettings(wanted, deps)).toMatchObject({
      organisation: { name: 'Corner Coffee Roasters' },
      settings: { fourEyes: true, revision: 1 },
    });
    expect(await desk.platform.organisations.find(organisationId)).toMatchObject({ name: 'Corner Coffee Roasters' });
    await expect(changeSettings(wanted, deps)).rejects.toMatchObject({
      change: { by: 'ada@corner.example', revision: 1 },
    });
    await expect(changeSettings({ ...wanted, revision: 1, name: 'Harbour Books' }, deps)).rejects.toThrow(
      AlreadyExistsError,
    );
    const [entry] = (await desk.platform.organisationAudit.of(organisationId, '2026-11', { limit: 1 })).items;
    expect(entry).toMatchObject({
      act: 'change settings',
      staffId: owner.staff.id,
      roles: ['owner'],
      change: {
        before: { name: 'Corner Coffee', fourEyes: false },
        after: { name: 'Corner Coffee Roasters', fourEyes: true },
      },
    });
  });
});
