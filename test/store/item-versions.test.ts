import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { defineEntity, UnknownVersionError } from '../../shared/store/table/table-client.ts';

const Thing = z.object({ name: z.string(), color: z.optional(z.string()) });
const keyOf = (id: number) => ({ pk: `THING#${id}`, sk: 'THING' });
const things = defineEntity(Thing, keyOf);
const item = things.item(things.key(1), { name: 'cup' });

it('states the version of its kind in every item', () => {
  expect(item).toEqual({ pk: 'THING#1', sk: 'THING', name: 'cup', v: 1 });
});

it('reads an item without a version as the first version', () => {
  const { v: _, ...early } = item;
  expect(things.parse(early)).toEqual({ name: 'cup' });
});

it('refuses a version that it does not know, without the ids of the item', () => {
  const parse = () => things.parse({ ...item, v: 2 });
  expect(parse).toThrow(UnknownVersionError);
  expect(parse).toThrow('an item of kind THING THING has version 2; this release reads versions up to 1');
  expect(() => things.parse({ ...item, v: '1' })).toThrow(UnknownVersionError);
});

it('reads a version before it writes it', () => {
  const readers = defineEntity(Thing, keyOf, { written: 1, newestRead: 2 });
  expect(readers.parse({ ...item, v: 2 })).toEqual({ name: 'cup' });
  expect(readers.item(keyOf(1), { name: 'cup' })).toEqual(item);
});

it('keeps what it does not know of an item that it puts back, and leaves out an attribute that was removed', () => {
  const { color: _, ...named } = things.parse({ ...item, color: 'red', size: 2, duePk: 'DUE#1' });
  expect(things.item(keyOf(1), { ...named, name: 'mug' })).toEqual({ ...item, name: 'mug', size: 2 });
});

it('gives nothing of it to a new item that begins as a copy, but all to an item that moves', () => {
  const read = things.parse({ ...item, size: 2 });
  expect(things.item(keyOf(2), { ...read })).toEqual({ ...item, pk: 'THING#2' });
  expect(things.moved(keyOf(2), { ...read })).toEqual({ ...item, pk: 'THING#2', size: 2 });
});

it('hides it from JSON', () => {
  expect(JSON.stringify(things.parse({ ...item, size: 2 }))).toBe('{"name":"cup"}');
});
