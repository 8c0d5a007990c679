import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startDynamoDb } from '../../local/dynamodb/dynamodb.ts';
import { Stoppers } from '../../local/stoppers.ts';
import { type Item, itemsOf } from './emulator.ts';
import { Side } from './side.ts';
import { openStage, purchase } from './stage.ts';
import { type RecordedWrite, startTap } from './tap.ts';

/** Writes that wait for each other, in their order. Chains wait for nothing. */
export type Chain = readonly RecordedWrite[];

const transaction = /"(TRANSACTION#[^"]+)"/;

/** Puts the writes of one transaction after each other; what names none, as the totals' marks, stands alone. */
export function chainsOf(writes: readonly RecordedWrite[]): Chain[] {
  const chains = new Map<string, RecordedWrite[]>();
  for (const [position, write] of writes.entries()) {
    const name = transaction.exec(JSON.stringify(write.input))?.[1] ?? String(position);
    const chain = chains.get(name);
    if (chain) chain.push(write);
    else chains.set(name, [write]);
  }
  return [...chains.values()];
}

/** What purchases wrote, ready to be written once more. */
export interface Recording {
  /** What the table held before and after them. */
  readonly before: readonly Item[];
  readonly after: readonly Item[];
  /** A file of {@link Chain chains} for each round. */
  readonly files: readonly string[];
}

/** Purchases that are made, and so written, together. */
export interface RecordedRound {
  readonly isHot: boolean;
  readonly purchases: number;
}

export interface RecordingOptions {
  readonly assembly: string;
  readonly directory: string;
  readonly members: number;
  readonly concurrency: number;
  readonly rounds: readonly RecordedRound[];
}

/** Has a platform make purchases, and keeps every write of its functions. */
export async function record({ rounds, concurrency, ...options }: RecordingOptions): Promise<Recording> {
  const stoppers = new Stoppers();
  try {
    const dynamodb = await startDynamoDb();
    stoppers.add(() => dynamodb.stop());
    const tap = await startTap(dynamodb.endpoint);
    stoppers.add(() => tap.stop());
    const stateDirectory = join(options.directory, 'recorded');
    const stage = await openStage({ ...options, stateDirectory, dynamodb: { ...dynamodb, endpoint: tap.endpoint } });
    stoppers.add(() => stage.stop());
    const side = new Side();
    stoppers.add(() => side.stop());

    const before = await itemsOf(dynamodb.endpoint, stage.platform.aws.table);
    const files: string[] = [];
    for (const [nth, { isHot, purchases }] of rounds.entries()) {
      await purchase(stage, side, { isHot, purchases, concurrency });
      files.push(await keep(join(options.directory, 'writes'), `${nth}.json`, chainsOf(tap.drain())));
    }
    return { before, after: await itemsOf(dynamodb.endpoint, stage.platform.aws.table), files };
  } finally {
    await stoppers.stop();
  }
}

async function keep(directory: string, name: string, chains: readonly Chain[]): Promise<string> {
  await mkdir(directory, { recursive: true });
  const file = join(directory, name);
  await writeFile(file, JSON.stringify(chains));
  return file;
}
