import { describe, expect, it } from 'vitest';
import { attributesOfContext } from '../../shared/domain/trigger/context-attributes.ts';

const many = (count: number) => Array.from({ length: count }, (_, position) => position);

describe('attributes of a context', () => {
  it.each<[string, Record<string, unknown>, Record<string, string[]>]>([
    ['a text, unchanged', { plan: ' Gold ' }, { plan: [' Gold '] }],
    ['numbers as text', { seats: 3, share: 0.5, minus: -1 }, { seats: ['3'], share: ['0.5'], minus: ['-1'] }],
    ['booleans as text', { isNew: true, isPaid: false }, { isNew: ['true'], isPaid: ['false'] }],
    ['a list of them, as several values', { tags: ['a', 1, true] }, { tags: ['a', '1', 'true'] }],
    ['nothing for a name that every object inherits', { constructor: 'x', toString: 'y', plan: 'z' }, { plan: ['z'] }],
    [
      'nothing for null, objects and nested lists',
      { nothing: null, deep: { plan: 'gold' }, none: [], lists: [['a'], {}] },
      {},
    ],
    ['nothing for an empty name or text', { '': 'x', plan: '' }, {}],
    ['nothing for half a surrogate pair', { plan: '\ud83d', '\ud83d': 'x' }, {}],
  ])('contain %s', (_case, context, expected) => {
    expect(attributesOfContext(context)).toEqual(expected);
  });

  it("omit texts longer than a condition's values", () => {
    const context = { kept: 'x'.repeat(255), left: 'x'.repeat(256), ['n'.repeat(256)]: 'x' };
    expect(Object.keys(attributesOfContext(context))).toEqual(['kept']);
  });

  it('contain at most fifty names of twenty values', () => {
    const context = Object.fromEntries(many(60).map((name) => [`n${name}`, many(30)]));
    const attributes = attributesOfContext(context);
    expect(Object.keys(attributes)).toEqual(many(50).map((name) => `n${name}`));
    expect(attributes.n0).toEqual(many(20).map(String));
  });
});
