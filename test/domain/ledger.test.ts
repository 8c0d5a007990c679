import { describe, expect, it } from 'vitest';
import { LedgerEntry, ledgerEntryOf } from '../../shared/domain/ledger/ledger-entry.ts';
import { aTransaction, noon } from './fixtures.ts';

describe('the ledger entry of a transaction', () => {
  it.each([
    ['EARN' as const, 100, 100],
    ['REDEEM' as const, 100, -100],
    ['EARN' as const, 0, 0],
  ])('%s of %d points changes the balance by %d', (type, points, change) => {
    const entry = ledgerEntryOf(aTransaction({ type, points }), noon);

    expect(entry).toEqual({
      userId: 10,
      partnerId: 2,
      campaign: { id: 5, partnershipUuid: aTransaction().partnershipUuid },
      transactionId: 100,
      transactionUuid: aTransaction().uuid,
      kind: type,
      points: change,
      cashbackCents: 0,
      createdAt: noon.toISOString(),
    });
    expect(LedgerEntry.parse(entry)).toEqual(entry);
  });

  it('of a registration counts the member once, by the first transaction of the decision', () => {
    const award = { isRegistration: true, snapshotId: 100 };
    const campaign = { id: 5, partnershipUuid: aTransaction().partnershipUuid };

    expect(ledgerEntryOf(aTransaction({ ...award, id: 100 }), noon).registers).toEqual([campaign]);
    expect(ledgerEntryOf(aTransaction({ ...award, id: 101 }), noon).registers).toBeUndefined();
    expect(ledgerEntryOf(aTransaction({ snapshotId: 100, id: 100 }), noon).registers).toBeUndefined();
  });
});
