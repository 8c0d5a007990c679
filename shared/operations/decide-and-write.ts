import { maximumAttempts } from '../contracts/limits.ts';
import { ContentionError } from '../store/table/items.ts';
import type { TableClient } from '../store/table/table-client.ts';

/** A class of errors: what `instanceof` takes. */
type ErrorClass = abstract new (...parts: never[]) => Error;

/** A write that others made impossible: the state that it was decided from, and the error that it failed with. */
export interface Conflict<State> {
  readonly state: State;
  readonly error: Error;
  /** 1 for the first conflict of a run. */
  readonly round: number;
}

/** One decision that depends on state that others may change before it is written. */
export interface DecideAndWrite<State, Result> {
  /** The subject of the decision, for the error message: `the refunds of order 7`. */
  readonly subject: string;
  /** Loads everything that the decision depends on: before the first decision, and again after each conflict. */
  readonly load: (conflict?: Conflict<State>) => Promise<State> | State;
  /** Decides from the state and writes the decision on the condition that the state has not changed. */
  readonly write: (state: State) => Promise<Result>;
  /** The errors of `write` after which the decision is made again; nothing was written then. */
  readonly conflicts: readonly ErrorClass[];
}

/**
 * Loads, decides and writes, and does so again when another writer was faster. The first repetition
 * follows at once; before each later one it pauses, longer each time and with jitter.
 *
 * @throws ContentionError after `maximumAttempts.decision` conflicts; a retry may work
 * @throws every error of `write` that is not a conflict
 */
export async function decideAndWrite<State, Result>(
  { subject, load, write, conflicts }: DecideAndWrite<State, Result>,
  { table }: { readonly table: Pick<TableClient, 'pause'> },
): Promise<Result> {
  let state = await load();
  for (let round = 1; ; round += 1) {
    try {
      return await write(state);
    } catch (error) {
      if (!(error instanceof Error && conflicts.some((conflict) => error instanceof conflict))) throw error;
      if (round === maximumAttempts.decision) throw new ContentionError(`${subject} kept changing`, { cause: error });
      if (round > 1) await table.pause(round);
      state = await load({ state, error, round });
    }
  }
}
