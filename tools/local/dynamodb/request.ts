/** A value in DynamoDB's JSON: `{ "S": "text" }`. */
export type AttributeValue = Readonly<Record<string, unknown>>;
export type Item = Readonly<Record<string, AttributeValue>>;

/** A request to DynamoDB. */
export interface DynamoDbRequest {
  readonly operation: string;
  readonly body: RequestBody;
}

/** The fields that the proxy reads. The other fields pass through unchanged. */
export interface RequestBody extends ItemReference {
  readonly IndexName?: string;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Item;
  readonly RequestItems?: Readonly<Record<string, BatchGet | readonly BatchWrite[]>>;
  readonly TransactItems?: readonly Readonly<Record<string, ItemReference>>[];
  readonly ReturnConsumedCapacity?: string;
}

interface ItemReference {
  readonly TableName?: string;
  readonly Key?: Item;
  readonly Item?: Item;
}

interface BatchGet {
  readonly Keys?: readonly Item[];
  readonly ConsistentRead?: boolean;
}

interface BatchWrite {
  readonly PutRequest?: ItemReference;
  readonly DeleteRequest?: ItemReference;
}

/** One part of a request: an item by its key, or the condition of a query. */
export interface Part {
  /** The IAM action that the part needs, without `dynamodb:`. In a transaction, each part needs its own action. */
  readonly action: string;
  readonly table: string;
  readonly index?: string;
  /** The key, or an item that contains the key. */
  readonly item?: Item;
  /** Whether a read of a batch is strongly consistent. */
  readonly consistent?: boolean;
  readonly condition?: KeyCondition;
}

/** The key condition of a query, with its placeholders. */
export interface KeyCondition {
  readonly expression: string;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Item;
}

/** Returns the table's name for a name or an ARN. */
function toTableName(nameOrArn = ''): string {
  return nameOrArn.split(':table/').pop() ?? nameOrArn;
}

function readItemPart(action: string, { TableName, Key, Item }: ItemReference): Part {
  const item = Key ?? Item;
  return { action, table: toTableName(TableName), ...(item && { item }) };
}

function readSearch(action: string, body: RequestBody): Part {
  const { TableName, IndexName, KeyConditionExpression, ExpressionAttributeNames, ExpressionAttributeValues } = body;
  return {
    action,
    table: toTableName(TableName),
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

function readTransaction({ TransactItems = [] }: RequestBody): Part[] {
  return TransactItems.flatMap((part) =>
    Object.entries(part).map(([kind, item]) => readItemPart(transactionActions[kind] ?? kind, item)),
  );
}

function isBatchWrite(request: BatchGet | readonly BatchWrite[]): request is readonly BatchWrite[] {
  return Array.isArray(request);
}

function readBatch({ RequestItems = {} }: RequestBody): Part[] {
  return Object.entries(RequestItems).flatMap(([table, request]) =>
    isBatchWrite(request) ? readBatchWrites(table, request) : readBatchGets(table, request),
  );
}

function readBatchGets(table: string, { Keys = [], ConsistentRead = false }: BatchGet): Part[] {
  return Keys.map((Key) => ({
    ...readItemPart('BatchGetItem', { TableName: table, Key }),
    consistent: ConsistentRead,
  }));
}

function readBatchWrites(table: string, writes: readonly BatchWrite[]): Part[] {
  return writes.map(({ PutRequest, DeleteRequest }) =>
    readItemPart('BatchWriteItem', { ...(PutRequest ?? DeleteRequest), TableName: table }),
  );
}

const readers: Readonly<Record<string, (body: RequestBody) => Part[]>> = {
  GetItem: (body) => [readItemPart('GetItem', body)],
  PutItem: (body) => [readItemPart('PutItem', body)],
  UpdateItem: (body) => [readItemPart('UpdateItem', body)],
  DeleteItem: (body) => [readItemPart('DeleteItem', body)],
  Query: (body) => [readSearch('Query', body)],
  Scan: (body) => [readSearch('Scan', body)],
  BatchGetItem: readBatch,
  BatchWriteItem: readBatch,
  TransactGetItems: readTransaction,
  TransactWriteItems: readTransaction,
};

/** Splits a request into its parts. A request about a table is one part without an item. */
export function readParts({ operation, body }: DynamoDbRequest): Part[] {
  const read = readers[operation];
  if (read) return read(body);
  return body.TableName === undefined ? [] : [{ action: operation, table: toTableName(body.TableName) }];
}

/** Whether the operation can report the capacity that it consumed. */
export function reportsCapacity(operation: string): boolean {
  return operation in readers;
}

/** Whether the operation consumes write capacity. */
export function isWrite(operation: string): boolean {
  return /^(Put|Update|Delete|BatchWrite|TransactWrite)/.test(operation);
}

/** Returns an attribute's value as text. */
export function toValueText(value: AttributeValue | undefined): string {
  return String(Object.values(value ?? {})[0] ?? '');
}
