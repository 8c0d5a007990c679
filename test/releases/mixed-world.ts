import { randomUUID } from 'node:crypto';
import { type AttributeValue, ScanCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { consumers } from '../../functions/consumers.ts';
import type { AnyContract } from '../../shared/contracts/contract.ts';
import type { BusEvent } from '../../shared/contracts/events.ts';
import { awsCallMs } from '../../shared/contracts/limits.ts';
import type { Reply } from '../../shared/http/reply.ts';
import { composePlatform } from '../../shared/runtime/platform.ts';
import { readConfig } from '../../shared/runtime/runtime.ts';
import { eventsIn } from '../../shared/store/outbox/outbox.ts';
import type { Item } from '../../shared/store/table/table-client.ts';
import { folderOf } from '../../tools/bench/bundles.ts';
import type { CostWorld } from '../../tools/bench/cost/world.ts';
import { compilePattern } from '../../tools/local/eventbridge/pattern/event-pattern.ts';
import { createSecretsServer } from '../../tools/local/secrets/server.ts';
import { type KeptRelease, loadRelease, type Release } from '../../tools/releases/release.ts';
import { type Answer, aContext, eventOf, type Request } from '../support/call.ts';
import { setEnvironment } from '../support/environment.ts';
import { startPutEventsReceiver } from '../support/put-events-receiver.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { makeTestQueue } from '../support/test-queue.ts';
import { makeTestTable, type TestTable } from '../support/test-table.ts';

/** A table on which two releases work. */
export interface MixedWorld extends CostWorld {
  readonly table: TestTable;
  readonly previous: Release;
  readonly present: Release;
  /** The release that answers the preparing requests of scenarios. */
  playing: Release;
}

/** The two releases. */
export interface Kept {
  readonly previous: KeptRelease;
  readonly present: KeptRelease;
}

/** Opens an empty table and lets one of the releases fill it with the demonstration's world. */
export async function openMixedWorld(kept: Kept, seeding: keyof Kept): Promise<MixedWorld> {
  const table = await makeTestTable({ onDynamoDb: true });
  const secrets = createSecretsServer();
  const bus = await startPutEventsReceiver(() => true);
  const queue = await makeTestQueue();
  setEnvironment(table);
  const queues = ['DELIVER', 'DELIVER_SLOW', 'ENDPOINT', 'PROGRAM'].map((name) => [`QUEUE_URL_${name}`, queue.url]);
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_SECRETS_MANAGER: await secrets.listen(),
    AWS_ENDPOINT_URL_EVENTBRIDGE: bus.url,
    AWS_ENDPOINT_URL_SQS: queue.endpoint,
    BUS_NAME: 'mixed',
    DEAD_LETTER_URL: queue.url,
    ...Object.fromEntries(queues),
  });
  const previous = await loadRelease(kept.previous, temporaryFolder('previous'));
  const present = await loadRelease(kept.present, temporaryFolder('present'));
  // Calls get more time, because many functions share this process and their calls wait for each other.
  for (const limits of [previous.awsCallMs, present.awsCallMs, awsCallMs]) {
    Object.assign(limits, { connect: 60_000, request: 60_000 });
  }
  const { demo } = await { previous, present }[seeding].openWorld();
  const world: MixedWorld = {
    ...{ table, previous, present, demo },
    playing: present,
    platform: composePlatform(readConfig(process.env)),
    bundles: new Map(),
    calls: [],
    play: (contract, request) => answerOf(world.playing, contract, request),
    stop: async () => {
      await Promise.all([secrets.close(), bus.close(), queue.stop()]);
    },
  };
  return world;
}

type Handler = (event: unknown, context: unknown) => Promise<Reply>;

const functionOf = ({ handlers }: Release, folder: string): Handler => handlers[folder] as Handler;

/**
 * Sends a request to a release. Replies are not compared with the OpenAPI document: an earlier release does not have the
 * fields that were added.
 *
 * @throws Error when the request fails
 */
