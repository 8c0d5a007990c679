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
  it.each(transactionStates)('leads to %s by transitions of the state machine', (state) => {
    const states = historyOf({ state }).map((transition): TransactionState => movementTable[transition].to);

    expect(states[0]).toBe('INITIATED');
    expect(states.at(-1)).toBe(state === 'ERROR' ? 'PENDING' : state);
    for (const [position, next] of states.slice(1).entries()) {
      expect(transactionTransitions[states[position] ?? 'REVERSED']).toContain(next);
    }
  });

  it.each(['INITIATED', 'CANCELLED', 'REVERSED'] as const)('is empty for a reversal that is %s', (state) => {
    expect(historyOf({ state, reverses })).toEqual([]);
  });
});

describe('ruleFor()', () => {
  it.each([
    ['reserve', aTransaction({ reverses })],
    ['begin', aTransaction()],
    ['award', payment(100)],
  ] as const)('throws for %s of a kind of transaction that does not make it', (transition, transaction) => {
    expect(() => ruleFor(transition, transaction)).toThrow(RangeError);
  });
});

describe('movementsOf()', () => {
  it('sets a new reservation off against the one that it replaces', () => {
    const steps: Step[] = [
      { transition: 'reserve', transaction: { ...payment(100), charges: [aCharge] } },
      { transition: 'cancel', transaction: { ...payment(70), charges: [{ ...aCharge, amount: 70, most: 500 }] } },
    ];

    expect(sumMovements(steps, noon)).toMatchObject({
      accounts: [{ available: -30, held: 30, condition: { balance: 'available', is: 'at-least', points: 30 } }],
      usage: [{ limitId: 50, amount: 30, most: 700 }],
    });
    expect(sumMovements(steps.toReversed(), noon)).toEqual(sumMovements(steps, noon));
  });

  it('moves nothing when a replacement reserves the same amount', () => {
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
    ['as many points as it takes', 100, undefined, { balance: 'available', is: 'at-least', points: 100 }],
    [
      'exactly the points that a shortfall was computed from',
      30,
      70,
      { balance: 'available', is: 'exactly', points: 30 },
    ],
    ['exactly no points when nothing is left', 0, 100, { balance: 'available', is: 'exactly', points: 0 }],
    ['nothing under the policy unlimited', null, undefined, null],
  ] as const)('lets a reversal begin on the condition of %s', (_case, available, shortfallPoints, condition) => {
    const reversal = aTransaction({ reverses, ...(shortfallPoints !== undefined && { shortfallPoints }) });
    const { accounts } = sumMovements([{ transition: 'begin', transaction: reversal, available }], noon);
    expect(accounts).toMatchObject([{ condition, held: 100 - (shortfallPoints ?? 0) }]);
  });

  it('returns no charge to a period whose counter may be deleted', () => {
    const charges = [{ ...aCharge, period: '2020-01-01' }, aCharge];
    const { usage } = sumMovements([{ transition: 'fail', transaction: aTransaction({ charges }) }], noon);
    expect(usage).toMatchObject([{ period: 'LIFETIME', amount: -100 }]);
  });
});
