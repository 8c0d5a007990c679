import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startDynamoDb } from '../../local/dynamodb/dynamodb.ts';
import { close, listen, toUrl } from '../../local/ports.ts';
import { Stoppers } from '../../local/stoppers.ts';
import { cloneTable, type Item, itemsOf, requireSameItems } from './emulator.ts';
import { type Done, Sender } from './jobs.ts';
import { openShop, purchase, type Shop } from './shop.ts';

/** The result of one round on both sides, in purchases per second. */
export interface Rates {
  /** Purchases per second, measured until all work was done. */
  readonly finished: number;
  /** Purchases per second, measured until the last reply. */
  readonly answered: number;
  readonly ceiling: number;
}

/** The number of parallel requests of each side. */
export interface Concurrency {
  readonly platform: number;
  readonly ceiling: number;
}

/**
 * The two sides of the comparison: the platform on its DynamoDB Local, and the recorded writes on another DynamoDB
 * Local.
 */
export class Rounds {
  readonly #shop: Shop;
  readonly #recording: Recording;
  readonly #ceilingEndpoint: string;
  readonly #shopper = new Sender();
  readonly #writer = new Sender();
  #next = 0;

  constructor(shop: Shop, recording: Recording, ceilingEndpoint: string) {
    this.#shop = shop;
    this.#recording = recording;
    this.#ceilingEndpoint = ceilingEndpoint;
  }

  get #table(): string {
    return this.#shop.platform.aws.table;
  }

  /** Makes the table to which the recorded writes are sent. */
  prepare(): Promise<void> {
    const { aws } = this.#shop.platform;
    return cloneTable({
      from: aws.dynamodb,
      to: this.#ceilingEndpoint,
      table: aws.table,
      items: this.#recording.before,
    });
  }

  /** Runs the next recorded round on both sides. The sides take turns in going first. */
  async run({ isHot, purchases }: RecordedRound, concurrency: Concurrency): Promise<Rates> {
    const file = this.#recording.files[this.#next] ?? '';
    const isFirst = this.#next % 2 === 0;
    this.#next += 1;
    const early = isFirst ? await this.#replay(file, concurrency.ceiling) : undefined;
    const shopped = await purchase(this.#shop, this.#shopper, { isHot, purchases, concurrency: concurrency.platform });
    const replayed = early ?? (await this.#replay(file, concurrency.ceiling));

    const rate = (startedAt: number, endedAt: number) => (purchases * 1000) / (endedAt - startedAt);
    return {
      finished: rate(shopped.startedAt, shopped.finishedAt),
      answered: rate(shopped.startedAt, shopped.endedAt),
      ceiling: rate(replayed.startedAt, replayed.endedAt),
    };
  }

  #replay(file: string, concurrency: number): Promise<Done> {
    return this.#writer.run({
      kind: 'replay',
      endpoint: this.#ceilingEndpoint,
      table: this.#table,
      file,
      concurrency,
    });
  }

  /** @throws Error when the table of the replayed writes differs from the table of the purchases */
  async requireSameOutcome(): Promise<void> {
    requireSameItems(this.#recording.after, await itemsOf(this.#ceilingEndpoint, this.#table));
  }

  async stop(): Promise<void> {
    await Promise.all([this.#shopper.stop(), this.#writer.stop()]);
  }
}

/** Writes that must be sent one after the other. Chains do not depend on each other. */
export type Chain = readonly RecordedWrite[];

const transaction = /"(TRANSACTION#[^"]+)"/;

/** Puts all writes of a reward transaction into one chain. Any other write, for example of totals, is its own chain. */
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

/** The writes of purchases, and the table before and after them. */
export interface Recording {
  /** The items of the table before and after the purchases. */
  readonly before: readonly Item[];
  readonly after: readonly Item[];
  /** One file of {@link Chain chains} for each round. */
  readonly files: readonly string[];
}

/** Purchases that are made together. */
export interface RecordedRound {
  readonly isHot: boolean;
  readonly purchases: number;
}

interface RecordingOptions {
  readonly assembly: string;
  readonly directory: string;
  readonly members: number;
  readonly concurrency: number;
  readonly rounds: readonly RecordedRound[];
}

/** Makes purchases through a platform and records every write of its functions. */
export async function record({ rounds, concurrency, ...options }: RecordingOptions): Promise<Recording> {
  const stoppers = new Stoppers();
  try {
    const dynamodb = await startDynamoDb();
    stoppers.add(() => dynamodb.stop());
    const recorder = await startRecorder(dynamodb.endpoint);
    stoppers.add(() => recorder.stop());
    const stateDirectory = join(options.directory, 'recorded');
    const shop = await openShop({ ...options, stateDirectory, dynamodb: { ...dynamodb, endpoint: recorder.endpoint } });
    stoppers.add(() => shop.stop());
    const sender = new Sender();
    stoppers.add(() => sender.stop());

    const before = await itemsOf(dynamodb.endpoint, shop.platform.aws.table);
    const files: string[] = [];
    for (const [nth, { isHot, purchases }] of rounds.entries()) {
      await purchase(shop, sender, { isHot, purchases, concurrency });
      files.push(await saveChains(join(options.directory, 'writes'), `${nth}.json`, chainsOf(recorder.drain())));
    }
    return { before, after: await itemsOf(dynamodb.endpoint, shop.platform.aws.table), files };
  } finally {
    await stoppers.stop();
  }
}

async function saveChains(directory: string, name: string, chains: readonly Chain[]): Promise<string> {
  await mkdir(directory, { recursive: true });
  const file = join(directory, name);
  await writeFile(file, JSON.stringify(chains));
  return file;
}

const contentType = 'application/x-amz-json-1.0';

/**
 * Matches the access key of a function's worker. It consists of the function's name, `W` and the number of the thread.
 */
const ofWorker = /Credential=[^/]+W\d+\//;
const writing = /^DynamoDB_\d+\.((?:Put|Update|Delete|BatchWrite|TransactWrite)\w*)$/;

/** One call that changed the table. */
export interface RecordedWrite {
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A proxy in front of DynamoDB Local that records the writes of functions. */
interface WriteRecorder {
  readonly endpoint: string;
  /** Returns the writes since the last call, in the order of their replies. */
  drain(): RecordedWrite[];
  stop(): Promise<void>;
}

async function startRecorder(target: string): Promise<WriteRecorder> {
  const writes: RecordedWrite[] = [];
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { authorization = '', 'x-amz-target': action = '' } = request.headers;
    const headers = { authorization, 'x-amz-target': String(action), 'content-type': contentType };
    const body = await text(request);
    const answer = await fetch(target, { method: 'POST', headers, body });
    const operation = writing.exec(String(action))?.[1];
    if (operation !== undefined && answer.ok && ofWorker.test(authorization)) {
      writes.push({ operation, input: JSON.parse(body) });
    }
    response.writeHead(answer.status, { 'content-type': contentType }).end(await answer.text());
  };

  const server = createServer((request, response) => {
    forward(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  const port = await listen(server);
  return { endpoint: toUrl(port), drain: () => writes.splice(0), stop: () => close(server) };
}
