import { describe, expect, it } from 'vitest';
import { handler as audit } from '../../../functions/management/audit/index.ts';
import { contract as listAudit } from '../../../functions/management/audit/list-audit/contract.ts';
import { contract as listPartnerships } from '../../../functions/management/partnerships/list-partnerships/contract.ts';
import { handler as partnershipsHandler } from '../../../functions/management/partnerships/list-partnerships/handler.ts';
import { contract as applyTrigger } from '../../../functions/management/triggers/apply-trigger/contract.ts';
import { handler as triggers } from '../../../functions/management/triggers/index.ts';
import { Colleague, useOffice, world } from './campaign-office.ts';

useOffice();

const rides = {
  description: 'A ride ended.',
  context_schema: { fields: { fare: { type: 'number', isRequired: true } } },
};

const hire = () => Colleague.hire(world.demo.merchant.id, ['owner']);
const apply = (person: Colleague, name: string, revision: number, body: object = rides) =>
  person.ask(triggers, applyTrigger, { params: { id: world.demo.partnership.uuid, name }, revision, body });

describe('a trigger that a person makes', () => {
  it('can be chosen in the campaigns of both sides', async () => {
    const owner = await hire();
    const made = await apply(owner, 'ride_completed', 0);
    expect(made.body.data).toMatchObject({
      ...{ name: 'ride_completed', event: 'CUSTOM', is_active: true, revision: 1 },
      context_schema: { fields: { fare: { type: 'number', isRequired: true } }, allowsOtherFields: false },
    });

    const partner = await Colleague.hire(world.demo.partner.id, ['editor']);
    const { body } = await partner.ask(partnershipsHandler, listPartnerships);
    const found = body.data.partnerships.find(({ uuid }: { uuid: string }) => uuid === world.demo.partnership.uuid);
    expect(found.triggers).toContainEqual(made.body.data);
  });

  it('is in the audit trail with what changed', async () => {
    const owner = await hire();
    await apply(owner, 'audited', 0);
    await apply(owner, 'audited', 1, { ...rides, is_active: false });

    const { body } = await owner.ask(audit, listAudit, {});
    expect(body.data.entries.slice(0, 2)).toMatchObject([
      {
        act: 'apply trigger',
        outcome: 'done',
        person: { id: owner.person.staff.id },
        change: { after: { isActive: false } },
      },
      { act: 'apply trigger', outcome: 'done', change: { before: null, after: { isActive: true, event: 'CUSTOM' } } },
    ]);
  });

  it('has a name of its own', async () => {
    const owner = await hire();
    await apply(owner, 'taken', 0);
    const again = await apply(owner, 'taken', 0);
    expect([again.status, again.body.error]).toEqual([409, 'already_exists']);
  });

  it('is changed by the revision that was seen', async () => {
    const owner = await hire();
    await apply(owner, 'revised', 0);
    expect((await apply(owner, 'revised', 1, { ...rides, description: null })).body.data).toMatchObject({
      ...{ revision: 2, description: null },
    });
    const late = await apply(owner, 'revised', 1);
    expect([late.status, late.body.error]).toEqual([412, 'changed_meanwhile']);
  });

  it('is made once by two people at the same time', async () => {
    const [one, other] = [await hire(), await hire()];
    const made = await Promise.all([apply(one, 'raced', 0), apply(other, 'raced', 0)]);
    expect(made.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('is refused with every fault at its field', async () => {
    const owner = await hire();
    const { status, body } = await apply(owner, '../taken', 0, {
      ...{ event: 'CUSTOM', friend_field: 'friend' },
      context_schema: { fields: { seats: { type: 'integer', minimum: 5, maximum: 1 } } },
    });
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([
      { pointer: '/name', code: 'invalid_characters' },
      { pointer: '/friend_field' },
      { pointer: '/context_schema/fields/seats/maximum' },
    ]);
  });

  it('begins the flows of a campaign, whose conditions name its fields', async () => {
    const owner = await hire();
    const { body } = await apply(owner, 'ride_in_town', 0, {
      context_schema: { fields: { fare: { type: 'number', isRequired: true }, city: { type: 'string' } } },
    });
    const inTown = { attribute: 'CUSTOM', operator: 'IS_IN', name: 'city', values: ['Austin'] };
    const draft = await owner.draft({
      ...{ name: 'Rides', type: 'EARN' },
      flows: [
        {
          trigger: { type: 'CUSTOM', customTriggerId: body.data.custom_trigger_id, amountField: 'fare' },
          actions: [{ kind: 'AWARD_POINTS', pointsPerDollarBp: 20_000 }],
          conditionGroups: [{ logic: 'ANY', conditions: [inTown] }],
        },
      ],
    });
    expect(draft.draft.faults).toEqual([]);
  });
});
