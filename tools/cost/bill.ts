import { consumers } from '../../functions/consumers.ts';
import { minutesBetweenCalls } from '../../shared/contracts/consumer.ts';
import { accessMetrics, metricList } from '../../shared/contracts/metrics.ts';
import type { Counted, JourneyCount } from './counted.ts';
import { assumptions, type Load, type PriceName, prices } from './prices.ts';

/** One line of a bill. */
export interface BillLine {
  readonly item: string;
  /** The quantity for one piece of work, or for one month. */
  readonly quantity: number;
  readonly price: PriceName;
}

const kilobytesPerGb = 1_000_000;
const minutesPerMonth = 43_800;

const sourceOf = new Map(consumers.map(({ name, source }) => [`consumers/${name}`, source.kind]));

/** Adds up the dollars of some lines, for a number of pieces of work. */
export function dollarsOf(lines: readonly BillLine[], times: number): number {
  return lines.reduce(
    (sum, { quantity, price }) => sum + (quantity * times * prices[price].dollars) / prices[price].per,
    0,
  );
}

/** Write units of one piece of work. Counters are written once for each batch. */
export function writeUnitsOf({ functions }: JourneyCount, { streamBatch }: Load): number {
  return sum(
    Object.entries(functions),
    ([, { writeUnits, sharedWriteUnits }]) => writeUnits - sharedWriteUnits + sharedWriteUnits / streamBatch,
  );
}

/** Invocations of one piece of work. */
export function invocationsOf({ functions }: JourneyCount, load: Load): number {
  return sum(Object.entries(functions), ([name, { messages }]) => messages / batchOf(name, load));
}

/** Messages of one piece of work in all queues. */
export function queueMessagesOf({ functions }: JourneyCount): number {
  return sum(Object.entries(functions), ([name, { messages }]) => (isQueued(name) ? messages : 0));
}

/** The bill of one piece of work. It includes the storage of the work's items for their first month. */
export function billOf(count: JourneyCount, load: Load, memoryMb: number): BillLine[] {
  const { requests, events, webhooks } = count;
  const invocations = invocationsOf(count, load);
  const logKb = count.logKb + invocations * assumptions.invocationLogKb + requests * assumptions.accessLogKb;
  const storedGb = (count.keptKb + count.expiringKb) / kilobytesPerGb;
  return [
    { item: 'DynamoDB writes', quantity: writeUnitsOf(count, load), price: 'writeUnit' },
    { item: 'DynamoDB reads', quantity: readUnitsOf(count, load), price: 'readUnit' },
    { item: 'API Gateway', quantity: requests, price: 'apiRequest' },
    { item: 'WAF', quantity: requests, price: 'inspectedRequest' },
    { item: 'Lambda invocations', quantity: invocations, price: 'invocation' },
    { item: 'Lambda time', quantity: (secondsOf(count, load) * memoryMb) / 1024, price: 'computeTime' },
    { item: 'EventBridge events', quantity: events, price: 'busEvent' },
    {
      item: 'EventBridge archive',
      quantity: (events * assumptions.archivedEventKb) / kilobytesPerGb,
      price: 'archivedEvents',
    },
    { item: 'SQS requests', quantity: queueRequestsOf(count, load), price: 'queueRequest' },
    { item: 'SQS fair queue', quantity: fairRequestsOf(count, load), price: 'fairQueueRequest' },
    { item: 'CloudWatch logs', quantity: logKb / kilobytesPerGb, price: 'log' },
    { item: 'X-Ray traces', quantity: requests * assumptions.tracedShare, price: 'trace' },
    {
      item: 'Transfer to the internet',
      quantity: (requests * assumptions.replyKb + webhooks * assumptions.webhookKb) / kilobytesPerGb,
      price: 'transfer',
    },
    { item: 'Storage, first month', quantity: storedGb, price: 'storage' },
    { item: 'Backup, first month', quantity: storedGb, price: 'backup' },
  ];
}

