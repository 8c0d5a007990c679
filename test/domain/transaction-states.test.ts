import { describe, expect, it } from 'vitest';
import {
  statesBefore,
  type TransactionState,
  transactionStates,
  transactionTransitions,
} from '../../shared/domain/ledger/reward-transaction.ts';

describe('the states of a reward transaction', () => {
  it.each<[TransactionState, TransactionState[]]>([
    ['INITIATED', []],
    ['PENDING', ['INITIATED', 'ERROR', 'HELD']],
    ['COMPLETED', ['PENDING']],
    ['FAILED', ['PENDING', 'HELD']],
    ['HELD', ['PENDING']],
    ['ERROR', ['PENDING']],
    ['CANCELLED', ['INITIATED', 'PENDING']],
    ['REVERSED', ['COMPLETED']],
  ])('allow a change to %s only from %j', (state, before) => {
    expect(statesBefore(state).sort()).toEqual([...before].sort());
  });

  it('are the seven states of the specification and HELD', () => {
    expect([...transactionStates].sort()).toEqual([
      'CANCELLED',
      'COMPLETED',
      'ERROR',
      'FAILED',
      'HELD',
      'INITIATED',
      'PENDING',
      'REVERSED',
    ]);
  });

  it.each(['FAILED', 'CANCELLED', 'REVERSED'] as const)('include %s, which no state can follow', (state) => {
    expect(transactionTransitions[state]).toEqual([]);
    expect(transactionStates.filter((next) => statesBefore(next).includes(state))).toEqual([]);
  });

  it('are all reachable from INITIATED', () => {
    const reached = new Set<TransactionState>(['INITIATED']);
    for (const state of reached) for (const next of transactionTransitions[state]) reached.add(next);

    expect(reached.size).toBe(transactionStates.length);
  });

  it('never lead back to COMPLETED', () => {
    const after = new Set<TransactionState>(transactionTransitions.COMPLETED);
    for (const state of after) for (const next of transactionTransitions[state]) after.add(next);

    expect([...after]).toEqual(['REVERSED']);
  });
});
