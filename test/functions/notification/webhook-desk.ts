import { beforeAll } from 'vitest';
import { readableEntityTypes, type Subscription } from '../../../shared/webhooks/subscription.ts';
import type { Answer } from '../../support/call.ts';
import { send } from '../../support/endpoint-requests.ts';
import { narrowKey, provisionOrganisation } from '../../support/provision.ts';
import { storedSubscription } from '../../support/webhook-story.ts';
import { makeWorld, type World } from '../../support/world.ts';

/** The parts of a request. Without `key`, the organisation's own key is sent. */
interface Asked {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly key?: string;
  readonly idempotencyKey?: string;
}

/** An organisation with one subscription, and requests about it. */
export interface Desk {
  readonly world: World;
  readonly id: number;
  readonly subscription: Subscription;
  /** Sends a request to an endpoint of the host `notification`. */
  readonly ask: (name: string, asked?: Asked) => Promise<Answer>;
  /** A key of the organisation with these permissions. */
  readonly narrow: (...permissions: string[]) => Promise<string>;
  /** The subscription as it is stored. */
  readonly stored: () => Promise<Subscription | undefined>;
}

/** Returns a function that makes desks. All desks of a test file share one world. */
export function webhookDesks() {
  let world: World;
  beforeAll(async () => {
    world = await makeWorld();
  });
  return async (parts: Partial<Subscription> = {}): Promise<Desk> => {
    const { id, apiKey } = await provisionOrganisation(world.platform, { name: 'Some Shop', kind: 'MERCHANT' });
    const subscription = await storedSubscription(world, id, parts);
    const { subscriptionId } = subscription;
    return {
      ...{ world, id, subscription },
      ask: (name, { params = {}, query, body, key = apiKey, idempotencyKey } = {}) =>
        send(`notification/${name}`, {
          params: { subscription_id: subscriptionId, ...params },
          headers: { 'x-api-key': key, ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }) },
          ...(query && { query }),
          ...(body !== undefined && { body }),
        }),
      narrow: (...permissions) => narrowKey(world.platform, id, permissions),
      stored: () => world.platform.subscriptions.findById(id, subscriptionId),
    };
  };
}

/** Every permission to read what events are about. */
export const readAll = ['users:read', 'campaigns:read', 'transactions:read', 'webhooks:read'];
if (readableEntityTypes(readAll).length !== 4) throw new Error('a permission is missing');

/** The refusal of a key that may not read the events of the subscription. */
export const unreadable = { status: 401, body: { error: 'unauthorized_partner' } };
