import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient, GetItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { ScanCommand as DocumentScan, DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { handler as countChanges } from '../../../functions/consumers/count-changes/handler.ts';
import { consumer } from '../../../functions/consumers/relay-outbox/consumer.ts';
import { handler } from '../../../functions/consumers/relay-outbox/handler.ts';
import type { PlatformEvent } from '../../../shared/contracts/events.ts';
import { partitions } from '../../../shared/contracts/table.ts';
import { claimItem } from '../../../shared/store/award/claims.ts';
import { createFilter, type MappingProperties } from '../../../tools/local/lambda/event-source-mapping.ts';
import type { StreamRecord } from '../../../tools/local/lambda/shard-reader.ts';
import { handleBatch } from '../../../tools/local/lambda/stream-batch.ts';
import { aPurchase } from '../../domain/fixtures.ts';
import { LocalTable } from '../../soak/tables.ts';
import { setEnvironment } from '../../support/environment.ts';
import { startPutEventsReceiver } from '../../support/put-events-receiver.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { makeTestQueue, type TestQueue } from '../../support/test-queue.ts';
import { anEvent } from '../../webhooks/fixtures.ts';

/** These tests run the relay on the stream of DynamoDB Local, and run the scripts of the runbook as operators do. */

const table = new LocalTable(inject('dynamoDbEndpoint'));
let bus: Awaited<ReturnType<typeof startPutEventsReceiver>>;
let queue: TestQueue;
let dynamoDb: DynamoDBClient;
let documents: DynamoDBDocumentClient;

beforeAll(async () => {
  [bus, queue] = await Promise.all([startPutEventsReceiver(() => true), makeTestQueue(0)]);
  setEnvironment(table);
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_EVENTBRIDGE: bus.url,
    AWS_ENDPOINT_URL_SQS: queue.endpoint,
    BUS_NAME: 'rewards',
    DEAD_LETTER_URL: queue.url,
  });
  dynamoDb = new DynamoDBClient({});
  documents = DynamoDBDocumentClient.from(dynamoDb);
});
beforeEach(async () => {
  await table.reset();
  await queue.consume(async () => ({ batchItemFailures: [] }));
  bus.taken.length = 0;
});
afterAll(async () => {
  table.stop();
  dynamoDb.destroy();
  await Promise.all([bus.close(), queue.stop()]);
});

if (consumer.source.kind !== 'stream') throw new Error('the relay reads the stream');
/** The event source mapping of the relay, as the stacks make it from the declaration. */
const mapping: MappingProperties = {
  EventSourceArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/any/stream/local',
  FunctionName: consumer.name,
  BatchSize: consumer.source.batchSize,
  BisectBatchOnFunctionError: true,
  MaximumRetryAttempts: -1,
  FunctionResponseTypes: ['ReportBatchItemFailures'],
  FilterCriteria: { Filters: consumer.source.filters.map((filter) => ({ Pattern: JSON.stringify(filter) })) },
};
const passesFilter = createFilter(mapping);

const run = (input: object) => handler(input as DynamoDBStreamEvent);
const deliver = (records: readonly StreamRecord[]) =>
  handleBatch(
    {
      mapping,
      invoke: async (Records) => ({ requestId: 'any', payload: JSON.stringify(await run({ Records })) }),
      discard: () => expect.unreachable('nothing is given up'),
      signal: AbortSignal.timeout(10_000),
    },
    records,
  );

const put = (item: object) => documents.send(new PutCommand({ TableName: table.name, Item: item }));
const published = () => bus.taken.map(({ Detail }) => JSON.parse(Detail).id);
const setAside = async () => (await queue.receive()).Records.map(({ body }) => JSON.parse(body));

const eventOf = (id: string): PlatformEvent => anEvent({ id });
const outboxRow = (id: string, event: object = eventOf(id)) => ({ pk: `OUTBOX#${id}`, sk: 'EVENT', event });
const carrierOf = (pk: string, id: string, event: object = eventOf(id)) => ({
  ...{ pk, sk: pk.split('#')[0], amountCents: 1_250 },
  outbox: { occurredAt: eventOf(id).occurredAt, events: [event] },
});
const faulty = (id: string) => ({ ...eventOf(id), merchantId: 'one' });

/** One item of each kind that the relay receives, all of them unreadable. */
const unreadable = [
  outboxRow('row', faulty('row')),
  carrierOf('TRANSACTION#1', 'transaction', faulty('transaction')),
  carrierOf('LEDGER#1#2', 'entry', faulty('entry')),
  carrierOf('CLAIM#1', 'claim', faulty('claim')),
  carrierOf('ORDER#1', 'order', faulty('order')),
];
const allIds = ['row', 'transaction', 'entry', 'claim', 'order'];

