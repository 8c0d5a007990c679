import { describe, expect, it } from 'vitest';
import { type Conflict, decideAndWrite } from '../../shared/operations/operation.ts';
import { ContentionError } from '../../shared/store/table/table-client.ts';

class VersionConflictError extends Error {
  override readonly name = 'VersionConflictError';
}

/** A table that records the pauses and waits for none of them. */
function pausingTable() {
  const pauses: number[] = [];
  const pause = async (repetition: number) => {
    pauses.push(repetition);
  };
  return { pauses, deps: { table: { pause } } };
}

/** A decision whose first `times` writes fail with `error`. Its state counts the loads. */
function decisionThatConflicts(times: number, error: Error = new VersionConflictError('changed')) {
  const loads: (Conflict<number> | undefined)[] = [];
  const written: number[] = [];
  return {
    loads,
    written,
    subject: 'the counter',
    conflicts: [VersionConflictError],
    load: (conflict?: Conflict<number>) => loads.push(conflict),
    write: async (state: number) => {
      if (state <= times) throw error;
      written.push(state);
      return `written from ${state}`;
    },
  };
}

describe('decideAndWrite()', () => {
  it('loads and writes once, without a pause, when no write conflict occurs', async () => {
    const { deps, pauses } = pausingTable();
    const decision = decisionThatConflicts(0);

    await expect(decideAndWrite(decision, deps)).resolves.toBe('written from 1');
    expect(decision.loads).toEqual([undefined]);
    expect(pauses).toEqual([]);
  });

  it('loads and decides again after each write conflict', async () => {
    const { deps, pauses } = pausingTable();
    const decision = decisionThatConflicts(3);

    await expect(decideAndWrite(decision, deps)).resolves.toBe('written from 4');
    expect(decision.written).toEqual([4]);
    expect(pauses).toEqual([2, 3]);
  });

  it('passes the last conflict, state and round to the next load', async () => {
    const { deps } = pausingTable();
    const error = new VersionConflictError('changed');
    const decision = decisionThatConflicts(2, error);

    await decideAndWrite(decision, deps);
    expect(decision.loads).toEqual([undefined, { state: 1, error, round: 1 }, { state: 2, error, round: 2 }]);
  });

  it('throws a ContentionError with its subject and its cause after the last round', async () => {
    const { deps } = pausingTable();
    const error = new VersionConflictError('changed');
    const decision = decisionThatConflicts(Number.POSITIVE_INFINITY, error);

    const failed = decideAndWrite(decision, deps);
    await expect(failed).rejects.toThrow(ContentionError);
    await expect(failed).rejects.toMatchObject({ message: 'the counter kept changing', cause: error });
    expect(decision.loads).toHaveLength(16);
  });

  it.each(['a failure', new RangeError('no conflict')])(
    'throws %s at once, because it is no write conflict',
    async (failure) => {
      const { deps } = pausingTable();
      let loads = 0;
      const decision = {
        subject: 'the counter',
        conflicts: [VersionConflictError],
        load: () => {
          loads += 1;
        },
        write: async () => {
          throw failure;
        },
      };

      await expect(decideAndWrite(decision, deps)).rejects.toBe(failure);
      expect(loads).toBe(1);
    },
  );
});
