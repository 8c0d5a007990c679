import type { DeliverDeps } from '../../../../shared/operations/webhook/deliver-webhooks.ts';
import type { ResumeDeps } from '../../../../shared/operations/webhook/resume-endpoint.ts';
import { Deliveries, type DeliveryRecord } from '../../../../shared/store/webhook/deliveries.ts';
import { HealthConflictError } from '../../../../shared/store/webhook/subscriptions.ts';
import { type DeliveryMessage, isFinal, type ParkedDelivery } from '../../../../shared/webhooks/delivery.ts';
import type { Subscription, SubscriptionRef } from '../../../../shared/webhooks/subscription.ts';

interface Timer {
  readonly dueMs: number;
  readonly run: () => void;
}

/** The machine's time plus an offset that the bench moves, and timers that follow it. */
export class EngineClock {
  #offsetMs = 0;
  readonly #timers = new Set<Timer>();

  readonly now = (): Date => new Date(Date.now() + this.#offsetMs);

  /** Calls `run` when the delay has passed in real time, or as soon as {@link advance} has moved the clock that far. */
  after(delayMs: number, run: () => void): void {
    const timer = { dueMs: this.now().getTime() + delayMs, run };
    this.#timers.add(timer);
    setTimeout(() => this.#fire(timer), Math.min(delayMs, 2 ** 31 - 1)).unref();
  }

  advance(byMs: number): void {
    this.#offsetMs += byMs;
    const nowMs = this.now().getTime();
    const due = [...this.#timers].filter(({ dueMs }) => dueMs <= nowMs);
    for (const timer of due.toSorted((one, other) => one.dueMs - other.dueMs)) this.#fire(timer);
  }

  #fire(timer: Timer): void {
    if (this.#timers.delete(timer)) timer.run();
  }
}

/** How a queue in memory hands out its messages. */
export interface LaneSettings<Message> {
  readonly clock: EngineClock;
  /** How many batches are handled at the same time. */
  readonly places: number;
  readonly batchSize: number;
  readonly handle: (batch: readonly Message[]) => Promise<unknown>;
}

/** A queue in memory. It hands out as many batches at a time as the platform's function for this queue takes. */
export class Lane<Message> {
  readonly #settings: LaneSettings<Message>;
  #waiting: Message[] = [];
  #next = 0;
  #free: number;

  constructor(settings: LaneSettings<Message>) {
    this.#settings = settings;
    this.#free = settings.places;
  }

  async send(messages: readonly Message[], delaySeconds = 0): Promise<void> {
    if (messages.length === 0) return;
    if (delaySeconds > 0) return this.#settings.clock.after(delaySeconds * 1000, () => void this.send(messages));
    for (const message of messages) this.#waiting.push(message);
    this.#start();
  }

  #start(): void {
    const { batchSize, handle } = this.#settings;
    while (this.#free > 0 && this.#next < this.#waiting.length) {
      const batch = this.#waiting.slice(this.#next, this.#next + batchSize);
      this.#next += batch.length;
      this.#free -= 1;
      const end = (): void => {
        this.#free += 1;
        this.#start();
      };
      handle(batch).then(end, (error: unknown) => {
        console.error(error);
        end();
      });
    }
    if (this.#next < this.#waiting.length) return;
    this.#waiting = [];
    this.#next = 0;
  }
}

/** Subscriptions and their health in memory. A write fails under the same conditions as in the table. */
export class MemorySubscriptions {
  readonly #byId = new Map<string, Subscription>();

  add(subscription: Subscription): void {
    this.#byId.set(subscription.subscriptionId, subscription);
  }

  get(subscriptionId: string): Subscription | undefined {
    return this.#byId.get(subscriptionId);
  }

  readonly find = async ({ subscriptionId }: SubscriptionRef) => this.#byId.get(subscriptionId);
  readonly findById = async (_: number, subscriptionId: string) => this.#byId.get(subscriptionId);
  /** Does nothing: there is no cached copy that could be out of date. */
  readonly note = (): void => undefined;

  readonly writeHealth: ResumeDeps['subscriptions']['writeHealth'] = async (before, { health }) => {
    const stored = this.#byId.get(before.subscriptionId);
    if (stored?.healthVersion !== before.healthVersion) throw new HealthConflictError('changed');
    const after = { ...before, health, healthVersion: (before.healthVersion ?? 0) + 1 };
    this.#byId.set(before.subscriptionId, after);
    return after;
  };
}

/** The log and the parked deliveries. Of a final delivery, the log keeps only the id. */
export class MemoryDeliveries {
  readonly #final = new Set<string>();
  readonly #parked = new Map<string, Map<string, ParkedDelivery>>();

  readonly finalAmong: DeliverDeps['deliveries']['finalAmong'] = async (messages: readonly DeliveryMessage[]) =>
    new Set(messages.map((message) => Deliveries.placeOf(message)).filter((place) => this.#final.has(place)));

  readonly record = async (subscriptionId: string, ...records: readonly DeliveryRecord[]): Promise<void> => {
    const parked = this.#parkedOf(subscriptionId);
    for (const { delivery, parked: waiting, wasParked } of records) {
      const { event, state } = delivery;
      if (isFinal(state)) this.#final.add(Deliveries.placeOf({ subscription: { subscriptionId }, event }));
      if (waiting) parked.set(event.id, waiting);
      else if (wasParked) parked.delete(event.id);
    }
  };

  readonly oldestParked: ResumeDeps['deliveries']['oldestParked'] = async (subscriptionId, { limit, after = '' }) => {
    const ids = [...this.#parkedOf(subscriptionId).keys()].filter((id) => id > after).toSorted();
    const items = ids.slice(0, limit).flatMap((id) => this.#parkedOf(subscriptionId).get(id) ?? []);
    return { items, hasMore: ids.length > limit };
  };

  readonly findParked = async (subscriptionId: string, eventId: string) => this.#parkedOf(subscriptionId).get(eventId);

  readonly park: ResumeDeps['deliveries']['park'] = async (subscriptionId, ...waiting) => {
    for (const one of waiting) this.#parkedOf(subscriptionId).set(one.event.id, one);
  };

  /** Always empty: only replays read the log, and the bench requests no replays. */
  readonly list: ResumeDeps['deliveries']['list'] = async () => ({ items: [], next: null, prev: null });

  #parkedOf(subscriptionId: string): Map<string, ParkedDelivery> {
    const known = this.#parked.get(subscriptionId);
    if (known) return known;
    const parked = new Map<string, ParkedDelivery>();
    this.#parked.set(subscriptionId, parked);
    return parked;
  }
}
