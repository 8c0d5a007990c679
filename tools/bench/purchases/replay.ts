import { readFile } from 'node:fs/promises';
import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  PutItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { atOnce, type Done, type ReplayJob } from './jobs.ts';
import type { Chain } from './recording.ts';
import type { RecordedWrite } from './tap.ts';

const commands: Readonly<Record<string, (input: never) => object>> = {
  BatchWriteItem: (input) => new BatchWriteItemCommand(input),
  DeleteItem: (input) => new DeleteItemCommand(input),
  PutItem: (input) => new PutItemCommand(input),
  TransactWriteItems: (input) => new TransactWriteItemsCommand(input),
  UpdateItem: (input) => new UpdateItemCommand(input),
};

/** Sends what was recorded to another table: the same writes on the same conditions, and nothing beside them. */
export async function replay({ endpoint, table, file, concurrency }: ReplayJob): Promise<Done> {
  const chains = JSON.parse(await readFile(file, 'utf8')) as Chain[];
  const client = new DynamoDBClient({ endpoint });
  const prepared = chains.map((chain) => chain.map((write) => commandOf(write, table)));
  try {
    return await atOnce(prepared, concurrency, async (chain) => {
      for (const command of chain) await client.send(command);
    });
  } finally {
    client.destroy();
  }
}

function commandOf({ operation, input }: RecordedWrite, table: string): PutItemCommand {
  const command = commands[operation];
  if (command === undefined) throw new Error(`${operation} was recorded, and cannot be replayed`);
  // Its client token is the first time's.
  const { ClientRequestToken: _, ...rest } = input;
  // The client's types want one command at a time; which one it is does not matter to it.
  return command(inTable(rest, table) as never) as PutItemCommand;
}

/** The same request, of another table. */
function inTable(value: unknown, table: string): unknown {
  if (Array.isArray(value)) return value.map((element) => inTable(element, table));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, name === 'TableName' ? table : inTable(part, table)]),
  );
}
