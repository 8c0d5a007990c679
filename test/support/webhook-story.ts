import type { ErrorClass } from '../../shared/webhooks/attempt-outcome.ts';
import type { Delivery, FailedAttempt } from '../../shared/webhooks/delivery.ts';
import type { Subscription } from '../../shared/webhooks/subscription.ts';
import { anEvent, aSubscription, newId } from '../webhooks/fixtures.ts';
import type { World } from './world.ts';

/** Writes a subscription of an organisation to the table. */
export async function storedSubscription(
  { platform }: World,
  organisationId: number,
  parts: Partial<Subscription> = {},
): Promise<Subscription> {
  const subscription = aSubscription({ organisationId, ...parts });
  if (!(await platform.subscriptions.create(subscription))) throw new Error('the organisation has this subscription');
  return subscription;
}

/** Writes a delivery to the log of a subscription. By default, the delivery has failed after twelve attempts. */
export async function storedDelivery(
  { platform }: World,
  { subscriptionId, organisationId, endpointUrl }: Subscription,
  parts: Partial<Delivery> = {},
): Promise<Delivery> {
  const at = new Date().toISOString();
  const event = anEvent({ merchantId: organisationId, partnerId: organisationId });
  const delivery: Delivery = { event, state: 'failed', attempts: 12, at, ...parts };
  const { state } = delivery;
  const outcome = failure('server_error', 503);
  const failedAttempt: FailedAttempt = { eventId: delivery.event.id, attempt: 1, endpointUrl, at, outcome };
  const parked = { event: delivery.event, attempt: 1, parkedAt: at, notBefore: at };
  await platform.deliveries.record(subscriptionId, {
    delivery,
    ...(state !== 'delivered' && { failedAttempt }),
    ...(state === 'parked' && { parked }),
  });
  return delivery;
}

/** The outcome of a failed attempt. */
const failure = (errorClass: ErrorClass, status: number) =>
  ({ result: 'failed', errorClass, status, excerpt: 'no', timing: { totalMs: 12.5, firstByteMs: 11 } }) as const;

/** Stores a completed replay of a subscription and returns its id. */
async function storedReplay({ platform }: World, { subscriptionId }: Subscription): Promise<string> {
  const at = new Date().toISOString();
  const replayId = newId();
  const period = { since: '2026-01-01T00:00:00.000Z', until: at, createdAt: at, updatedAt: at };
  await platform.replays.save({ replayId, subscriptionId, ...period, scope: 'all', state: 'done', replayed: 1 });
  return replayId;
}

/** Stores a subscription with a delivery and a replay, and returns their ids. */
export async function webhookStory(world: World, organisationId: number, parts: Partial<Subscription> = {}) {
  const subscription = await storedSubscription(world, organisationId, parts);
  const { event } = await storedDelivery(world, subscription);
  const replayId = await storedReplay(world, subscription);
  return { subscriptionId: subscription.subscriptionId, eventId: event.id, replayId };
}
