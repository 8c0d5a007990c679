import { endpointDueName } from '../../contracts/events.ts';
import { indexPartitions, partitions, tableIndexes } from '../../contracts/table.ts';
import { type EndpointHealth, enabled, type HealthChange } from '../../webhooks/endpoint-health.ts';
import { type EntityType, type Selector, Subscription, type SubscriptionRef } from '../../webhooks/subscription.ts';
import { outboxWrite } from '../outbox/outbox.ts';
import {
  type Condition,
  ConditionFailedError,
  defineEntity,
  exists,
  type Item,
  isNew,
  Repository,
  type RequestContext,
  type Write,
  type WriteContext,
} from '../table/table-client.ts';

const prefix = 'SUBSCRIPTION#';

const partition = (organisationId: number) => `${partitions.webhook}${organisationId}`;

/** The key is the selector: an organisation has one subscription for each selector. */
const subscriptions = defineEntity(Subscription, (organisationId: number, { eventName, entityType }: Selector) => ({
  pk: partition(organisationId),
  sk: `${prefix}${eventName ?? '*'}#${entityType ?? '*'}`,
}));

/**
 * One partition for all endpoints with a planned probe or parked deliveries. They are few, and each changes a few times
 * an hour.
 */
const duePartition = `${indexPartitions.due}ENDPOINTS`;
const { partition: indexPartition, sort: indexSort } = tableIndexes.due;

/** An endpoint that the `due` index lists. */
export type DueEndpoint = Readonly<Pick<SubscriptionRef, 'organisationId' | 'subscriptionId'>>;

/**
 * The health of an endpoint or the salts of its subscription were changed since they were read, or the subscription was
 * deleted. Nothing was written.
 */
export class HealthConflictError extends Error {
  override readonly name = 'HealthConflictError';
}

/** Webhook subscriptions with the health of their endpoints, in one partition for each organisation. */
export class Subscriptions extends Repository {
  /** All subscriptions of an organisation; strongly consistent. */
  async of(organisationId: number): Promise<Subscription[]> {
    const items = await this.table.query({ partition: partition(organisationId), sortBeginsWith: prefix });
    return items.map(subscriptions.parse);
  }

  /** A subscription; undefined when it was deleted, even if a new subscription has the same selector. */
  async find(ref: SubscriptionRef): Promise<Subscription | undefined> {
    const found = await this.findBySelector(ref.organisationId, ref);
    return found?.subscriptionId === ref.subscriptionId ? found : undefined;
  }

  /** The subscription of an organisation with a selector; strongly consistent. */
  async findBySelector(organisationId: number, selector: Selector): Promise<Subscription | undefined> {
    const item = await this.table.get(subscriptions.key(organisationId, selector));
    return item && subscriptions.parse(item);
  }

  /** A subscription of an organisation by its id; strongly consistent. */
  async findById(organisationId: number, subscriptionId: string): Promise<Subscription | undefined> {
    return (await this.of(organisationId)).find((subscription) => subscription.subscriptionId === subscriptionId);
  }

