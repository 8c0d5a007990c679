import { maximumAttempts } from '../contracts/limits.ts';
import type { TransactionIds } from '../domain/award/claim.ts';
import type { TableClient, Write } from '../store/table/table-client.ts';
import { ContentionError } from '../store/table/table-client.ts';

// What every operation is built from: its deps, and decideAndWrite.

/** The sources of values that the pure core receives as arguments: time, identifiers, randomness. */
export interface Sources {
  readonly now: () => Date;
  readonly random: (bytes: number) => Uint8Array;
  readonly nextUuid: () => string;
  /** Returns a fresh UUID and the integer that belongs to it. */
  readonly nextIds: () => TransactionIds;
}

/** Structured log lines: a constant message and its data. Secrets, keys and bodies never go into them. */
export interface Log {
  info(message: string, data: Readonly<Record<string, unknown>>): void;
  warn(message: string, data: Readonly<Record<string, unknown>>): void;
  error(message: string, data: Readonly<Record<string, unknown>>): void;
}

/** The deps of every operation, apart from its repositories. */
export interface OperationDeps extends Sources {
  readonly config: {
    /** Part of every key and token. */
    readonly stage: string;
    /** Hosts that webhooks and requests to programs may be sent to over http. */
    readonly webhookHttpHosts: readonly string[];
    /** Replaces the endpoint of Secrets Manager on a developer's machine. */
    readonly secretsEndpoint: string | undefined;
  };
  readonly log: Log;
  readonly table: TableClient;
}

/** Repository classes, each under the name by which an operation uses it, such as `members`. */
export type StoreClasses = Readonly<Record<string, new (table: TableClient, deps: OperationDeps) => object>>;

/** The instances of repository classes, under the same names. */
export type Stores<Classes extends StoreClasses> = { readonly [Name in keyof Classes]: InstanceType<Classes[Name]> };

/**
 * What an operation works with: its repositories, the sources, the log.
 *
 * @example
 * export const processTriggerStores = { triggerEvents: TriggerEvents };
 * export async function processTrigger(event: InternalEvent, deps: Deps<typeof processTriggerStores>) { … }
 */
export type Deps<Classes extends StoreClasses = Readonly<Record<never, never>>> = OperationDeps & Stores<Classes>;

/** The function with which an operation stores the reply to its request. */
export interface Replying<Result> {
  /**
   * Returns the writes that store the reply for a result; none without an `Idempotency-Key`. The operation adds these
   * writes to the DynamoDB transaction that does its work, and then returns the same result object. So the work and the
   * reply are stored together or not at all, and a repeated request receives the stored reply. An operation that writes
   * nothing need not call this function.
   */
  readonly replyWrites?: (result: Result) => readonly Write[];
}

/** A class of errors: what `instanceof` takes. */
type ErrorClass = abstract new (...parts: never[]) => Error;

/** A write that failed because another writer was faster: the state from which it was decided, and the error. */
export interface Conflict<State> {
  readonly state: State;
  readonly error: Error;
  /** 1 for the first conflict of a run. */
  readonly round: number;
}

/** One decision. It depends on state that other writers may change before the decision is written. */
export interface DecideAndWrite<State, Result> {
  /** The subject of the decision, for the error message: `the refunds of order 7`. */
  readonly subject: string;
  /** Loads everything that the decision depends on: before the first decision, and again after each conflict. */
  readonly load: (conflict?: Conflict<State>) => Promise<State> | State;
  /** Decides from the state and writes the decision on the condition that the state has not changed. */
  readonly write: (state: State) => Promise<Result>;
  /** The errors of `write` that mean: nothing was written, and the decision has to be made again. */
  readonly conflicts: readonly ErrorClass[];
}

/**
 * Loads, decides and writes. Repeats all three when another writer was faster. The first repetition begins at once.
 * Each later repetition begins after a pause; the pauses grow and have jitter.
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
