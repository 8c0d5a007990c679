import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TableClient } from '../../shared/store/table/table-client.ts';
import {
  ConditionFailedError,
  ContentionError,
  type Item,
  isNew,
  ThrottledError,
  type Write,
} from '../../shared/store/table/table-client.ts';
import { type FaultyTable, lostAnswer, makeFaultyTable } from '../support/faulty-table.ts';

let faulty: FaultyTable;
let table: TableClient;
beforeAll(async () => {
  faulty = await makeFaultyTable();
  table = faulty.client;
});
afterEach(() => {
  vi.restoreAllMocks();
  faulty.faults.clear();
});
afterAll(() => faulty.stop());

let things = 0;
const newItem = (more = {}): Item => {
  things += 1;
  return { pk: `THING#${things}`, sk: 'THING', ...more };
};
const put = (item: Item): Write => ({ kind: 'put', item, when: isNew });
const keyOf = ({ pk, sk }: Item) => ({ pk, sk });
const addOne = (item: Item) => ({ kind: 'update', key: keyOf(item), changes: { add: { count: 1 } } }) as const;

describe('transact()', () => {
  it('writes everything or nothing, and reports each failed condition with the stored item', async () => {
    const [there, missing, fresh] = [newItem({ text: 'there' }), newItem(), newItem()];
    await table.write(put(there));

    const failure = await table
      .transact([put(fresh), put(there), { kind: 'delete', key: missing, when: [{ attribute: 'pk', is: 'present' }] }])
      .catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(ConditionFailedError);
    expect((failure as ConditionFailedError).found).toEqual(
      new Map([
        [1, there],
        [2, null],
      ]),
    );
    expect(await table.get(fresh)).toBeUndefined();
  });

  it('throws a clear error when there is nothing to write', async () => {
    await expect(table.transact([])).rejects.toThrow('needs at least one');
  });

  it('writes again when a later call contains the same write', async () => {
    const item = newItem();
    const key = { pk: item.pk, sk: item.sk };
    const setTo = (text: string): Write => ({ kind: 'update', key, changes: { set: { text } } });

    for (const text of ['paused', 'active', 'paused']) await table.transact([setTo(text)]);

    expect(await table.get(item)).toMatchObject({ text: 'paused' });
  });

  it.each(['TransactionConflict', 'ProvisionedThroughputExceeded', 'Throttling'] as const)(
    'repeats the call after %s, and writes once',
    async (fault) => {
      const item = newItem();
      const active = [1, 2, 3].map(() => faulty.faults.add({ fault, operation: 'TransactWriteItems', nth: 1 }));

      await table.transact([addOne(item), put(newItem())]);

      expect(active.map(({ hits }) => hits)).toEqual([1, 1, 1]);
      expect(await table.get(item)).toMatchObject({ count: 1 });
    },
  );

  it('throws ContentionError after repeated conflicts, and writes nothing', async () => {
    const item = newItem();
    const always = faulty.faults.add({ fault: 'TransactionConflict', operation: 'TransactWriteItems' });

    await expect(table.transact([addOne(item)])).rejects.toBeInstanceOf(ContentionError);

    expect(always.hits).toBe(12);
    expect(await table.get(item)).toBeUndefined();
  });

  it('writes once when the reply is lost and the AWS SDK repeats the call', async () => {
    const [item, counter] = [newItem(), newItem()];
    const lost = faulty.faults.add({ ...lostAnswer, operation: 'TransactWriteItems', nth: 1 });

    await table.transact([put(item), addOne(counter)]);

    expect(lost.hits).toBe(1);
    expect(await table.get(item)).toEqual(item);
    expect(await table.get(counter)).toMatchObject({ count: 1 });
  });

  it('adds each amount exactly once when twenty parallel calls change one item', async () => {
    const item = newItem();

    await Promise.all(Array.from({ length: 20 }, () => table.transact([addOne(item), put(newItem())])));

    expect(await table.get(item)).toMatchObject({ count: 20 });
  });
});

