import type { JsonObject } from '../template/assembly.ts';

/** A value as DynamoDB writes it: `{ "S": "text" }`. */
export type AttributeValue = Readonly<Record<string, unknown>>;
export type Item = Readonly<Record<string, AttributeValue>>;

/** A call on its way to DynamoDB. */
export interface DynamoDbRequest {
  readonly operation: string;
  readonly body: JsonObject;
}

/** One thing that a call touches: an item by its key, or what a query finds. */
export interface Part {
  /** The IAM action it needs, without `dynamodb:`. A part of a transaction needs the action of its kind. */
  readonly action: string;
  readonly table: string;
  readonly index?: string;
  /** The key, or an item that holds it. */
  readonly item?: Item;
  /** Whether a read of a batch is strongly consistent. */
  readonly consistent?: boolean;
  /** A query's condition, with its placeholders. */
  readonly condition?: Condition;
}

export interface Condition {
  readonly expression: string;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Item;
}

interface Keyed {
  readonly TableName: string;
  readonly Key?: Item;
  readonly Item?: Item;
}

type Body = Keyed & {
  readonly IndexName?: string;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Item;
  readonly RequestItems?: Record<
    string,
    { Keys?: Item[]; ConsistentRead?: boolean } & readonly { PutRequest?: Keyed; DeleteRequest?: Keyed }[]
  >;
  readonly TransactItems?: readonly Record<string, Keyed>[];
};

/** A table may be named by its ARN. */
function tableName(nameOrArn: string): string {
  return nameOrArn.split(':table/').pop() ?? nameOrArn;
}

function keyed(action: string, { TableName, Key, Item }: Keyed): Part {
  const item = Key ?? Item;
  return { action, table: tableName(TableName), ...(item && { item }) };
}

function searched(action: string, body: Body): Part {
  const { TableName, IndexName, KeyConditionExpression, ExpressionAttributeNames, ExpressionAttributeValues } = body;
  return {
    action,
    table: tableName(TableName),
    ...(IndexName && { index: IndexName }),
    ...(KeyConditionExpression && {
      condition: {
        expression: KeyConditionExpression,
        names: ExpressionAttributeNames ?? {},
        values: ExpressionAttributeValues ?? {},
      },
    }),
  };
}

const transactionActions: Readonly<Record<string, string>> = {
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

function transactionParts({ TransactItems = [] }: Body): Part[] {
  return TransactItems.flatMap((part) =>
    Object.entries(part).map(([kind, item]) => keyed(transactionActions[kind] ?? kind, item)),
  );
}

function batchGetParts({ RequestItems = {} }: Body): Part[] {
  return Object.entries(RequestItems).flatMap(([table, { Keys = [], ConsistentRead = false }]) =>
    Keys.map((Key) => ({ ...keyed('BatchGetItem', { TableName: table, Key }), consistent: ConsistentRead })),
  );
}

function batchWriteParts({ RequestItems = {} }: Body): Part[] {
  return Object.entries(RequestItems).flatMap(([table, writes]) =>
    writes.map(({ PutRequest, DeleteRequest }) =>
      keyed('BatchWriteItem', { ...(PutRequest ?? DeleteRequest), TableName: table }),
    ),
  );
}

const readers: Readonly<Record<string, (body: Body) => Part[]>> = {
  GetItem: (body) => [keyed('GetItem', body)],
  PutItem: (body) => [keyed('PutItem', body)],
  UpdateItem: (body) => [keyed('UpdateItem', body)],
  DeleteItem: (body) => [keyed('DeleteItem', body)],
  Query: (body) => [searched('Query', body)],
  Scan: (body) => [searched('Scan', body)],
  BatchGetItem: batchGetParts,
  BatchWriteItem: batchWriteParts,
  TransactGetItems: transactionParts,
  TransactWriteItems: transactionParts,
};

/** What a call touches. A call about tables themselves is one part without an item. */
export function partsOf({ operation, body }: DynamoDbRequest): Part[] {
  const reader = readers[operation];
  if (reader) return reader(body as unknown as Body);
  return typeof body.TableName === 'string' ? [{ action: operation, table: tableName(body.TableName) }] : [];
}

/** Whether the operation tells what it consumed when asked. */
export function countsCapacity(operation: string): boolean {
  return operation in readers;
}

const writing = /^(Put|Update|Delete|BatchWrite|TransactWrite)/;

/** Whether what the operation consumes is write capacity. */
export function writes(operation: string): boolean {
  return writing.test(operation);
}

/** An attribute's value as text. */
export function valueText(value: AttributeValue | undefined): string {
  return String(Object.values(value ?? {})[0] ?? '');
}
