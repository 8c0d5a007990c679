import { describe, expect, it } from 'vitest';
import { attributesOfContext } from '../../shared/domain/trigger/context-attributes.ts';

const many = (count: number) => Array.from({ length: count }, (_, position) => position);

describe('attributesOfContext()', () => {
  it.each<[string, Record<string, unknown>, Record<string, string[]>]>([
    ['a string unchanged', { plan: ' Gold ' }, { plan: [' Gold '] }],
    ['numbers as strings', { seats: 3, share: 0.5, minus: -1 }, { seats: ['3'], share: ['0.5'], minus: ['-1'] }],
    ['booleans as strings', { isNew: true, isPaid: false }, { isNew: ['true'], isPaid: ['false'] }],
    [
      'several values for a list of strings, numbers and booleans',
      { tags: ['a', 1, true] },
      { tags: ['a', '1', 'true'] },
    ],
    [
      'no attribute for the name of an inherited property',
      { constructor: 'x', toString: 'y', plan: 'z' },
      { plan: ['z'] },
    ],
    [
      'no attribute for null, objects and nested lists',
      { nothing: null, deep: { plan: 'gold' }, none: [], lists: [['a'], {}] },
      {},
    ],
    ['no attribute for an empty name or string', { '': 'x', plan: '' }, {}],
    ['no attribute for half a surrogate pair', { plan: '\ud83d', '\ud83d': 'x' }, {}],
  ])('returns %s', (_case, context, expected) => {
    expect(attributesOfContext(context)).toEqual(expected);
  });

  it('omits names and values of more than 255 characters', () => {
    const context = { kept: 'x'.repeat(255), left: 'x'.repeat(256), ['n'.repeat(256)]: 'x' };
    expect(Object.keys(attributesOfContext(context))).toEqual(['kept']);
  });

  it('returns at most fifty names with twenty values each', () => {
    const context = Object.fromEntries(many(60).map((name) => [`n${name}`, many(30)]));
    const attributes = attributesOfContext(context);
    expect(Object.keys(attributes)).toEqual(many(50).map((name) => `n${name}`));
    expect(attributes.n0).toEqual(many(20).map(String));
  });
});