describe('write()', () => {
  it('returns the new item of an update, and undefined for every other write', async () => {
    const item = newItem();

    expect(await table.write(put(item))).toBeUndefined();
    expect(await table.write({ ...addOne(item), repetition: 'harmless' })).toEqual({ ...item, count: 1 });
    expect(await table.write({ kind: 'delete', key: { pk: item.pk, sk: item.sk } })).toBeUndefined();
    expect(await table.get(item)).toBeUndefined();
  });

  it('reports a failed condition with the stored item', async () => {
    const item = newItem({ text: 'first' });
    await table.write(put(item));

    const failure = await table.write(put({ ...item, text: 'second' })).catch((error: unknown) => error);

    expect((failure as ConditionFailedError).found).toEqual(new Map([[0, item]]));
  });

  it('repeats the call after a conflict with a transaction', async () => {
    const item = newItem();
    const active = [1, 2].map(() =>
      faulty.faults.add({ fault: 'TransactionConflict', operation: 'UpdateItem', nth: 1 }),
    );

    expect(await table.write({ ...addOne(item), repetition: 'harmless' })).toMatchObject({ count: 1 });
    expect(active.map(({ hits }) => hits)).toEqual([1, 1]);
  });

  const isThere = [{ attribute: 'pk', is: 'present' }] as const;
  /** Writes that would change or refuse something if they ran twice. `after` is the item after the first run. */
  const unsafe: Readonly<Record<string, (item: Item) => [Write, after: object | undefined]>> = {
    'an update that adds': (item) => [addOne(item), { ...item, count: 1 }],
    'an update that marks an item as used': (item) => [
      {
        kind: 'update',
        key: keyOf(item),
        changes: { set: { isUsed: true } },
        when: [{ attribute: 'isUsed', is: 'absent' }],
      },
      { ...item, isUsed: true },
    ],
    'a conditional delete': (item) => [{ kind: 'delete', key: keyOf(item), when: isThere }, undefined],
    'an update of a revision': (item) => [
      {
        kind: 'update',
        key: keyOf(item),
        changes: { set: { revision: 2, lists: [{ a: 1 }] } },
        when: [{ attribute: 'revision', is: '=', value: 1 }],
        repetition: 'recognisable',
      },
      { ...item, revision: 2, lists: [{ a: 1 }] },
    ],
  };

  it.each(Object.entries(unsafe))('writes once when the answer to %s is lost', async (_name, unsafeWrite) => {
    const item = newItem({ revision: 1 });
    await table.write(put(item));
    const [write, after] = unsafeWrite(item);
    const lost = faulty.faults.add({ ...lostAnswer, nth: 1 });

    await table.write(write);

    expect(lost.hits).toBe(1);
    faulty.faults.clear();
    expect(await table.get(keyOf(item))).toEqual(after);
  });

  it('repeats a put whose answer is lost, but replaces no other item', async () => {
    const [own, other] = [newItem({ id: 'own' }), newItem({ id: 'other' })];
    await table.write(put(other));
    faulty.faults.add({ ...lostAnswer, nth: 1 });
    await table.write(put(own));
    faulty.faults.add({ fault: 'killBefore', nth: 1 });
    await expect(table.write(put({ ...other, id: 'own' }))).rejects.toBeInstanceOf(ConditionFailedError);
    faulty.faults.clear();

    expect(await table.get(keyOf(own))).toEqual(own);
    await expect(table.write(put(own))).rejects.toBeInstanceOf(ConditionFailedError);
  });

  it('throws unknown errors unchanged', async () => {
    await expect(table.write(put({ pk: '', sk: 'x' }))).rejects.toMatchObject({ name: 'ValidationException' });
  });
});

describe('DynamoDB that throttles', () => {
  const item = { pk: 'THING', sk: 'THING' };
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    get: () => table.get(item),
    getAll: () => table.getAll([item]),
    query: () => table.query({ partition: item.pk }),
    write: () => table.write({ kind: 'put', item }),
    transact: () => table.transact([{ kind: 'put', item }]),
  };

  it.each(
    Object.keys(calls).flatMap((name) => [
      [name, 'Throttling'] as const,
      [name, 'ProvisionedThroughputExceeded'] as const,
    ]),
  )('makes %s throw a ThrottledError after the last attempt (%s)', async (name, fault) => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    faulty.faults.add({ fault });

    await expect(calls[name]?.()).rejects.toBeInstanceOf(ThrottledError);
  });
});

describe('query()', () => {
  it('returns all pages, in ascending or descending order of the sort key', async () => {
    const direct = faulty.table.client;
    const pk = newItem().pk;
    const sorts = ['00', '01', '02', '10', '11', '20'];
    // Six items of 300 KB are two pages.
    await Promise.all(sorts.map((sk) => direct.write({ kind: 'put', item: { pk, sk, text: 'x'.repeat(300_000) } })));
    const read = async (more: object) => (await direct.query({ partition: pk, ...more })).map(({ sk }) => sk);

    expect(await read({})).toEqual(sorts);
    expect(await read({ descending: true, limit: 3 })).toEqual(['20', '11', '10']);
    expect(await read({ sortBeginsWith: '1' })).toEqual(['10', '11']);
    expect(await read({ sortBetween: ['01', '10'] })).toEqual(['01', '02', '10']);
  });
});

describe('getAll()', () => {
  it('returns the existing items of many keys', async () => {
    const items = [newItem(), newItem()];
    await Promise.all(items.map((item) => table.write(put(item))));

    const found = await table.getAll([...items, newItem()]);

    expect(found).toHaveLength(2);
    expect(found).toEqual(expect.arrayContaining(items));
  });
});
