import { join } from 'node:path';
import { localAccount } from '../account.ts';
import type { DynamoDbCall } from '../dynamodb/call.ts';
import { Faults } from '../dynamodb/faults.ts';
import { type DynamoDbProxy, startDynamoDbProxy } from '../dynamodb/proxy.ts';
import { type Endpoints, type FunctionSettings, functionEnvironment } from '../lambda/function-settings.ts';
import { Lambda } from '../lambda/lambda.ts';
import type { PlatformOptions } from '../platform-options.ts';
import type { Resources } from '../template/resources.ts';
import { callerReader, roleGuard, workerKiller } from './function-callers.ts';

/** Where the logs of the functions are. */
export function logDirectory({ stateDirectory }: PlatformOptions): string {
  return join(stateDirectory, 'logs');
}

export function createLambda(
  functions: readonly FunctionSettings[],
  endpoints: Endpoints,
  options: PlatformOptions,
): Lambda {
  const { concurrency, environment } = options;
  return new Lambda(functions, (settings) => ({
    environment: functionEnvironment(settings, localAccount, endpoints, environment),
    logDirectory: logDirectory(options),
    ...(concurrency && { concurrency }),
  }));
}

/** The faults of a platform; without the option there is nothing that could make them happen. */
export function platformFaults({ faults = false }: PlatformOptions): Faults {
  return new Faults(typeof faults === 'number' ? faults : undefined);
}

export interface ProxySurroundings {
  readonly functions: readonly FunctionSettings[];
  readonly resources: Resources;
  readonly target: string;
  readonly faults: Faults;
  readonly lambda: () => Lambda;
  readonly onCall: (call: DynamoDbCall) => void;
}

/** The proxy between functions and DynamoDB, when an option needs it. */
export async function startProxyIfWanted(
  { recordDynamoDb, enforceIam, faults: faulty }: PlatformOptions,
  { functions, resources, target, faults, lambda, onCall }: ProxySurroundings,
): Promise<DynamoDbProxy | undefined> {
  const wantsFaults = faulty !== undefined && faulty !== false;
  if (!recordDynamoDb && !enforceIam && !wantsFaults) return undefined;
  return startDynamoDbProxy({
    target,
    callerOf: callerReader(functions),
    kill: workerKiller(lambda),
    ...(recordDynamoDb && { onCall }),
    ...(wantsFaults && { faults }),
    ...(enforceIam && { refuses: roleGuard(functions, resources) }),
  });
}
