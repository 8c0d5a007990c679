import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../../../shared/domain/ledger/ledger-entry.ts';
import { outstandingOf, programStatement, settlementStatement } from '../../../shared/domain/ledger/statement.ts';
import { contributionsOf, sumOf } from '../../../shared/domain/ledger/totals.ts';
import { TotalsCounter } from '../../../shared/store/ledger/totals.ts';
import { fc } from '../../support/fast-check.ts';
import { confirm } from '../../support/finalize.ts';
import { readBooks } from '../../support/reconcile.ts';
import { createTransaction } from '../../support/story.ts';
import { makeWorld, type World } from '../../support/world.ts';
import { commandLineOf, temporaryFile } from './command-line.ts';

const entry = (more: Partial<LedgerEntry>): LedgerEntry => ({
  ...{ userId: 1, partnerId: 2, transactionId: 1, transactionUuid: 'u', kind: 'EARN', points: 0, cashbackCents: 0 },
  campaign: { id: 1, partnershipUuid: 'p' },
  createdAt: '2026-11-15T00:00:00.000Z',
  ...more,
});
const inUtc = { timeZone: 'UTC' };

describe('what members have in a program', () => {
  it('is not reduced by other members’ debts', () => {
    const paidOut = { kind: 'PAYOUT', campaign: null } as const;
    const entries = [
      entry({ userId: 1, points: 500, cashbackCents: 300 }),
      entry({ userId: 2, kind: 'ADJUSTMENT', campaign: null, points: -800 }),
      entry({ ...paidOut, userId: 1, payout: { partnershipUuid: 'p', cents: 100 } }),
      entry({ userId: 1, campaign: { id: 2, partnershipUuid: 'q' }, cashbackCents: -250 }),
      entry({ userId: 3, partnerId: 9, points: 7 }),
    ];

    expect(outstandingOf(entries, 2)).toEqual({ points: 500, cashbackCents: 200 });
  });
});

describe('the statement of a program', () => {
  const history = [
    entry({ kind: 'OPENING', points: 100, campaign: null, createdAt: '2026-10-31T23:30:00.000Z' }),
    entry({ points: 50 }),
    entry({ kind: 'EARN_REVERSAL', points: -20 }),
    entry({ kind: 'SHORTFALL', points: 5 }),
    entry({ kind: 'REDEEM', points: -30, createdAt: '2027-01-02T00:00:00.000Z' }),
    entry({ kind: 'REDEEM_REVERSAL', points: 10, createdAt: '2027-01-03T00:00:00.000Z' }),
    entry({ partnerId: 9, points: 999 }),
  ];

  it('sums the entries by month and kind', () => {
    expect(programStatement(history, 2, inUtc)).toMatchObject([
      { month: '2026-10', opening: 100, issued: 0, outstanding: 100 },
      { month: '2026-11', issued: 50, reversed: -20, shortfalls: 5, redeemed: 0, outstanding: 135 },
      { month: '2027-01', redeemed: -30, returned: 10, outstanding: 115 },
    ]);
  });

  it('has outstanding points that include the months before the range', () => {
    const [first, ...others] = programStatement(history, 2, { ...inUtc, from: '2026-11', to: '2026-12' });

    expect(others).toEqual([]);
    expect(first).toMatchObject({ month: '2026-11', outstanding: 135 });
  });

  it('uses the months of the given time zone', () => {
    const [first] = programStatement(history, 2, { timeZone: 'Europe/Berlin' });
    expect(first).toMatchObject({ month: '2026-11', opening: 100 });
  });

  it('ends with outstanding points summed over all months', () => {
    const kinds = [
      'EARN',
      'EARN_REVERSAL',
      'REDEEM',
      'REDEEM_REVERSAL',
      'SHORTFALL',
      'SETTLEMENT',
      'ADJUSTMENT',
    ] as const;
    const any = fc.record({
      kind: fc.constantFrom(...kinds),
      points: fc.integer({ min: -10_000, max: 10_000 }),
      createdAt: fc.date({ min: new Date('2026-01-01'), max: new Date('2027-12-31'), noInvalidDate: true }),
    });
    fc.assert(
      fc.property(fc.array(any), (list) => {
        const entries = list.map(({ createdAt, ...one }) => entry({ ...one, createdAt: createdAt.toISOString() }));
        const months = programStatement(entries, 2, inUtc);
        const columns = months.map(({ month: _, outstanding: __, cashbackCents: ___, paidOutCents: ____, ...own }) =>
          Object.values(own).reduce((sum, points) => sum + points, 0),
        );
        const total = entries.reduce((sum, { points }) => sum + points, 0);
        expect(columns.reduce((sum, points) => sum + points, 0)).toBe(total);
        expect(months.at(-1)?.outstanding ?? 0).toBe(total);
        const settled = settlementStatement(entries, 'p', inUtc);
        const totals = sumOf(entries.flatMap(contributionsOf).map((one) => one.totals));
        expect(settled.reduce((sum, { issuedPoints }) => sum + issuedPoints, 0)).toBe(totals.earnedPoints);
        expect(settled.reduce((sum, { redeemedPoints }) => sum + redeemedPoints, 0)).toBe(totals.redeemedPoints);
      }),
    );
  });
});

