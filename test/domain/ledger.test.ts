import { describe, expect, it } from 'vitest';
import { LedgerEntry, ledgerEntryOf } from '../../shared/domain/transaction/ledger.ts';
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
});
