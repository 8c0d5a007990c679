import { describe, expect, it } from 'vitest';
import { clockChangesBetween, midnightAfter } from '../../../dashboard/src/builder/clock-changes.ts';
import { labelOf } from '../../../dashboard/src/builder/labels.ts';
import { startingFlow, typeOf, withType } from '../../../dashboard/src/builder/starting.ts';
import { tryNeedsOf } from '../../../dashboard/src/builder/try-inputs.ts';
import { campaignFaults } from '../../../shared/domain/campaign/authoring/read-document.ts';
import { campaignTypes } from '../../../shared/domain/campaign/document/kinds/kind.ts';
import { noon, settings } from '../../domain/fixtures.ts';

describe('clockChangesBetween()', () => {
  const now = new Date('2026-11-28T12:00:00.000Z');
  const changes = (from: string | null, to: string | null, zone = 'America/New_York') =>
    clockChangesBetween(from, to, zone, now);

  it('names the days on which clocks change while the campaign runs', () => {
    expect(changes('2027-01-01T00:00:00Z', '2027-12-31T00:00:00Z')).toBe(
      'Clocks of New York change on 14 Mar 2027 and 7 Nov 2027.',
    );
    expect(changes(null, null)).toBe('Clocks of New York change on 14 Mar 2027 and 7 Nov 2027.');
  });

  it('leaves out changes before now, and zones whose clocks do not change', () => {
    expect(changes('2026-01-01T00:00:00Z', '2027-02-01T00:00:00Z')).toBe('');
    expect(changes(null, null, 'Asia/Tokyo')).toBe('');
  });
});

describe('midnightAfter()', () => {
  it.each([
    ['2027-03-13T23:30:00.000Z', 1, 'America/New_York', '2027-03-14T05:00:00.000Z'],
    ['2027-03-14T17:00:00.000Z', 1, 'America/New_York', '2027-03-15T04:00:00.000Z'],
    ['2026-12-31T15:30:00.000Z', 1, 'Asia/Tokyo', '2027-01-01T15:00:00.000Z'],
    // Clocks of Beirut go from 00:00 to 01:00: the day begins at 01:00.
    ['2027-03-27T12:00:00.000Z', 1, 'Asia/Beirut', '2027-03-27T22:00:00.000Z'],
  ])('is the beginning of a day in the zone: %s and %i day in %s', (from, days, zone, midnight) => {
    expect(midnightAfter(days, from, zone)).toBe(midnight);
  });
});

describe('startingFlow()', () => {
  it.each(campaignTypes)('has only faults of fields that are not filled in yet (%s)', (type) => {
    const file = { type, name: 'New', flows: [startingFlow(type)] };
    const faults = campaignFaults(file, { organisationId: 1, now: noon, settings: settings(), before: null });
    expect(faults.filter(({ code }) => code !== 'required' && code !== 'no_rate')).toEqual([]);
  });

  it('changes with the type as long as nobody has changed it', () => {
    const flows = [startingFlow('EARN')];
    expect(withType({ type: 'EARN', flows }, 'EARN', 'REDEEM').flows).toEqual([startingFlow('REDEEM')]);
    const own = [{ ...startingFlow('EARN'), limits: [{ kind: 'USER' }] }];
    expect(withType({ type: 'EARN', flows: own }, 'EARN', 'REDEEM').flows).toEqual(own);
    expect(typeOf({ type: 'MOON' })).toBe('EARN');
  });
});

it('labelOf() names the field of a pointer', () => {
  const file = {
    flows: [
      {
        trigger: { type: 'CUSTOM' },
        actions: [{ kind: 'AWARD_POINTS' }],
        conditionGroups: [{ conditions: [{ attribute: 'GEOGRAPHY' }] }],
      },
    ],
    goals: [{ type: 'REGISTRATIONS' }],
  };
  const labels = [
    '/name',
    '/flows/0/trigger/customTriggerId',
    '/flows/0/actions/0/pointsPerDollarBp',
    '/flows/0/conditionGroups/0/conditions/0/values/3',
    '/flows/0/conditionGroups/0/conditions/0',
    '/goals/0/target',
    '/flows',
  ].map((pointer) => labelOf(file, pointer));
  expect(labels).toEqual(['The name', 'Event', 'Points per $1', 'Places', 'Place', 'Target', 'The campaign']);
});

it('tryNeedsOf() asks only for what the flows depend on', () => {
  const trigger = { type: 'CUSTOM', customTriggerId: 7, amountField: 'fare' };
  const conditions = [{ attribute: 'GEOGRAPHY' }, { attribute: 'CUSTOM', name: 'plan' }];
  const flow = { trigger, conditionGroups: [{ conditions }], multipliers: [{ attribute: 'VARIABLE', name: 'plan' }] };
  expect(tryNeedsOf({ type: 'EARN', flows: [flow, { trigger: { type: 'SPEND' } }, { trigger: {} }] })).toEqual({
    triggers: [{ type: 'CUSTOM', customTriggerId: 7 }, { type: 'SPEND' }],
    amountFields: ['fare'],
    isTransfer: false,
    hasPlace: true,
    hasTier: false,
    hasTotal: false,
    hasTime: false,
    hasItems: false,
    attributes: ['plan'],
  });
});
