import { maximumCount, retentionMs, shardCount, toSeconds } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import { Delivery, type DeliveryMessage, FailedAttempt, isFinal, ParkedDelivery } from '../../webhooks/delivery.ts';
import { type ListPage, type PageRange, readPage } from '../table/list-page.ts';
import { type BatchWrite, defineEntity, type Item, Repository, type TableClient } from '../table/table-client.ts';

/**
 * The deliveries of a subscription are spread over some partitions by the id of their event, so one busy subscription
 * is not limited to the speed of one partition. A partition has three ranges: the log, the failed attempts, and the
 * parked deliveries. Event ids begin with their time, so each range is in the order of time.
 */
const logPrefix = 'LOG#';
const attemptPrefix = 'ATTEMPT#';
const parkedPrefix = 'PARKED#';

const partitionsOf = (subscriptionId: string) =>
  Array.from({ length: shardCount.deliveries }, (_, shard) => `${partitions.delivery}${subscriptionId}#${shard}`);

/** The last digit of an id is random, so it spreads the deliveries evenly. */
const partition = (subscriptionId: string, eventId: string) =>
  `${partitions.delivery}${subscriptionId}#${eventId.charCodeAt(eventId.length - 1) % shardCount.deliveries}`;

const log = defineEntity(Delivery, (subscriptionId: string, eventId: string) => ({
  pk: partition(subscriptionId, eventId),
  sk: `${logPrefix}${eventId}`,
}));
const failed = defineEntity(FailedAttempt, (subscriptionId: string, eventId: string, at: string) => ({
  pk: partition(subscriptionId, eventId),
  sk: `${attemptPrefix}${eventId}#${at}`,
}));
const parked = defineEntity(ParkedDelivery, (subscriptionId: string, eventId: string) => ({
  pk: partition(subscriptionId, eventId),
  sk: `${parkedPrefix}${eventId}`,
}));

/** What identifies a delivery. */
interface DeliveryOf {
  readonly subscription: { readonly subscriptionId: string };
  readonly event: { readonly id: string };
}

/** A delivery with all its failed attempts, the first one first. */
export interface DeliveryDetails {
  readonly delivery: Delivery;
  readonly failedAttempts: readonly FailedAttempt[];
}

/** Some parked deliveries, the oldest first, and whether there may be more after them. */
export interface ParkedPage {
  readonly items: readonly ParkedDelivery[];
  readonly hasMore: boolean;
}

/** The parts of the record of a delivery. All of them are written, in any order. */
export interface DeliveryRecord {
  readonly delivery: Delivery;
  readonly failedAttempt?: FailedAttempt;
  /** The delivery waits in the table. */
  readonly parked?: ParkedDelivery;
  /** The delivery no longer waits in the table. */
  readonly wasParked?: boolean;
}

/** The delivery log. Writing a record again replaces it. */
export class Deliveries extends Repository {
  readonly #buffer: WriteBuffer;

  constructor(table: TableClient) {
    super(table);
    this.#buffer = new WriteBuffer((writes) => this.table.writeBatch(writes));
  }

  /**
   * Finds which deliveries of the messages are final, and returns their places in the log; strongly consistent, one
   * round trip.
   */
  async finalAmong(messages: readonly DeliveryMessage[]): Promise<ReadonlySet<string>> {
    const keys = new Map(
      messages.map(({ subscription, event }) => {
        const key = log.key(subscription.subscriptionId, event.id);
        return [`${key.pk} ${key.sk}`, key] as const;
      }),
    );
    const items = await this.table.getAll([...keys.values()]);
    return new Set(items.filter((item) => isFinal(log.parse(item).state)).map(({ pk, sk }) => `${pk} ${sk}`));
  }

  /** The place of a delivery in the log, as {@link finalAmong} returns it. */
  static placeOf({ subscription, event }: DeliveryOf): string {
    const { pk, sk } = log.key(subscription.subscriptionId, event.id);
    return `${pk} ${sk}`;
  }

  /** Writes records. Records that are written at about the same time share a call to the table. */
  async record(subscriptionId: string, ...records: readonly DeliveryRecord[]): Promise<void> {
    await this.#buffer.write(records.flatMap((record) => recordWrites(subscriptionId, record)));
  }

  /** Parks deliveries. The log shows them as parked only after {@link record}. */
  async park(subscriptionId: string, ...waiting: readonly ParkedDelivery[]): Promise<void> {
    await this.#buffer.write(waiting.map((one) => parkedWrite(subscriptionId, one)));
  }

  /** A parked delivery; undefined when it is not parked. Strongly consistent. */
  async findParked(subscriptionId: string, eventId: string): Promise<ParkedDelivery | undefined> {
    const item = await this.table.get(parked.key(subscriptionId, eventId));
    return item && parked.parse(item);
  }

