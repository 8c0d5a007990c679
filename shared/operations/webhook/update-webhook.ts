import { type EndpointDue, endpointDueName } from '../../contracts/events.ts';
import { readableEntityTypes, type Selector, selectedEntityTypes } from '../../webhooks/subscription.ts';
import type { Deps, Replying } from '../operation.ts';
import { SubscriptionNotFoundError, SubscriptionNotReadableError } from './find-endpoint.ts';
import { parseEndpoint, type subscribeWebhookStores } from './subscribe-webhook.ts';

/** A new endpoint for a subscription; an empty text deletes the subscription. */
export interface SubscriptionUpdate {
  readonly organisationId: number;
  readonly permissions: readonly string[];
  readonly selector: Selector;
  readonly endpoint: string;
}

/**
 * Moves a subscription to another endpoint, or deletes it. The new endpoint receives the deliveries that waited for the
 * old one.
 *
 * @throws InvalidInputError when the endpoint's URL is not allowed
 * @throws SubscriptionNotFoundError, SubscriptionNotReadableError
 */
export async function updateWebhook(
  update: SubscriptionUpdate,
  deps: Deps<typeof subscribeWebhookStores> & Replying<SubscriptionUpdate>,
): Promise<SubscriptionUpdate> {
  const { organisationId, permissions, selector, endpoint } = update;
  const { subscriptions, now } = deps;
  const replyWrites = deps.replyWrites?.(update);
  const readable = readableEntityTypes(permissions);
  const unreadable = selectedEntityTypes(selector).filter((type) => !readable.includes(type));
  const result =
    endpoint === ''
      ? await subscriptions.remove(organisationId, selector, { unreadable, replyWrites })
      : await subscriptions.moveEndpoint(organisationId, selector, {
          endpointUrl: parseEndpoint(endpoint, deps),
          updatedAt: now().toISOString(),
          unreadable,
          replyWrites,
          resumes: await resumption(update, deps),
        });
  if (result === 'absent') throw new SubscriptionNotFoundError();
  if (result === 'unreadable') throw new SubscriptionNotReadableError();
  return update;
}

/** The announcement for a new endpoint; undefined when nothing can have waited for the old one. */
async function resumption(
  { organisationId, selector }: SubscriptionUpdate,
  { subscriptions, now, nextUuid }: Deps<typeof subscribeWebhookStores>,
): Promise<EndpointDue | undefined> {
  const subscription = await subscriptions.findBySelector(organisationId, selector);
  if (!subscription?.health) return undefined;
  const { subscriptionId: entityId } = subscription;
  return { id: nextUuid(), name: endpointDueName, entityId, organisationId, occurredAt: now().toISOString() };
}
