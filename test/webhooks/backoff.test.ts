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
    [5, undefined, 0],
    [6, undefined, 0],
    [99, 30, 30],
    [1, 901, 901],
    [2, 86_400, 86_400],
  ])(
    'after attempt $0, with Retry-After $1, parks the delivery for at least $2 seconds',
    (attempt, retryAfterSeconds, notBeforeSeconds) => {
      const asked = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
      expect(nextStep({ attempt, random: middle, ...asked })).toEqual({ kind: 'park', notBeforeSeconds });
    },
  );

  it('returns no delay above the maximum of a queue or below Retry-After', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 0, max: 100_000 }),
        fc.double({ min: 0, max: highest, noNaN: true }),
        (attempt, retryAfterSeconds, random) => {
          const step = nextStep({ attempt, retryAfterSeconds, random });
          if (step.kind === 'park') return;
          expect(step.delaySeconds).toBeLessThanOrEqual(900);
          expect(Number.isInteger(step.delaySeconds)).toBe(true);
          expect(step.delaySeconds).toBeGreaterThanOrEqual(retryAfterSeconds);
        },
      ),
    );
  });
});

describe('webhookAttemptDelaysMs', () => {
  it('contains 0, 5, 30, 120 and 600 seconds', () => {
    expect(webhookAttemptDelaysMs.map(toSeconds)).toEqual([0, 5, 30, 120, 600]);
  });
});
