import { createHmac, randomUUID } from 'node:crypto';
import type { webhooks } from '../src/schema/notification.ts';
import type { WebhookBody } from '../src/webhooks.ts';

/** The name of an event that a subscription can select. */
export type EventName = keyof webhooks;

/** Every event, with the type of its entity. */
const entities: { readonly [Name in EventName]: Extract<WebhookBody, { event: Name }>['entity'] } = {
  user_partner_authentication_created: 1,
  campaign_updated: 2,
  campaign_activated: 2,
  campaign_ended: 2,
  transaction_authenticated: 3,
  transaction_created: 3,
  transaction_status_updated: 3,
  order_processed: 5,
  order_rejected: 5,
  'webhook.endpoint_degraded': 4,
  'webhook.endpoint_disabled': 4,
  'webhook.endpoint_recovered': 4,
};

const isEventName = (name: string): name is EventName => Object.hasOwn(entities, name);

export const eventNames: readonly EventName[] = Object.keys(entities).filter(isEventName);

/** Returns the event of this name; undefined when there is none. */
export const findEventName = (name: string): EventName | undefined => eventNames.find((each) => each === name);

/** The request that delivers an event. */
export interface SignedDelivery {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** An example of an event to deliver. */
export interface ExampleDelivery {
  readonly event: EventName;
  /** By default, a well-formed id that belongs to no entity. */
  readonly entityId?: string | undefined;
  readonly salt: string;
  readonly now?: Date;
}

/** Makes an example of an event, with the headers of a real delivery: the platform's own and Standard Webhooks. */
export function signExample({ event, entityId, salt, now = new Date() }: ExampleDelivery): SignedDelivery {
  const entity = entities[event];
  const body = JSON.stringify({ event, entity, entity_id: entityId ?? (entity === 2 ? '7' : randomUUID()) });
  const eventId = randomUUID();
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const sign = (text: string, encoding: 'hex' | 'base64') => createHmac('sha256', salt).update(text).digest(encoding);
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'x-platform-timestamp': timestamp,
      'x-platform-signature': sign(timestamp + body, 'hex'),
      'x-platform-date': now.toUTCString(),
      'x-platform-event-id': eventId,
      'x-platform-subscription-id': randomUUID(),
      'webhook-id': eventId,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${sign(`${eventId}.${timestamp}.${body}`, 'base64')}`,
    },
  };
}
