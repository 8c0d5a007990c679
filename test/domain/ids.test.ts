import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { integerIdOf, parseIntegerId, uuidOf } from '../../shared/domain/ids.ts';
import { fc } from '../support/fast-check.ts';
import { noon } from './fixtures.ts';

const lastInstantMs = (2 ** 32 - 1) * 1000 + 999;
const instants = fc.integer({ min: 1000, max: lastInstantMs });
const randoms = fc.uint8Array({ minLength: 10, maxLength: 16 });

describe('uuidOf()', () => {
  it('returns a version 7 UUID (RFC 9562) that starts with the given instant', () => {
    fc.assert(
      fc.property(instants, randoms, (ms, random) => {
        const uuid = uuidOf(new Date(ms), random);
        expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16)).toBe(ms);
      }),
    );
  });

  it('uses 74 of the 80 given random bits', () => {
    const ones = uuidOf(noon, new Uint8Array(10).fill(0xff));
    const zeros = uuidOf(noon, new Uint8Array(10));

    expect(ones.slice(14)).toBe('7fff-bfff-ffffffffffff');
    expect(zeros.slice(14)).toBe('7000-8000-000000000000');
  });

  it('returns the example of RFC 9562, appendix A.6', () => {
    const random = Buffer.from('0cc318c4dc0c0c07398f', 'hex');

    expect(uuidOf(new Date('2022-02-22T19:22:22.000Z'), random)).toBe('017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
  });

  it('returns UUIDs that sort by time', () => {
    fc.assert(
      fc.property(instants, instants, randoms, randoms, (one, other, random, more) => {
        fc.pre(one < other);
        expect(uuidOf(new Date(one), random) < uuidOf(new Date(other), more)).toBe(true);
      }),
    );
  });

  it('throws when it gets fewer random bytes than it needs', () => {
    expect(() => uuidOf(noon, randomBytes(9))).toThrow(RangeError);
  });
});

describe('integerIdOf()', () => {
  it('returns an integer that is exact in JSON, until the year 2106', () => {
    fc.assert(
      fc.property(instants, randoms, (ms, random) => {
        const id = integerIdOf(uuidOf(new Date(ms), random));
        expect(Number.isSafeInteger(id)).toBe(true);
        expect(id).toBeGreaterThan(0);
        expect(JSON.parse(JSON.stringify({ id }))).toEqual({ id });
        expect(parseIntegerId(String(id))).toBe(id);
      }),
    );
  });

  it('returns a larger integer for an instant at least a second later', () => {
    fc.assert(
      fc.property(instants, instants, randoms, randoms, (one, other, random, more) => {
        fc.pre(Math.floor(one / 1000) < Math.floor(other / 1000));
        const [earlier = 0, later = 0] = [
          integerIdOf(uuidOf(new Date(one), random)),
          integerIdOf(uuidOf(new Date(other), more)),
        ];
        expect(earlier).toBeLessThan(later);
      }),
    );
  });

  it('returns another integer when any of the first 21 random bits changes', () => {
    const ids = new Set<number | undefined>();
    // 12 bits follow the version, and 9 bits follow the variant. They come from bytes 0 to 3 of the random bytes.
    const bits = [
      ...Array.from({ length: 12 }, (_, bit) => bit + 4),
      ...Array.from({ length: 9 }, (_, bit) => bit + 18),
    ];
    for (const bit of bits) {
      const random = new Uint8Array(10);
      random[bit >> 3] = 0x80 >> (bit & 7);
      ids.add(integerIdOf(uuidOf(noon, random)));
    }
    ids.add(integerIdOf(uuidOf(noon, new Uint8Array(10))));

    expect(ids.size).toBe(22);
  });

  it.each([
    ['version 4', '9b2e0c6e-1f3a-4d2b-8c7d-0123456789ab'],
    ['version 1', 'c232ab00-9414-11ec-b3c8-9f6bdeced846'],
    ['another variant', '017f22e2-79b0-7cc3-c8c4-dc0c0c07398f'],
    ['capital letters', '017F22E2-79B0-7CC3-98C4-DC0C0C07398F'],
    ['no hyphens', '017f22e279b07cc398c4dc0c0c07398f'],
    ['braces', '{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}'],
    ['a line end', '017f22e2-79b0-7cc3-98c4-dc0c0c07398f\n'],
    ['one digit too few', '017f22e2-79b0-7cc3-98c4-dc0c0c07398'],
    ['the nil UUID', '00000000-0000-0000-0000-000000000000'],
    ['an id of zero', '00000000-0000-7000-8000-000000000000'],
    ['an instant after 2106', 'ffffffff-ffff-7fff-bfff-ffffffffffff'],
    ['nothing', ''],
    ['text', 'not a uuid'],
  ])('returns undefined for a text that is no UUID of the platform: %s', (_case, text) => {
    expect(integerIdOf(text)).toBeUndefined();
  });
});

describe('parseIntegerId()', () => {
  it.each([
    ['1', 1],
    ['42', 42],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('returns the number for the text %s', (text, id) => expect(parseIntegerId(text)).toBe(id));

  it.each([
    '9007199254740992',
    '99999999999999999999',
    '0',
    '-1',
    '+1',
    '01',
    '1.0',
    '1e3',
    '0x10',
    ' 1',
    '1 ',
    '1\n',
    '１',
    '1_000',
    '',
    'NaN',
  ])('returns undefined for %j', (text) => expect(parseIntegerId(text)).toBeUndefined());
});
