import { describe, expect, it } from 'vitest';
import { validityMs } from '../../shared/contracts/limits.ts';
import { decideReissue, isLive } from '../../shared/domain/award/claim.ts';
import { aPurchase, noon } from './fixtures.ts';

const later = (ms: number) => new Date(noon.getTime() + ms);

describe('a token is valid for ten minutes', () => {
  it.each([
    ['at once', 0, true],
    ['a millisecond before the end', validityMs.transactionToken - 1, true],
    ['at the end', validityMs.transactionToken, false],
    ['later', validityMs.transactionToken + 1, false],
  ])('%s', (_case, ms, live) => expect(isLive(aPurchase(), later(ms))).toBe(live));

  it('is not valid after it is spent', () => expect(isLive(aPurchase({ state: 'SPENT' }), noon)).toBe(false));
});

/** A second token request for an order of member 10 for $100. */
describe('a repeated order', () => {
  const [live, expired] = [later(1), later(validityMs.transactionToken)];

  it.each([
    ['same member, same amount, token lives', {}, 10, 10_000, live, 'same-token'],
    ['same member, other amount, token lives', {}, 10, 9_999, live, 'replace'],
    ['other member, same amount, token lives', {}, 11, 10_000, live, 'refused'],
    ['other member, other amount, token lives', {}, 11, 9_999, live, 'refused'],
    ['same member, same amount, token expired', {}, 10, 10_000, expired, 'replace'],
    ['same member, other amount, token expired', {}, 10, 9_999, expired, 'replace'],
    ['other member, token expired', {}, 11, 10_000, expired, 'replace'],
    ['same member, same amount, token spent', { state: 'SPENT' as const }, 10, 10_000, live, 'refused'],
    ['same member, token spent long ago', { state: 'SPENT' as const }, 10, 10_000, expired, 'refused'],
    ['other member, token spent', { state: 'SPENT' as const }, 11, 10_000, live, 'refused'],
  ])('%s', (_case, existing, userId, amountCents, now, outcome) => {
    expect(decideReissue(aPurchase(existing), { userId, amountCents, now })).toBe(outcome);
  });
});
