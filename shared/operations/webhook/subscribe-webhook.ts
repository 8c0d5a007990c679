import { InvalidInputError, plainError } from '../../domain/errors.ts';
import { Subscriptions } from '../../store/webhook/subscriptions.ts';
import { saltBytes } from '../../webhooks/delivery-request.ts';
import { checkEndpointUrl } from '../../webhooks/destination.ts';
import {
  readableEntityTypes,
  type Selector,
  type Subscription,
  selectedEntityTypes,
} from '../../webhooks/subscription.ts';
import type { Deps, Replying } from '../operation.ts';

export const subscribeWebhookStores = { subscriptions: Subscriptions };

/** A subscription that an organisation wants. */
export interface SubscriptionRequest {
  readonly organisationId: number;
  readonly permissions: readonly string[];
  readonly selector: Selector;
  readonly endpoint: string;
}

/** The key has no permission for any entity of the selected events. */
export class EventsNotReadableError extends plainError(
  'EventsNotReadableError',
  'The key may not read what these events are about',
) {}

/** The organisation already has a subscription with this selector. */
export class SubscriptionExistsError extends plainError(
  'SubscriptionExistsError',
  'A subscription already exists for the event',
) {}

/**
 * Subscribes an endpoint to events, with a new salt.
 *
 * @throws InvalidInputError when the endpoint's URL is not allowed
 * @throws EventsNotReadableError, SubscriptionExistsError
 */
export async function subscribeWebhook(
  { organisationId, permissions, selector, endpoint }: SubscriptionRequest,
  deps: Deps<typeof subscribeWebhookStores> & Replying<Subscription>,
): Promise<Subscription> {
  const endpointUrl = parseEndpoint(endpoint, deps);
  const readable = readableEntityTypes(permissions);
  // Refuses the subscription, because it would never receive an event.
  if (!selectedEntityTypes(selector).some((type) => readable.includes(type))) throw new EventsNotReadableError();

  const at = deps.now().toISOString();
  const subscription: Subscription = {
    ...selector,
    organisationId,
    subscriptionId: deps.nextUuid(),
    endpointUrl,
    salt: Buffer.from(deps.random(saltBytes)).toString('hex'),
    readableEntityTypes: readable,
    createdAt: at,
    updatedAt: at,
  };
  if (!(await deps.subscriptions.create(subscription, deps.replyWrites?.(subscription))))
    throw new SubscriptionExistsError();
  return subscription;
}

/**
 * Checks the URL of an endpoint.
 *
 * @throws InvalidInputError when it is not allowed
 */
export function parseEndpoint(endpoint: string, { config }: Pick<Deps, 'config'>): string {
  const checked = checkEndpointUrl(endpoint, { httpHosts: config.webhookHttpHosts });
  if (checked.allowed) return checked.url.href;
  throw new InvalidInputError([{ path: ['endpoint'], code: checked.code, message: checked.message }]);
}
