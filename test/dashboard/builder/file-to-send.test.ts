import { describe, expect, it } from 'vitest';
import { fileToSend } from '../../../dashboard/src/builder/file-to-send.ts';
import { reduce } from '../../../dashboard/src/builder/reducer.ts';
import { fileOf, openFile } from '../../../dashboard/src/builder/state.ts';
import { documentOf } from '../../../shared/domain/campaign/document/campaign.ts';
import type { Json } from '../../../shared/domain/campaign/document/tree.ts';
import { campaigns } from '../../domain/campaign/arbitraries.ts';
import { fc } from '../../support/fast-check.ts';

const points = { id: 2, ownerId: 1, kind: 'AWARD_POINTS', pointsPerDollarBp: 20_000 };
const daily = { id: 3, ownerId: 1, kind: 'USER', bound: 'MAXIMUM', unit: 'EVENTS', amount: 1, period: 'DAY' };
const weekly = { ownerId: 1, kind: 'USER', bound: 'MAXIMUM', unit: 'EVENTS', amount: 1, period: 'WEEK' };
const stored: Json = {
  type: 'EARN',
  name: 'Spring double',
  flows: [{ id: 1, trigger: { type: 'SPEND' }, actions: [points], conditionGroups: [], limits: [daily] }],
  goals: [],
};

describe('fileToSend()', () => {
  it('is the whole file when every part is complete', () => {
    fc.assert(
      fc.property(campaigns, (campaign) => {
        const file: Json = JSON.parse(JSON.stringify(documentOf(campaign)));
        const state = openFile(file);
        expect(fileToSend(state, file)).toEqual({ document: file, keys: state.keys, isPartial: false });
      }),
    );
  });

  it('leaves out new parts that are not complete, and sends known parts as the server has them', () => {
    const half = [
      { kind: 'add', list: '/flows/0/limits', element: { kind: 'TRANSACTION', bound: 'MAXIMUM', unit: 'POINTS' } },
      { kind: 'add', list: '/flows/0/conditionGroups', element: { conditions: [{ attribute: 'BASKET_SIZE' }] } },
      { kind: 'type', pointer: '/flows/0/limits/0/amount', text: 'many', format: 'times' },
      { kind: 'add', list: '/flows', element: { trigger: { type: 'CUSTOM' }, actions: [] } },
      { kind: 'set', pointer: '/name', value: '' },
    ] as const;
    const sent = fileToSend(half.reduce(reduce, openFile(stored)), stored);
    expect(sent).toMatchObject({ document: { ...stored, name: '' }, isPartial: true });
  });

  it('gives the ids of the server to the parts that were sent, beside a part that was not', () => {
    const state = [
      { kind: 'add', list: '/flows/0/limits', element: { kind: 'TRANSACTION' } },
      { kind: 'add', list: '/flows/0/limits', element: { ...weekly } },
    ] as const;
    const edited = state.reduce(reduce, openFile(stored));
    const { document, keys } = fileToSend(edited, stored);
    const saved = JSON.parse(JSON.stringify(document).replace('"period":"WEEK"', '"period":"WEEK","id":9'));
    const adopted = fileOf(reduce(edited, { kind: 'adopt', sent: { document, keys }, saved }));
    expect(adopted).toMatchObject({
      flows: [{ limits: [{ id: 3 }, { kind: 'TRANSACTION' }, { id: 9, period: 'WEEK' }] }],
    });
  });
});
