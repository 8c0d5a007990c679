import { createHmac } from 'node:crypto';
import { isGenuine, keyOfSecret, secretOfKey } from '../../../shared/webhooks/standard-webhooks.ts';

/** An event to publish. Its body is {@link bodyOf}. */
export interface BenchEvent {
  /** UUID that contains the event's number: {@link eventId}. It is also the `entity_id` of the body. */
  readonly id: string;
  /** The event goes to all endpoints that were registered for this topic. */
  readonly topic: string;
}

/** UUIDs of version 7 begin with the time. The middle marks the ids of the bench. */
const marked = /^[0-9a-f]{8}-[0-9a-f]{4}-7be9-8be9-([0-9a-f]{12})$/;
const hex = (value: number): string => value.toString(16).padStart(12, '0');

/**
 * The id of an event: a UUID of version 7.
 *
 * @param nth number of the event in the run
 * @param atMs time of the event, in milliseconds since the epoch
 */
export function eventId(nth: number, atMs: number): string {
  const time = hex(atMs);
  return `${time.slice(0, 8)}-${time.slice(8)}-7be9-8be9-${hex(nth)}`;
}

/**
 * Returns the number of an event, which its id contains. Returns NaN for an id that the bench did not make, such as the
 * id of a sender's own event about its health.
 */
export const numberOf = (id: string): number => Number.parseInt(marked.exec(id)?.[1] ?? '', 16);

/** The event's name. Only webhooks react to it: no other consumer of the platform handles this event. */
export const eventName = 'transaction_status_updated';

/** The body of each delivery: exactly the three fields that the specification gives it. */
export const bodyOf = ({ id }: Pick<BenchEvent, 'id'>): string =>
  `{"event":"${eventName}","entity":3,"entity_id":"${id}"}`;

/**
 * The machine's monotonic clock in milliseconds. All processes of one machine share it, so their times can be compared.
 */
export const clockMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** The endpoints by topic, for a sender without a store of its own. */
export class Topics<Endpoint> {
  readonly #byTopic = new Map<string, Endpoint[]>();

  add(topic: string, endpoint: Endpoint): void {
    const others = this.#byTopic.get(topic);
    if (others) others.push(endpoint);
    else this.#byTopic.set(topic, [endpoint]);
  }

  /** Pairs each event with each endpoint of its topic. */
  fanOut<Event extends Pick<BenchEvent, 'topic'>>(events: readonly Event[]): { event: Event; endpoint: Endpoint }[] {
    return events.flatMap((event) => (this.#byTopic.get(event.topic) ?? []).map((endpoint) => ({ event, endpoint })));
  }
}

/** A body to sign, and the time of the signature. */
export interface Signing {
  readonly id: string;
  readonly body: string;
  readonly atMs: number;
}

/** Makes the key of an endpoint. The same number gives the same key. */
export const keyOf = (nth: number): Buffer =>
  Buffer.from(createHmac('sha256', 'webhooks bench').update(String(nth)).digest('hex'));

export { secretOfKey };

/** The headers of the specification's scheme and of Standard Webhooks: two HMACs, made with `node:crypto` alone. */
export function signedHeaders(key: Buffer, { id, body, atMs }: Signing): Record<string, string> {
  const timestamp = String(Math.floor(atMs / 1000));
  return {
    'x-platform-timestamp': timestamp,
    'x-platform-signature': createHmac('sha256', key)
      .update(timestamp + body)
      .digest('hex'),
    'x-platform-date': new Date(atMs).toUTCString(),
    'x-platform-event-id': id,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  };
}

type Headers = Readonly<Record<string, string | undefined>>;

/**
 * Whether a request has a signature of Standard Webhooks that was made with the secret. If it also has a signature of
 * the specification, both must be right.
 */
export function isSigned(headers: Headers, body: string, { secret, now }: { secret: string; now: Date }): boolean {
  const key = keyOfSecret(secret);
  const { 'x-platform-signature': given, 'x-platform-timestamp': timestamp = '' } = headers;
  const own = createHmac('sha256', key)
    .update(timestamp + body)
    .digest('hex');
  return isGenuine(headers, body, { keys: [key], now }) && (given === undefined || given === own);
}
