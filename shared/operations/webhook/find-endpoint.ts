import { plainError } from '../../domain/errors.ts';
import type { Write } from '../../store/table/table-client.ts';
import { Deliveries } from '../../store/webhook/deliveries.ts';
import { HealthConflictError, Subscriptions } from '../../store/webhook/subscriptions.ts';
import type { EndpointHealth } from '../../webhooks/endpoint-health.ts';
import { readableEntityTypes, type Subscription, selectedEntityTypes } from '../../webhooks/subscription.ts';
import { type Deps, decideAndWrite, type Replying } from '../operation.ts';
import { type AuditedDeps, auditWrites } from '../write-audited.ts';

export const findEndpointStores = { subscriptions: Subscriptions };
/** For operations that also read or park deliveries. */
export const getEndpointStores = { ...findEndpointStores, deliveries: Deliveries };

/** Which subscription a request is about, and what its caller may read. */
export interface EndpointRequest {
  readonly organisationId: number;
  readonly subscriptionId: string;
  /** The permissions of the caller's key; an operator has all. */
  readonly permissions: readonly string[];
}

/** The organisation has no such subscription. */
export class SubscriptionNotFoundError extends plainError(
  'SubscriptionNotFoundError',
  'The event subscription does not exist',
) {}

/**
 * The subscription delivers events that the key may not read. So the key may not choose the endpoint that receives
 * these events, see its deliveries or cause new deliveries.
 */
export class SubscriptionNotReadableError extends plainError(
  'SubscriptionNotReadableError',
  'The key may not read what the events of the subscription are about',
) {}

/**
 * Finds a subscription of an organisation.
 *
 * @throws SubscriptionNotFoundError
 */
export async function findEndpoint(
  { organisationId, subscriptionId }: Omit<EndpointRequest, 'permissions'>,
  { subscriptions }: { readonly subscriptions: Pick<Subscriptions, 'findById'> },
): Promise<Subscription> {
  const found = await subscriptions.findById(organisationId, subscriptionId);
  if (!found) throw new SubscriptionNotFoundError();
  return found;
}

/**
 * Finds a subscription whose events the caller may read.
 *
 * @throws SubscriptionNotFoundError, SubscriptionNotReadableError
 */
export async function findReadableEndpoint(
  request: EndpointRequest,
  deps: { readonly subscriptions: Pick<Subscriptions, 'findById'> },
): Promise<Subscription> {
  const found = await findEndpoint(request, deps);
  const readable = readableEntityTypes(request.permissions);
  const delivered = selectedEntityTypes(found).filter((type) => found.readableEntityTypes.includes(type));
  if (delivered.some((type) => !readable.includes(type))) throw new SubscriptionNotReadableError();
  return found;
}

/**
 * Loads a readable subscription, decides a change and writes it. Begins again when another writer was faster.
 *
 * @throws SubscriptionNotFoundError, SubscriptionNotReadableError
 */
export function changeEndpoint<Result>(
  request: EndpointRequest,
  change: (subscription: Subscription) => Promise<Result>,
  deps: Deps<typeof findEndpointStores>,
): Promise<Result> {
  return decideAndWrite(
    {
      subject: `endpoint ${request.subscriptionId}`,
      load: () => findReadableEndpoint(request, deps),
      write: change,
      conflicts: [HealthConflictError],
    },
    deps,
  );
}

/** The subscriptions of an organisation, the oldest first. There are few, because each has a different selector. */
export async function listEndpoints(
  organisationId: number,
  { subscriptions }: { readonly subscriptions: Pick<Subscriptions, 'of'> },
): Promise<Subscription[]> {
  const all = await subscriptions.of(organisationId);
  const place = ({ createdAt, subscriptionId }: Subscription) => `${createdAt} ${subscriptionId}`;
  return all.toSorted((one, other) => place(one).localeCompare(place(other), 'en'));
}

/** Deps of operations that an owner or an operator requests for an endpoint. */
export type RequestedDeps<
  Result,
  Classes extends typeof findEndpointStores = typeof findEndpointStores,
> = AuditedDeps<Classes> & Replying<Result>;

/** What an operation wants to be done for an endpoint, such as a test or a replay. */
interface RequestedWork<Result> {
  /**
   * The health of the endpoint, which also notes what has to be done; undefined when there is nothing to do. Then
   * nothing is written.
   */
  readonly health: EndpointHealth | undefined;
  /** The new times of the last test events; absent when the work is no test. */
  readonly testedAt?: string[];
  /** The items of the work, such as a parked delivery. */
  readonly writes?: readonly Write[];
  /** One sentence for the audit trail. */
  readonly what: string;
  readonly result: Result;
}

/**
 * Stores and announces the work that `decide` returns; a consumer does this work afterwards. The work, its row in the
 * audit trail and the stored reply are written together. Decides again when another writer was faster.
 *
 * @returns the result of the decision
 * @throws SubscriptionNotFoundError, SubscriptionNotReadableError, and what `decide` throws
 */
export function requestWork<Result>(
  request: EndpointRequest,
  decide: (subscription: Subscription, now: Date) => RequestedWork<Result>,
  deps: RequestedDeps<Result>,
): Promise<Result> {
  return changeEndpoint(
    request,
    async (subscription) => {
      const now = deps.now();
      const { health, testedAt, writes = [], what, result } = decide(subscription, now);
      if (!health) return result;
      const changes = { health, ...(testedAt && { testedAt }) };
      await deps.subscriptions.announceWork(subscription, changes, {
        now,
        nextUuid: deps.nextUuid,
        writes: [...writes, ...(await auditWrites(what, deps))],
        replyWrites: deps.replyWrites?.(result),
      });
      return result;
    },
    deps,
  );
}
