import { describe, expect, it } from 'vitest';
import { requireSameItems } from '../../../tools/bench/purchases/emulator.ts';
import { atOnce } from '../../../tools/bench/purchases/jobs.ts';
import { chainsOf } from '../../../tools/bench/purchases/rounds.ts';

const write = (name: string, pk: string) => ({
  operation: 'PutItem',
  input: { TableName: name, Item: { pk: { S: pk } } },
});

describe('the replayed writes of purchases', () => {
  it('stay in sequence if they belong to the same reward transaction', () => {
    const [reserve, other, create, mark, complete] = [
      write('reserve', 'TRANSACTION#1'),
      write('other', 'TRANSACTION#12'),
      write('create', 'TRANSACTION#1'),
      write('mark', 'COUNTED#1'),
      write('complete', 'TRANSACTION#1'),
    ] as const;
    expect(chainsOf([reserve, other, create, mark, complete])).toEqual([[reserve, create, complete], [other], [mark]]);
  });
});

describe('requireSameItems()', () => {
  const item = { pk: { S: 'A' }, sk: { S: '1' }, points: { N: '5' } };

  it('accepts equal tables whose items and attributes are in another order', () => {
    const other = { pk: { S: 'B' }, sk: { S: '1' } };
    requireSameItems([item, other], [other, { points: { N: '5' }, sk: { S: '1' }, pk: { S: 'A' } }]);
  });

  it('accepts tables that differ only in the progress of a scheduled job', () => {
    const position = {
      pk: { S: 'SEQUENCE#release-expired' },
      sk: { S: 'SEQUENCE' },
      minute: { S: '2026-11-21T10:05' },
    };
    requireSameItems([item, position], [item, { ...position, minute: { S: '2026-11-21T10:06' } }]);
  });

  it.each([
    ['a different item', [{ ...item, points: { N: '6' } }]],
    ['a missing item', []],
    ['an additional item', [item, { ...item, sk: { S: '2' } }]],
  ])('throws for %s', (_, others) => {
    expect(() => requireSameItems([item], others)).toThrow('the tables differ');
  });
});

describe('parallel work with a limit', () => {
  it('starts each piece once, in sequence and within the limit', async () => {
    const taken: number[] = [];
    let [underWay, most] = [0, 0];
    const done = await atOnce([0, 1, 2, 3, 4], 2, async (piece) => {
      taken.push(piece);
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise(setImmediate);
      underWay -= 1;
    });
    expect(taken).toEqual([0, 1, 2, 3, 4]);
    expect(most).toBe(2);
    expect(done.endedAt).toBeGreaterThanOrEqual(done.startedAt);
  });
});
