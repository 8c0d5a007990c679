import type { KeyedPart } from '../dynamodb/keys.ts';
import { type Policy, rolePolicy } from '../dynamodb/policy.ts';
import type { Caller } from '../dynamodb/proxy.ts';
import type { FunctionSettings } from '../lambda/function-settings.ts';
import type { Lambda } from '../lambda/lambda.ts';
import type { Resources } from '../template/resources.ts';

/** Who calls DynamoDB with an access key: a worker's is its function's logical id, `W` and its thread. */
export function callerReader(functions: readonly FunctionSettings[]): (accessKey: string) => Caller {
  const names = new Map(functions.map(({ logicalId, shortName }) => [logicalId, shortName]));
  return (accessKey) => {
    const [, logicalId = '', thread] = /^(.+)W(\d+)$/.exec(accessKey) ?? [];
    const name = names.get(logicalId);
    return name === undefined ? { name: accessKey } : { name, threadId: Number(thread) };
  };
}

/** Ends the worker that a call came from; nobody else can be ended. */
export function workerKiller(lambda: () => Lambda): (caller: Caller) => Promise<void> {
  return async ({ name, threadId }) => {
    if (threadId !== undefined) await lambda().pool(name).kill(threadId);
  };
}

const tableTypes = ['AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table'];

/** Holds each function's calls against its role. Whoever is no function may do everything. */
export function roleGuard(
  functions: readonly FunctionSettings[],
  resources: Resources,
): (caller: Caller, parts: readonly KeyedPart[]) => KeyedPart | undefined {
  const arns = new Map(resources.ofType(...tableTypes).map((table) => [table.ref, table.attribute('Arn')]));
  const policies = new Map<string, Policy>(
    functions.map(({ shortName, role }) => [shortName, rolePolicy(role, resources, arns)]),
  );
  return ({ name, threadId }, parts) => (threadId === undefined ? undefined : policies.get(name)?.refuses(parts));
}
