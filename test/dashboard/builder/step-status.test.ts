import { describe, expect, it } from 'vitest';
import { reduce } from '../../../dashboard/src/builder/reducer.ts';
import { openFile, type Step } from '../../../dashboard/src/builder/state.ts';
import {
  allFaults,
  faultsAt,
  faultsWithin,
  faultText,
  stepOf,
  stepStatuses,
} from '../../../dashboard/src/builder/step-status.ts';
import { campaignFaults } from '../../../shared/domain/campaign/authoring/read-document.ts';
import type { Json } from '../../../shared/domain/campaign/document/tree.ts';
import { noon, settings } from '../../domain/fixtures.ts';

const faultsOf = (file: Json) =>
  campaignFaults(file, { organisationId: 1, now: noon, settings: settings(), before: null });
const statusesOf = (file: Json, ...opened: Step[]) => {
  const state = opened.reduce((one, step) => reduce(one, { kind: 'open_step', step }), openFile(file));
  return stepStatuses(state, faultsOf(file)).map(({ step, kind, faults }) => [step, kind, faults.length]);
};

const empty: Json = { type: 'EARN', flows: [] };
const whole: Json = {
  type: 'EARN',
  name: 'Spring double',
  flows: [{ trigger: { type: 'SPEND' }, actions: [{ kind: 'AWARD_POINTS', pointsPerDollarBp: 20_000 }] }],
};

describe('stepStatuses()', () => {
  it('says of an empty campaign that nothing has begun', () => {
    expect(statusesOf(empty)).toEqual([
      ['details', 'not_begun', 1],
      ['schedule', 'not_begun', 0],
      ['flows', 'not_begun', 1],
      ['goals', 'not_begun', 0],
    ]);
  });

  it('counts the faults of steps that were opened', () => {
    expect(statusesOf(empty, 'details', 'goals').map(([, kind]) => kind)).toEqual([
      'faulty',
      'not_begun',
      'not_begun',
      'complete',
    ]);
  });

  it('says of a whole campaign that its steps are complete', () => {
    expect(statusesOf(whole, 'schedule').map(([, kind]) => kind)).toEqual([
      'complete',
      'complete',
      'complete',
      'not_begun',
    ]);
  });

  it('counts a text that is no number, and not that the number is missing', () => {
    const pointer = '/flows/0/actions/0/pointsPerDollarBp';
    const state = reduce(openFile(whole), { kind: 'type', pointer, text: 'two', format: 'pointsPerDollar' });
    const faults = allFaults(state, faultsOf(state.document));
    expect(faults).toEqual([{ pointer, code: 'not_readable', message: 'has to be a number such as 2 or 0.57' }]);
    expect(faultsAt(faults, pointer)).toHaveLength(1);
    expect(faultsWithin(faults, '/flows/0')).toHaveLength(1);
    expect(faultsWithin(faults, '/flows/1')).toHaveLength(0);
  });
});

it('each fault has its step', () => {
  expect(['/name', '/startsAt', '/flows/0/actions', '/goals/0/target', '/unknown'].map(stepOf)).toEqual([
    'details',
    'schedule',
    'flows',
    'goals',
    'details',
  ]);
});

it('a fault is shown as a sentence', () => {
  expect(faultText({ message: 'is missing' }, 'In steps of')).toBe('“In steps of” is missing.');
  expect(faultText({ message: 'is missing' }, 'The name')).toBe('The name is missing.');
  const rate = { kind: 'quantity', quantity: 'pointsPerDollar', minimum: 0, maximum: 100_000_000 } as const;
  const tooMany = { code: 'too_big', message: 'has to be at most 100000000' };
  expect(faultText(tooMany, 'Points per $1', rate)).toBe('“Points per $1” has to be at most 10,000 points.');
  expect(faultText({ message: 'A rate of 0 rewards nothing' }, 'Points')).toBe('A rate of 0 rewards nothing.');
});
