import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Companion, startCompanion } from '../child.ts';
import { anyFreePort, url } from '../ports.ts';
import { dynamoDbCommand } from './java.ts';

/** DynamoDB Local, running. */
export interface DynamoDb {
  readonly endpoint: string;
  readonly pid: number;
  /** Resolves when it has ended, whoever ended it. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export interface DynamoDbOptions {
  /** 0 or none: any free port. */
  readonly port?: number;
  /** Keeps the tables in this folder; without it they live in memory only. */
  readonly dataDirectory?: string | undefined;
}

const startLimitMs = 60_000;

async function answers(endpoint: string): Promise<boolean> {
  // Any answer will do: a GET is refused with 400 as soon as the server is there.
  return fetch(endpoint, { signal: AbortSignal.timeout(1_000) }).then(
    () => true,
    () => false,
  );
}

async function untilItAnswers(endpoint: string, companion: Companion): Promise<void> {
  const deadline = performance.now() + startLimitMs;
  let hasEnded = false;
  void companion.ended.then(() => {
    hasEnded = true;
  });
  while (!(await answers(endpoint))) {
    if (hasEnded) throw new Error(`DynamoDB Local ended while it started: ${companion.complaint()}`);
    if (performance.now() > deadline) throw new Error(`DynamoDB Local does not answer on ${endpoint}`);
    await sleep(50);
  }
}

/** Starts Amazon's DynamoDB Local and waits until it answers. */
export async function startDynamoDb({ port, dataDirectory }: DynamoDbOptions = {}): Promise<DynamoDb> {
  if (dataDirectory) mkdirSync(dataDirectory, { recursive: true });
  const chosen = port || (await anyFreePort());
  const { program, args } = dynamoDbCommand({ port: chosen, dataDirectory });
  const companion = await startCompanion(program, args);
  const endpoint = url(chosen);
  try {
    await untilItAnswers(endpoint, companion);
  } catch (error) {
    await companion.stop();
    throw error;
  }
  const { pid, ended, stop } = companion;
  return { endpoint, pid, ended, stop };
}
