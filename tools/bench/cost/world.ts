import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { contracts } from '../../../functions/contracts.ts';
import type { AnyContract } from '../../../shared/contracts/contract.ts';
import { composePlatform, type Platform } from '../../../shared/runtime/platform.ts';
import { readConfig } from '../../../shared/runtime/runtime.ts';
import { type Answer, call, type Request } from '../../../test/support/call.ts';
import { createPlatformTable } from '../../../test/support/create-table.ts';
import { makeDemoWorld } from '../../admin/demo/world.ts';
import type { DynamoDbCall } from '../../local/dynamodb/call.ts';
import { startDynamoDbProxy } from '../../local/dynamodb/proxy.ts';
import { type Bundles, buildBundles, folderOf, freshHandler } from '../bundles.ts';
import { startCostProxy, TransactionScale } from './proxy.ts';

/** The demonstration's world in a table behind proxies that record every call. */
export interface CostWorld {
  readonly bundles: Bundles;
  readonly demo: Awaited<ReturnType<typeof makeDemoWorld>>;
  readonly platform: Platform;
  /** Every call to DynamoDB so far. */
  readonly calls: readonly DynamoDbCall[];
  /** Sends a request that the measured one needs. Throws when its reply is no success. */
  readonly play: (contract: AnyContract, request: Request) => Promise<Answer>;
  stop(): Promise<void>;
}

export interface CostWorldOptions {
  /** Base URL of a DynamoDB Local. */
  readonly dynamoDbEndpoint: string;
  /** The folder of the built functions. */
  readonly outdir: string;
}

/** Builds the functions and makes their world. */
export async function openCostWorld({ dynamoDbEndpoint, outdir }: CostWorldOptions): Promise<CostWorld> {
  const bundles = await buildBundles(contracts.map(folderOf), outdir);
  const calls: DynamoDbCall[] = [];
  const tableName = `bench-${randomUUID()}`;
  const scaleTable = `${tableName}-scale`;
  const slow = await startCostProxy(dynamoDbEndpoint, new TransactionScale(dynamoDbEndpoint, scaleTable));
  const proxy = await startDynamoDbProxy({ target: slow.endpoint, onCall: (made) => calls.push(made) });

  Object.assign(process.env, environment(tableName, proxy.endpoint));
  const dynamoDb = new DynamoDBClient({ endpoint: dynamoDbEndpoint });
  for (const name of [tableName, scaleTable]) await createPlatformTable(dynamoDb, name);
  const platform = composePlatform(readConfig(process.env));
  const demo = await makeDemoWorld(platform);
  const handlers = new Map(contracts.map((contract) => [contract, freshHandler(bundles, folderOf(contract))]));

  const play = async (contract: AnyContract, request: Request): Promise<Answer> =>
    requireSuccess(contract, await call(handlers.get(contract), contract, request));
  const stop = async (): Promise<void> => {
    await proxy.stop();
    await slow.stop();
  };
  return { bundles, demo, platform, calls, play, stop };
}

/** @throws Error when the reply is no success: its cost would mean nothing */
export function requireSuccess(contract: AnyContract, answer: Answer): Answer {
  if (answer.status === 200 || answer.status === 303) return answer;
  throw new Error(`${folderOf(contract)} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
}

function environment(tableName: string, endpoint: string): Record<string, string> {
  return {
    // The longest name of a stage. It is part of every token, so items have their largest size.
    STAGE: 'production',
    TABLE_NAME: tableName,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    POWERTOOLS_SERVICE_NAME: 'bench',
    POWERTOOLS_METRICS_NAMESPACE: 'bench',
    POWERTOOLS_METRICS_DISABLED: 'true',
    POWERTOOLS_LOG_LEVEL: 'SILENT',
  };
}
