import { expect, it } from 'vitest';
import type { Charge, RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { findMismatches } from '../../../shared/domain/reconciliation/invariants.ts';
import { aTransaction, noon } from '../fixtures.ts';

const charge: Charge = { limitId: 7, period: 'LIFETIME', amount: 1, most: 5, isShared: true };

/** The rewards that the invariants report of an event with two rewards. */
function reportedOf(one: Partial<RewardTransaction>, other: Partial<RewardTransaction>): (number | string)[] {
  const transactions = [
    aTransaction({ id: 1, snapshotId: 1, ...one }),
    aTransaction({ id: 2, snapshotId: 1, ...other }),
  ];
  const none = {
    ...{ memberships: [], claims: [], entries: [], usage: [], programAccounts: [], adjustments: [], payouts: [] },
    merges: new Map(),
  };
  return findMismatches({ ...none, transactions }, noon)
    .filter(({ what }) => what === 'rewards that count its event')
    .map(({ found }) => found);
}

it('an event is counted by one of its rewards, whatever they know of each other', () => {
  expect(reportedOf({ charges: [charge] }, {})).toEqual([]);
  expect(reportedOf({ charges: [charge] }, { charges: [charge] })).toEqual(['1 2']);
  expect(reportedOf({ charges: [charge] }, { charges: [charge], state: 'FAILED' })).toEqual([]);
  expect(reportedOf({ charges: [charge] }, { charges: [charge], snapshotId: 2 })).toEqual([]);
});
