import { describe, expect, it } from 'vitest';
import { LedgerEntry, toLedgerEntries } from '../../../shared/domain/ledger/ledger-entry.ts';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { aTransaction, noon } from '../fixtures.ts';

describe('toLedgerEntries()', () => {
  it.each([
    ['EARN' as const, 100, 100],
    ['REDEEM' as const, 100, -100],
    ['EARN' as const, 0, 0],
  ])(
    'returns an entry that changes the balance by $2 for a transaction of type $0 with $1 points',
    (type, points, change) => {
      const entries = toLedgerEntries(aTransaction({ type, points }), noon);

      expect(entries).toEqual([
        {
          userId: 10,
          partnerId: 2,
          campaign: { id: 5, partnershipUuid: aTransaction().partnershipUuid },
          transactionId: 100,
          transactionUuid: aTransaction().uuid,
          kind: type,
          points: change,
          cashbackCents: 0,
          createdAt: noon.toISOString(),
        },
      ]);
      expect(entries.map((entry) => LedgerEntry.parse(entry))).toEqual(entries);
    },
  );

  it('counts a registered member only in the first transaction of a decision', () => {
    const registersOf = (transaction: RewardTransaction) => toLedgerEntries(transaction, noon)[0]?.registers;
    const award = { isRegistration: true, snapshotId: 100 };
    const campaign = { id: 5, partnershipUuid: aTransaction().partnershipUuid };

    expect(registersOf(aTransaction({ ...award, id: 100 }))).toEqual([campaign]);
    expect(registersOf(aTransaction({ ...award, id: 101 }))).toBeUndefined();
    expect(registersOf(aTransaction({ snapshotId: 100, id: 100 }))).toBeUndefined();
  });
});
