import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { defineEntity, UnknownVersionError } from '../../shared/store/table/table-client.ts';

const Thing = z.object({ name: z.string(), color: z.optional(z.string()) });
const keyOf = (id: number) => ({ pk: `THING#${id}`, sk: 'THING' });
const things = defineEntity(Thing, keyOf);
const item = things.item(things.key(1), { name: 'cup' });

it('every item contains the version of its kind', () => {
  expect(item).toEqual({ pk: 'THING#1', sk: 'THING', name: 'cup', v: 1 });
});

it('an item without a version is read as version 1', () => {
  const { v: _, ...early } = item;
  expect(things.parse(early)).toEqual({ name: 'cup' });
});

it('the error for an unknown version does not contain the item’s ids', () => {
  const parse = () => things.parse({ ...item, v: 2 });
  expect(parse).toThrow(UnknownVersionError);
  expect(parse).toThrow('an item of kind THING THING has version 2; this release reads versions up to 1');
  expect(() => things.parse({ ...item, v: '1' })).toThrow(UnknownVersionError);
});

it('a release can read a version that it does not write yet', () => {
  const readers = defineEntity(Thing, keyOf, { written: 1, newestRead: 2 });
  expect(readers.parse({ ...item, v: 2 })).toEqual({ name: 'cup' });
  expect(readers.item(keyOf(1), { name: 'cup' })).toEqual(item);
});

it('an item that is written back keeps unknown attributes, but not attributes that were removed', () => {
  const { color: _, ...named } = things.parse({ ...item, color: 'red', size: 2, duePk: 'DUE#1' });
  expect(things.item(keyOf(1), { ...named, name: 'mug' })).toEqual({ ...item, name: 'mug', size: 2 });
});

it('a moved item keeps its unknown attributes, and a copied item loses them', () => {
  const read = things.parse({ ...item, size: 2 });
  expect(things.item(keyOf(2), { ...read })).toEqual({ ...item, pk: 'THING#2' });
  expect(things.moved(keyOf(2), { ...read })).toEqual({ ...item, pk: 'THING#2', size: 2 });
});

it('unknown attributes of an item do not appear in its JSON', () => {
  expect(JSON.stringify(things.parse({ ...item, size: 2 }))).toBe('{"name":"cup"}');
});
