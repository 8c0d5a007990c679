import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll } from 'vitest';
import type { MemoryTable } from './memory-table.ts';

/** The tables in memory, by name: every client of this process reads and writes them in place of DynamoDB. */
const tables = new Map<string, MemoryTable>();

/** Lets every client of this process use a table in memory, by its name. */
export function serveFromMemory(table: MemoryTable): void {
  if (tables.size === 0) replaceSend();
  tables.set(table.name, table);
}

/** A test may replace the timers. */
const { setImmediate: nextTurn } = globalThis;

const { prototype } = DynamoDBDocumentClient;
const { send } = prototype;

// The next test file of the process has tables of its own. This also ends the watch of table-mirror.ts.
afterAll(() => void Object.assign(prototype, { send }));

function replaceSend(): void {
  const sendToMemory = async function (this: DynamoDBDocumentClient, ...all: Parameters<typeof send>) {
    const [command] = all;
    const table = tables.get(tableNameIn(command.input));
    if (!table) return Reflect.apply(send, this, all);
    await new Promise<void>((resolve) => nextTurn(resolve));
    return table.carryOut(command.constructor.name.replace(/Command$/, ''), command.input);
  };
  Object.assign(prototype, { send: sendToMemory });
}

interface NamesTable {
  readonly TableName?: string;
}

function tableNameIn(input: object): string {
  const { TableName, RequestItems, TransactItems } = input as NamesTable & {
    readonly RequestItems?: object;
    readonly TransactItems?: readonly Readonly<Record<string, NamesTable>>[];
  };
  const [ofBatch] = Object.keys(RequestItems ?? {});
  const [ofTransaction] = Object.values(TransactItems?.[0] ?? {});
  return TableName ?? ofBatch ?? ofTransaction?.TableName ?? '';
}
