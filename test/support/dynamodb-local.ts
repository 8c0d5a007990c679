import type { TestProject } from 'vitest/node';
import { startDynamoDb } from '../../tools/local/dynamodb/dynamodb.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    dynamoDbEndpoint: string;
  }
}

/** Vitest's global setup: one DynamoDB Local, in memory, for all test files of a run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { endpoint, stop } = await startDynamoDb();
  project.provide('dynamoDbEndpoint', endpoint);
  return stop;
}
