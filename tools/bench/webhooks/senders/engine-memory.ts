import type { DeliverDeps } from '../../../../shared/operations/webhook/deliver-webhooks.ts';
import type { ResumeDeps } from '../../../../shared/operations/webhook/resume-endpoint.ts';
import { Deliveries, type DeliveryRecord } from '../../../../shared/store/webhook/deliveries.ts';
import { HealthConflictError } from '../../../../shared/store/webhook/subscriptions.ts';
import { type DeliveryMessage, isFinal, type ParkedDelivery } from '../../../../shared/webhooks/delivery.ts';
import type { Subscription, SubscriptionRef } from '../../../../shared/webhooks/subscription.ts';

/** The subscriptions and their health, with the conditions of the table. */
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
  /** There is no copy that could be old. */
  readonly note = (): void => undefined;

  readonly writeHealth: ResumeDeps['subscriptions']['writeHealth'] = async (before, { health }) => {
    const stored = this.#byId.get(before.subscriptionId);
    if (stored?.healthVersion !== before.healthVersion) throw new HealthConflictError('changed');
    const after = { ...before, health, healthVersion: (before.healthVersion ?? 0) + 1 };
    this.#byId.set(before.subscriptionId, after);
    return after;
  };
}

/** The log and the parked deliveries. Of a final delivery, only its id is kept. */
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

  /** The bench requests no replays, which alone read the log. */
  readonly list: ResumeDeps['deliveries']['list'] = async () => ({ items: [], next: null, prev: null });

  #parkedOf(subscriptionId: string): Map<string, ParkedDelivery> {
    const known = this.#parked.get(subscriptionId);
    if (known) return known;
    const parked = new Map<string, ParkedDelivery>();
    this.#parked.set(subscriptionId, parked);
    return parked;
  }
}
