import { describe, expect, it } from 'vitest';
import { type BuilderAction, reduce } from '../../../dashboard/src/builder/reducer.ts';
import { fileOf, openFile } from '../../../dashboard/src/builder/state.ts';
import type { Json } from '../../../shared/domain/campaign/document/tree.ts';

const gold = { attribute: 'CUSTOMER_STATUS', operator: 'IS_IN', statusTierIds: [2] };
const basket = { attribute: 'BASKET_SIZE', operator: 'GREATER_THAN', amountCents: 2_500 };
const daily = { kind: 'USER', unit: 'EVENTS', amount: 1, period: 'DAY' };
const file: Json = {
  name: 'Spring double',
  flows: [
    {
      trigger: { type: 'SPEND' },
      actions: [{ kind: 'AWARD_POINTS', pointsPerDollarBp: 20_000 }],
      conditionGroups: [{ conditions: [gold, basket] }, { logic: 'ALL', conditions: [basket] }],
      limits: [daily],
    },
  ],
};
const run = (...actions: BuilderAction[]) => actions.reduce(reduce, openFile(file));
const groups = '/flows/0/conditionGroups';

describe('reduce()', () => {
  it('removes a group with its last condition', () => {
    const one = run({ kind: 'remove', pointer: `${groups}/0/conditions/0` });
    expect(fileOf(one)).toMatchObject({ flows: [{ conditionGroups: [{ conditions: [basket] }, { logic: 'ALL' }] }] });

    const none = run({ kind: 'remove', pointer: `${groups}/1/conditions/0` });
    expect(fileOf(none)).toMatchObject({ flows: [{ conditionGroups: [{ conditions: [gold, basket] }] }] });
  });

  it('keeps a text that is no number yet, and leaves the value out of the file', () => {
    const pointer = '/flows/0/actions/0/pointsPerDollarBp';
    const half = run({ kind: 'type', pointer, text: '2.', format: 'pointsPerDollar' });
    expect(half.texts).toEqual({ [pointer]: { text: '2.', fault: 'has to be a number such as 2 or 0.57' } });
    expect(fileOf(half)).toMatchObject({ flows: [{ actions: [{ kind: 'AWARD_POINTS' }] }] });
    expect(JSON.stringify(fileOf(half))).not.toContain('pointsPerDollarBp');

    const whole = reduce(half, { kind: 'type', pointer, text: '2.5', format: 'pointsPerDollar' });
    expect(whole.texts).toEqual({});
    expect(fileOf(whole)).toMatchObject({ flows: [{ actions: [{ pointsPerDollarBp: 25_000 }] }] });
  });

  it('moves kept texts with their parts, and drops those of removed parts', () => {
    const list = '/flows/0/limits';
    const added: BuilderAction[] = [
      { kind: 'add', list, element: { kind: 'USER' } },
      { kind: 'type', pointer: `${list}/1/amount`, text: 'many', format: 'points' },
    ];
    expect(Object.keys(run(...added, { kind: 'move', pointer: `${list}/1`, to: 0 }).texts)).toEqual([
      `${list}/0/amount`,
    ]);
    expect(Object.keys(run(...added, { kind: 'remove', pointer: `${list}/0` }).texts)).toEqual([`${list}/0/amount`]);
    expect(run(...added, { kind: 'remove', pointer: `${list}/1` }).texts).toEqual({});
  });

  it('adds to a list that the file does not have yet', () => {
    const goal = { type: 'REGISTRATIONS', target: 500 };
    expect(fileOf(run({ kind: 'add', list: '/goals', element: goal }))).toEqual({ ...file, goals: [goal] });
  });

  it('replaces a part by one of another kind', () => {
    const changed = run({
      kind: 'change_kind',
      pointer: `${groups}/0/conditions/0`,
      sort: 'conditions',
      name: 'TIME_ELAPSED',
    });
    expect(fileOf(changed)).toMatchObject({
      flows: [
        { conditionGroups: [{ conditions: [{ attribute: 'TIME_ELAPSED', operator: 'GREATER_THAN' }, basket] }, {}] },
      ],
    });
  });

  it('takes the ids of saved parts, also of parts that moved meanwhile', () => {
    const sent = run({ kind: 'add', list: '/flows/0/limits', element: { kind: 'USER', amount: 5 } });
    const saved = {
      flows: [
        {
          id: 1,
          actions: [{ id: 2, ownerId: 7 }],
          limits: [
            { id: 3, ownerId: 7 },
            { id: 4, ownerId: 7 },
          ],
        },
      ],
    };
    const moved = [
      { kind: 'move', pointer: '/flows/0/limits/1', to: 0 },
      { kind: 'add', list: '/flows/0/limits', element: { kind: 'TRANSACTION' } },
    ] as const;
    const adopted = [...moved, { kind: 'adopt', sent, saved } as const].reduce(reduce, sent);
    expect(fileOf(adopted)).toMatchObject({
      flows: [
        {
          id: 1,
          actions: [{ id: 2, ownerId: 7 }],
          limits: [{ id: 4, amount: 5 }, { id: 3, ...daily }, { kind: 'TRANSACTION' }],
        },
      ],
    });
    expect(JSON.stringify(fileOf(adopted))).toContain('{"kind":"TRANSACTION"}');
  });

  it('takes the fields that the server filled in, except one that was filled in or removed meanwhile', () => {
    const sent = run({ kind: 'set', pointer: '/flows/0/reevaluateOnRefund', value: undefined });
    const saved = {
      ...{ ...sent.document, description: null, goals: [] },
      flows: [{ id: 1, multipliers: [], reevaluateOnRefund: false }],
    };
    const meanwhile = [
      { kind: 'set', pointer: '/description', value: 'Typed meanwhile' },
      { kind: 'set', pointer: '/name', value: undefined },
    ] as const;
    const adopted = [...meanwhile, { kind: 'adopt', sent, saved } as const].reduce(reduce, sent);

    expect(fileOf(adopted)).toMatchObject({
      ...{ description: 'Typed meanwhile', goals: [] },
      flows: [{ conditionGroups: [{}, {}], multipliers: [], reevaluateOnRefund: false }],
    });
    expect(fileOf(adopted)).not.toHaveProperty('name');
  });

  it('takes no field for a part that became another one meanwhile', () => {
    const sent = openFile({ flows: [{ id: 1, limits: [{ kind: 'USER', amount: 5 }] }] });
    const saved = { flows: [{ id: 1, limits: [{ id: 4, ownerId: 7, kind: 'USER', amount: 5, unit: 'EVENTS' }] }] };
    const meanwhile = { kind: 'set', pointer: '/flows/0/limits/0', value: { kind: 'TRANSACTION' } } as const;
    const adopted = [meanwhile, { kind: 'adopt', sent, saved } as const].reduce(reduce, sent);

    expect(fileOf(adopted)).toMatchObject({ flows: [{ limits: [{ id: 4, ownerId: 7, kind: 'TRANSACTION' }] }] });
    expect(JSON.stringify(fileOf(adopted))).not.toContain('EVENTS');
  });

  it('takes the new id of a limit that counts something else now', () => {
    const limit = { kind: 'USER', bound: 'MAXIMUM', unit: 'POINTS', amount: 5, period: 'MONTH' };
    const sent = openFile({ flows: [{ id: 1, limits: [{ id: 3, ownerId: 7, ...limit }] }] });
    const saved = { flows: [{ id: 1, limits: [{ id: 4, ownerId: 7, ...limit }] }] };
    expect(fileOf(reduce(sent, { kind: 'adopt', sent, saved }))).toEqual(saved);
  });

  it('changes no earlier state', () => {
    const before = openFile(file);
    reduce(before, { kind: 'set', pointer: '/flows/0/trigger', value: { type: 'REFERRAL' } });
    expect(fileOf(before)).toEqual(file);
  });
});