  /**
   * The parked deliveries of the oldest events after a given event: at least one if any is parked, and at most `limit`.
   * Strongly consistent.
   *
   * @param after the id of the given event; absent for all events
   */
  async oldestParked(
    subscriptionId: string,
    { limit, after }: { readonly limit: number; readonly after?: string | undefined },
  ): Promise<ParkedPage> {
    // The ids are spread evenly, so a partition rarely has more than twice its share.
    const share = Math.max(1, Math.ceil((2 * limit) / shardCount.deliveries));
    const ranges = await Promise.all(
      partitionsOf(subscriptionId).map((pk) => this.#parkedOf(pk, { limit: share, after })),
    );
    // At most `share` deliveries are read from each partition. If a read stops there, the partition's next deliveries
    // may be older than deliveries from other partitions. So deliveries after the earliest such stop are left out.
    const ends = ranges.filter((items) => items.length === share).map((items) => items.at(-1)?.sk ?? '');
    const end = ends.toSorted()[0];
    const found = ranges.flat().filter(({ sk }) => end === undefined || sk <= end);
    const inOrder = found.toSorted((one, other) => (one.sk < other.sk ? -1 : 1));
    return {
      items: inOrder.slice(0, limit).map(parked.parse),
      hasMore: end !== undefined || inOrder.length > limit,
    };
  }

  #parkedOf(pk: string, { limit, after }: { readonly limit: number; readonly after: string | undefined }) {
    const from = after === undefined ? {} : { after: { pk, sk: `${parkedPrefix}${after}` } };
    return this.table.query({ partition: pk, sortBeginsWith: parkedPrefix, limit, ...from });
  }

  /** A delivery with its failed attempts; undefined when the log does not contain the delivery. */
  async find(subscriptionId: string, eventId: string): Promise<DeliveryDetails | undefined> {
    const [item, attempts] = await Promise.all([
      this.table.get(log.key(subscriptionId, eventId)),
      this.table.query({
        partition: partition(subscriptionId, eventId),
        sortBeginsWith: `${attemptPrefix}${eventId}#`,
        limit: maximumCount.pageItems,
      }),
    ]);
    return item && { delivery: log.parse(item), failedAttempts: attempts.map(failed.parse) };
  }

  /** A page of the log, the latest event first. A place in the log is the id of an event. */
  async list(subscriptionId: string, range: PageRange): Promise<ListPage<Delivery>> {
    const sources = partitionsOf(subscriptionId).map((pk) => ({ partition: pk, prefix: logPrefix }));
    const page = await readPage(this.table, sources, range);
    return { ...page, items: page.items.map(log.parse) };
  }

  /** How many deliveries are parked. Counts at most `limit` of each partition. */
  async countParked(
    subscriptionId: string,
    limit: number,
  ): Promise<{ readonly count: number; readonly hasMore: boolean }> {
    const ranges = await Promise.all(
      partitionsOf(subscriptionId).map((pk) => this.#parkedOf(pk, { limit: limit + 1, after: undefined })),
    );
    return {
      count: ranges.reduce((sum, items) => sum + Math.min(limit, items.length), 0),
      hasMore: ranges.some((items) => items.length > limit),
    };
  }
}

/** The writes of one record. */
export function recordWrites(
  subscriptionId: string,
  { delivery, failedAttempt, parked: waiting, wasParked = false }: DeliveryRecord,
): BatchWrite[] {
  const { id } = delivery.event;
  const put = (item: Item): BatchWrite => ({ kind: 'put', item });
  return [
    put(log.item(log.key(subscriptionId, id), delivery, expiry(delivery.at))),
    ...(failedAttempt
      ? [put(failed.item(failed.key(subscriptionId, id, failedAttempt.at), failedAttempt, expiry(failedAttempt.at)))]
      : []),
    ...(waiting ? [parkedWrite(subscriptionId, waiting)] : []),
    ...(wasParked && !waiting ? [{ kind: 'delete', key: parked.key(subscriptionId, id) } as const] : []),
  ];
}

function parkedWrite(subscriptionId: string, waiting: ParkedDelivery): BatchWrite {
  const key = parked.key(subscriptionId, waiting.event.id);
  return { kind: 'put', item: parked.item(key, waiting, expiry(waiting.parkedAt)) };
}

function expiry(at: string): Record<string, number> {
  return { [ttlAttribute]: toSeconds(Date.parse(at) + retentionMs.delivery) };
}

/**
 * Joins the writes of several callers into one call to the table. The call is made in the next turn of Node's event
 * loop.
 */
export class WriteBuffer {
  readonly #write: (writes: readonly BatchWrite[]) => Promise<void>;
  #open: { readonly writes: BatchWrite[]; readonly done: Promise<void> } | undefined;

  constructor(write: (writes: readonly BatchWrite[]) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves when the writes are done. Rejects with the error of the call that contained them. */
  write(writes: readonly BatchWrite[]): Promise<void> {
    this.#open ??= this.#begin();
    this.#open.writes.push(...writes);
    return this.#open.done;
  }

  #begin() {
    const writes: BatchWrite[] = [];
    const turnEnds = new Promise((resolve) => setImmediate(resolve));
    const done = turnEnds.then(() => {
      this.#open = undefined;
      return this.#write(latestOfEachItem(writes));
    });
    return { writes, done };
  }
}

/** One call may contain an item only once. A later write replaces an earlier one. */
function latestOfEachItem(writes: readonly BatchWrite[]): BatchWrite[] {
  const byKey = new Map(
    writes.map((write) => {
      const { pk, sk } = write.kind === 'put' ? write.item : write.key;
      return [`${pk} ${sk}`, write] as const;
    }),
  );
  return [...byKey.values()];
}
