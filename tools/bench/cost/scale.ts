import { type AwsJsonService, callAws, dynamoDbService } from '../../local/aws-json.ts';

/** A request or reply of DynamoDB. */
export type Body = Readonly<Record<string, unknown>>;

/** One write of a transaction: `{ Put: { TableName, … } }`. */
type Part = Readonly<Record<string, Body>>;

interface Reply {
  readonly ConsumedCapacity?: object | readonly object[];
}

const writing = /^(Put|Update|Delete)Item$/;

/**
 * Weighs transactions. DynamoDB Local tells of a transaction what one of its items consumed, AWS what all of
 * them did (awslabs/amazon-dynamodb-local-samples, issue 31). So every write is done once more in a second
 * table, there a transaction's items one by one: each is a transaction of its own, which is told rightly.
 */
export class Scale {
  readonly #service: AwsJsonService;
  readonly #table: string;

  /** @param table the second table: with the keys and indexes of the first, and empty while that is. */
  constructor(endpoint: string, table: string) {
    this.#service = dynamoDbService(endpoint);
    this.#table = table;
  }

  /** Repeats a write that went through. Gives what it consumed when that has to be corrected. */
  async weigh(operation: string, body: Body): Promise<object[] | undefined> {
    if (operation === 'TransactWriteItems') return this.#transaction(body.TransactItems as readonly Part[]);
    if (writing.test(operation)) await this.#call(operation, { ...body, TableName: this.#table });
    return undefined;
  }

  async #transaction(parts: readonly Part[]): Promise<object[]> {
    const consumed: object[] = [];
    for (const part of parts) {
      const renamed = Object.entries(part).map(([kind, write]) => [kind, { ...write, TableName: this.#table }]);
      const alone = { TransactItems: [Object.fromEntries(renamed)], ReturnConsumedCapacity: 'INDEXES' };
      const { ConsumedCapacity = [] } = await this.#call('TransactWriteItems', alone);
      consumed.push(...[ConsumedCapacity].flat());
    }
    return consumed;
  }

  #call(operation: string, body: Body): Promise<Reply> {
    return callAws<Reply>(this.#service, operation, body);
  }
}
