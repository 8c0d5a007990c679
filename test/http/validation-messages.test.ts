import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { describeIssue, unworded } from '../../shared/domain/issues.ts';

const schema = z.strictObject({
  amount: z.int().check(z.gte(1), z.lte(10)),
  text: z.string().check(z.minLength(1), z.maxLength(3)),
  list: z.array(z.string()).check(z.maxLength(1)),
  kind: z.enum(['ONE', 'TWO']),
  flag: z.boolean(),
  at: z.iso.datetime({ offset: true }),
  id: z.uuid(),
  code: z.string().check(z.regex(/^[A-Z]$/)),
  own: z.string().check(z.regex(/^x$/, 'must be an x')),
  even: z.number().check(z.multipleOf(2)),
  either: z.union([z.string(), z.number()]),
});

const right = {
  ...{ amount: 5, text: 'abc', list: [], kind: 'ONE', flag: true, at: '2026-11-20T09:30:00Z' },
  ...{ id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e06', code: 'A', own: 'x', even: 2, either: 1 },
};

describe('the message of a schema', () => {
  it.each([
    [{ amount: 'five' }, 'has to be a number'],
    [{ amount: 1.5 }, 'has to be a whole number'],
    [{ amount: 0 }, 'has to be at least 1'],
    [{ amount: 11 }, 'has to be at most 10'],
    [{ text: '' }, 'must not be empty'],
    [{ text: 'abcd' }, 'has to have at most 3 characters'],
    [{ text: 5 }, 'has to be a text'],
    [{ list: ['a', 'b'] }, 'has to have at most 1 entries'],
    [{ list: {} }, 'has to be a list'],
    [{ kind: 'THREE' }, 'has to be one of ONE, TWO'],
    [{ flag: 'yes' }, 'has to be true or false'],
    [{ at: 'tomorrow' }, 'has to be a time with its offset, such as 2026-11-20T09:30:00Z'],
    [{ id: '5' }, 'has to be a UUID'],
    [{ code: 'a' }, 'has to be text in the documented form'],
    [{ own: 'y' }, 'must be an x'],
    [{ even: 3 }, 'has to be a multiple of 2'],
    [{ either: true }, 'has none of the accepted forms'],
    [{ more: 1, another: 2 }, 'has fields that are not known: more, another'],
  ])('for the input %j is “%s”', (wrong, words) => {
    const { error } = schema.safeParse({ ...right, ...wrong }, { error: () => unworded });

    expect(error?.issues.map(describeIssue)).toEqual([words]);
  });
});
