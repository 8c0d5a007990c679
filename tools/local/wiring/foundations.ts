import { join } from 'node:path';
import { localAccount } from '../account.ts';
import { type DynamoDb, startDynamoDb } from '../dynamodb/dynamodb.ts';
import { createTable } from '../dynamodb/tables.ts';
import type { PlatformOptions } from '../platform-options.ts';
import { type Sqs, startSqs } from '../sqs/sqs.ts';
import type { Stoppers } from '../stoppers.ts';
import { loadAssembly } from '../template/assembly.ts';
import { type Resource, Resources } from '../template/resources.ts';

/** The template's resources and the services that keep state. */
export interface Foundations {
  readonly resources: Resources;
  readonly dynamodb: DynamoDb;
  readonly sqs: Sqs;
}

/**
 * Reads the template. Starts DynamoDB and SQS with its tables and queues.
 * @throws Error when the template has an unknown resource; then DynamoDB is not started
 */
export async function startFoundations(options: PlatformOptions, stoppers: Stoppers): Promise<Foundations> {
  const stacks = loadAssembly(options.assembly);
  const sqs = await startQueues(options, stoppers);
  const resources = new Resources(stacks, { account: localAccount, sqsEndpoint: sqs.endpoint });
  const dynamodb = options.dynamodb ?? (await startOwnDynamoDb(options, stoppers));

  for (const queue of resources.ofType('AWS::SQS::Queue')) sqs.createQueue(queue);
  await Promise.all(findTables(resources).map((table) => createTable(dynamodb.endpoint, table)));
  return { resources, dynamodb, sqs };
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

export function findTables(resources: Resources): Resource[] {
  return resources.ofType('AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table');
}

/**
 * Finds a queue by its name or logical id, or by a part of one of them.
 * @throws Error with the known queues when no queue, or more than one, matches
 */
export function findQueue(resources: Resources, wanted: string): Resource {
  const queues = resources.ofType('AWS::SQS::Queue');
  const namesOf = (queue: Resource): string[] => [queue.attribute('QueueName'), queue.logicalId];
  const exact = queues.find((queue) => namesOf(queue).includes(wanted));
  const partial = queues.filter((queue) => namesOf(queue).some((name) => name.includes(wanted)));
  const found = exact ?? (partial.length === 1 ? partial[0] : undefined);
  if (found) return found;
  const known = queues.map(({ logicalId }) => logicalId).join(', ');
  throw new Error(
    `"${wanted}" matches ${partial.length === 0 ? 'no queue' : 'several queues'}; the queues are ${known}`,
  );
}
