import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { composePlatform } from '../../../shared/runtime/platform.ts';
import { readConfig } from '../../../shared/runtime/runtime.ts';
import { type Receiver, startReceiver } from '../../../test/support/receiver.ts';
import { connectDemoPayments } from '../../admin/demo/payments.ts';
import { makeShowcase } from '../../admin/demo/world.ts';
import type { JourneyCount, ResourceCount } from '../../cost/counted.ts';
import { callAws, dynamoDbService } from '../../local/aws-json.ts';
import type { DynamoDbCall } from '../../local/dynamodb/call.ts';
import { measureImage } from '../../local/dynamodb/part-capacity.ts';
import type { Item } from '../../local/dynamodb/request.ts';
import { startPlatform } from '../../local/platform.ts';
import type { Invocation, Platform, PlatformOptions } from '../../local/platform-options.ts';
import { operatorEnvironment } from '../../local/start/scripts.ts';
import { Stoppers } from '../../local/stoppers.ts';

/** The local platform with the demonstration's world. Merchant and partner receive every webhook. */
export interface JourneyWorld {
  readonly demo: Awaited<ReturnType<typeof makeShowcase>>;
  /** Sends a request to the API, and waits until the platform has nothing left to do. Returns the `data` of the reply. */
  readonly post: (url: string, apiKey: string, body: object) => Promise<Record<string, unknown>>;
  /** Puts an event of the canonical payment source on the bus, and waits until the platform has nothing left to do. */
  readonly put: (type: string, detail: object) => Promise<void>;
  readonly hosts: Platform['hosts'];
  /** Runs the work, and counts everything that the platform does because of it. */
  readonly count: (work: () => Promise<unknown>) => Promise<JourneyCount>;
  stop(): Promise<void>;
}

/** The folders and the DynamoDB Local of the platform. */
export type JourneyWorldOptions = Pick<PlatformOptions, 'assembly' | 'stateDirectory' | 'dynamodb'>;

/**
 * Starts the platform of a cloud assembly. Schedules do not run, because their calls do not belong to the counted work.
 */
export async function openJourneyWorld(options: JourneyWorldOptions): Promise<JourneyWorld> {
  const stoppers = new Stoppers();
  try {
    const recording = { recordDynamoDb: true, recordInvocations: true };
    const platform = await startPlatform({ ...options, ...recording, schedules: false, concurrency: 1 });
    stoppers.add(() => platform.stop());
    Object.assign(process.env, operatorEnvironment(platform.aws));
    const stage = composePlatform(readConfig(process.env));
    const demo = await makeShowcase(stage);
    await connectDemoPayments(demo, stage);
    const receiver = await startReceiver();
    stoppers.add(() => receiver.close());
    const { hosts } = platform;
    const post: JourneyWorld['post'] = async (url, apiKey, body) => {
      const data = await send(url, apiKey, body);
      await untilQuiet(platform);
      return data;
    };
    for (const { id, apiKey } of [demo.merchant, demo.partner]) {
      await post(`${hosts.notification}/webhooks/subscribe`, apiKey, { endpoint: `${receiver.url}/${id}` });
    }
    const put: JourneyWorld['put'] = async (type, detail) => {
      await putPaymentEvent(platform, type, detail);
      await untilQuiet(platform);
    };
    const count: JourneyWorld['count'] = (work) => countWork({ platform, receiver }, work);
    return { demo, post, put, hosts, count, stop: () => stoppers.stop() };
  } catch (error) {
    await stoppers.stop();
    throw error;
  }
}

async function send(url: string, apiKey: string, body: object): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const reply: { readonly data?: Record<string, unknown> } = JSON.parse(await response.text());
  if (response.ok && reply.data) return reply.data;
  throw new Error(`POST ${url} returned ${response.status}: ${JSON.stringify(reply)}`);
}

async function putPaymentEvent({ aws }: Platform, type: string, detail: object): Promise<void> {
  const service = { endpoint: aws.events, name: 'events', target: 'AWSEvents' } as const;
  const entry = { Source: 'rewards.payments', DetailType: type, Detail: JSON.stringify(detail), EventBusName: aws.bus };
  const { FailedEntryCount } = await callAws<{ FailedEntryCount: number }>(service, 'PutEvents', { Entries: [entry] });
  if (FailedEntryCount > 0) throw new Error(`the bus refused ${entry.Detail}`);
}

