import { randomUUID } from 'node:crypto';
import { contract as commitSalt } from '../../../functions/notification/commit-salt/contract.ts';
import { contract as enableWebhook } from '../../../functions/notification/enable-webhook/contract.ts';
import { contract as getDelivery } from '../../../functions/notification/get-delivery/contract.ts';
import { contract as getReplay } from '../../../functions/notification/get-replay/contract.ts';
import { contract as getWebhook } from '../../../functions/notification/get-webhook/contract.ts';
import { contract as listDeliveries } from '../../../functions/notification/list-deliveries/contract.ts';
import { contract as listWebhooks } from '../../../functions/notification/list-webhooks/contract.ts';
import { contract as replayDelivery } from '../../../functions/notification/replay-delivery/contract.ts';
import { contract as rotateSalt } from '../../../functions/notification/rotate-salt/contract.ts';
import { contract as startReplay } from '../../../functions/notification/start-replay/contract.ts';
import { contract as testWebhook } from '../../../functions/notification/test-webhook/contract.ts';
import type { HostContract } from '../../../shared/contracts/contract.ts';
import { entityTypes, eventEntities, eventNames, type PlatformEvent } from '../../../shared/contracts/events.ts';
import type { Selector, Subscription } from '../../../shared/webhooks/subscription.ts';
import type { Request } from '../../../test/support/call.ts';
import { type CostWorld, type Scenario, scenario } from './world.ts';

const since = '2026-01-01T00:00:00.000Z';

/** Selectors of subscriptions. An organisation can have one subscription for each selector. */
const selectors: readonly Selector[] = [
  ...eventNames.map((eventName) => ({ eventName })),
  ...eventNames.map((eventName) => ({ eventName, entityType: eventEntities[eventName] })),
  ...Object.values(entityTypes).map((entityType) => ({ entityType })),
];

const used = new WeakMap<CostWorld, number>();

/** Makes a subscription with one failed delivery and one replay, and returns a request about them. */
async function aboutWebhook(world: CostWorld, parts: Partial<Subscription> = {}): Promise<Request> {
  const { platform, demo } = world;
  const { id: organisationId, apiKey } = demo.outsider;
  const at = platform.now().toISOString();
  const [subscriptionId, replayId] = [platform.nextUuid(), platform.nextUuid()];
  const place = used.get(world) ?? 0;
  used.set(world, place + 1);
  await platform.subscriptions.create({
    ...{ organisationId, subscriptionId, ...selectors[place], endpointUrl: 'https://hooks.example.com/' },
    ...{ salt: randomUUID(), readableEntityTypes: [], createdAt: at, updatedAt: at, ...parts },
  });
  const event: PlatformEvent = {
    ...{ id: platform.nextUuid(), name: 'transaction_created', entityId: platform.nextUuid(), occurredAt: at },
    ...{ merchantId: organisationId, partnerId: organisationId },
  };
  await platform.deliveries.record(subscriptionId, { delivery: { event, state: 'failed', attempts: 12, at } });
  await platform.replays.save({
    ...{ replayId, subscriptionId, since, until: at, scope: 'all', state: 'done', replayed: 1 },
    ...{ createdAt: at, updatedAt: at },
  });
  const params = { subscription_id: subscriptionId, event_id: event.id, replay_id: replayId };
  return { params, headers: { 'x-api-key': apiKey } };
}

const plain = (contract: HostContract) => scenario(contract, '', (world) => aboutWebhook(world));

/** The scenarios of endpoints about webhook subscriptions. */
export const webhookScenarios: readonly Scenario[] = [
  ...[listWebhooks, getWebhook, testWebhook, rotateSalt, listDeliveries, getDelivery, replayDelivery, getReplay].map(
    plain,
  ),
  scenario(enableWebhook, '', (world) => {
    return aboutWebhook(world, { health: { state: 'disabled', recent: 'F', probes: 3 } });
  }),
  scenario(commitSalt, '', (world) => {
    return aboutWebhook(world, { nextSalt: { salt: randomUUID(), activatesAt: '2126-01-01T00:00:00.000Z' } });
  }),
  scenario(startReplay, '', async (world) => {
    return { ...(await aboutWebhook(world)), body: { since, state: 'all' } };
  }),
];
