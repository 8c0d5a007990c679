import { describeCodes } from '../../contracts/described.ts';
import { type EventName, entityTypes, eventEntities, eventNames } from '../../contracts/events.ts';
import { duration, retentionMs } from '../../contracts/limits.ts';
import { camelCase, type JsonObject } from './json-schema.ts';

/** The meaning of each event (specification, "Events"). */
const meanings: Readonly<Record<EventName, string>> = {
  user_partner_authentication_created:
    'A user linked an account with a partner. Retrieve the user status data for details.',
  campaign_updated: 'An associated campaign was updated.',
  campaign_activated: 'A campaign was activated, manually or at its start date.',
  campaign_ended: 'A campaign ended, manually or at its end date.',
  transaction_authenticated: 'A transaction token was created (endpoint 1).',
  transaction_created: 'A transaction was created (endpoint 2).',
  transaction_status_updated: 'A transaction changed, typically its status. Retrieve it for details.',
  order_processed: 'An external order was rewarded. Only its merchant receives the event. Get the order for details.',
  order_rejected:
    'An external order was not rewarded. Only its merchant receives the event. Get the order for the reason.',
  'webhook.endpoint_degraded':
    'One of your endpoints does not work: its deliveries wait, and probes are sent. Sent again a day before it is disabled. `entity_id` is the id of its subscription.',
  'webhook.endpoint_disabled': `One of your endpoints was disabled, because it failed for days or replied 410. Its deliveries wait for ${duration(retentionMs.delivery)}.`,
  'webhook.endpoint_recovered': 'One of your endpoints works again. Its waiting deliveries are sent.',
};

/** The headers of deliveries. */
const headers: Readonly<Record<string, string>> = {
  'x-platform-timestamp': 'The time of the attempt, in Unix seconds.',
  'x-platform-signature': 'Lower-case hex of HMAC-SHA-256 of timestamp and raw body, with the salt as key.',
  'x-platform-signature-next':
    'During a rotation: the same signature with the new salt as key. From `activates_at` on, the new salt signs `x-platform-signature`, and this header is absent.',
  'x-platform-date': 'The time of the attempt, in GMT (IMF-fixdate).',
  'x-platform-event-id': 'The id of the event: the same in every retry and replay.',
  'x-platform-subscription-id': 'The subscription whose salt is the key of the signatures.',
  'x-platform-request-id':
    'The id of the request that the event follows from: `x-request-id` of its reply. Include it when you ask for help with a delivery.',
  'webhook-id': 'Standard Webhooks: the id of the event.',
  'webhook-timestamp': 'Standard Webhooks: the time of the attempt.',
  'webhook-signature':
    'Standard Webhooks: `v1,` and the base64 signature; during a rotation the values of both salts, separated by a space.',
};

/** The headers that only some deliveries have. */
const optionalHeaders = new Set(['x-platform-signature-next', 'x-platform-request-id']);

/** The webhooks of the document: the requests to subscribers and the expected replies. */
export function webhooks(): JsonObject {
  return Object.fromEntries(eventNames.map((name) => [name, { post: delivery(name) }]));
}

function delivery(name: EventName): JsonObject {
  const entity = eventEntities[name];
  const entityId = name.startsWith('campaign') ? '7' : '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e11';
  const required = ['event', 'entity', 'entity_id'];
  return {
    operationId: camelCase(`on-${name.replaceAll(/[_.]/g, '-')}`),
    summary: meanings[name],
    tags: ['webhooks'],
    security: [],
    parameters: Object.entries(headers).map(([header, description]) => {
      return {
        name: header,
        in: 'header',
        required: !optionalHeaders.has(header),
        description,
        schema: { type: 'string' },
      };
    }),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              event: { const: name, description: 'Name of the event.' },
              entity: { const: entity, description: `Type of the entity: ${describeCodes(entityTypes)}.` },
              entity_id: { type: 'string', description: 'Id of the entity, as text. Retrieve the entity with it.' },
            },
            required,
          },
          example: { event: name, entity, entity_id: entityId },
        },
      },
    },
    responses: {
      '2XX': { description: 'Received. After any other status, also a redirect, the delivery is repeated later.' },
      429: { description: 'Too many requests. `Retry-After` is respected, as with 502, 503 and 504.' },
    },
  };
}