/**
 * This pause is longer than the interval at which the stream is read, and longer than a message takes from the bus to
 * its function.
 */
const quietMs = 700;
const pollMs = 50;

/** Waits until no invocation has run, and no call has begun, for `quietMs`. */
async function untilQuiet(platform: Platform): Promise<void> {
  const state = () => `${platform.invocations().length} ${platform.calls().length}`;
  let [seen, since] = [state(), performance.now()];
  while (performance.now() < since + quietMs) {
    await sleep(pollMs);
    const isRunning = platform.invocations().some(({ ended }) => !ended);
    if (!isRunning && state() === seen) continue;
    [seen, since] = [state(), performance.now()];
  }
}

interface Observed {
  readonly platform: Platform;
  readonly receiver: Receiver;
}

async function countWork({ platform, receiver }: Observed, work: () => Promise<unknown>): Promise<JourneyCount> {
  const before = { ...sizes(platform), items: await scan(platform), webhooks: receiver.received.length };
  await work();
  const invocations = platform.invocations().slice(before.invocations);
  const calls = platform.calls().slice(before.calls);
  const refused = calls.find(({ status }) => status !== 200);
  if (refused) throw new Error(`${refused.caller}: ${refused.operation} failed with ${refused.error}`);
  const { keptKb, expiringKb } = storedBy(before.items, await scan(platform));
  return {
    requests: invocations.filter(({ event }) => recordsOf(event).length === 0).length,
    functions: Object.fromEntries(platform.functions.flatMap((name) => functionCount(name, invocations, calls))),
    events: new Set(busEventsOf(invocations)).size,
    sends: new Set(deliveredEventsOf(invocations)).size,
    webhooks: receiver.received.length - before.webhooks,
    logKb: toKb(sizes(platform).logBytes - before.logBytes),
    keptKb,
    expiringKb,
  };
}

function sizes({ invocations, calls, logs }: Platform) {
  const files = readdirSync(logs).map((file) => statSync(join(logs, file)).size);
  const logBytes = files.reduce((sum, size) => sum + size, 0);
  return { invocations: invocations().length, calls: calls().length, logBytes };
}

/** Rounds a size. It varies a little from run to run, because durations in logs and items have more or fewer digits. */
const toKb = (bytes: number): number => Math.round(bytes / 100) / 10;

function functionCount(
  name: string,
  invocations: readonly Invocation[],
  calls: readonly DynamoDbCall[],
): [string, JourneyCount['functions'][string]][] {
  const own = invocations.filter((invocation) => invocation.function === name);
  if (own.length === 0) return [];
  const made = calls.filter(({ caller }) => caller === name);
  const total = (unit: 'readUnits' | 'writeUnits', of = made) => of.reduce((sum, call) => sum + (call[unit] ?? 0), 0);
  const messages = own.reduce((sum, { event }) => sum + Math.max(1, recordsOf(event).length), 0);
  const sharedWriteUnits = 2 * made.flatMap(({ keys }) => keys.filter(isBatchCounter)).length;
  const readUnits = total(
    'readUnits',
    made.filter((call) => !isCacheable(call)),
  );
  return [[name, { messages, readUnits, writeUnits: total('writeUnits'), sharedWriteUnits }]];
}

/**
 * Whether a key belongs to a counter of totals. One write adds all ledger entries of a batch to the counter. The item
 * of a counter is small, so the write takes two units.
 */
const isBatchCounter = (key: string) => key.includes('TOTALS#');

/**
 * Whether a call reads credentials or a list of subscriptions. A function may have these in memory, so the number of
 * such calls varies from run to run.
 */
const isCacheable = ({ operation, keys: [key = ''] }: DynamoDbCall) =>
  key.startsWith('CREDENTIAL#') || (operation === 'Query' && key.startsWith('WEBHOOK#'));

interface Envelope {
  readonly id?: string;
  readonly event?: { readonly id: string };
}

const recordsOf = (event: string): readonly { readonly body?: string }[] =>
  (JSON.parse(event) as { Records?: { body?: string }[] }).Records ?? [];

const bodiesOf = (invocations: readonly Invocation[]): Envelope[] =>
  invocations.flatMap(({ event }) => recordsOf(event).flatMap(({ body }) => (body ? [JSON.parse(body)] : [])));

/**
 * The ids of the events on the bus. They are read from the messages of queues, because a rule sends each event to a
 * queue.
 */
