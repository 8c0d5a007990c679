import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CursorLock, openCursor, sealCursor } from '../../shared/http/paging.ts';
import { sealIvBytes } from '../../shared/store/credential/sealed-text.ts';
import '../support/fast-check.ts';

const now = new Date('2026-11-21T10:00:00Z');
const expiresAt = new Date('2026-11-22T10:00:00Z');
const lock: CursorLock = { platformKey: randomBytes(32), organisationId: 7, list: '["campaign","list",25,[1]]' };
const position = { towards: 'next', from: '2026-11-20T00:00:00.000Z#0000000000000042' } as const;

const seal = (changes: Partial<CursorLock> = {}) =>
  sealCursor({ ...lock, ...changes }, { ...position, expiresAt }, randomBytes(sealIvBytes));

describe('the cursor of a list', () => {
  it('is decoded to its position', () => {
    expect(openCursor(lock, seal(), now)).toEqual(position);
  });

  it('is encrypted, and differs each time for the same position', () => {
    const cursor = seal();
    expect(cursor).toMatch(/^[\w-]+$/);
    expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toMatch(/next|2026/);
    expect(seal()).not.toBe(cursor);
  });

  it('is accepted until it expires', () => {
    const cursor = seal();
    expect(openCursor(lock, cursor, new Date(expiresAt.getTime() - 1))).toEqual(position);
    expect(openCursor(lock, cursor, expiresAt)).toBeUndefined();
  });

  it.each<[string, Partial<CursorLock>]>([
    ['another organisation', { organisationId: 8 }],
    ['another query', { list: '["campaign","list",25,[1,2]]' }],
    ['another platform', { platformKey: randomBytes(32) }],
  ])('is refused for %s', (_, changes) => {
    expect(openCursor({ ...lock, ...changes }, seal(), now)).toBeUndefined();
    expect(openCursor(lock, seal(changes), now)).toBeUndefined();
  });

  it('is refused after any change of a bit or character', () => {
    const cursor = seal();
    const characters = fc.constantFrom(...'ABCXYZabcxyz0189-_ +/=.%~\u00e9');
    fc.assert(
      fc.property(fc.nat(cursor.length - 1), characters, (place, character) => {
        const changed = cursor.slice(0, place) + character + cursor.slice(place + 1);
        fc.pre(changed !== cursor);
        expect(openCursor(lock, changed, now)).toBeUndefined();
      }),
    );
    for (const end of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_') {
      const changed = cursor.slice(0, -1) + end;
      if (changed !== cursor) expect(openCursor(lock, changed, now)).toBeUndefined();
    }
  });

  it.each(['', 'x', '=', seal().slice(0, 20), `${seal()}A`, `${seal()}=`, ` ${seal()}`, seal().slice(0, -4)])(
    'is refused when it is %j',
    (text) => {
      expect(openCursor(lock, text, now)).toBeUndefined();
    },
  );
});
