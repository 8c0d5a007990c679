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

/** An idle worker that gives its room back when it ends. */
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
  it('gives further workers up to the limit, and each function its first one also beyond it', () => {
    expect([budget.admit(true), budget.admit(false), budget.admit(false), budget.admit(true)]).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  it('ends the longest idle worker for the first one of another function', () => {
    const [longest, last] = [addIdle(), addIdle()];

    expect(budget.admit(true)).toBe(true);

    expect([longest.hasEnded, last.hasEnded]).toEqual([true, false]);
  });

  it('ends an idle worker whose function has others first', () => {
    const [only, surplus] = [addIdle(), addIdle({ isSurplus: true })];

    expect(budget.admit(true)).toBe(true);

    expect([only.hasEnded, surplus.hasEnded]).toEqual([false, true]);
  });

  it('ends no idle worker for a further one, because its function would need it again', () => {
    const idle = [addIdle(), addIdle({ isSurplus: true })];

    expect(budget.admit(false)).toBe(false);

    expect(idle.map(({ hasEnded }) => hasEnded)).toEqual([false, false]);
  });

  it('offers room once to a function that waits, when a worker ends', () => {
    budget.admit(true);
    budget.admit(true);
    const grow = vi.fn();

    budget.onRoom(grow);
    budget.release();
    budget.release();

    expect(grow).toHaveBeenCalledTimes(1);
  });

  it('ends idle workers after a time; the ones that were used last stay longer', async () => {
    const [first, last] = [addIdle(), addIdle()];

    await vi.advanceTimersByTimeAsync(200);
    expect([first.hasEnded, last.hasEnded]).toEqual([true, false]);

    await vi.advanceTimersByTimeAsync(1_000);
    expect(last.hasEnded).toBe(true);
  });

  it('does not keep a worker whose function has others', async () => {
    const surplus = addIdle({ isSurplus: true });

    await vi.advanceTimersByTimeAsync(200);

    expect(surplus.hasEnded).toBe(true);
  });
});
