import type { RelayedEvent } from '../../../shared/contracts/events.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { dollars, listed } from '../cli/text.ts';
import type { LogLine, StageLogs, TimeRange } from '../logs/log-lines.ts';
import { type FoundDelivery, findDeliveries, organisationText, RowFinder, type Rows } from './find-rows.ts';

/** One thing that happened. */
export interface Step {
  /** ISO 8601. For a step that has a duration: when the step began, or up to three milliseconds earlier. */
  readonly at: string;
  readonly kind: 'request' | 'transaction' | 'order' | 'event' | 'consumer' | 'delivery' | 'log';
  readonly requestId: string | null;
  readonly what: string;
  /** The duration in milliseconds; null if it is not known. */
  readonly durationMs: number | null;
}

/** The story of one request, or of several requests about the same transactions and orders. */
export interface Story {
  readonly requestIds: readonly string[];
  /** In order of time. */
  readonly steps: readonly Step[];
  /** Other requests that wrote events about the same transactions and orders, in order of time. */
  readonly others: readonly { readonly requestId: string; readonly event: string; readonly at: string }[];
  /** Whether the logs were searched. */
  readonly hasLogs: boolean;
}

export interface Tracing {
  /** The id of a request, transaction, order or event. If `merchant` is set: that merchant's own order number. */
  readonly id: string;
  readonly merchant?: string | undefined;
  /** How long after the last known time the logs are searched. If no time is known: how long before now. */
  readonly searchMs: number;
  readonly logs: StageLogs | undefined;
}

/**
 * Finds what happened because of a request: first the rows and events of the table, then the lines of the logs, then the
 * rows that only the logs name.
 *
 * @throws NotFoundError when the merchant has no such order
 */
export async function findStory({ id, merchant, searchMs, logs }: Tracing, platform: Platform): Promise<Story> {
  const rows = new RowFinder(platform);
  await (merchant === undefined ? rows.add(id) : rows.addPurchase(id, merchant));
  const known = requestsIn(rows);
  const range = rangeOf(rows, platform.now(), searchMs);
  const search = async (ids: readonly string[]) => (await logs?.find(ids, range)) ?? [];
  // If nothing in the table has the id, the id belongs to a request, or to an event that is no longer in the outbox.
  const naming = known.length > 0 ? [] : await search([id]);
  const named = naming
    .filter((line) => line.eventId === id || line.entityId === id)
    .flatMap(({ requestId = [] }) => requestId);
  const requestIds = [...new Set(known.length > 0 ? known : named.length > 0 ? named : [id])];
  const isOnlyId = requestIds.length === 1 && requestIds[0] === id;
  const lines = (isOnlyId && naming.length > 0 ? naming : await search(requestIds)).filter(
    // Log lines about attempts of deliveries are left out, because the story shows the attempts from the table.
    ({ requestId = '', message }) => requestIds.includes(requestId) && message !== 'delivery.attempted',
  );
  for (const one of new Set(lines.flatMap(idsIn))) {
    await rows.add(one);
  }

  const isOwn = ({ requestId = '' }: { readonly requestId?: unknown }) => requestIds.includes(String(requestId));
  const events = [...rows.events.values()];
  const deliveries = await findDeliveries(events.filter(isOwn), platform);
  const handled = new Set(lines.map(({ eventId }) => eventId));
  const steps = [
    ...(await Promise.all(lines.map((line) => stepOfLine(line, platform)))),
    ...rowSteps(rows),
    ...events.filter(isOwn).map((event) => stepOfEvent(event, handled.has(event.id) || logs === undefined)),
    ...(await Promise.all(deliveries.map((one) => deliverySteps(one, platform)))).flat(),
  ];
  return {
    requestIds,
    steps: steps.toSorted(byTime),
    others: events
      .filter((event) => event.requestId !== undefined && !isOwn(event))
      .map(({ requestId = '', name: event, occurredAt: at }) => ({ requestId, event, at }))
      .toSorted(byTime),
    hasLogs: logs !== undefined,
  };
}

/** The ids of rows and events that a log line names. */
const idsIn = ({ entityId, eventId, transactionId }: LogLine): string[] =>
  [entityId, eventId, transactionId?.toString()].filter((id) => id !== undefined);

const byTime = (one: { readonly at: string }, other: { readonly at: string }) =>
  Date.parse(one.at) - Date.parse(other.at);

/**
 * The ids of the requests that wrote the events of the rows. For an event without a request id, the id of the event.
 */
const requestsIn = ({ events }: Rows) => [...new Set([...events.values()].map(({ requestId, id }) => requestId ?? id))];

/**
 * The period in which the logs are searched: from one minute before the first row to `searchMs` after the last row. If
 * there are no rows, the period begins `searchMs` before now. It ends at most one minute after now.
 */