describe('the settlement of a partnership', () => {
  it.each([
    [1_000, 0, 12_000, 1_200],
    [0, 1_000, 12_000, -1_200],
    [1, 0, 5_000, 1],
    [0, 1, 5_000, -1],
    [1, 0, 4_999, 0],
  ])(
    'for %d issued and %d redeemed points, at %d millionths of a dollar for each point, is %d cents',
    (issued, redeemed, pointPriceMicros, due) => {
      const entries = [
        ...(issued ? [entry({ points: issued })] : []),
        ...(redeemed ? [entry({ kind: 'REDEEM', points: 0 - redeemed })] : []),
      ];
      expect(settlementStatement(entries, 'p', { ...inUtc, pointPriceMicros })).toMatchObject([
        { issuedPoints: issued, redeemedPoints: redeemed, dueCents: due },
      ]);
    },
  );

  it('has a row for each partner whose points moved', () => {
    const entries = [entry({ points: 10 }), entry({ partnerId: 7, points: 4, isForeign: true })];
    expect(
      settlementStatement(entries, 'p', inUtc).map(({ partnerId, issuedPoints }) => [partnerId, issuedPoints]),
    ).toEqual([
      [2, 10],
      [7, 4],
    ]);
  });
});

describe('the command statement', () => {
  let world: World;
  let admin: ReturnType<typeof commandLineOf>;
  /** The points that were earned, then the points that were redeemed. */
  const points: number[] = [];
  beforeAll(async () => {
    world = await makeWorld();
    admin = commandLineOf(world.table);
    const { earn, redeem } = world.demo.campaigns;
    for (const campaignId of [earn, redeem]) {
      const transaction = await createTransaction(world, { campaignId, amount: 10 });
      points.push(transaction.points);
      await confirm(transaction, world.platform);
    }
    await new TotalsCounter(world.platform.table).count((await readBooks(world.table)).entries, new Date());
  });

  it('`program` states the points that all members have, as CSV too', async () => {
    const file = temporaryFile('program.csv', '');
    const { status, json } = await admin.script(`statement program "Skyline Miles" --file ${file}`);
    const { memberships } = await readBooks(world.table);
    const balances = memberships.reduce((sum, one) => sum + one.availablePoints + one.heldPoints, 0);

    const [earned = 0, redeemed = 0] = points;
    expect([status, json.differences]).toEqual([0, []]);
    expect(json.months.at(-1)).toMatchObject({ issued: earned, redeemed: 0 - redeemed, outstanding: balances });
    const [head, ...rows] = readFileSync(file, 'utf8').trim().split('\n');
    expect(head).toBe(
      'partner_id,month,opening,issued,reversed,redeemed,returned,shortfalls,adjusted,outstanding,cashback_cents,paid_out_cents',
    );
    expect(rows).toHaveLength(json.months.length);
    expect((await admin.read('statement program "Skyline Miles"')).out).toContain('outstanding');
  });

  it('`settlement` states what merchant and partner owe each other', async () => {
    const price = ['--point-price', '0.01'];
    const { status, json } = await admin.script('statement settlement "Corner Coffee × Skyline Miles"', ...price);

    expect([status, json.differences]).toEqual([0, []]);
    const [issuedPoints = 0, redeemedPoints = 0] = points;
    const dueCents = issuedPoints - redeemedPoints;
    expect(json.months).toMatchObject([{ issuedPoints, redeemedPoints, transactions: 2, dueCents }]);
  });
});
