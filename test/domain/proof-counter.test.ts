import { describe, expect, it } from 'vitest';
import {
  claimProof as claimWithin,
  isPin,
  isPressed,
  maximumOf,
  networkOf,
  type ProofCounter,
  type ProofSubject,
  subjectsOf,
} from '../../shared/domain/connect/proof-counter.ts';

const minuteMs = 60_000;
const start = new Date('2026-11-20T10:00:00.000Z');
const inMinutes = (minutes: number) => new Date(start.getTime() + minutes * minuteMs);

const account = { kind: 'account', partnerId: 2, memberId: 'SKY-1' } as const;
const address = { kind: 'address', address: '192.0.2.1' } as const;

const claimProof = (subject: ProofSubject, counter: ProofCounter | undefined, now: Date) =>
  claimWithin(subject, counter, { now, maximum: maximumOf(subject, false) });

/**
 * Makes attempts at one instant until one of them locks the account. Returns the counter and the minutes of the lock.
 */
function guessUntilLocked(counter: ProofCounter | undefined, now: Date) {
  let known = counter;
  for (let attempt = 0; attempt <= 5; attempt += 1) {
    const claim = claimProof(account, known, now);
    if (claim.kind === 'lock') {
      const minutes = (Date.parse(claim.counter.until) - now.getTime()) / minuteMs;
      return { counter: claim.counter, attempts: attempt, minutes };
    }
    known = claim.kind === 'count' ? { ...claim.counter, attempts: claim.counter.attempts + 1 } : claim.counter;
  }
  throw new Error('nothing was locked');
}

describe('the counter of wrong proofs', () => {
  it('locks an account after five attempts', () => {
    const { counter, attempts, minutes } = guessUntilLocked(undefined, start);
    expect([attempts, minutes]).toEqual([5, 15]);
    expect(claimProof(account, counter, inMinutes(14)).kind).toBe('refuse');
    expect(claimProof(account, counter, inMinutes(15)).kind).toBe('open');
  });

  it('doubles each further lock, up to a day', () => {
    const minutes: number[] = [];
    let now = start;
    let counter: ProofCounter | undefined;
    for (let lock = 0; lock < 9; lock += 1) {
      const locked = guessUntilLocked(counter, now);
      minutes.push(locked.minutes);
      ({ counter } = locked);
      now = new Date(Date.parse(counter.until));
    }
    expect(minutes).toEqual([15, 30, 60, 120, 240, 480, 960, 1440, 1440]);
  });

  it('locks for 15 minutes again after a day without locks', () => {
    const { counter } = guessUntilLocked(undefined, start);
    expect(guessUntilLocked(counter, inMinutes(15 + 24 * 60)).minutes).toBe(15);

    const reopened = claimProof(account, counter, inMinutes(15)).counter;
    expect(guessUntilLocked(reopened, inMinutes(16)).minutes).toBe(30);
    expect(guessUntilLocked(reopened, inMinutes(15 + 24 * 60)).minutes).toBe(15);
  });

  it('restarts at one attempt when its window is over', () => {
    const counter = { attempts: 49, isLocked: false, until: inMinutes(60).toISOString(), locks: 0 };
    expect(claimProof(address, counter, inMinutes(59)).kind).toBe('count');
    expect(claimProof(address, { ...counter, attempts: 50 }, inMinutes(59)).kind).toBe('lock');
    expect(claimProof(address, { ...counter, attempts: 50 }, inMinutes(60))).toMatchObject({
      kind: 'open',
      counter: { attempts: 1, until: inMinutes(120).toISOString() },
    });
  });
});

describe('the subjects of an attempt', () => {
  const origin = { partnerId: 2, memberId: 'SKY-1', organisationId: 1, address: '192.0.2.1' };
  const kindsOf = (customerId: string | undefined) => subjectsOf({ ...origin, customerId }).map(({ kind }) => kind);

  it('are the account, the customer or else the address, and what others share', () => {
    expect(kindsOf('cc-1')).toEqual(['account', 'customer', 'sharedAddress', 'organisation']);
    expect(kindsOf(undefined)).toEqual(['account', 'address', 'organisation']);
  });

  it('have strict limits when many proofs of others were wrong, but an organisation is never locked', () => {
    const shared = subjectsOf({ ...origin, customerId: 'cc-1' }).slice(2);
    const counter = (attempts: number) => ({ attempts, isLocked: false, until: inMinutes(60).toISOString(), locks: 0 });
    expect(
      shared.map((subject) => [49, 50, 299, 300].filter((most) => isPressed(subject, counter(most), start))),
    ).toEqual([[50, 299, 300], [300]]);
    expect(shared.some((subject) => isPressed(subject, counter(300), inMinutes(60)))).toBe(false);
    expect(isPressed(account, counter(300), start)).toBe(false);
    expect(subjectsOf({ ...origin, customerId: 'cc-1' }).map((subject) => maximumOf(subject, true))).toEqual([
      2,
      2,
      1_000,
      Number.MAX_SAFE_INTEGER,
    ]);
  });
});

describe('an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
  ])('%j counts as the network %j', (given, network) => {
    expect(networkOf(given)).toBe(network);
  });
});

describe('a PIN', () => {
  it.each(['000000', '246802', '123456789012'])('may be %s', (pin) => expect(isPin(pin)).toBe(true));
  it.each(['', '1234', '12345', '12345a', ' 123456', '１２３４５６'])('may not be %j', (pin) =>
    expect(isPin(pin)).toBe(false),
  );
});
