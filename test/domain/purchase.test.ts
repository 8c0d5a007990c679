import { describe, expect, it } from 'vitest';
import { validityMs } from '../../shared/contracts/limits.ts';
import { decideReissue, isLive } from '../../shared/domain/award/claim.ts';
import { aPurchase, noon } from './fixtures.ts';

const later = (ms: number) => new Date(noon.getTime() + ms);

describe('isLive(), for a token of ten minutes,', () => {
  it.each([
    ['when the token was just issued', 0, true],
    ['a millisecond before the token expires', validityMs.transactionToken - 1, true],
    ['when the token expires', validityMs.transactionToken, false],
    ['a millisecond after the token expired', validityMs.transactionToken + 1, false],
  ])('returns $2 $0', (_case, ms, live) => expect(isLive(aPurchase(), later(ms))).toBe(live));

  it('returns false when the token was spent', () => expect(isLive(aPurchase({ state: 'SPENT' }), noon)).toBe(false));
});

/** The first token is for member 10 and $100. */
describe('a second token request for the same order', () => {
  const [live, expired] = [later(1), later(validityMs.transactionToken)];

  it.each([
    ['the same member and amount, while the first token is live', {}, 10, 10_000, live, 'same-token'],
    ['another amount, while the first token is live', {}, 10, 9_999, live, 'replace'],
    ['another member, while the first token is live', {}, 11, 10_000, live, 'refused'],
    ['another member and amount, while the first token is live', {}, 11, 9_999, live, 'refused'],
    ['the same member and amount, after the first token expired', {}, 10, 10_000, expired, 'replace'],
    ['another amount, after the first token expired', {}, 10, 9_999, expired, 'replace'],
    ['another member, after the first token expired', {}, 11, 10_000, expired, 'replace'],
    [
      'the same member and amount, after the first token was spent',
      { state: 'SPENT' as const },
      10,
      10_000,
      live,
      'refused',
    ],
    [
      'the same member and amount, after the spent first token expired',
      { state: 'SPENT' as const },
      10,
      10_000,
      expired,
      'refused',
    ],
    ['another member, after the first token was spent', { state: 'SPENT' as const }, 11, 10_000, live, 'refused'],
  ])('leads to "$5" for $0', (_case, existing, userId, amountCents, now, outcome) => {
    expect(decideReissue(aPurchase(existing), { userId, amountCents, now })).toBe(outcome);
  });
});
