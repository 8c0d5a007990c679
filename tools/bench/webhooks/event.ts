/** An event to publish. Its body is {@link bodyOf}. */
export interface BenchEvent {
  /** UUID that contains the event's number: {@link eventId}. It is also the `entity_id` of the body. */
  readonly id: string;
  /** All endpoints that were registered for this topic receive the event. */
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

/** The number of the event with an id. NaN for any other id, such as that of a sender's own event about its health. */
export const numberOf = (id: string): number => Number.parseInt(marked.exec(id)?.[1] ?? '', 16);

/** The event's name, which only webhooks listen to: no other consumer of the platform works on it. */
export const eventName = 'transaction_status_updated';

/** The body of each delivery of an event: exactly the three fields of the specification. */
export const bodyOf = ({ id }: Pick<BenchEvent, 'id'>): string =>
  `{"event":"${eventName}","entity":3,"entity_id":"${id}"}`;

/** The machine's monotonic clock in milliseconds. Its times can be compared between processes of one machine. */
export const clockMs = (): number => Number(process.hrtime.bigint()) / 1e6;