export async function answerOf(release: Release, contract: AnyContract, request: Request): Promise<Answer> {
  const event = eventOf(contract, request);
  const {
    statusCode: status,
    headers,
    body,
  } = await functionOf(release, folderOf(contract))(event, {
    awsRequestId: randomUUID(),
  });
  if (status >= 400) throw new Error(`${folderOf(contract)} answered ${status}: ${body}`);
  return { status, headers, body: /^[[{]/.test(body) ? JSON.parse(body) : body };
}

type Image = Record<string, AttributeValue>;
type Images = ReadonlyMap<string, Image>;

/** Every item of the table, by its key. */
export async function imagesOf({ name, documents }: TestTable): Promise<Images> {
  const images = new Map<string, Image>();
  let ExclusiveStartKey: Image | undefined;
  do {
    const page = await documents.send(new ScanCommand({ TableName: name, ConsistentRead: true, ExclusiveStartKey }));
    for (const image of page.Items ?? []) images.set(`${image.pk?.S} ${image.sk?.S}`, image);
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return images;
}

export const itemIn = (image: Image): Item => unmarshall(image) as Item;

const isSame = (one: Image, other: Image | undefined) => JSON.stringify(one) === JSON.stringify(other);

/**
 * Lets the consumers of a release do all work that changes of the table cause, until nothing changes any more.
 *
 * @param before the table before the changes
 * @throws Error when a message fails
 */
export async function consumeChanges(release: Release, { table }: MixedWorld, before: Images): Promise<void> {
  let seen = before;
  for (;;) {
    const present = await imagesOf(table);
    const changes = [...present].filter(([key, image]) => !isSame(image, seen.get(key)));
    if (changes.length === 0) return;
    await countIn(
      release,
      changes.map(([key, image]) => recordOf(image, seen.get(key))),
    );
    const told = new Set([...seen.values()].flatMap(idsIn));
    for (const event of changes.flatMap(([, image]) => eventsOf(image)).filter(({ id }) => !told.has(id))) {
      await sendTo(release, event);
    }
    seen = present;
  }
}

const hasEvents = (image: Image) => image.outbox !== undefined || image.pk?.S?.startsWith('OUTBOX#');
const eventsOf = (image: Image): BusEvent[] => (hasEvents(image) ? eventsIn(itemIn(image)) : []) as BusEvent[];
const idsIn = (image: Image): string[] => eventsOf(image).map(({ id }) => id);

const recordOf = (image: Image, old: Image | undefined) => ({
  eventName: old ? 'MODIFY' : 'INSERT',
  dynamodb: { Keys: { pk: image.pk, sk: image.sk }, NewImage: image, ...(old && { OldImage: old }) },
});

/**
 * Hands records of the stream to the consumer that counts. The relay is left out: it only passes on events, which
 * {@link consumeChanges} does itself.
 */
async function countIn(release: Release, records: readonly object[]): Promise<void> {
  const name = 'count-changes';
  const source = consumers.find((consumer) => consumer.name === name)?.source;
  if (source?.kind !== 'stream') throw new Error(`${name} reads no stream`);
  const patterns = source.filters.map((filter) => compilePattern(JSON.stringify(filter)));
  const wanted = records.filter((record) => patterns.some((pattern) => pattern.matches(record)));
  await functionOf(release, `consumers/${name}`)({ Records: wanted }, aContext);
}

/** The consumers of the recorded release whose work settle-purchase does now, by the events that they receive. */
const formerConsumers: Readonly<Partial<Record<string, string>>> = {
  order_received: 'process-order',
  refund_received: 'process-refund',
  payment_changed: 'process-payment',
};

async function sendTo(release: Release, event: BusEvent): Promise<void> {
  const envelope = { source: 'rewards.platform', 'detail-type': event.name, detail: event };
  for (const { name, source, schedules } of consumers) {
    // Skips consumers that set schedules, because this world has no scheduler.
    if (source.kind !== 'bus' || schedules) continue;
    if (!compilePattern(JSON.stringify(source.pattern)).matches(envelope)) continue;
    const own = `consumers/${name}` in release.handlers ? name : formerConsumers[event.name];
    if (own !== undefined) await deliver(release, own, envelope);
  }
}

/** Hands one message to a consumer of a release. @throws Error when it fails */
export async function deliver(release: Release, name: string, message: object): Promise<void> {
  const record = { messageId: '1', body: JSON.stringify(message) };
  const reply = await functionOf(release, `consumers/${name}`)({ Records: [record] }, aContext);
  const { batchItemFailures: failures }: { batchItemFailures?: object[] } = Object(reply);
  if (failures?.length) throw new Error(`${name} failed on ${record.body}`);
}