const busEventsOf = (invocations: readonly Invocation[]): string[] =>
  bodiesOf(invocations).flatMap(({ id }) => id ?? []);

/**
 * The ids of the events that were delivered, read from the messages of the delivery queues. Their number is also the
 * number of calls to these queues, because one call sends all deliveries of an event.
 */
const deliveredEventsOf = (invocations: readonly Invocation[]): string[] =>
  bodiesOf(invocations).flatMap(({ event }) => event?.id ?? []);

type Items = ReadonlyMap<string, Item>;

interface Page {
  readonly Items: readonly Item[];
  readonly LastEvaluatedKey?: Item;
}

async function scan({ aws }: Platform): Promise<Items> {
  const items = new Map<string, Item>();
  let from: Item | undefined;
  do {
    const input = { TableName: aws.table, ConsistentRead: true, ...(from && { ExclusiveStartKey: from }) };
    const page: Page = await callAws<Page>(dynamoDbService(aws.dynamodb), 'Scan', input);
    for (const item of page.Items) items.set(JSON.stringify([item.pk, item.sk]), item);
    from = page.LastEvaluatedKey;
  } while (from);
  return items;
}

/** For each item, DynamoDB stores this many bytes in addition. */
const itemOverhead = 100;

function storedBy(before: Items, after: Items): Pick<JourneyCount, 'keptKb' | 'expiringKb'> {
  const added = [...after].filter(([key]) => !before.has(key)).map(([, item]) => item);
  const size = (items: readonly Item[]) =>
    toKb(items.reduce((sum, item) => sum + itemOverhead + measureImage(item), 0));
  return {
    keptKb: size(added.filter(({ ttl }) => ttl === undefined)),
    expiringKb: size(added.filter(({ ttl }) => ttl !== undefined)),
  };
}

interface Template {
  readonly Resources?: Readonly<Record<string, TemplateResource>>;
}
interface TemplateResource {
  readonly Type: string;
  readonly Properties?: {
    readonly Rules?: readonly unknown[];
    readonly MemorySize?: number;
    readonly HttpMethod?: string;
    readonly EventSourceArn?: unknown;
    readonly StartingPosition?: string;
    /** The queries of an alarm: metrics, and an expression that combines them. */
    readonly Metrics?: readonly { readonly MetricStat?: unknown }[];
  };
}

/** The number of metrics that an alarm reads. An alarm without an expression reads one metric. */
const metricsOf = ({ Properties: { Metrics: queries = [] } = {} }: TemplateResource): number =>
  Math.max(1, queries.filter(({ MetricStat }) => MetricStat !== undefined).length);

/** Counts the resources of a cloud assembly that cost money even when the platform does nothing. */
export function countResources(assembly: string): ResourceCount {
  const templates = readdirSync(assembly).filter((file) => file.endsWith('.template.json'));
  const resources = templates.flatMap((file) => {
    const { Resources = {} }: Template = JSON.parse(readFileSync(join(assembly, file), 'utf8'));
    return Object.values(Resources);
  });
  const ofType = (type: string) => resources.filter(({ Type }) => Type === type);
  const webAcls = ofType('AWS::WAFv2::WebACL');
  // An event source without a starting position is a queue, not a stream.
  const queues = ofType('AWS::Lambda::EventSourceMapping').filter(({ Properties }) => !Properties?.StartingPosition);
  // API Gateway itself answers the preflight requests of browsers.
  const endpoints = ofType('AWS::ApiGateway::Method').filter(({ Properties }) => Properties?.HttpMethod !== 'OPTIONS');
  const [lambda] = ofType('AWS::Lambda::Function');
  return {
    alarmMetrics: ofType('AWS::CloudWatch::Alarm').reduce((sum, alarm) => sum + metricsOf(alarm), 0),
    jointAlarms: ofType('AWS::CloudWatch::CompositeAlarm').length,
    dashboards: ofType('AWS::CloudWatch::Dashboard').length,
    keys: ofType('AWS::KMS::Key').length,
    webAcls: webAcls.length,
    webAclRules: webAcls.reduce((sum, { Properties }) => sum + (Properties?.Rules?.length ?? 0), 0),
    consumedQueues: queues.length,
    endpoints: endpoints.length,
    memoryMb: lambda?.Properties?.MemorySize ?? 0,
  };
}
