import { describe, expect, it } from 'vitest';
import { Action, Condition, Flow, Goal, Limit, Multiplier } from '../../../shared/domain/campaign/document/campaign.ts';
import { FlowTrigger } from '../../../shared/domain/campaign/document/facts.ts';
import { campaignTypes } from '../../../shared/domain/campaign/document/kinds/kind.ts';
import { periods } from '../../../shared/domain/period.ts';
import {
  admin,
  approveByBoth,
  award,
  campaign,
  done,
  draft,
  earn,
  eventsOf,
  file,
  merchant,
  partner,
  partnership,
  refusal,
  signup,
  signupBonus,
  useCampaigns,
} from './campaign-commands.ts';

useCampaigns();

describe('the command campaign apply', () => {
  it('creates a draft from a file and sends no event', async () => {
    const { outcome, campaign: made } = done(
      await campaign('apply', file(earn), ...merchant, '--partnership', partnership),
    );

    expect(outcome).toBe('made');
    expect(made).toMatchObject({
      revision: 1,
      status: 'DRAFT',
      ownerId: 1,
      live: null,
      draft: { version: 1, missingApprovals: [1, 2], document: { name: 'Spring', endsAt: null, goals: [] } },
    });
    expect(made.draft.document.flows).toEqual([
      {
        id: 1,
        trigger: { type: 'SPEND' },
        actions: [{ ...award, id: 2, ownerId: 1 }],
        conditionGroups: [],
        multipliers: [],
        limits: [],
        reevaluateOnRefund: false,
      },
    ]);
    expect(await eventsOf(made.id)).toEqual([]);
  });

  it('changes nothing when the file equals the campaign', async () => {
    const content = {
      ...earn,
      flows: [{ ...earn.flows[0], limits: [{ kind: 'USER', unit: 'EVENTS', amount: 3, period: 'WEEK' }] }],
    };
    const id = await draft(content);
    const { document } = done(await campaign('show', id)).campaign.draft;

    expect(done(await campaign('apply', file(document), ...merchant))).toEqual({
      outcome: 'unchanged',
      differences: [],
    });
    expect(done(await campaign('apply', file(content), ...merchant, '--campaign', id)).outcome).toBe('unchanged');
  });

  it('creates the next version of a running campaign', async () => {
    const id = await draft();
    await approveByBoth(id);
    const content = {
      ...earn,
      name: 'Summer',
      flows: [{ ...earn.flows[0], actions: [{ ...award, pointsPerDollarBp: 30_000 }] }],
    };
    const { differences, campaign: changed } = done(
      await campaign('apply', file(content), ...merchant, '--campaign', id),
    );

    expect(differences).toEqual([
      { pointer: '/name', old: 'Spring', new: 'Summer' },
      { pointer: '/flows/0/actions/0/pointsPerDollarBp', old: 20_000, new: 30_000 },
    ]);
    expect(changed).toMatchObject({ status: 'ACTIVE', live: { version: 1 }, draft: { version: 2, status: 'DRAFT' } });
    expect((await admin.read(`campaign show ${id}`)).out).toContain('Version 2, DRAFT');
  });

  it('is refused when the given revision is not the latest one', async () => {
    const id = await draft();
    done(await campaign('apply', file({ ...earn, name: 'Other' }), ...partner, '--campaign', id));
    expect(refusal(await campaign('apply', file(earn), ...merchant, '--campaign', id, '--revision', 1))).toMatch(
      /look at it again/,
    );
    expect(refusal(await campaign('approve', id, ...merchant, '--revision', 1))).toMatch(/look at it again/);
  });

  it('lists in its help everything that a campaign file may contain', async () => {
    const { out } = await admin.read('campaign apply --help');
    const parts = [
      ...FlowTrigger.def.options.map(({ shape }) => `{ "type": "${shape.type.def.values[0]}"`),
      ...Action.def.options.map(({ shape }) => `{ "kind": "${shape.kind.def.values[0]}"`),
      ...Condition.def.options.map(({ shape }) => `{ "attribute": "${shape.attribute.def.values[0]}"`),
      ...Multiplier.def.options.map(({ shape }) => `{ "attribute": "${shape.attribute.def.values[0]}"`),
      ...Limit.def.options.map(({ shape }) => `{ "kind": "${shape.kind.def.values[0]}"`),
      ...[FlowTrigger, Action, Condition, Multiplier, Limit]
        .flatMap(({ def }) => def.options.flatMap(({ shape }) => Object.keys(shape)))
        .concat(Object.keys(Flow.shape))
        .filter((field) => !['id', 'ownerId', 'customTriggerId'].includes(field))
        .map((field) => `"${field}": `),
      ...[...periods, ...campaignTypes, ...Object.values(Goal.shape.type.def.entries)],
    ];
    for (const text of parts) expect(out).toContain(text);
  });

  it('accepts as amountField only a number that the trigger requires', async () => {
    const fields = { fare: { type: 'number', isRequired: true }, tip: { type: 'number' } };
    const ride = { name: 'ride_completed', description: null, contextSchema: { fields } };
    const { customTriggerId } = done(await admin.script(`trigger apply "${partnership}"`, file(ride))).trigger;
    const rewarding = (amountField: string) => ({
      ...earn,
      flows: [{ trigger: { type: 'CUSTOM', name: 'ride_completed', amountField }, actions: [award] }],
    });
    const id = await draft(rewarding('fare'));
    const { document } = done(await campaign('show', id)).campaign.draft;
    const applied = campaign('apply', file(rewarding('tip')), ...merchant, '--partnership', partnership);

    expect(document.flows[0].trigger).toEqual({ type: 'CUSTOM', customTriggerId, amountField: 'fare' });
    expect((await admin.read(`campaign show ${id}`)).out).toContain(
      `When trigger ${customTriggerId} (ride_completed) happens, Skyline Miles gives 2 points per $1.`,
    );
    expect(refusal(await applied)).toContain(
      `/flows/0/trigger/amountField: Trigger ${customTriggerId} (ride_completed) has no required number tip`,
    );
  });

  it('accepts the names of triggers and stores their ids', async () => {
    const content = {
      ...earn,
      flows: [{ trigger: { type: 'CUSTOM', name: 'signup_completed' }, actions: [signupBonus] }],
    };
    const id = await draft(content);
    const { document } = done(await campaign('show', id)).campaign.draft;

    expect(document.flows[0].trigger).toEqual({ type: 'CUSTOM', customTriggerId: (await signup()).customTriggerId });
    expect(done(await campaign('apply', file(content), ...merchant, '--campaign', id)).outcome).toBe('unchanged');
  });

  it('asks for the campaign when no option names one', async () => {
    expect(await campaign('apply', file(earn), ...merchant)).toMatchObject({
      status: 2,
      err: expect.stringContaining('--campaign'),
    });
    expect(refusal(await campaign('apply', file(earn), ...merchant, '--campaign', 99_999))).toBe(
      'there is no campaign 99999; npm run admin -- campaign list <organisation> shows what there is',
    );
  });

  it('is refused to an organisation outside the partnership', async () => {
    const id = await draft();
    const outsider = ['--as', 'Harbour Books'];
    expect(refusal(await campaign('apply', file(earn), ...outsider, '--partnership', partnership))).toMatch(
      /neither side/,
    );
    expect(refusal(await campaign('apply', file(earn), ...outsider, '--campaign', id))).toMatch(/neither side/);
    expect(refusal(await campaign('duplicate', id, ...outsider))).toMatch(/neither side/);
    expect(refusal(await admin.script(`template create ${id}`, ...outsider))).toMatch(/neither side/);
  });
});
