import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cacheAgeMs, validityMs } from '../../shared/contracts/limits.ts';
import { dropEarlierSecret, type PlatformKey, rotateKey, secretsAt } from '../../shared/domain/platform-key.ts';
import '../support/fast-check.ts';

const at = (ms: number) => new Date(Date.parse('2026-11-21T10:00:00Z') + ms);
const key: PlatformKey = { secret: 'Zmlyc3Q=', createdAt: at(0).toISOString() };
const rotated = rotateKey(key, 'c2Vjb25k', at(0)) ?? expect.unreachable();
const { sealsFrom, earlierUntil } = rotated.next ?? expect.unreachable();

describe('a key of the platform', () => {
  it('has only one secret before a rotation and after its end', () => {
    expect(secretsAt(key, at(0))).toEqual({ seals: key.secret, open: [key.secret] });
    expect(secretsAt(rotated, new Date(earlierUntil))).toEqual({ seals: 'c2Vjb25k', open: ['c2Vjb25k'] });
    expect(dropEarlierSecret(rotated)).toEqual({ secret: 'c2Vjb25k', createdAt: at(0).toISOString() });
    expect(dropEarlierSecret(key)).toBeUndefined();
  });

  it('is rotated again only after the earlier rotation has ended', () => {
    expect(rotateKey(rotated, 'dGhpcmQ=', new Date(Date.parse(earlierUntil) - 1))).toBeUndefined();
    const again = rotateKey(rotated, 'dGhpcmQ=', new Date(earlierUntil));
    expect(again).toMatchObject({ secret: 'c2Vjb25k', createdAt: at(0).toISOString(), next: { secret: 'dGhpcmQ=' } });
  });

  it('lets every function open each valid text that another function sealed', () => {
    const total = Date.parse(earlierUntil) - at(0).getTime() + validityMs.cursor;
    const instant = fc.integer({ min: -validityMs.cursor, max: total });
    const age = fc.integer({ min: 0, max: cacheAgeMs.platformKey });
    const lifetime = fc.integer({ min: 0, max: validityMs.cursor - 1 });
    // A function uses a key that it read earlier. If it read the key before the rotation, it does not know the new secret.
    const readAt = (ms: number) => (ms < 0 ? key : rotated);
    fc.assert(
      fc.property(instant, age, lifetime, age, (sealedMs, sealersAge, laterMs, openersAge) => {
        const { seals } = secretsAt(readAt(sealedMs - sealersAge), at(sealedMs));
        const openedMs = sealedMs + laterMs;
        expect(secretsAt(readAt(openedMs - openersAge), at(openedMs)).open).toContain(seals);
      }),
      { numRuns: 2_000 },
    );
    expect(new Date(sealsFrom)).toEqual(at(2 * cacheAgeMs.platformKey));
  });
});
