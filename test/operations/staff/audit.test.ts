import { beforeEach, describe, expect, it } from 'vitest';
import { minuteMs } from '../../../shared/contracts/limits.ts';
import { type AuditFilter, exportAudit, listAudit } from '../../../shared/operations/staff/list-audit.ts';
import { removePerson } from '../../../shared/operations/staff/manage-people.ts';
import { removeStaff } from '../../../shared/operations/staff/manage-staff.ts';
import type { StartedSession } from '../../../shared/operations/staff/sign-in.ts';
import { auditRefusal, writeAudited } from '../../../shared/operations/write-audited.ts';
import type { Position } from '../../../shared/store/table/list-page.ts';
import { openStaffDesk, type StaffDesk } from '../../support/staff-desk.ts';

let desk: StaffDesk;
let ada: StartedSession;
let grace: StartedSession;
beforeEach(async () => {
  desk = await openStaffDesk();
  ada = await desk.hire(1, ['owner'], 'ada@corner.example');
  grace = await desk.hire(1, ['editor'], 'grace@corner.example');
  desk.wait(1);
});

const november: AuditFilter = { organisationId: 1, month: '2026-11' };
const note = async (person: StartedSession, what: string, act = 'note') => {
  desk.wait(1);
  await writeAudited(
    {
      what,
      writes: [{ kind: 'put', item: { pk: 'OUTBOX#test', sk: what } }],
      conflict: () => new Error('conflict'),
    },
    desk.as(person, 1, ['owner'], act),
  );
};
const whatOf = async (filter: AuditFilter, limit = 50, position?: Position) => {
  const page = await listAudit(filter, { limit, ...(position && { position }) }, desk.platform);
  return { ...page, what: page.items.map(({ entry }) => entry.what) };
};

describe('listAudit', () => {
  it('lists the newest first, with the person, and pages in both directions', async () => {
    for (const what of ['one', 'two', 'three', 'four', 'five']) await note(ada, what);
    const notes = { ...november, act: 'note' };
    const first = await whatOf(notes, 2);
    expect(first.what).toEqual(['five', 'four']);
    expect(first.prev).toBeNull();
    expect(first.items[0]?.staff).toMatchObject({ email: 'ada@corner.example' });

    const second = await whatOf(notes, 2, first.next ?? expect.unreachable());
    expect(second.what).toEqual(['three', 'two']);
    const back = await whatOf(notes, 2, second.prev ?? expect.unreachable());
    expect(back.what).toEqual(['five', 'four']);
    const last = await whatOf(notes, 2, second.next ?? expect.unreachable());
    expect(last).toMatchObject({ what: ['one'], next: null });
  });

  it('filters by person, act and outcome, and keeps organisations apart', async () => {
    await note(ada, 'of Ada');
    await note(grace, 'of Grace');
    const staff = { staffId: grace.staff.id, organisationId: 1, roles: ['editor'] } as const;
    await auditRefusal({ staff, act: 'change roles', what: 'may not change roles' }, desk.platform);

    expect((await whatOf({ ...november, staffId: grace.staff.id, act: 'note' })).what).toEqual(['of Grace']);
    expect((await whatOf({ ...november, outcome: 'refused' })).what).toEqual(['may not change roles']);
    expect((await whatOf({ ...november, organisationId: 2 })).what).toEqual([]);
    expect((await whatOf({ ...november, month: '2026-10' })).what).toEqual([]);
  });

  it('has the same refusal of a person once an hour', async () => {
    const refuse = (act: string, person = grace) =>
      auditRefusal(
        { staff: { staffId: person.staff.id, organisationId: 1, roles: ['editor'] }, act, what: 'no' },
        desk.platform,
      );
    const refused = async () => {
      const { items } = await listAudit({ ...november, outcome: 'refused' }, { limit: 9 }, desk.platform);
      return items.map(({ entry }) => entry.act).sort();
    };
    await Promise.all([refuse('invite person'), refuse('invite person'), refuse('change roles')]);
    await refuse('invite person', ada);
    expect(await refused()).toEqual(['change roles', 'invite person', 'invite person']);
    desk.wait(60 * minuteMs - 1);
    await refuse('change roles');
    expect(await refused()).toHaveLength(3);
    desk.wait(1);
    await refuse('change roles');
    expect(await refused()).toHaveLength(4);
  });

  it('keeps what a removed person did, by the id alone', async () => {
    await note(grace, 'of Grace');
    await removeStaff({ id: grace.staff.id }, desk.platform);
    const [found] = (await listAudit({ ...november, act: 'note' }, { limit: 1 }, desk.platform)).items;
    expect(found).toMatchObject({ entry: { staffId: grace.staff.id, what: 'of Grace' } });
    expect(found?.staff).toBeUndefined();
  });

  it('has no entry of a change that failed', async () => {
    const last = removePerson(
      { organisationId: 1, staffId: ada.staff.id },
      desk.as(ada, 1, ['owner'], 'remove person'),
    );
    await expect(last).rejects.toThrow('last owner');
    expect((await whatOf({ ...november, act: 'remove person' })).what).toEqual([]);
  });
});

describe('exportAudit', () => {
  it('writes CSV in which no cell is a formula', async () => {
    for (const what of ['=1+1', '+1', '-1', '@sum', 'a "word", and\na line']) await note(ada, what);
    const csv = await exportAudit({ ...november, act: 'note' }, desk.platform);

    expect(csv.split('\n')[0]).toBe('at,person,e-mail,person id,roles,act,outcome,what,before,after');
    for (const cell of [",'=1+1,", ",'+1,", ",'-1,", ",'@sum,", ',"a ""word"", and\na line",']) {
      expect(csv).toContain(cell);
    }
  });
});
