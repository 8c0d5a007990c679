import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toSeconds, webhookAttemptDelaysMs } from '../../shared/contracts/limits.ts';
import { nextStep } from '../../shared/webhooks/retry-or-park.ts';

const lowest = 0;
const middle = 0.5;
const highest = 1 - Number.EPSILON;

describe('nextStep()', () => {
  it.each([
    // attempt, Retry-After, random -> seconds
    [1, undefined, lowest, 4],
    [1, undefined, middle, 5],
    [1, undefined, highest, 6],
    [2, undefined, lowest, 24],
    [2, undefined, middle, 30],
    [2, undefined, highest, 36],
    [3, undefined, middle, 120],
    [4, undefined, lowest, 480],
    [4, undefined, middle, 600],
    [4, undefined, highest, 720],
    // Retry-After is a minimum: a shorter one has no effect.
    [1, 60, lowest, 60],
    [1, 60, middle, 66],
    [4, 60, lowest, 480],
    [1, 0, middle, 5],
    // The longest delay of a queue.
    [1, 900, highest, 900],
    [1, 850, highest, 900],
  ])(
    'after attempt $0, with Retry-After $1 and the random number $2, retries in $3 seconds',
    (attempt, retryAfterSeconds, random, delaySeconds) => {
      const asked = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
      expect(nextStep({ attempt, random, ...asked })).toEqual({ kind: 'retry', delaySeconds });
    },
  );

  it.each([
    [5, undefined, lowest, 24 * 60],
    [5, undefined, middle, 30 * 60],
    [6, undefined, middle, 2 * 3600],
    [11, undefined, middle, 24 * 3600],
    [11, undefined, highest, 103_680],
    [1, 901, middle, 991],
    [2, 86_400, middle, 95_040],
  ])(
    'after attempt $0, with Retry-After $1 and the random number $2, parks the delivery for $3 seconds',
    (attempt, retryAfterSeconds, random, delaySeconds) => {
      const asked = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
      expect(nextStep({ attempt, random, ...asked })).toEqual({ kind: 'park', delaySeconds });
    },
  );

  it.each([12, 13, 99])('gives up after attempt %i', (attempt) => {
    expect(nextStep({ attempt, random: middle, retryAfterSeconds: 30 })).toEqual({ kind: 'give-up' });
  });

  it('returns no delay above the maximum of a queue or below Retry-After', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 0, max: 100_000 }),
        fc.double({ min: 0, max: highest, noNaN: true }),
        (attempt, retryAfterSeconds, random) => {
          const step = nextStep({ attempt, retryAfterSeconds, random });
          if (step.kind === 'give-up') return;
          expect(step.delaySeconds).toBeGreaterThanOrEqual(retryAfterSeconds);
          if (step.kind === 'park') return;
          expect(step.delaySeconds).toBeLessThanOrEqual(900);
          expect(Number.isInteger(step.delaySeconds)).toBe(true);
        },
      ),
    );
  });
});

describe('webhookAttemptDelaysMs', () => {
  it('contains 12 delays, 76 hours together', () => {
    const seconds = webhookAttemptDelaysMs.map(toSeconds);
    expect(seconds.slice(0, 5)).toEqual([0, 5, 30, 120, 600]);
    expect(seconds.slice(5).map((delay) => delay / 3600)).toEqual([0.5, 2, 5, 10, 14, 20, 24]);
    expect(Math.round(seconds.reduce((sum, delay) => sum + delay) / 3600)).toBe(76);
  });
});
