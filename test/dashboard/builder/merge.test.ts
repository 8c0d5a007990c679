import { describe, expect, it } from 'vitest';
import { mergeChanges } from '../../../dashboard/src/builder/merge.ts';
import { type BuilderAction, reduce } from '../../../dashboard/src/builder/reducer.ts';
import { openFile } from '../../../dashboard/src/builder/state.ts';
import { documentOf } from '../../../shared/domain/campaign/document/campaign.ts';
import type { Json } from '../../../shared/domain/campaign/document/tree.ts';
import { campaigns } from '../../domain/campaign/arbitraries.ts';
import { fc } from '../../support/fast-check.ts';

const points = (id: number, rate: number) => ({ id, ownerId: 2, kind: 'AWARD_POINTS', pointsPerDollarBp: rate });
const limit = (id: number, amount: number) => ({ id, ownerId: 1, kind: 'USER', bound: 'MAXIMUM', amount });
const flow = (actions: object[], limits: object[] = []) => ({ id: 1, trigger: { type: 'SPEND' }, actions, limits });

const base: Json = { name: 'Spring', description: null, flows: [flow([points(2, 20_000)], [limit(3, 500)])] };
const after = (...actions: BuilderAction[]) => actions.reduce(reduce, openFile(base));
const merged = (theirs: Json, ...actions: BuilderAction[]) => mergeChanges(after(...actions), { base, theirs });

describe('own changes on a draft that another person changed', () => {
  it('stay beside theirs, and count where both changed the same', () => {
    const theirs = {
      ...base,
      name: 'Theirs',
      description: 'Theirs',
      flows: [flow([points(2, 10_000)], [limit(3, 500)])],
    };
    const { document } = merged(
      theirs,
      { kind: 'set', pointer: '/name', value: 'Mine' },
      { kind: 'set', pointer: '/flows/0/limits/0/amount', value: 700 },
    );
    expect(document).toEqual({
      ...{ name: 'Mine', description: 'Theirs' },
      flows: [flow([points(2, 10_000)], [limit(3, 700)])],
    });
  });

  it('keep parts that either person added, and remove what the other one removed', () => {
    const theirs = { ...base, flows: [flow([], [limit(3, 500), limit(4, 9)])] };
    const goal = { type: 'POINTS_EARNED', target: 10 };
    const { document } = merged(theirs, { kind: 'add', list: '/goals', element: goal });
    expect(document).toEqual({ ...theirs, goals: [goal] });
  });

  it('make a changed part new that the other person removed: its id is gone', () => {
    const theirs = { ...base, flows: [] };
    const { document } = merged(theirs, { kind: 'set', pointer: '/flows/0/limits/0/amount', value: 700 });
    const { id: _, ownerId: __, ...newLimit } = limit(3, 700);
    expect(document).toEqual({
      ...base,
      flows: [
        {
          trigger: { type: 'SPEND' },
          actions: [{ kind: 'AWARD_POINTS', pointsPerDollarBp: 20_000 }],
          limits: [newLimit],
        },
      ],
    });
  });

  it('keep a part that was removed here and changed there', () => {
    const theirs = { ...base, flows: [flow([points(2, 20_000)], [limit(3, 900)])] };
    expect(merged(theirs, { kind: 'remove', pointer: '/flows/0/limits/0' }).document).toEqual(theirs);
  });

  it('keep half-typed texts at their fields', () => {
    const theirs = { ...base, flows: [flow([points(2, 20_000)], [limit(4, 9), limit(3, 500)])] };
    const { texts, document } = merged(theirs, {
      kind: 'type',
      pointer: '/flows/0/limits/0/amount',
      text: '1.',
      format: 'points',
    });
    expect(document.flows).toMatchObject([{ limits: [{ id: 4, amount: 9 }, { id: 3 }] }]);
    expect(Object.entries(texts)).toMatchObject([['/flows/0/limits/1/amount', { text: '1.' }]]);
  });

  it('are nothing when nothing was changed, whatever the other person did', () => {
    fc.assert(
      fc.property(campaigns, campaigns, (one, other) => {
        const [mine, theirs] = [one, other].map((campaign): Json => JSON.parse(JSON.stringify(documentOf(campaign))));
        if (!mine || !theirs) return;
        expect(mergeChanges(openFile(mine), { base: mine, theirs }).document).toEqual(theirs);
      }),
    );
  });
});
