import { describe, expect, it } from 'vitest';
import {
  decideChange,
  decideClosing,
  differencesOf,
  type ProgramAccount,
  toProvenAccount,
} from '../../shared/domain/connect/program-account.ts';
import { aMembership } from './fixtures.ts';

const anAccount = (more: Partial<ProgramAccount> = {}): ProgramAccount => ({
  ...{ partnerId: 2, memberId: 'SKY-9', firstName: 'Linus', lastName: 'Pauling', email: null },
  ...{ statusTierId: 1, openingPoints: 700, pinSalt: 'salt', pinHash: 'hash' },
  ...more,
});

const closed = { closedAt: '2026-03-08T12:00:00.000Z' };

describe('differencesOf()', () => {
  it('names the values that differ, and ignores values that the change leaves out', () => {
    expect(differencesOf(anAccount(), { statusTierId: 2, email: 'l@example.com', firstName: 'Linus' })).toEqual([
      'email',
      'statusTierId',
    ]);
    expect(differencesOf(anAccount(), {})).toEqual([]);
    expect(differencesOf(anAccount({ email: 'l@example.com' }), { email: null })).toEqual(['email']);
  });
});

describe('decideChange()', () => {
  it('returns only the values that change', () => {
    const wanted = { firstName: 'Linus', lastName: 'P.', statusTierId: null, openingPoints: 0 };
    expect(decideChange(anAccount(), undefined, wanted)).toEqual({
      ...{ lastName: 'P.', statusTierId: null, openingPoints: 0 },
    });
  });

  it('refuses a different opening balance when the ledger already contains the opening balance', () => {
    const membership = aMembership({ availablePoints: 5 });
    const refused = { refused: 'points_are_in_the_ledger' };
    expect(decideChange(anAccount(), membership, { openingPoints: 701 })).toEqual(refused);
    expect(decideChange(anAccount(), membership, { openingPoints: 700, statusTierId: 3 })).toEqual({ statusTierId: 3 });
  });

  it('refuses every change of a closed account', () => {
    expect(decideChange(anAccount(closed), undefined, { firstName: 'L.' })).toEqual({ refused: 'closed' });
  });
});

describe('decideClosing()', () => {
  const empty = { account: anAccount({ openingPoints: 0 }), membership: undefined, merchantIds: [] };
  const full = { ...empty, account: anAccount() };
  const keep = { writesOff: false };
  const writeOff = { writesOff: true };

  it('closes an account without points', () => {
    expect(decideClosing(empty, keep)).toEqual({ bookedPoints: 0, unbookedPoints: 0 });
  });

  it('refuses to close an account that a merchant uses', () => {
    for (const option of [keep, writeOff]) {
      expect(decideClosing({ ...empty, merchantIds: [1] }, option)).toEqual({ refused: 'used_by_merchants' });
    }
  });

  it('writes off the points of an account only on request', () => {
    expect(decideClosing(full, keep)).toEqual({ refused: 'has_points' });
    expect(decideClosing(full, writeOff)).toEqual({ bookedPoints: 0, unbookedPoints: 700 });
    const membership = aMembership({ availablePoints: 90, heldPoints: 0 });
    expect(decideClosing({ ...full, membership }, keep)).toEqual({ refused: 'has_points' });
    expect(decideClosing({ ...full, membership }, writeOff)).toEqual({ bookedPoints: 90, unbookedPoints: 0 });
  });

  it('writes off a balance below zero', () => {
    const membership = aMembership({ availablePoints: -40, heldPoints: 0 });
    expect(decideClosing({ ...full, membership }, writeOff)).toEqual({ bookedPoints: -40, unbookedPoints: 0 });
  });

  it('refuses to close an account while points are held', () => {
    const membership = aMembership({ availablePoints: 0, heldPoints: 3 });
    expect(decideClosing({ ...full, membership }, writeOff)).toEqual({ refused: 'held_points' });
  });

  it('closes a closed account again only when points came back to it', () => {
    const account = anAccount({ ...closed, openingPoints: 0 });
    expect(decideClosing({ ...empty, account }, keep)).toEqual({ refused: 'closed' });
    const membership = aMembership({ availablePoints: 12, heldPoints: 0 });
    expect(decideClosing({ ...empty, account, membership }, writeOff)).toEqual({ bookedPoints: 12, unbookedPoints: 0 });
  });
});

describe('toProvenAccount()', () => {
  it('returns the revision, but neither salt nor hash of the PIN', () => {
    const proven = toProvenAccount(anAccount({ revision: 3 }));
    expect(proven).toEqual({
      ...{ partnerId: 2, externalId: 'SKY-9', firstName: 'Linus', lastName: 'Pauling', email: null },
      ...{ statusTierId: 1, points: 700, revision: 3 },
    });
    expect(toProvenAccount(anAccount()).revision).toBe(0);
  });
});
