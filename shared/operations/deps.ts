import type { TransactionIds } from '../domain/award/reservation.ts';
import type { TableClient } from '../store/table/table-client.ts';

/** The sources of what the pure core must be handed: time, identifiers, randomness. */
export interface Sources {
  readonly now: () => Date;
  readonly random: (bytes: number) => Uint8Array;
  readonly nextUuid: () => string;
  /** Returns a fresh UUID with the integer that belongs to it. */
  readonly nextIds: () => TransactionIds;
}

/** What every operation is given beside its repositories. */
export interface OperationDeps extends Sources {
  readonly config: { readonly stage: string };
  readonly table: TableClient;
}

/** Repository classes, by the names that an operation calls its repositories by. */
export type StoreClasses = Readonly<Record<string, new (table: TableClient, deps: OperationDeps) => object>>;

/** The repositories of such classes. */
export type Stores<Classes extends StoreClasses> = { readonly [Name in keyof Classes]: InstanceType<Classes[Name]> };
