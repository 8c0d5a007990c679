import { describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../clients/typescript/src/webhooks.ts';
import { webhookMs } from '../../shared/contracts/limits.ts';
import {
  commitRotation,
  deliveryBody,
  NoRotationError,
  RotationRunningError,
  rotateSalt,
  type StoredSalts,
  settledSalt,
  signatureHeaders,
  signingSalts,
} from '../../shared/webhooks/delivery-request.ts';
import { fc } from '../support/fast-check.ts';
import { isGenuineBySpecification } from '../support/specification-verifier.ts';
import { anEvent } from './fixtures.ts';

const now = new Date('2026-03-01T12:00:00.000Z');
const activatesAt = '2026-03-02T12:00:00.000Z';
const rotating = { salt: 'old', nextSalt: { salt: 'new', activatesAt } };

/** Instants around the activation of the new salt, and the salts that sign at each. */
const instants = [
  ['2026-03-01T12:00:00.000Z', { current: 'old', next: 'new' }],
  ['2026-03-02T11:59:59.000Z', { current: 'old', next: 'new' }],
  ['2026-03-02T11:59:59.999Z', { current: 'old', next: 'new' }],
  ['2026-03-02T12:00:00.000Z', { current: 'new' }],
  ['2026-03-02T12:00:01.000Z', { current: 'new' }],
  ['2026-06-02T12:00:00.000Z', { current: 'new' }],
] as const;

describe('signingSalts()', () => {
  it.each(instants)('at %s returns %j', (at, expected) => {
    expect(signingSalts(rotating, new Date(at))).toEqual(expected);
  });

  it('returns the one salt of a subscription without a rotation', () => {
    expect(signingSalts({ salt: 'old' }, now)).toEqual({ current: 'old' });
  });

  it.each([
    ['2026-03-02T12:00:00.999Z', { current: 'old', next: 'new' }],
    ['2026-03-02T12:00:01.000Z', { current: 'new' }],
  ])('decides by the whole second of the timestamp header: at %s returns %j', (at, expected) => {
    const nextSalt = { salt: 'new', activatesAt: '2026-03-02T12:00:00.500Z' };
    expect(signingSalts({ salt: 'old', nextSalt }, new Date(at))).toEqual(expected);
  });
});

describe('rotateSalt()', () => {
  it('keeps the old salt, and activates the new salt a day later', () => {
    expect(rotateSalt({ salt: 'old' }, 'new', now)).toEqual({ ...rotating, updatedAt: now.toISOString() });
  });

  it('activates the new salt at the first whole second after a day', () => {
    const { nextSalt } = rotateSalt({ salt: 'old' }, 'new', new Date('2026-03-01T12:00:00.001Z'));
    expect(nextSalt?.activatesAt).toBe('2026-03-02T12:00:01.000Z');
  });

  it('refuses another rotation until the new salt of the running rotation is active', () => {
    const lastSecond = new Date('2026-03-02T11:59:59.999Z');
    const second = () => rotateSalt(rotating, 'newer', lastSecond);
    expect(second).toThrow(RotationRunningError);
    expect(second).toThrow(expect.objectContaining({ activatesAt }));
  });

  it('replaces the activated salt after the end of a rotation', () => {
    expect(rotateSalt(rotating, 'newer', new Date(activatesAt))).toMatchObject({
      salt: 'new',
      nextSalt: { salt: 'newer', activatesAt: '2026-03-03T12:00:00.000Z' },
    });
  });
});

describe('commitRotation()', () => {
  it.each([now, new Date(activatesAt)])('leaves only the new salt when it runs at %s', (at) => {
    expect(commitRotation(rotating, at)).toEqual({ salt: 'new', updatedAt: at.toISOString() });
  });

  it('refuses to commit when there is no new salt', () => {
    expect(() => commitRotation({ salt: 'old' }, now)).toThrow(NoRotationError);
  });
});

describe('settledSalt()', () => {
  it.each(instants)('returns, at %s, salts that give the same signatures as the stored salts', (at, expected) => {
    const settled = settledSalt(rotating, new Date(at));
    expect(signingSalts(settled, new Date(at))).toEqual(expected);
    expect(settled).toEqual('next' in expected ? rotating : { salt: 'new' });
  });
});

/** A delivery at an instant. */
function deliveryAt(stored: StoredSalts, signedAt: Date) {
  const body = deliveryBody(anEvent());
  return {
    body,
    headers: signatureHeaders({ salts: signingSalts(stored, signedAt), eventId: 'event', body, signedAt }),
  };
}

const isVerified = ({ body, headers }: ReturnType<typeof deliveryAt>, salt: string, at: Date) =>
  isGenuineBySpecification({ headers, rawBody: body }, { salt, now: at });

describe('a rotation', () => {
  // Half of the instants are within seconds of the activation.
  const aroundActivation = fc.integer({ min: -3_000, max: 3_000 }).map((ms) => webhookMs.saltRotation + ms);
  const afterMs = fc.oneof(aroundActivation, fc.integer({ min: 0, max: 3 * webhookMs.saltRotation }));
  const start = fc.date({ min: new Date('2026-01-01'), max: new Date('2030-01-01'), noInvalidDate: true });

  it('signs x-platform-signature with exactly one salt at every instant', () => {
    fc.assert(
      fc.property(start, afterMs, (startedAt, ms) => {
        const stored = rotateSalt({ salt: 'old' }, 'new', startedAt);
        const at = new Date(startedAt.getTime() + ms);
        const delivery = deliveryAt(stored, at);

        const timestampMs = Number(delivery.headers['x-platform-timestamp']) * 1_000;
        const expected = timestampMs >= Date.parse(stored.nextSalt?.activatesAt ?? '') ? 'new' : 'old';
        expect(['old', 'new'].filter((salt) => isVerified(delivery, salt, at))).toEqual([expected]);
      }),
    );
  });

  it('lets a receiver that has both salts verify every delivery in both schemes', () => {
    fc.assert(
      fc.property(start, afterMs, (startedAt, ms) => {
        const at = new Date(startedAt.getTime() + ms);
        const delivery = deliveryAt(rotateSalt({ salt: 'old' }, 'new', startedAt), at);
        for (const scheme of ['platform', 'standard'] as const) {
          expect(verifyWebhook({ ...delivery, salts: ['old', 'new'], now: at, scheme }).eventId).toBe('event');
        }
      }),
    );
  });

  it('signs every delivery with a salt that the receiver has', () => {
    const step = fc.record({
      call: fc.constantFrom('rotate', 'commit', 'wait'),
      waitMs: fc.oneof(afterMs, fc.nat(9_000)),
    });
    fc.assert(
      fc.property(start, fc.array(step, { minLength: 1, maxLength: 12 }), (startedAt, steps) => {
        let state: Held = { stored: { salt: 'salt' }, held: ['salt'] };
        let at = startedAt;
        for (const { call, waitMs } of steps) {
          at = new Date(at.getTime() + waitMs);
          state = calls[call](state, at);
          const delivery = deliveryAt(state.stored, at);
          expect(state.held.filter((salt) => isVerified(delivery, salt, at))).toHaveLength(1);
          expect(signingSalts(settledSalt(state.stored, at), at)).toEqual(signingSalts(state.stored, at));
        }
      }),
    );
  });
});

/** The salts of a subscription, and the last two salts that its receiver was given. */
interface Held {
  readonly stored: StoredSalts;
  readonly held: readonly string[];
}

const calls: Readonly<Record<'rotate' | 'commit' | 'wait', (state: Held, at: Date) => Held>> = {
  rotate: ({ stored, held }, at) => {
    if (settledSalt(stored, at).nextSalt) return { stored, held };
    const newSalt = `salt ${at.toISOString()} ${held.join().length}`;
    return { stored: rotateSalt(stored, newSalt, at), held: [...held.slice(-1), newSalt] };
  },
  // After the commit, the receiver holds the new salt only.
  commit: ({ stored, held }, at) =>
    stored.nextSalt ? { stored: commitRotation(stored, at), held: held.slice(-1) } : { stored, held },
  wait: (state) => state,
};
