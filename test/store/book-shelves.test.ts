import { beforeAll, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { BookShelves } from '../../shared/store/ledger/book-shelves.ts';
import type { BatchWrite } from '../../shared/store/table/table-client.ts';
import { makeWorld, type World } from '../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await makeWorld({ onDynamoDb: true });
});

/** Text that compression hardly makes smaller, in characters of three bytes. */
function denseText(length: number, seed: number): string {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return String.fromCharCode(0x4e00 + ((state >> 8) % 20_000));
  };
  return Array.from({ length }, next).join('');
}

it('a shelf of the daily reconciliation returns all rows, even if their ids hardly compress', async () => {
  const shelves = new BookShelves(world.platform.table);
  const rows = Array.from({ length: 1_200 }, (_, index) => ({ id: denseText(250, index + 1) }));
  await shelves.put({ uuid: 'one', part: 'a' }, new Map([['0', rows]]), { now: new Date(), pause: async () => {} });
  const Row = z.object({ id: z.string() });
  expect(await shelves.read({ uuid: 'one', parts: ['a'] }, '0', Row)).toEqual(rows);
});

it('BookShelves.put() writes at most one item of the same shelf in each batch', async () => {
  const log: string[] = [];
  const table = {
    writeBatch: async (writes: readonly BatchWrite[]) => {
      log.push(writes.map((write) => (write.kind === 'put' ? `${write.item.pk}#${write.item.sk}` : '')).join(' '));
    },
  };
  const shelves = new BookShelves(Object.assign(Object.create(world.platform.table), table));
  const row = { text: 'x'.repeat(200_000) };
  const pacing = { now: new Date(), pause: async () => void log.push('pause') };
  await shelves.put(
    { uuid: 'two', part: 'a' },
    new Map([
      ['0', [row, row, row]],
      ['1', [row]],
    ]),
    pacing,
  );
  const name = (shelf: number, number: number) => `SEQUENCE#reconcile-daily#two#${shelf}#a#${number}`;
  expect(log).toEqual([`${name(0, 0)} ${name(1, 0)}`, 'pause', name(0, 1), 'pause', name(0, 2)]);
});
