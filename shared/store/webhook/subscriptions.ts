import { cacheAgeMs } from '../../contracts/limits.ts';
import { organisationPartition } from '../../contracts/table.ts';
import { type EntityType, type Selector, Subscription, type SubscriptionRef } from '../../webhooks/subscription.ts';
import {
  type Condition,
  ConditionFailedError,
  defineEntity,
  exists,
  isNew,
  Repository,
  type RequestContext,
  type TableClient,
  type Write,
} from '../table/table-client.ts';

const prefix = 'SUBSCRIPTION#';

/** The key is the selector: an organisation has one subscription for each selector. */
const subscriptions = defineEntity(Subscription, (organisationId: number, { eventName, entityType }: Selector) => ({
  pk: organisationPartition(organisationId),
  sk: `${prefix}${eventName ?? '*'}#${entityType ?? '*'}`,
}));

/** Webhook subscriptions, in the partition of their organisation. */
export class Subscriptions extends Repository {
  /** All subscriptions of an organisation; strongly consistent. */
  async of(organisationId: number): Promise<Subscription[]> {
    const items = await this.table.query({
      partition: organisationPartition(organisationId),
      sortBeginsWith: prefix,
    });
    return items.map(subscriptions.parse);
  }

  /** A subscription; undefined when it was deleted, even if a new subscription has the same selector. */
  async find(ref: SubscriptionRef): Promise<Subscription | undefined> {
    const item = await this.table.get(subscriptions.key(ref.organisationId, ref));
    const found = item && subscriptions.parse(item);
    return found?.subscriptionId === ref.subscriptionId ? found : undefined;
  }

  /** Returns false, and writes nothing, when the organisation has a subscription with the selector. */
  async create(subscription: Subscription, replyWrites?: readonly Write[]): Promise<boolean> {
    const key = subscriptions.key(subscription.organisationId, subscription);
    const item = subscriptions.item(key, subscription);
    return (await this.#change({ kind: 'put', item, when: isNew }, replyWrites)) === 'changed';
  }

  /** Replaces the URL alone. */
  moveEndpoint(
    organisationId: number,
    selector: Selector,
    to: Pick<Subscription, 'endpointUrl' | 'updatedAt'> & SubscriptionChange,
  ): Promise<ChangeResult> {
    const { endpointUrl, updatedAt, unreadable, replyWrites } = to;
    const key = subscriptions.key(organisationId, selector);
    const changes = { set: { endpointUrl, updatedAt } };
    const when = isReadable(unreadable);
    return this.#change({ kind: 'update', key, changes, when, repetition: 'harmless' }, replyWrites);
  }

  /** Deletes a subscription. */
  remove(
    organisationId: number,
    selector: Selector,
    { unreadable, replyWrites }: SubscriptionChange = {},
  ): Promise<ChangeResult> {
    const key = subscriptions.key(organisationId, selector);
    return this.#change({ kind: 'delete', key, when: isReadable(unreadable) }, replyWrites);
  }

  async #change(write: Write, replyWrites: readonly Write[] = []): Promise<ChangeResult> {
    try {
      await this.table.writeAll([write, ...replyWrites]);
      return 'changed';
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
      return error.found.get(0) ? 'unreadable' : 'absent';
    }
  }
}

/** The conditions of a change, and the writes of the same transaction. */
interface SubscriptionChange extends Pick<RequestContext, 'replyWrites'> {
  /** Entity types that the caller may not read. A subscription that delivers one of these types is not changed. */
  readonly unreadable?: readonly EntityType[];
}

/** The result of a change: `absent` if there is no such subscription, `unreadable` if the caller may not change it. */
type ChangeResult = 'changed' | 'absent' | 'unreadable';

const isReadable = (unreadable: readonly EntityType[] = []): readonly Condition[] => [
  ...exists,
  ...unreadable.map((value) => ({ attribute: 'readableEntityTypes', is: 'without', value }) as const),
];

interface Loaded {
  readonly atMs: number;
  readonly subscriptions: Promise<Subscription[]>;
}

/** The subscriptions of organisations, read once for all events of a burst. */
export class RecentSubscriptions {
  readonly #subscriptions: Pick<Subscriptions, 'of'>;
  readonly #now: () => Date;
  readonly #loaded = new Map<number, Loaded>();

  constructor(
    table: TableClient,
    { now }: { readonly now: () => Date },
    subscriptions: Pick<Subscriptions, 'of'> = new Subscriptions(table),
  ) {
    this.#now = now;
    this.#subscriptions = subscriptions;
  }

  /**
   * The subscriptions of an organisation. A list that was read before the event is read again. So every subscription
   * that existed at the time of the event receives the event.
   *
   * @param occurredAt time of the event, ISO 8601
   */
  async of(organisationId: number, occurredAt: string): Promise<Subscription[]> {
    const nowMs = this.#now().getTime();
    const known = this.#loaded.get(organisationId);
    if (known && known.atMs > Date.parse(occurredAt) && nowMs - known.atMs < cacheAgeMs.subscriptions)
      return known.subscriptions;

    this.#forget(nowMs);
    const loaded = { atMs: nowMs, subscriptions: this.#subscriptions.of(organisationId) };
    this.#loaded.set(organisationId, loaded);
    // The next caller must not receive a failed read.
    loaded.subscriptions.catch(
      () => this.#loaded.get(organisationId) === loaded && this.#loaded.delete(organisationId),
    );
    return loaded.subscriptions;
  }

  #forget(nowMs: number): void {
    for (const [organisationId, { atMs }] of this.#loaded) {
      if (nowMs - atMs >= cacheAgeMs.subscriptions) this.#loaded.delete(organisationId);
    }
  }
}
