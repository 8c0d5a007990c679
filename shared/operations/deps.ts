import type { TransactionIds } from '../domain/award/reservation.ts';
import type { TableClient } from '../store/table/table-client.ts';

/** The sources of values that the pure core receives as arguments: time, identifiers, randomness. */
export interface Sources {
  readonly now: () => Date;
  readonly random: (bytes: number) => Uint8Array;
  readonly nextUuid: () => string;
  /** Returns a fresh UUID with the integer that belongs to it. */
  readonly nextIds: () => TransactionIds;
}

/** Structured log lines: a constant message and its data. Secrets, keys and bodies never go into them. */
export interface Log {
  info(message: string, data: Readonly<Record<string, unknown>>): void;
  warn(message: string, data: Readonly<Record<string, unknown>>): void;
  error(message: string, data: Readonly<Record<string, unknown>>): void;
}

/** What every operation may use beside its repositories. */
export interface OperationDeps extends Sources {
  readonly config: {
    /** Part of every key and token. */
    readonly stage: string;
    /** Hosts that webhooks may be sent to over http. */
    readonly webhookHttpHosts: readonly string[];
  };
  readonly log: Log;
  readonly table: TableClient;
}

/** Repository classes, by the names that an operation calls its repositories by. */
export type StoreClasses = Readonly<Record<string, new (table: TableClient, deps: OperationDeps) => object>>;

/** The repositories of such classes. */
export type Stores<Classes extends StoreClasses> = { readonly [Name in keyof Classes]: InstanceType<Classes[Name]> };

/**
 * What an operation works with: its repositories, the sources, the log.
 *
 * @example
 * export const processOrderStores = { orders: Orders };
 * export async function processOrder(event: InternalEvent, deps: Deps<typeof processOrderStores>) { … }
 */
export type Deps<Classes extends StoreClasses = Readonly<Record<never, never>>> = OperationDeps & Stores<Classes>;