  /** Returns false, and writes nothing, when the organisation has a subscription with the selector. */
  async create(subscription: Subscription, replyWrites?: readonly Write[]): Promise<boolean> {
    const key = subscriptions.key(subscription.organisationId, subscription);
    const item = subscriptions.item(key, subscription);
    return (await this.#change({ kind: 'put', item, when: isNew }, replyWrites)) === 'changed';
  }

  /**
   * Replaces the URL. The health belongs to the old URL, so it begins anew. Deliveries that were parked because the old
   * URL failed are announced to the consumers.
   *
   * @param before the subscription as it was read
   * @throws HealthConflictError when the subscription has changed since, or was deleted
   */
  async moveEndpoint(
    before: Subscription,
    { endpointUrl, now, nextUuid, replyWrites = [] }: RequestContext & Pick<Subscription, 'endpointUrl'>,
  ): Promise<void> {
    const health = before.health && enabled(before.health, now);
    const announced = health ? [dueWrite(before, { now, nextUuid })] : [];
    const changes = { endpointUrl, updatedAt: now.toISOString(), health };
    await this.#writeHealth(before, changes, [...announced, ...replyWrites]);
  }

  /**
   * Deletes a subscription.
   *
   * @param unreadable entity types that the caller may not read. If the subscription delivers one of them, it stays.
   */
  remove(
    organisationId: number,
    selector: Selector,
    { unreadable, replyWrites }: Pick<RequestContext, 'replyWrites'> & { unreadable?: readonly EntityType[] } = {},
  ): Promise<ChangeResult> {
    const key = subscriptions.key(organisationId, selector);
    return this.#change({ kind: 'delete', key, when: isReadable(unreadable) }, replyWrites);
  }

  /**
   * Writes the health of an endpoint, and events about the endpoint for its owner.
   *
   * @param before the subscription from which the health was decided
   * @returns the subscription with the new health
   * @throws HealthConflictError when the health has changed since, or the subscription was deleted
   */
  async writeHealth(before: Subscription, change: HealthChange, context: WriteContext): Promise<Subscription> {
    const events = change.events.map((name) =>
      outboxWrite({
        id: context.nextUuid(),
        name,
        entityId: before.subscriptionId,
        occurredAt: context.now.toISOString(),
        merchantId: before.organisationId,
        partnerId: before.organisationId,
      }),
    );
    return this.#writeHealth(before, { health: change.health }, events);
  }

  /**
   * Writes the health of an endpoint that has something to receive now, and announces this work to the consumers.
   *
   * @param writes the writes of what is to be sent, such as a parked delivery or a replay
   * @throws HealthConflictError as {@link writeHealth}
   */
  async announceWork(
    before: Subscription,
    changes: { readonly health: EndpointHealth } & Pick<Subscription, 'testedAt'>,
    { now, nextUuid, replyWrites = [], writes = [] }: RequestContext & { readonly writes?: readonly Write[] },
  ): Promise<void> {
    await this.#writeHealth(before, changes, [dueWrite(before, { now, nextUuid }), ...writes, ...replyWrites]);
  }

  /**
   * Writes the salts of a subscription: one, or two during a rotation.
   *
   * @param before the subscription from which the salts were decided
   * @param writes further writes for the same DynamoDB transaction
   * @throws HealthConflictError when the salts have changed since, or the subscription was deleted
   */
  async writeSalts(
    before: Subscription,
    { salt, nextSalt, updatedAt }: Pick<Subscription, 'salt' | 'nextSalt' | 'updatedAt'>,
    writes: readonly Write[],
  ): Promise<void> {
    const change: Write = {
      kind: 'update',
      key: subscriptions.key(before.organisationId, before),
      changes: { set: { salt, updatedAt, ...(nextSalt && { nextSalt }) }, ...(!nextSalt && { remove: ['nextSalt'] }) },
      when: [
        { attribute: 'subscriptionId', is: '=', value: before.subscriptionId },
        { attribute: 'salt', is: '=', value: before.salt },
        { attribute: 'nextSalt', is: before.nextSalt ? 'present' : 'absent' },
        { attribute: 'updatedAt', is: '=', value: before.updatedAt },
      ],
    };
    await this.#writeOrConflict(before, [change, ...writes]);
  }

  /** The endpoints whose next probe or next parked delivery was due before an instant; eventually consistent. */
  async overdue(before: Date): Promise<DueEndpoint[]> {
    const sortBetween = ['0', before.toISOString()] as const;
    const items = await this.table.query({ index: 'due', partition: duePartition, sortBetween });
    return items.map(dueEndpointOf);
  }

  /** All endpoints that wait for a probe or have parked deliveries, due or not; eventually consistent. */
  async waiting(): Promise<DueEndpoint[]> {
    return (await this.table.query({ index: 'due', partition: duePartition })).map(dueEndpointOf);
  }

  async #writeHealth(before: Subscription, changes: Partial<Subscription>, others: readonly Write[]) {
    const after = { ...before, ...changes, healthVersion: (before.healthVersion ?? 0) + 1 };
    await this.#writeOrConflict(before, [healthWrite(before, after), ...others]);
    return after;
  }

  /** The first write is conditional on the subscription as it was read. */
  async #writeOrConflict(before: Subscription, writes: readonly Write[]): Promise<void> {
    try {
      await this.table.writeAll(writes);
    } catch (error) {
      if (!(error instanceof ConditionFailedError) || error.found.get(0) === undefined) throw error;
      throw new HealthConflictError(`subscription ${before.subscriptionId} has changed`, { cause: error });
    }
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

/** The result of a change: `absent` if there is no such subscription, `unreadable` if the caller may not change it. */
type ChangeResult = 'changed' | 'absent' | 'unreadable';

const isReadable = (unreadable: readonly EntityType[] = []): readonly Condition[] => [
  ...exists,
  ...unreadable.map((value) => ({ attribute: 'readableEntityTypes', is: 'without', value }) as const),
];

/** The event that announces that there is something to send to an endpoint. */
function dueWrite({ organisationId, subscriptionId: entityId }: Subscription, { now, nextUuid }: WriteContext): Write {
  const occurredAt = now.toISOString();
  return outboxWrite({ id: nextUuid(), name: endpointDueName, entityId, organisationId, occurredAt });
}

/**
 * The write of an endpoint's health. While a probe or a run with parked deliveries is planned, the `due` index lists
 * the endpoint.
 */
function healthWrite(before: Subscription, after: Subscription): Write {
  const { health, healthVersion, subscriptionId, endpointUrl, updatedAt, testedAt } = after;
  const isMoved = endpointUrl !== before.endpointUrl;
  const dueAt = health?.resumeAt;
  return {
    kind: 'update',
    key: subscriptions.key(after.organisationId, after),
    changes: {
      set: {
        healthVersion,
        ...(health && { health }),
        ...(testedAt && { testedAt }),
        ...(isMoved && { endpointUrl, updatedAt }),
        ...(dueAt && { [indexPartition]: duePartition, [indexSort]: `${dueAt}#${subscriptionId}` }),
      },
      ...(!dueAt && { remove: [indexPartition, indexSort] }),
    },
    when: [
      { attribute: 'subscriptionId', is: '=', value: subscriptionId },
      before.healthVersion === undefined
        ? { attribute: 'healthVersion', is: 'absent' }
        : { attribute: 'healthVersion', is: '=', value: before.healthVersion },
    ],
    // If another writer has set the same version and the same values, it has decided the same health.
    repetition: 'recognisable',
  };
}

/** The index contains keys only. The keys contain the organisation, the instant and the id. */
function dueEndpointOf({ pk, [indexSort]: place }: Item): DueEndpoint {
  const [, subscriptionId = ''] = String(place).split('#');
  return { organisationId: Number(pk.slice(partitions.webhook.length)), subscriptionId };
}
