import { describe, expect, it } from 'vitest';
import { retryAfterSeconds, verdictOf } from '../../shared/webhooks/attempt-outcome.ts';

const now = new Date('2026-03-01T12:00:00.000Z');

describe('verdictOf()', () => {
  it.each([200, 201, 202, 204, 299])('returns delivered for the status %d', (status) => {
    expect(verdictOf(status, undefined, now)).toEqual({ result: 'delivered', status });
  });

  it.each([
    [101, 'protocol'],
    [300, 'redirect'],
    [301, 'redirect'],
    [302, 'redirect'],
    [304, 'redirect'],
    [307, 'redirect'],
    [400, 'rejected'],
    [401, 'rejected'],
    [404, 'rejected'],
    [410, 'gone'],
    [429, 'rate_limited'],
    [500, 'server_error'],
    [503, 'server_error'],
  ])('for the status %d, returns a failure of the class %s', (status, errorClass) => {
    expect(verdictOf(status, undefined, now)).toEqual({ result: 'failed', errorClass, status });
  });

  it.each([
    [429, 7],
    [502, 7],
    [503, 7],
    [504, 7],
    [500, undefined],
    [400, undefined],
    [301, undefined],
  ])('reads the header Retry-After: 7 of a reply with status %d as %s seconds', (status, seconds) => {
    const verdict = verdictOf(status, '7', now);
    expect(verdict.result === 'failed' ? verdict.retryAfterSeconds : 'delivered').toBe(seconds);
  });
});

describe('retryAfterSeconds()', () => {
  it.each([
    ['0', 0],
    ['120', 120],
    ['999999999', 86_400],
    ['Sun, 01 Mar 2026 12:01:30 GMT', 90],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
    ['Mon, 01 Mar 2027 12:00:00 GMT', 86_400],
    ['soon', undefined],
    ['-5', 0],
    ['', undefined],
  ])('for the header %j, returns %s seconds', (header, seconds) => {
    expect(retryAfterSeconds(header, now)).toBe(seconds);
  });
});
