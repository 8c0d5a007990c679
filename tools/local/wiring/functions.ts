import { join } from 'node:path';
import { localAccount } from '../account.ts';
import type { DynamoDbCall } from '../dynamodb/call.ts';
import { Faults } from '../dynamodb/faults.ts';
import { readRolePolicy } from '../dynamodb/policy.ts';
import { type Caller, type DynamoDbProxy, type DynamoDbProxyOptions, startDynamoDbProxy } from '../dynamodb/proxy.ts';
import { buildEnvironment, type Endpoints, type FunctionSettings } from '../lambda/function-settings.ts';
import { Lambda } from '../lambda/lambda.ts';
import type { PlatformOptions } from '../platform-options.ts';
import type { Resources } from '../template/resources.ts';
import { findTables } from './foundations.ts';

/** Returns the folder of the functions' logs. */
export function logDirectoryOf({ stateDirectory }: PlatformOptions): string {
  return join(stateDirectory, 'logs');
}

export function createLambda(
  functions: readonly FunctionSettings[],
  endpoints: Endpoints,
  options: PlatformOptions,
): Lambda {
  const { concurrency, environment: overrides } = options;
  return new Lambda(functions, (settings) => ({
    environment: buildEnvironment(settings, { account: localAccount, endpoints, overrides }),
    logDirectory: logDirectoryOf(options),
    ...(concurrency && { concurrency }),
  }));
}

/** Creates the faults of a platform. They have no effect without the option `faults`. */
export function createFaults({ faults = false }: PlatformOptions): Faults {
  return new Faults(typeof faults === 'number' ? faults : undefined);
}

export interface ProxyContext {
  readonly functions: readonly FunctionSettings[];
  readonly resources: Resources;
  readonly target: string;
  readonly faults: Faults;
  readonly lambda: () => Lambda;
  readonly onCall: (call: DynamoDbCall) => void;
}

/** Starts the proxy between functions and DynamoDB, if one of the options needs it. */
export async function startProxyIfNeeded(
  { recordDynamoDb, enforceIam, faults: faultOption }: PlatformOptions,
  { functions, resources, target, faults, lambda, onCall }: ProxyContext,
): Promise<DynamoDbProxy | undefined> {
  const hasFaults = faultOption !== undefined && faultOption !== false;
  if (!recordDynamoDb && !enforceIam && !hasFaults) return undefined;
  return startDynamoDbProxy({
    target,
    findCaller: createCallerFinder(functions),
    kill: (caller) => killWorker(caller, lambda()),
    ...(recordDynamoDb && { onCall }),
    ...(hasFaults && { faults }),
    ...(enforceIam && { findDenied: createRoleCheck(functions, resources) }),
  });
}

/** Finds the caller by its access key. A worker's key is its function's logical id, `W` and its thread's id. */
function createCallerFinder(functions: readonly FunctionSettings[]): (accessKey: string) => Caller {
  const names = new Map(functions.map(({ logicalId, shortName }) => [logicalId, shortName]));
  return (accessKey) => {
    const [, logicalId = '', thread] = /^(.+)W(\d+)$/.exec(accessKey) ?? [];
    const name = names.get(logicalId);
    return name === undefined ? { name: accessKey } : { name, threadId: Number(thread) };
  };
}

/** Ends the calling worker. Does nothing for a caller that is not a function. */
async function killWorker({ name, threadId }: Caller, lambda: Lambda): Promise<void> {
  if (threadId !== undefined) await lambda.pool(name).kill(threadId);
}

/** Checks each function's calls against its role. Other callers have all permissions. */
function createRoleCheck(
  functions: readonly FunctionSettings[],
  resources: Resources,
): NonNullable<DynamoDbProxyOptions['findDenied']> {
  const arns = new Map(findTables(resources).map((table) => [table.ref, table.attribute('Arn')]));
  const policies = new Map(functions.map(({ shortName, role }) => [shortName, readRolePolicy(role, resources, arns)]));
  return ({ name, threadId }, parts) => (threadId === undefined ? undefined : policies.get(name)?.findDenied(parts));
}
