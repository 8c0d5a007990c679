import { describe, expect, it } from 'vitest';
import { deletableAt, isRetained } from '../../../shared/domain/ledger/sum-movements.ts';
import { findWrongUsage } from '../../../shared/domain/reconciliation/invariants.ts';
import { aTransaction } from '../fixtures.ts';

describe('the usage counter of a limit', () => {
  it.each([
    ['2026-11-21', '2026-12-27'],
    ['2026-W47', '2026-12-28'],
    ['2026-11', '2027-01-05'],
    ['2026-Q4', '2027-02-05'],
    ['2026', '2027-02-05'],
  ])('counts for the period %s, and may be deleted from %s on', (period, day) => {
    const deletable = new Date(`${day}T00:00:00.000Z`);
    const lastDay = deletable.getTime() - 86_400_000;

    expect(deletableAt(period)).toEqual(deletable);
    expect(isRetained(period, new Date(lastDay - 1))).toBe(true);
    expect(isRetained(period, new Date(lastDay))).toBe(false);
  });

  it('is retained forever when its period is a lifetime', () => {
    expect(deletableAt('LIFETIME')).toBeUndefined();
    expect(isRetained('LIFETIME', new Date('9999-12-31T23:59:59.999Z'))).toBe(true);
  });
});

describe('findWrongUsage()', () => {
  const owner = { userId: 10, campaignId: 5 };
  const [day, year] = ['2026-11-21', '2026'];
  const charges = [day, year, 'LIFETIME'].map((period, limitId) => ({ limitId, period, amount: 1, most: 2 }));
  const transaction = aTransaction({ ...owner, charges });
  const periodsAt = (now: string, used: readonly number[]) =>
    findWrongUsage(
      used.map((amount, limitId) => ({ ...owner, limitId, period: charges[limitId]?.period ?? '', used: amount })),
      [transaction],
      new Date(now),
    ).map(({ period, used: found, expected }) => [period, found, expected]);

  it('reports a wrong or missing counter of a retained period', () => {
    expect(periodsAt('2026-12-01T00:00:00Z', [2])).toEqual([
      [day, 2, 1],
      [year, 0, 1],
      ['LIFETIME', 0, 1],
    ]);
    expect(periodsAt('2026-12-01T00:00:00Z', [1, 1, 1])).toEqual([]);
  });

  it('reports no counter of a period that is not retained any more', () => {
    expect(periodsAt('2027-01-01T00:00:00Z', [2, 2])).toEqual([
      [year, 2, 1],
      ['LIFETIME', 0, 1],
    ]);
    expect(periodsAt('2027-03-01T00:00:00Z', [2, 2])).toEqual([['LIFETIME', 0, 1]]);
  });
});