function rangeOf({ transactions, orders, events }: Rows, now: Date, searchMs: number): TimeRange {
  const times = [
    ...[...transactions.values(), ...orders.values()].map(({ createdAt }) => Date.parse(createdAt)),
    ...[...events.values()].map(({ occurredAt }) => Date.parse(occurredAt)),
  ];
  const end = now.getTime() + 60_000;
  if (times.length === 0) return { from: new Date(now.getTime() - searchMs), to: new Date(end) };
  return { from: new Date(Math.min(...times) - 60_000), to: new Date(Math.min(Math.max(...times) + searchMs, end)) };
}

async function stepOfLine(line: LogLine, platform: Platform): Promise<Step> {
  const { requestId = null, durationMs = null, message } = line;
  const at = beginningOf(line);
  const kind = kinds[message] ?? 'log';
  return { at, kind, requestId, durationMs, what: await sentenceOf(line, platform) };
}

/**
 * Returns when the work of a log line began, because the line itself is written at the end of the work. Returns one
 * millisecond less than the computed time: times are cut and durations rounded to milliseconds, and the step of a call
 * must come before the rows that the call wrote.
 */
function beginningOf({ timestamp, durationMs }: LogLine): string {
  if (durationMs === undefined) return timestamp;
  return new Date(Date.parse(timestamp) - durationMs - 1).toISOString();
}

const kinds: Readonly<Record<string, Step['kind']>> = {
  request: 'request',
  'message.handled': 'consumer',
  'message.failed': 'consumer',
};

async function sentenceOf(line: LogLine, platform: Platform): Promise<string> {
  const { message, service = 'a function', event = 'a message', entityId, transactionId, error } = line;
  const name = service.replace(/^consumers\//, '');
  const subject = entityId ?? (transactionId === undefined ? undefined : `transaction ${transactionId}`);
  const about = subject === undefined ? '' : ` about ${subject}`;
  const problem =
    error === undefined ? '' : `: ${listed([error.name ?? 'Error', error.message ?? ''].filter(Boolean))}`;
  switch (message) {
    case 'request': {
      const caller =
        line.organisationId === undefined ? 'a caller' : await organisationText(line.organisationId, platform);
      return `${caller} called ${line.endpoint}: ${line.status}`;
    }
    case 'message.handled':
      return `${name} handled ${event}${about}`;
    case 'message.failed':
      return `${name} failed at ${event}${about}, and tries it again${problem}`;
    default:
      return `${name}: ${message}${problem}`;
  }
}

/** The transactions and orders, each at the time when it was created, with its present state. */
function rowSteps({ transactions, orders }: Rows): Step[] {
  return [
    ...[...orders.values()].map(
      ({ createdAt: at, externalOrderId, uuid, state }): Step => ({
        ...{ at, kind: 'order', requestId: null, durationMs: null },
        what: `the order ${externalOrderId} (${uuid}) was received; it is ${state} now`,
      }),
    ),
    ...[...transactions.values()].map(({ createdAt: at, id, type, points, cashbackCents, state, reverses }): Step => {
      const amount = cashbackCents > 0 ? `${dollars(cashbackCents)} cashback` : `${points} points`;
      return {
        ...{ at, kind: 'transaction', requestId: null, durationMs: null },
        what: `the transaction ${id} was made (${type}, ${amount}${reverses ? `, to reverse transaction ${reverses.id}` : ''}); it is ${state} now`,
      };
    }),
  ];
}

const stepOfEvent = ({ name, entityId, occurredAt: at, requestId }: RelayedEvent, isHandled: boolean): Step => ({
  at,
  kind: 'event',
  requestId: requestId ?? null,
  durationMs: null,
  what: `the event ${name} about ${entityId} was written${isHandled ? '' : '; no log shows a consumer of it'}`,
});

async function deliverySteps(
  { organisationId, endpointUrl, delivery, failedAttempts }: FoundDelivery,
  platform: Platform,
): Promise<Step[]> {
  const { event, state, attempts, at, status, errorClass, totalMs = null, nextAttemptAt } = delivery;
  const to = `${event.name} to ${await organisationText(organisationId, platform)} at ${endpointUrl}`;
  const common = { kind: 'delivery', requestId: event.requestId ?? null } as const;
  const reply = [status === undefined ? '' : `status ${status}`, errorClass ?? ''].filter(Boolean).join(', ');
  const next = nextAttemptAt === undefined ? '' : `; the next attempt is due at ${nextAttemptAt}`;
  return [
    ...failedAttempts.map(({ attempt, at: triedAt, endpointUrl: url, outcome }) => ({
      ...{ ...common, at: triedAt, durationMs: outcome.timing.totalMs },
      what: `attempt ${attempt} to deliver ${event.name} at ${url} failed: ${
        outcome.result === 'failed' ? outcome.errorClass : 'delivered'
      }${outcome.status === undefined ? '' : `, status ${outcome.status}`}`,
    })),
    {
      ...{ ...common, at, durationMs: totalMs },
      what: `the delivery of ${to} is ${state} after ${attempts} attempt${attempts === 1 ? '' : 's'}${reply && ` (${reply})`}${next}`,
    },
  ];
}
