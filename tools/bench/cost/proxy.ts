import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AwsJsonService, callAws, dynamoDbService } from '../../local/aws-json.ts';
import { close, listen, toUrl } from '../../local/ports.ts';

const contentType = 'application/x-amz-json-1.0';

/** The delay of every call: much longer than sending several calls takes. */
const delayMs = 60;

/** A request or reply of DynamoDB. */
type Body = Readonly<Record<string, unknown>>;

/** A proxy in front of DynamoDB Local. It makes the figures equal to those of AWS and the same in every run. */
export interface CostProxy {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/**
 * Starts the proxy. It delays every call, so that calls that are sent together overlap. DynamoDB Local alone may
 * answer one before the next is sent. It replaces the capacity that a transaction consumed by {@link TransactionScale}'s.
 */
export async function startCostProxy(target: string, scale: TransactionScale): Promise<CostProxy> {
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { authorization = '', 'x-amz-target': action = '' } = request.headers;
    const headers = { authorization, 'x-amz-target': String(action), 'content-type': contentType };
    const body = await text(request);
    const [answer] = await Promise.all([fetch(target, { method: 'POST', headers, body }), sleep(delayMs)]);
    const reply = (await answer.json()) as Body;
    const weighed = answer.ok ? await scale.weigh(String(action).split('.')[1] ?? '', JSON.parse(body)) : undefined;
    response.writeHead(answer.status, { 'content-type': contentType });
    response.end(JSON.stringify(weighed ? { ...reply, ConsumedCapacity: weighed } : reply));
  };

  const server = createServer((request, response) => {
    forward(request, response).catch(() => response.destroy());
  });
  const port = await listen(server);
  return { endpoint: toUrl(port), stop: () => close(server) };
}

/** One write of a transaction: `{ Put: { TableName, … } }`. */
type TransactionPart = Readonly<Record<string, Body>>;

interface Reply {
  readonly ConsumedCapacity?: object | readonly object[];
}

const singleWrites = /^(Put|Update|Delete)Item$/;

/**
 * Weighs transactions. DynamoDB Local reports the capacity of one item of a transaction, AWS that of all items
 * (awslabs/amazon-dynamodb-local-samples, issue 31). So each write is repeated in a second table, where each item
 * of a transaction is a separate transaction. DynamoDB Local reports the capacity of such a transaction correctly.
 */
export class TransactionScale {
  readonly #service: AwsJsonService;
  readonly #table: string;

  /** @param table the second table, with the keys and indexes of the first; empty while the first is empty */
  constructor(endpoint: string, table: string) {
    this.#service = dynamoDbService(endpoint);
    this.#table = table;
  }

  /** Repeats a write that succeeded. Returns the consumed capacity of a transaction, otherwise nothing. */
  async weigh(operation: string, body: Body): Promise<object[] | undefined> {
    if (operation === 'TransactWriteItems') return this.#weighParts(body.TransactItems as readonly TransactionPart[]);
    if (singleWrites.test(operation)) await this.#call(operation, { ...body, TableName: this.#table });
    return undefined;
  }

  async #weighParts(parts: readonly TransactionPart[]): Promise<object[]> {
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
