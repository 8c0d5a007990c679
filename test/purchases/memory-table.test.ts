import { beforeAll, describe, expect, it } from 'vitest';
import type { Condition, Item, Write } from '../../shared/store/table/table-client.ts';
import { ConditionFailedError, type TableClient } from '../../shared/store/table/table-client.ts';
import { fc } from '../support/fast-check.ts';
import { makeTestTable } from '../support/test-table.ts';
import { MemoryTable } from './memory-table.ts';

/** Writes to a few items with a few attributes, so that conditions often hold and often fail. */
const attributes = ['n', 'text', 'list', 'set', 'other'] as const;
const key = fc.record({ pk: fc.constantFrom('A', 'B'), sk: fc.constantFrom('x#1', 'x#2', 'y#1') });
const number = fc.integer({ min: 0, max: 3 });
const text = fc.constantFrom('a', 'b', 'c');
const list = fc.array(text, { maxLength: 2 });
const members = fc.uniqueArray(number, { minLength: 1, maxLength: 3 }).map((numbers) => new Set(numbers));
const index = fc.record({ merchantPk: text, merchantSk: text, duePk: text, dueSk: text }, { requiredKeys: [] });

const content = fc.record(
  {
    ...{ n: number, text: fc.option(text), list, set: members, other: fc.oneof(number, text, fc.boolean()) },
    numbers: fc.array(number, { maxLength: 3 }),
    nested: fc.record({ there: number, missing: fc.constant(undefined), list: fc.constant([1, undefined, 2]) }),
  },
  { requiredKeys: [] },
);

const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({ attribute: fc.constantFrom('pk', ...attributes), is: fc.constantFrom('absent', 'present') }),
  fc.record({
    attribute: fc.constantFrom('n', 'text', 'other'),
    is: fc.constantFrom('=', '<>', '<', '<=', '>', '>='),
    value: fc.oneof(number, text),
  }),
  fc.record({ attribute: fc.constantFrom('text', 'other'), is: fc.constant('='), value: fc.option(text) }),
  fc.record({ attribute: fc.constant('list'), is: fc.constant('='), value: list }),
  fc.record({ attribute: fc.constantFrom('n', 'text'), is: fc.constant('at-most'), value: fc.oneof(number, text) }),
  fc.record({
    attribute: fc.constantFrom('n', 'text', 'other'),
    is: fc.constant('in'),
    values: fc.array(fc.oneof(number, text), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    ...{ attribute: fc.constant('n'), is: fc.constant('equal-while'), value: number },
    present: fc.constantFrom('text', 'list'),
  }),
  fc.record({ attribute: fc.constant('numbers'), is: fc.constant('without'), value: number }),
);
const when = fc.array(condition, { maxLength: 2 });

const changes = fc
  .record({ n: number, text, list, other: fc.oneof(number, text) }, { requiredKeys: [] })
  .chain((set) =>
    fc.record({
      set: fc.constant(set),
      add: 'n' in set ? fc.constant({}) : fc.record({ n: number }, { requiredKeys: [] }),
      remove: fc.constant(attributes.filter((name) => name === 'list' && !(name in set))),
    }),
  )
  .map(({ set, add, remove }) =>
    Object.keys({ ...set, ...add }).length > 0 ? { set, add, remove } : { set: { n: 1 } },
  );
const setChanges = fc.oneof(
  members.map((set) => ({ add: { set } })),
  members.map((set) => ({ take: { set } })),
);

