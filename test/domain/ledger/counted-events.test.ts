import { expect, it } from 'vitest';
import type { Charge, RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { findMismatches } from '../../../shared/domain/reconciliation/invariants.ts';
import { aTransaction, noon } from '../fixtures.ts';

const charge: Charge = { limitId: 7, period: 'LIFETIME', amount: 1, most: 5, isShared: true };

const noBooks = {
  ...{ memberships: [], claims: [], entries: [], usage: [], programAccounts: [], adjustments: [], payouts: [] },
  merges: new Map(),
};

/** The rewards that the invariants report of an event with two rewards. */
function reportedOf(one: Partial<RewardTransaction>, other: Partial<RewardTransaction>): (number | string)[] {
  const transactions = [
    aTransaction({ id: 1, snapshotId: 1, ...one }),
    aTransaction({ id: 2, snapshotId: 1, ...other }),
  ];
  return findMismatches({ ...noBooks, transactions }, noon)
    .filter(({ what }) => what === 'rewards that count its event')
    .map(({ found }) => found);
}

it('an event is counted by one of its rewards, whatever they know of each other', () => {
  expect(reportedOf({ charges: [charge] }, {})).toEqual([]);
  expect(reportedOf({ charges: [charge] }, { charges: [charge] })).toEqual(['1 2']);
  expect(reportedOf({ charges: [charge] }, { charges: [charge], state: 'FAILED' })).toEqual([]);
  expect(reportedOf({ charges: [charge] }, { charges: [charge], snapshotId: 2 })).toEqual([]);
});

it('a restored reward counts its event above the maximum, also if the restoration left the charge to it', () => {
  const once = { ...charge, most: 1 };
  const given = [1, 2].map((id) => aTransaction({ id, snapshotId: id, charges: [once] }));
  const [standing, other] = given;
  if (!standing || !other) throw new Error('there are two rewards');
  const restored = { ...other, state: 'REVERSED' as const };
  const restoration = aTransaction({
    id: 3,
    snapshotId: 2,
    reverses: { id: 2, uuid: other.uuid, refundUuid: other.uuid },
    isRestoration: true,
  });
  const { userId, campaignId } = standing;
  const usage = [{ userId, campaignId, limitId: once.limitId, period: once.period, used: 2 }];
  const reported = (transactions: readonly RewardTransaction[]) =>
    findMismatches({ ...noBooks, usage, transactions }, noon).filter(
      ({ what }) => what === 'used in LIFETIME and maximum',
    );

  expect(reported(given)).toMatchObject([{ found: 2, expected: 'at most 1' }]);
  expect(reported([standing, restored, restoration])).toEqual([]);
});
