import { describe, expect, it } from 'vitest';
import { areStorable, withAttributes } from '../../shared/domain/member/member.ts';

const named = (count: number, prefix: string, values: string[] = ['x']) =>
  Object.fromEntries(Array.from({ length: count }, (_, position) => [`${prefix}${position}`, values]));

describe('withAttributes()', () => {
  it.each<[string, Record<string, string[]>, Record<string, string[]>, Record<string, string[]>]>([
    ['keeps an attribute that the update does not name', { plan: ['gold'] }, {}, { plan: ['gold'] }],
    [
      'replaces the attributes that the update names',
      { plan: ['gold'], club: ['a'] },
      { plan: ['free'] },
      { plan: ['free'], club: ['a'] },
    ],
    ['stores an empty list for an attribute that the update empties', { plan: ['gold'] }, { plan: [] }, { plan: [] }],
  ])('%s', (_case, earlier, update, expected) => {
    expect(withAttributes(earlier, update)).toEqual(expected);
  });

  it('keeps at most twenty names, and prefers the names of the update', () => {
    const kept = withAttributes(named(20, 'old'), named(5, 'new'));
    expect(Object.keys(kept)).toHaveLength(20);
    expect(kept).toMatchObject(named(5, 'new'));
    expect(areStorable(kept)).toBe(true);
  });

  it('keeps at most 16 KB of attributes', () => {
    const large = Array.from({ length: 20 }, () => 'é'.repeat(200));
    let kept = {};
    for (const prefix of ['a', 'b', 'c', 'd']) kept = withAttributes(kept, named(1, prefix, large));
    expect(Object.keys(kept).toSorted()).toEqual(['d0', 'a0'].toSorted());
    expect(areStorable(kept)).toBe(true);
  });
});

describe('areStorable()', () => {
  it.each([
    [true, 'no attributes', {}],
    [true, 'twenty names', named(20, 'n')],
    [false, 'twenty-one names', named(21, 'n')],
    [
      false,
      'more than 16 KB',
      named(
        9,
        'n',
        Array.from({ length: 20 }, () => 'x'.repeat(100)),
      ),
    ],
  ])('returns $0 for $1', (expected, _case, attributes) => {
    expect(areStorable(attributes)).toBe(expected);
  });
});
