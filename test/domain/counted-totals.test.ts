import { describe, expect, it } from 'vitest';
import { dayMs, minuteMs, retentionMs, timingMs } from '../../shared/contracts/limits.ts';
import type { LedgerEntry } from '../../shared/domain/ledger/ledger-entry.ts';
import { noTotals } from '../../shared/domain/ledger/totals.ts';
import {
  compareTotals,
  findWrongTotals,
  joinCounted,
  sumCounted,
} from '../../shared/domain/reconciliation/counted-totals.ts';

const readAt = Date.parse('2026-11-23T10:00:00Z');
const reading = {
  from: new Date(readAt).toISOString(),
  to: new Date(readAt + 1_000).toISOString(),
  toleratedMs: timingMs.uncountedSpend,
};
const now = new Date(readAt + 4 * 60 * minuteMs);
const subject = { partnershipUuid: 'one', campaignId: 7 };

function anEntry(points: number, createdAt: number): LedgerEntry {
  return {
    ...{ userId: 1, partnerId: 2, transactionId: 3, transactionUuid: 'uuid', cashbackCents: 0 },
    ...{ campaign: { id: 7, partnershipUuid: 'one' }, kind: points < 0 ? 'EARN_REVERSAL' : 'EARN', points },
    createdAt: new Date(createdAt).toISOString(),
  };
}

/**
 * Returns the faults of a counter of `earnedPoints`. The ledger has an entry of 100 points, which was counted before
 * the reading, and an entry of `points`, which was made and counted at `times`. If `isReadAgain`, the counters are read
 * again after the ledger, and have not changed.
 */
function wrongWith(
  earnedPoints: number,
  points: number,
  { isReadAgain = false, ...times }: { createdAt: number; countedAt?: number; isReadAgain?: boolean },
) {
  const sure = { entry: anEntry(100, readAt - dayMs), countedAt: readAt - dayMs };
  const other = { entry: anEntry(points, times.createdAt), countedAt: times.countedAt };
  const counted = joinCounted([sure, other].flatMap((marked) => sumCounted([marked], reading, now)));
  const transactions = earnedPoints > 100 ? 2 : 1;
  const counters = [{ campaignId: 7, totals: { ...noTotals, earnedPoints, transactions } }];
  const before = [{ partnershipUuid: 'one', counters }];
  const wrong = findWrongTotals(compareTotals(before, counted, isReadAgain ? before : []));
  return wrong.map(({ what, expected }) => [what, expected]);
}

describe('totals that are read before the ledger', () => {
  const hour = 60 * minuteMs;
  it.each([
    ['was counted before', { createdAt: readAt - hour, countedAt: readAt - hour }, 150],
    ['was counted afterwards', { createdAt: readAt - minuteMs, countedAt: readAt + hour }, 100],
    ['was made afterwards, and is not counted yet', { createdAt: readAt + hour }, 100],
    ['was made shortly before, and is not counted yet', { createdAt: readAt - minuteMs }, 100],
    ['is so old that its mark is deleted', { createdAt: readAt - retentionMs.countedLedgerEntry }, 150],
    ['lost its mark during the reading', { createdAt: now.getTime() - retentionMs.countedLedgerEntry - 1 }, 150],
  ])('contain the entries counted before that reading, and no others: an entry that %s', (_, times, right) => {
    expect(wrongWith(right, 50, times)).toEqual([]);
    const wrong = right === 150 ? 100 : 150;
    expect(wrongWith(wrong, 50, times)).toContainEqual(['points earned and ledger', right]);
  });

  it('may contain or lack an entry that was counted shortly before the reading', () => {
    const times = { createdAt: readAt - minuteMs, countedAt: readAt - timingMs.countingWrite / 2 };
    expect(wrongWith(100, 50, times)).toEqual([]);
    expect(wrongWith(150, 50, times)).toEqual([]);
    expect(wrongWith(60, -40, times)).toEqual([]);
    expect(wrongWith(151, 50, times)).toEqual([['points earned and ledger', '100 to 150']]);
    expect(wrongWith(59, -40, times)).toEqual([['points earned and ledger', '60 to 100']]);
  });

  it('contain every marked entry if they are still the same after the ledger was read', () => {
    const times = { createdAt: readAt - minuteMs, countedAt: readAt - timingMs.countingWrite / 2, isReadAgain: true };
    expect(wrongWith(150, 50, times)).toEqual([]);
    expect(wrongWith(60, -40, times)).toEqual([]);
    expect(wrongWith(151, 50, times)).toEqual([['points earned and ledger', 150]]);
    expect(wrongWith(100, 50, times)).toContainEqual(['points earned and ledger', 150]);
  });

  it('have one fault for an entry that is still not counted after two hours', () => {
    const createdAt = readAt - timingMs.uncountedSpend - 1;
    expect(wrongWith(100, 50, { createdAt })).toEqual([['entries that are not in any totals yet', 0]]);
  });

  it('are compared only for partnerships whose counters were read', () => {
    const counted = sumCounted([{ entry: anEntry(100, readAt - dayMs), countedAt: readAt - dayMs }], reading, now);
    expect(counted).toMatchObject([subject]);
    expect(findWrongTotals(compareTotals([], counted))).toEqual([]);
    expect(findWrongTotals(compareTotals([{ partnershipUuid: 'one', counters: [] }], counted))).toMatchObject([
      { subject: 'campaign 7 of partnership one', what: 'points earned and ledger', found: 0, expected: 100 },
      { what: 'transactions and ledger', found: 0, expected: 1 },
    ]);
  });
});
