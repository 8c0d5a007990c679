import { randomBytes } from 'node:crypto';
import { integerIdOf, uuidOf } from '../domain/ids.ts';
import type { TransactionIds } from '../domain/transaction/reserve.ts';
import type { TableClient } from '../store/table-client.ts';
import { openTable } from './clients.ts';
import { type Config, readConfig } from './config.ts';
import { once } from './once.ts';

/** The sources of what a pure core must be handed: time, identifiers, randomness. */
export interface Sources {
  readonly now: () => Date;
  readonly random: (bytes: number) => Uint8Array;
  readonly nextUuid: () => string;
  /** A fresh UUID with the integer that belongs to it. */
  readonly nextIds: () => TransactionIds;
}

/** What every function has, made once for each instance of it. */
export interface Runtime extends Sources {
  readonly config: Config;
  readonly table: TableClient;
}

/** What a runtime may be given instead of the system's own. */
export interface RuntimeParts {
  readonly sources: Sources;
  readonly table: TableClient;
}

/** The runtime of this process's environment. */
export const runtime = once(() => openRuntime(readConfig(process.env)));

/** A runtime on the table that the configuration names, reached as the environment says unless one is given. */
export function openRuntime(
  config: Config,
  { sources = systemSources(), table = openTable(config) }: Partial<RuntimeParts> = {},
): Runtime {
  return { ...sources, config, table };
}

/** Repositories by the names that a function calls them by. */
export type StoreClasses = Readonly<Record<string, new (table: TableClient, runtime: Runtime) => object>>;

/** The repositories of such classes. */
export type Stores<Classes extends StoreClasses> = { readonly [Name in keyof Classes]: InstanceType<Classes[Name]> };

/**
 * A runtime with repositories on its table. Each function names its own, so that its bundle holds, and
 * at its start builds the schemas of, nothing that it does not use.
 */
export function withStores<Classes extends StoreClasses>(base: Runtime, classes: Classes): Runtime & Stores<Classes> {
  const stores = Object.entries(classes).map(([name, Store]) => [name, new Store(base.table, base)]);
  return { ...base, ...(Object.fromEntries(stores) as Stores<Classes>) };
}

function systemSources(): Sources {
  const now = () => new Date();
  const nextUuid = () => uuidOf(now(), randomBytes(10));
  const nextIds = () => {
    const uuid = nextUuid();
    const id = integerIdOf(uuid);
    if (id === undefined) throw new RangeError(`${uuid} has no integer id`);
    return { uuid, id };
  };
  return { now, random: randomBytes, nextUuid, nextIds };
}
