import { randomBytes } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { integerIdOf, uuidOf } from '../domain/ids.ts';
import { once } from '../domain/memoize.ts';
import type { Deps, Log, OperationDeps, Sources, StoreClasses, Stores } from '../operations/operation.ts';
import { TableClient } from '../store/table/table-client.ts';
import { type Config, readConfig } from './config.ts';

/** What every function works with, made once for each instance of it. */
export interface Runtime extends OperationDeps {
  readonly config: Config;
}

/** The parts of a runtime that a caller may replace. */
export interface RuntimeParts {
  readonly sources: Sources;
  readonly table: TableClient;
  readonly log: Log;
}

/** The structured log of this function: JSON lines with the request's id. */
export const logger = once(() => new Logger());

/** The runtime of this process's environment. Its log is the function's. */
export const runtime = once(() => openRuntime(readConfig(process.env), { log: logger() }));

/** A runtime on the table that the configuration names. It logs nothing unless it is given a log. */
export function openRuntime(
  config: Config,
  { sources = systemSources(), table = openTable(config), log = silentLog }: Partial<RuntimeParts> = {},
): Runtime {
  return { ...sources, config, log, table };
}

const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** The client of the configuration's table. */
function openTable(config: Config): TableClient {
  return new TableClient(openDocuments(new DynamoDBClient({})), config.tableName);
}

/** A client whose items are plain objects. */
export function openDocuments(client: DynamoDBClient): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}

/**
 * A runtime with repositories on its table. Each function names its own, so that its bundle holds, and
 * at its start builds the schemas of, nothing that it does not use.
 */
export function withStores<Classes extends StoreClasses>(base: Runtime, classes: Classes): Runtime & Deps<Classes> {
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