const write: fc.Arbitrary<Write> = fc.oneof(
  fc.record({
    kind: fc.constant('put' as const),
    item: fc.tuple(key, content, index).map(([keys, more, place]): Item => ({ ...more, ...place, ...keys })),
    when,
  }),
  fc.record({
    kind: fc.constant('update' as const),
    key,
    changes: fc.oneof(changes, setChanges),
    when,
    repetition: fc.constant('harmless' as const),
  }),
  fc.record({ kind: fc.constant('update' as const), key, changes: fc.oneof(changes, setChanges), when }),
  fc.record({ kind: fc.constant('delete' as const), key, when }),
);
const distinctWrites = fc.uniqueArray(write, {
  minLength: 1,
  maxLength: 4,
  selector: (one) => JSON.stringify(one.kind === 'put' ? [one.item.pk, one.item.sk] : [one.key.pk, one.key.sk]),
});
const request = fc.oneof(
  write.map((one) => ({ kind: 'write' as const, writes: [one] })),
  distinctWrites.map((writes) => ({ kind: 'transact' as const, writes })),
);

/** The reply to a request, with the items that failed conditions found. */
async function replyOf(table: TableClient, { kind, writes }: { kind: 'write' | 'transact'; writes: readonly Write[] }) {
  try {
    const [first] = writes;
    return kind === 'write' && first
      ? ((await table.write(first)) ?? 'done')
      : ((await table.transact(writes)) ?? 'done');
  } catch (error) {
    return error instanceof ConditionFailedError ? { failed: [...error.found] } : 'refused';
  }
}

/** The order of an index, and its items: those with equal keys have no order. */
const inIndex = (items: readonly Item[], sort: string) => ({
  order: items.map((item) => item[sort]),
  items: items.toSorted((one, other) => (`${one.pk}\n${one.sk}` < `${other.pk}\n${other.sk}` ? -1 : 1)),
});

/** Everything that queries return. */
async function contentOf(table: TableClient) {
  const partitions = ['A', 'B'].map((partition) => table.query({ partition }));
  const ranges = [
    table.query({ partition: 'A', sortBeginsWith: 'x#', descending: true, limit: 1 }),
    table.query({ partition: 'A', sortBetween: ['x#2', 'y#1'] }),
    table.query({ partition: 'B', after: { pk: 'B', sk: 'x#15' } }),
    table.query({ partition: 'B', after: { pk: 'B', sk: 'x#15' }, descending: true }),
  ];
  const indexes = ['a', 'b', 'c'].flatMap((partition) => [
    table.query({ index: 'byMerchant', partition }).then((items) => inIndex(items, 'merchantSk')),
    table.query({ index: 'due', partition, sortBetween: ['a', 'b'] }).then((items) => inIndex(items, 'dueSk')),
  ]);
  return Promise.all([...partitions, ...ranges, ...indexes]);
}

describe('the tables in memory', () => {
  let real: TableClient;
  beforeAll(async () => {
    real = (await makeTestTable({ onDynamoDb: true })).client;
  });

  const tables = [
    ['of histories', async () => new MemoryTable()],
    ['of other tests', async () => (await makeTestTable()).client],
  ] as const;
  it.each(tables)('reply to writes and queries as DynamoDB Local does: the table %s', async (_, makeTable) => {
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 12 }), async (requests) => {
        const table = await makeTable();
        for (const item of (await Promise.all(['A', 'B'].map((partition) => real.query({ partition })))).flat()) {
          await real.write({ kind: 'delete', key: { pk: item.pk, sk: item.sk } });
        }
        for (const one of requests) expect(await replyOf(table, one)).toEqual(await replyOf(real, one));
        expect(await contentOf(table)).toEqual(await contentOf(real));
      }),
      { numRuns: 25 },
    );
  });

  it('go back to a snapshot', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(request), fc.array(request), async (before, after) => {
        const table = new MemoryTable();
        for (const one of before) await replyOf(table, one);
        const [content, changes] = [await contentOf(table), table.takeChanges()];
        const goBack = table.snapshot();
        for (const one of after) await replyOf(table, one);
        goBack();
        expect(await contentOf(table)).toEqual(content);
        expect(table.takeChanges()).toEqual([]);
        expect(changes.every((change) => change.before !== change.after)).toBe(true);
      }),
    );
  });
});
