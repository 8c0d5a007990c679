import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  PutItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { atOnce, type Done, type Job, type JobReply, purchaseCents, type ReplayJob, type ShopJob } from './jobs.ts';
import type { Chain, RecordedWrite } from './rounds.ts';

interface Call {
  readonly url: string;
  readonly token: string;
  readonly body: object;
}

/** Makes purchases with endpoints 1 and 2. The members buy in turn. */
async function shop({ host, campaignId, tokens, name, purchases, concurrency }: ShopJob): Promise<Done> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const orders = Array.from({ length: purchases }, (_, nth) => `${name}-${nth}`);
  try {
    return await atOnce(orders, concurrency, async (order, nth) => {
      const token = tokens[nth % tokens.length] ?? '';
      const purchase = {
        transaction_amount: purchaseCents / 100,
        external_transaction_id: order,
        campaign_id: campaignId,
      };
      const { authentication_id } = await post<{ authentication_id: string }>(agent, {
        url: `${host}/reward_transaction/auth`,
        token,
        body: purchase,
      });
      await post(agent, {
        url: `${host}/reward_transaction/create`,
        token,
        body: { reward_authentication_token: authentication_id },
      });
    });
  } finally {
    agent.destroy();
  }
}

/** @throws Error when the reply is no success */
async function post<Data>(agent: Agent, { url, token, body }: Call): Promise<Data> {
  const payload = JSON.stringify(body);
  const { status, reply } = await new Promise<{ status: number | undefined; reply: string }>((resolve, reject) => {
    const headers = {
      'x-api-key': token,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(payload),
    };
    request(url, { method: 'POST', agent, headers }, (response) => {
      text(response).then((answer) => resolve({ status: response.statusCode, reply: answer }), reject);
    })
      .on('error', reject)
      .end(payload);
  });
  if (status !== 200) throw new Error(`${url} answered ${status}: ${reply}`);
  return (JSON.parse(reply) as { data: Data }).data;
}

const commands: Readonly<Record<string, (input: never) => object>> = {
  BatchWriteItem: (input) => new BatchWriteItemCommand(input),
  DeleteItem: (input) => new DeleteItemCommand(input),
  PutItem: (input) => new PutItemCommand(input),
  TransactWriteItems: (input) => new TransactWriteItemsCommand(input),
  UpdateItem: (input) => new UpdateItemCommand(input),
};

/** Sends the recorded writes to another table. */
async function replay({ endpoint, table, file, concurrency }: ReplayJob): Promise<Done> {
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
  if (command === undefined) throw new Error(`${operation} was recorded but cannot be replayed`);
  // DynamoDB would treat a call with the recorded idempotency token as a repetition.
  const { ClientRequestToken: _, ...rest } = input;
  // The client accepts every command, but its type accepts only one.
  return command(inTable(rest, table) as never) as PutItemCommand;
}

/** Returns the same request for another table. */
function inTable(value: unknown, table: string): unknown {
  if (Array.isArray(value)) return value.map((element) => inTable(element, table));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, name === 'TableName' ? table : inTable(part, table)]),
  );
}

/** The process of a {@link Sender}: does the jobs that it receives, one after the other. */
process.on('message', (job: Job) => {
  const work = job.kind === 'shop' ? shop(job) : replay(job);
  work.then(
    (done) => report({ done }),
    (error: Error) => report({ failed: error.stack ?? error.message }),
  );
});

function report(reply: JobReply): void {
  process.send?.(reply);
}
