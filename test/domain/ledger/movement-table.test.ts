import { describe, expect, it } from 'vitest';
import { historyOf, movementTable, ruleFor } from '../../../shared/domain/ledger/movement-table.ts';
import {
  type TransactionState,
  transactionStates,
  transactionTransitions,
} from '../../../shared/domain/ledger/reward-transaction.ts';
import { type Step, sumMovements } from '../../../shared/domain/ledger/sum-movements.ts';
import { aTransaction, noon } from '../fixtures.ts';

const reverses = { id: 1, uuid: 'original', refundUuid: 'refund' };
const aCharge = { limitId: 50, period: 'LIFETIME', amount: 100, most: 700 };
const payment = (points: number) => aTransaction({ type: 'REDEEM', points });

describe('historyOf()', () => {
  it.each(transactionStates)(
    'returns only allowed transitions, up to the state %s (for ERROR, up to PENDING)',
    (state) => {
      const states = historyOf({ state }).map((transition): TransactionState => movementTable[transition].to);

      expect(states[0]).toBe('INITIATED');
      expect(states.at(-1)).toBe(state === 'ERROR' ? 'PENDING' : state);
      for (const [position, next] of states.slice(1).entries()) {
        expect(transactionTransitions[states[position] ?? 'REVERSED']).toContain(next);
      }
    },
  );

  it.each(['INITIATED', 'CANCELLED', 'REVERSED'] as const)(
    'returns no transition for a reversal in state %s',
    (state) => {
      expect(historyOf({ state, reverses })).toEqual([]);
    },
  );
});

describe('ruleFor()', () => {
  it.each([
    ['reserve', aTransaction({ reverses })],
    ['begin', aTransaction()],
    ['award', payment(100)],
  ] as const)('throws when the transition %s is impossible for the kind of transaction', (transition, transaction) => {
    expect(() => ruleFor(transition, transaction)).toThrow(RangeError);
  });
});

describe('sumMovements() of reversals that begin together', () => {
  /** @param available the bound of the reversal; null if the policy sets none */
  const begin = (points: number, available: number | null, shortfallPoints?: number): Step => ({
    transition: 'begin',
    transaction: aTransaction({ points, reverses, ...(shortfallPoints !== undefined && { shortfallPoints }) }),
    available,
  });
  const atLeast = (points: number) => ({ balance: 'available', is: 'at-least', points });
  it.each([
    ['of which none is bounded', [begin(5, null), begin(3, null)], []],
    ['of which the last is bounded', [begin(5, null), begin(3, 4)], [atLeast(8)]],
    ['of which the first is bounded', [begin(3, 9), begin(5, null)], [atLeast(3)]],
    ['of which both are bounded', [begin(3, 9), begin(5, 6)], [atLeast(8)]],
    [
      'of which the last finds too few points',
      [begin(3, 6), begin(5, 3, 2)],
      [{ balance: 'available', is: 'exactly', points: 6 }],
    ],
  ])('requires the points of all bounded ones, after those before them: two %s', (_, steps, conditions) => {
    expect(sumMovements(steps, noon).accounts[0]?.conditions).toEqual(conditions);
  });
});

