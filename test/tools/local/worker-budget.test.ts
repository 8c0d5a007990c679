import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type IdleWorker, WorkerBudget } from '../../../tools/local/lambda/worker-budget.ts';

let budget: WorkerBudget;

beforeEach(() => {
  vi.useFakeTimers();
  budget = new WorkerBudget({ limit: 2, idleMs: 100, keptCount: 1, keptMs: 1_000 });
});

afterEach(() => {
  budget.stop();
  vi.useRealTimers();
});

/** Adds an idle worker. When it ends, it frees its place in the budget. */
function addIdle({ isSurplus = false } = {}): { hasEnded: boolean } {
  const state = { hasEnded: false };
  const worker: IdleWorker = {
    isSurplus: () => isSurplus,
    end: () => {
      state.hasEnded = true;
      budget.removeIdle(worker);
      budget.release();
    },
  };
  expect(budget.admit(true)).toBe(true);
  budget.addIdle(worker);
  return state;
}

describe('WorkerBudget', () => {
  it('admits a function’s first worker always, and further workers only up to the limit', () => {
    expect([budget.admit(true), budget.admit(false), budget.admit(false), budget.admit(true)]).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  it('ends the longest idle worker to admit the first worker of another function', () => {
    const [longest, last] = [addIdle(), addIdle()];

    expect(budget.admit(true)).toBe(true);

    expect([longest.hasEnded, last.hasEnded]).toEqual([true, false]);
  });

  it('ends an idle surplus worker rather than the only worker of a function', () => {
    const [only, surplus] = [addIdle(), addIdle({ isSurplus: true })];

    expect(budget.admit(true)).toBe(true);

    expect([only.hasEnded, surplus.hasEnded]).toEqual([false, true]);
  });

  it('refuses a function’s further worker rather than end an idle worker', () => {
    const idle = [addIdle(), addIdle({ isSurplus: true })];

    expect(budget.admit(false)).toBe(false);

    expect(idle.map(({ hasEnded }) => hasEnded)).toEqual([false, false]);
  });

  it('calls the callback of onRoom() once when two workers end', () => {
    budget.admit(true);
    budget.admit(true);
    const grow = vi.fn();

    budget.onRoom({ size: () => 1, isWaiting: () => true, grow });
    budget.release();
    budget.release();

    expect(grow).toHaveBeenCalledTimes(1);
  });

  it('gives room to the pool with the fewest workers first, and asks a larger pool to give one up', () => {
    const grown: string[] = [];
    const pool = (name: string, size: number, isWaiting = true) => ({
      ...{ size: () => size, isWaiting: () => isWaiting, grow: () => void grown.push(name) },
    });
    budget.admit(true);
    budget.onRoom(pool('served meanwhile', 0, false));
    expect(budget.isOwed(4)).toBe(false);

    budget.onRoom(pool('two', 2));
    expect([budget.isOwed(3), budget.isOwed(4)]).toEqual([false, true]);
    budget.onRoom(pool('one', 1));
    expect([budget.isOwed(2), budget.isOwed(3)]).toEqual([false, true]);
    budget.admit(true);
    budget.admit(true);
    expect(budget.isOwed(3)).toBe(false);
    budget.release();

    expect(grown).toEqual(['served meanwhile', 'one', 'two']);
    expect(budget.isOwed(4)).toBe(false);
  });

  it('ends idle workers after a time, the longest unused worker first', async () => {
    const [first, last] = [addIdle(), addIdle()];

    await vi.advanceTimersByTimeAsync(200);
    expect([first.hasEnded, last.hasEnded]).toEqual([true, false]);

    await vi.advanceTimersByTimeAsync(1_000);
    expect(last.hasEnded).toBe(true);
  });

  it('ends an idle worker soon when its function has other workers', async () => {
    const surplus = addIdle({ isSurplus: true });

    await vi.advanceTimersByTimeAsync(200);

    expect(surplus.hasEnded).toBe(true);
  });
});
