import { plainError } from '../domain/errors.ts';
import type { Selector } from '../webhooks/subscription.ts';
import type { Deps, Replying } from './operation.ts';
import { parseEndpoint, type subscribeWebhookStores } from './subscribe-webhook.ts';

/** A new endpoint for a subscription; an empty one deletes the subscription. */
export interface SubscriptionUpdate {
  readonly organisationId: number;
  readonly selector: Selector;
  readonly endpoint: string;
}

/** The organisation has no subscription with this selector. */
export class SubscriptionNotFoundError extends plainError(
  'SubscriptionNotFoundError',
  'The event subscription does not exist',
) {}

/**
 * Moves a subscription to another endpoint, or deletes it.
 *
 * @throws InvalidInputError when the endpoint's URL is not allowed
 * @throws SubscriptionNotFoundError
 */
export async function updateWebhook(
  update: SubscriptionUpdate,
  deps: Deps<typeof subscribeWebhookStores> & Replying<SubscriptionUpdate>,
): Promise<SubscriptionUpdate> {
  const { organisationId, selector, endpoint } = update;
  const { subscriptions, now } = deps;
  const replyWrites = deps.replyWrites?.(update);
  const isFound =
    endpoint === ''
      ? await subscriptions.remove(organisationId, selector, replyWrites)
      : await subscriptions.moveEndpoint(organisationId, selector, {
          endpointUrl: parseEndpoint(endpoint, deps),
          updatedAt: now().toISOString(),
          replyWrites,
        });
  if (!isFound) throw new SubscriptionNotFoundError();
  return update;
}