describe('sumMovements()', () => {
  it('moves only the difference when a new reservation replaces an earlier one', () => {
    const steps: Step[] = [
      { transition: 'reserve', transaction: { ...payment(100), charges: [aCharge] } },
      { transition: 'cancel', transaction: { ...payment(70), charges: [{ ...aCharge, amount: 70, most: 500 }] } },
    ];

    expect(sumMovements(steps, noon)).toMatchObject({
      accounts: [
        {
          ...{ available: -30, held: 30, owed: 0 },
          conditions: [
            { balance: 'available', is: 'at-least', points: 30 },
            { balance: 'owed', is: 'exactly', points: 0 },
          ],
        },
      ],
      usage: [{ limitId: 50, amount: 30, most: 700 }],
    });
    expect(sumMovements(steps.toReversed(), noon)).toEqual(sumMovements(steps, noon));
  });

  it('moves nothing when a reservation replaces another one of the same amount', () => {
    const transaction = { ...payment(100), charges: [aCharge] };
    const moved = sumMovements(
      [
        { transition: 'reserve', transaction },
        { transition: 'cancel', transaction },
      ],
      noon,
    );
    expect(moved).toEqual({ accounts: [], associations: [], usage: [], entries: [] });
  });

  it.each([
    ['at least the reversed points', 100, undefined, [{ balance: 'available', is: 'at-least', points: 100 }]],
    [
      'exactly the balance from which the shortfall was computed',
      30,
      70,
      [{ balance: 'available', is: 'exactly', points: 30 }],
    ],
    ['exactly zero points when the balance was zero', 0, 100, [{ balance: 'available', is: 'exactly', points: 0 }]],
    ['any balance, even below zero, under the policy unlimited', null, undefined, []],
  ] as const)(
    'requires at the start of a reversal that the member has %s',
    (_case, available, shortfallPoints, conditions) => {
      const reversal = aTransaction({ reverses, ...(shortfallPoints !== undefined && { shortfallPoints }) });
      const { accounts } = sumMovements([{ transition: 'begin', transaction: reversal, available }], noon);
      const owed = shortfallPoints ?? 0;
      expect(accounts).toMatchObject([{ conditions, held: 100 - owed, owed }]);
    },
  );

  it.each([
    ['a token that expires', { transition: 'cancel', transaction: payment(100) }, { held: -100 }],
    ['a rejected payment', { transition: 'fail', transaction: payment(100) }, { held: -100 }],
    [
      'a refunded payment',
      { transition: 'complete', transaction: aTransaction({ type: 'REDEEM', reverses }) },
      { redeemed: -100 },
    ],
  ] as const)(
    'first uses the points of %s for what the member owes, then makes the rest available',
    (_case, step, more) => {
      const { userId, partnerId } = step.transaction;
      const { accounts, entries } = sumMovements([step], noon, [{ userId, partnerId, owedPoints: 30 }]);

      expect(accounts).toMatchObject([{ ...more, available: 70, owed: -30 }]);
      expect(accounts[0]?.conditions).toContainEqual({ balance: 'owed', is: 'exactly', points: 30 });
      expect(entries.filter(({ kind }) => kind === 'SETTLEMENT')).toMatchObject([{ points: -30, campaign: null }]);
    },
  );

  it('does not use newly earned points to settle what a member owes', () => {
    const transaction = aTransaction({ points: 100 });
    const owing = { userId: transaction.userId, partnerId: transaction.partnerId, owedPoints: 30 };
    const { accounts, entries } = sumMovements([{ transition: 'complete', transaction }], noon, [owing]);
    expect(accounts).toMatchObject([{ available: 100, owed: 0, conditions: [] }]);
    expect(entries).toMatchObject([{ kind: 'EARN', points: 100 }]);
  });

  it.each([
    ['the 30 held points when no points have settled the shortfall of 70', 70, { available: 30, owed: -70 }, []],
    [
      'the 30 held points, and the 50 points that had settled a part of the shortfall of 70',
      20,
      { available: 80, owed: -20 },
      [{ points: 50 }],
    ],
    [
      '20 of the 30 held points when the member owes 10 points more than the shortfall of 70',
      80,
      { available: 20, owed: -80 },
      [{ points: -10 }],
    ],
  ] as const)('for a rejected reversal, gives the member back %s', (_case, owedPoints, moved, rows) => {
    const transaction = aTransaction({ reverses, points: 100, shortfallPoints: 70 });
    const owing = { userId: transaction.userId, partnerId: transaction.partnerId, owedPoints };
    const { accounts, entries } = sumMovements([{ transition: 'fail', transaction }], noon, [owing]);
    expect(accounts).toMatchObject([{ ...moved, held: -30 }]);
    expect(entries).toMatchObject(rows.map((row) => ({ ...row, kind: 'SETTLEMENT' })));
  });

  it('drops a charge when the usage counter of its period may be deleted', () => {
    const charges = [{ ...aCharge, period: '2020-01-01' }, aCharge];
    const { usage } = sumMovements([{ transition: 'fail', transaction: aTransaction({ charges }) }], noon);
    expect(usage).toMatchObject([{ period: 'LIFETIME', amount: -100 }]);
  });
});
