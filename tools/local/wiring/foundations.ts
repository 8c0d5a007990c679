import { join } from 'node:path';
import { localAccount } from '../account.ts';
import { type DynamoDb, startDynamoDb } from '../dynamodb/dynamodb.ts';
import { createTable } from '../dynamodb/tables.ts';
import type { PlatformOptions } from '../platform-options.ts';
import { type Sqs, startSqs } from '../sqs/sqs.ts';
import type { Stoppers } from '../stoppers.ts';
import { loadAssembly } from '../template/assembly.ts';
import { Resources } from '../template/resources.ts';

/** The template, and what keeps state. */
export interface Foundations {
  readonly resources: Resources;
  readonly dynamodb: DynamoDb;
  readonly sqs: Sqs;
}

async function startOwnDynamoDb(options: PlatformOptions, stoppers: Stoppers): Promise<DynamoDb> {
  const { persist, ports, stateDirectory } = options;
  const dynamodb = await startDynamoDb({
    port: ports?.dynamodb ?? 0,
    dataDirectory: persist ? join(stateDirectory, 'data', 'dynamodb') : undefined,
  });
  stoppers.add(() => dynamodb.stop());
  return dynamodb;
}

async function startQueues(options: PlatformOptions, stoppers: Stoppers): Promise<Sqs> {
  const { persist, ports, stateDirectory, visibilityTimeoutSeconds } = options;
  const sqs = await startSqs({
    account: localAccount,
    port: ports?.sqs ?? 0,
    dataDirectory: persist ? join(stateDirectory, 'data', 'sqs') : undefined,
    visibilityTimeoutSeconds,
  });
  stoppers.add(() => sqs.stop());
  return sqs;
}

/**
 * Reads the template and starts DynamoDB and SQS with its tables and queues.
 * @throws Error before anything slow is started, when there is something in the template that is not known
 */
export async function startFoundations(options: PlatformOptions, stoppers: Stoppers): Promise<Foundations> {
  const stacks = loadAssembly(options.assembly);
  const sqs = await startQueues(options, stoppers);
  const resources = new Resources(stacks, { account: localAccount, sqsEndpoint: sqs.endpoint });
  const dynamodb = options.dynamodb ?? (await startOwnDynamoDb(options, stoppers));

  for (const queue of resources.ofType('AWS::SQS::Queue')) sqs.createQueue(queue);
  const tables = resources.ofType('AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table');
  await Promise.all(tables.map((table) => createTable(dynamodb.endpoint, table)));
  return { resources, dynamodb, sqs };
}