/** Writes an item as its function does: a claim and an order exist before they carry events. */
async function write(item: { readonly pk: string; readonly sk?: string | undefined }): Promise<void> {
  if (/^(CLAIM|ORDER)#/.test(item.pk)) await put({ pk: item.pk, sk: item.sk });
  await put(item);
}

/** Writes unreadable items of every kind, with readable ones around them, and delivers their stream records. */
async function playUnreadable(): Promise<readonly StreamRecord[]> {
  for (const [position, item] of unreadable.entries()) {
    await put(outboxRow(`good-${position}`));
    await write(item);
  }
  await put(outboxRow('good-5'));
  const records = (await table.readChanges()).filter(passesFilter);
  await deliver(records);
  return records;
}
const goodIds = [0, 1, 2, 3, 4, 5].map((position) => `good-${position}`);

const runbook = readFileSync(join(import.meta.dirname, '../../../docs/runbook.md'), 'utf8');

/** Runs the Node script of a helper of the runbook. */
function runHelper(name: string, input: unknown, ...parameters: string[]): string {
  const [, flag = '', script = ''] =
    new RegExp(`\n${name}\\(\\) \\{[^]*?node (-[ep]) '([^']*)'`).exec(runbook) ?? expect.unreachable(name);
  return execFileSync(process.execPath, [flag, script, ...parameters], { input: JSON.stringify(input) }).toString();
}

describe('unreadable items of the stream', () => {
  it('are set aside once, while readable events are published', async () => {
    await playUnreadable();

    expect(published()).toEqual(goodIds);
    const messages = await setAside();
    expect(messages.map(({ Records: [{ dynamodb }] }) => dynamodb.Keys.pk.S)).toEqual(unreadable.map(({ pk }) => pk));
    expect(JSON.stringify(messages)).not.toContain('1250');
  });

  it('are set aside again when the stream delivers them again', async () => {
    const records = await playUnreadable();
    await deliver(records);

    expect(published()).toEqual([...goodIds, ...goodIds]);
    expect(await setAside()).toHaveLength(2 * unreadable.length);
  });

  it('are published once when an operator corrects the messages', async () => {
    await playUnreadable();
    for (const message of await setAside()) {
      const corrected = JSON.stringify(message).replaceAll('{"S":"one"}', '{"N":"1"}');
      expect(await run(JSON.parse(corrected))).toEqual({ batchItemFailures: [] });
    }

    expect(published()).toEqual([...goodIds, ...allIds]);
    expect(bus.taken.map(({ Detail }) => JSON.parse(Detail)).at(-1)).toMatchObject({ id: 'order', merchantId: 1 });
  });

  it('are set aside again when an operator corrects nothing', async () => {
    await playUnreadable();
    const [message] = await setAside();
    await run(message);

    expect(published()).toEqual(goodIds);
    expect((await setAside()).filter((one) => JSON.stringify(one) === JSON.stringify(message))).toHaveLength(2);
  });
});

describe('the runbook’s helpers', () => {
  const spent = claimItem(aPurchase({ state: 'SPENT', spentAt: '2026-03-08T12:00:00.000Z', amountCents: 1_000 }));
  const counted = async () => {
    const { Items = [] } = await documents.send(new DocumentScan({ TableName: table.name }));
    return Items.filter(({ pk }) => pk.startsWith(partitions.countedSpend)).map((item) => item.spent.amountCents);
  };

  it('pass to count-changes only the records that its own filter selects', async () => {
    await put(spent);
    await put({ pk: spent.pk, sk: 'REFUND#1' });
    await put({ pk: 'PAYMENT#1', sk: 'PAYMENT#2', refersTo: '3' });
    const Records = await table.readChanges();
    const folder = temporaryFolder('records');
    writeFileSync(join(folder, 'records.json'), JSON.stringify({ Records }));
    const [, script = ''] = /records[.]json\nnode -e '([^']*)'/.exec(runbook) ?? expect.unreachable('no script');
    const last = Records.at(-1)?.dynamodb.SequenceNumber ?? '';
    for (const prefix of ['LEDGER#', 'CLAIM#', 'ORDER#', 'PAYMENT#', 'CLAIM#']) {
      const payload = execFileSync(process.execPath, ['-e', script, last, prefix], { cwd: folder }).toString();
      expect(await countChanges(JSON.parse(payload))).toBeUndefined();
    }

    expect(await counted()).toEqual([1_000]);
  });

  it('pass items to count-changes, which counts each only once', async () => {
    const input = JSON.parse(runHelper('again', marshall(spent)));
    await countChanges(input);
    await countChanges(input);

    expect(await counted()).toEqual([1_000]);
  });

  it('pass items of every kind to the relay again', async () => {
    for (const [position, { pk, sk = '' }] of unreadable.entries()) {
      const id = allIds[position] ?? '';
      await put(pk.startsWith('OUTBOX#') ? outboxRow(id) : carrierOf(pk, id));
      const Key = marshall({ pk, sk });
      const { Item } = await dynamoDb.send(new GetItemCommand({ TableName: table.name, Key }));
      expect(await run(JSON.parse(runHelper('again', Item)))).toEqual({ batchItemFailures: [] });
    }

    expect(published()).toEqual(allIds);
  });

  it('send events unchanged, with the fields of newer releases', async () => {
    const newer = { ...eventOf('newer'), name: 'tier_reached', tier: { id: 3, names: ['Gold', null], isNew: true } };
    await put(outboxRow('newer', newer));
    await put(carrierOf('ORDER#1', 'order'));
    await put({ pk: 'USER#1', sk: 'USER' });
    const { Items = [] } = await dynamoDb.send(new ScanCommand({ TableName: table.name }));
    // The shape that the option `--query` in the runbook gives to the items.
    const found = Items.map(({ event, outbox }) => [
      event?.M ?? null,
      outbox?.M?.events?.L?.map((each) => each.M) ?? null,
    ]);
    const lines = runHelper('resend', found, 'the-bus').trim().split('\n');
    const sent = lines.map((line) => JSON.parse(line)[0]);

    const expected = [newer, { ...eventOf('order'), occurredAt: expect.any(String) }];
    const byId = (one: { readonly id: string }, other: { readonly id: string }) => one.id.localeCompare(other.id);
    expect(sent.map(({ Detail }) => JSON.parse(Detail)).toSorted(byId)).toEqual(
      expected.map((event) => ({ ...event, entityId: expect.any(String) })).toSorted(byId),
    );
    expect(new Set(sent.map(({ EventBusName, Source }) => `${EventBusName} ${Source}`))).toEqual(
      new Set(['the-bus rewards.platform']),
    );
  });
});
