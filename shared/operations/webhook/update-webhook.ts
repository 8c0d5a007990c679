import { HealthConflictError } from '../../store/webhook/subscriptions.ts';
import {
  type EntityType,
  readableEntityTypes,
  type Selector,
  selectedEntityTypes,
} from '../../webhooks/subscription.ts';
import { type Deps, decideAndWrite, type Replying } from '../operation.ts';
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
  const { endpoint, permissions } = update;
  const readable = readableEntityTypes(permissions);
  const unreadable = selectedEntityTypes(update.selector).filter((type) => !readable.includes(type));
  if (endpoint === '') await remove(update, unreadable, deps);
  else await move(update, { endpointUrl: parseEndpoint(endpoint, deps), unreadable }, deps);
  return update;
}

type UpdateDeps = Deps<typeof subscribeWebhookStores> & Replying<SubscriptionUpdate>;

async function remove(update: SubscriptionUpdate, unreadable: readonly EntityType[], deps: UpdateDeps): Promise<void> {
  const { organisationId, selector } = update;
  const replyWrites = deps.replyWrites?.(update);
  const result = await deps.subscriptions.remove(organisationId, selector, { unreadable, replyWrites });
  if (result === 'absent') throw new SubscriptionNotFoundError();
  if (result === 'unreadable') throw new SubscriptionNotReadableError();
}

function move(
  update: SubscriptionUpdate,
  { endpointUrl, unreadable }: { readonly endpointUrl: string; readonly unreadable: readonly EntityType[] },
  deps: UpdateDeps,
): Promise<void> {
  const { organisationId, selector } = update;
  const { subscriptions, now, nextUuid } = deps;
  return decideAndWrite(
    {
      subject: `a subscription of organisation ${organisationId}`,
      load: () => subscriptions.findBySelector(organisationId, selector),
      write: async (before) => {
        if (!before) throw new SubscriptionNotFoundError();
        if (before.readableEntityTypes.some((type) => unreadable.includes(type))) {
          throw new SubscriptionNotReadableError();
        }
        const replyWrites = deps.replyWrites?.(update);
        await subscriptions.moveEndpoint(before, { endpointUrl, now: now(), nextUuid, replyWrites });
      },
      conflicts: [HealthConflictError],
    },
    deps,
  );
}