/** The bill of a stage for a month without any work. */
export function standingBill({ resources }: Counted): BillLine[] {
  const calls = sum(consumers, ({ source }) => (source.kind === 'schedule' ? callsPerMonth(source.every) : 0));
  const { endpoints } = resources;
  return [
    { item: 'Metrics of alarms', quantity: resources.alarmMetrics, price: 'alarm' },
    { item: 'Composite alarms', quantity: resources.jointAlarms, price: 'jointAlarm' },
    { item: 'Dashboards', quantity: resources.dashboards, price: 'dashboard' },
    { item: 'Metrics of endpoints', quantity: endpoints * assumptions.metricsPerEndpoint, price: 'metric' },
    { item: 'Metrics of API methods', quantity: endpoints * assumptions.metricsPerMethod, price: 'metric' },
    { item: 'Metrics of business and backlogs', quantity: ownMetrics(), price: 'metric' },
    { item: 'Keys', quantity: resources.keys, price: 'key' },
    { item: 'Web ACL', quantity: resources.webAcls, price: 'webAcl' },
    { item: 'Rules of the web ACL', quantity: resources.webAclRules, price: 'webAclRule' },
    {
      item: 'Empty receives',
      quantity: resources.consumedQueues * assumptions.idlePollsPerMinute * minutesPerMonth,
      price: 'queueRequest',
    },
    { item: 'Scheduled calls', quantity: calls, price: 'scheduledCall' },
  ];
}

/**
 * Counts the platform's own metrics, except those of endpoints. A metric with a dimension counts once for each value of
 * the dimension.
 */
function ownMetrics(): number {
  const present = new Set(consumers.map(({ name }) => name));
  const written = metricList.filter((metric) => metric.consumers.some((name) => present.has(name)));
  const counted = sum(written, ({ by }) => (by ? (by.values?.length ?? assumptions.openMetrics) : 1));
  return counted + Object.keys(accessMetrics).length;
}

const callsPerMonth = (schedule: string): number => minutesPerMonth / minutesBetweenCalls(schedule);

function batchOf(name: string, { streamBatch, queueBatch }: Load): number {
  if (isQueued(name)) return queueBatch;
  return sourceOf.get(name) === 'stream' ? streamBatch : 1;
}

const isQueued = (name: string) => sourceOf.get(name) === 'queue' || sourceOf.get(name) === 'bus';

/**
 * Read units of one piece of work. Without a cache, each request also reads its credential, and each event also reads
 * the subscriptions of both organisations.
 */
function readUnitsOf({ requests, functions }: JourneyCount, { isCached }: Load): number {
  const lookups = requests + 2 * (functions['consumers/fan-out-event']?.messages ?? 0);
  return sum(Object.entries(functions), ([, { readUnits }]) => readUnits) + (isCached ? 0 : lookups);
}

/** The functions that wait for replies of webhook endpoints. */
const deliveringFunctions = new Set(['consumers/deliver-webhook', 'consumers/deliver-slow-webhook']);

/** Milliseconds of one invocation of a function. */
export function invocationMsOf(name: string): number {
  if (deliveringFunctions.has(name)) return assumptions.deliveryMs;
  return sourceOf.has(name) ? assumptions.consumerMs : assumptions.endpointMs;
}

/** Seconds of all invocations of one piece of work. */
export function secondsOf({ functions }: JourneyCount, load: Load): number {
  return (
    sum(Object.entries(functions), ([name, { messages }]) => (messages / batchOf(name, load)) * invocationMsOf(name)) /
    1_000
  );
}

/**
 * Requests to queues for one piece of work. Each message is sent by a rule of the bus or by a function. Lambda receives
 * a batch of messages with one request and deletes it with another.
 */
function queueRequestsOf(count: JourneyCount, load: Load): number {
  const fromRules = sum(Object.entries(count.functions), ([name, { messages }]) =>
    sourceOf.get(name) === 'bus' ? messages : 0,
  );
  return fromRules + count.sends + (2 * queueMessagesOf(count)) / load.queueBatch;
}

/** Requests to fair queues, whose messages have a group. AWS adds a charge to the price of each request. */
function fairRequestsOf({ functions, sends }: JourneyCount, { queueBatch }: Load): number {
  const messages = sum(Object.entries(functions), ([name, count]) =>
    sourceOf.get(name) === 'queue' ? count.messages : 0,
  );
  return sends + (2 * messages) / queueBatch;
}

function sum<Element>(elements: readonly Element[], amount: (element: Element) => number): number {
  return elements.reduce((total, element) => total + amount(element), 0);
}
