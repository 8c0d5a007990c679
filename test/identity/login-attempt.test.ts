import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { beginAttempt, openAttempt, sealAttempt } from '../../shared/identity/login-attempt.ts';

const at = (time: string) => ({ now: () => new Date(`2026-11-22T${time}Z`), random: randomBytes });
const key = new Uint8Array(randomBytes(32));
const keys = { seals: key, open: [key] };
const begun = () => beginAttempt({ returnPath: '/campaigns', reauthenticates: false }, at('12:00:00'));

describe('the attempt of a sign-in', () => {
  it('has new secrets of 32 bytes', () => {
    const [one, other] = [begun(), begun()];
    const secrets = [one, other].flatMap(({ state, nonce, verifier }) => [state, nonce, verifier]);

    expect(new Set(secrets).size).toBe(6);
    for (const secret of secrets) expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
  });

  it('opens with its key for ten minutes', () => {
    const attempt = begun();
    const sealed = sealAttempt(attempt, keys, at('12:00:00'));

    expect(openAttempt(sealed, keys, at('12:09:59'))).toEqual(attempt);
    expect(openAttempt(sealed, keys, at('12:10:00'))).toBeUndefined();
  });

  it('opens while its key is rotated', () => {
    const attempt = begun();
    const sealed = sealAttempt(attempt, keys, at('12:00:00'));
    const next = new Uint8Array(randomBytes(32));

    expect(openAttempt(sealed, { seals: next, open: [next, key] }, at('12:00:01'))).toEqual(attempt);
    expect(openAttempt(sealed, { seals: next, open: [next] }, at('12:00:01'))).toBeUndefined();
  });

  it('does not open when it is missing or was changed', () => {
    const sealed = sealAttempt(begun(), keys, at('12:00:00'));
    const changed = `${sealed.startsWith('A') ? 'B' : 'A'}${sealed.slice(1)}`;

    for (const text of [undefined, '', 'x', changed, `${sealed}A`]) {
      expect(openAttempt(text, keys, at('12:00:01'))).toBeUndefined();
    }
  });

  it('fits into a cookie with the longest path', () => {
    const attempt = { ...begun(), returnPath: `/${'x'.repeat(1_499)}` };

    expect(sealAttempt(attempt, keys, at('12:00:00')).length).toBeLessThan(3_000);
  });
});
