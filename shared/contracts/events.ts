import * as z from 'zod/mini';

/** `source` of every event that the platform puts on its own bus. */
export const platformSource = 'rewards.platform';

/**
 * The sources of payment events that do not come from a partner's bus. The right to put events with the source
 * `canonical` is the right to speak for every merchant.
 */
export const paymentSources = {
  canonical: 'rewards.payments',
  square: 'rewards.payments.square',
  adyen: 'rewards.payments.adyen',
} as const;

/**
 * The entity types of events. 1 to 3 have the specification's numbers; a WEBHOOK is an endpoint of an organisation, and
 * its id is the id of the subscription; an ORDER is an external order.
 */
export const entityTypes = { USER: 1, CAMPAIGN: 2, TRANSACTION: 3, WEBHOOK: 4, ORDER: 5 } as const;

/** The event that an organisation requests to try one of its endpoints. No subscription selects it. */
export const testEventName = 'webhook.test';

/**
 * The events that webhooks deliver, each with the type of its entity: the specification's set ("Events"), and the events
 * about an organisation's own endpoints and orders.
 */
export const eventEntities = {
  user_partner_authentication_created: entityTypes.USER,
  campaign_updated: entityTypes.CAMPAIGN,
  campaign_activated: entityTypes.CAMPAIGN,
  campaign_ended: entityTypes.CAMPAIGN,
  transaction_authenticated: entityTypes.TRANSACTION,
  transaction_created: entityTypes.TRANSACTION,
  transaction_status_updated: entityTypes.TRANSACTION,
  order_processed: entityTypes.ORDER,
  order_rejected: entityTypes.ORDER,
  'webhook.endpoint_degraded': entityTypes.WEBHOOK,
  'webhook.endpoint_disabled': entityTypes.WEBHOOK,
  'webhook.endpoint_recovered': entityTypes.WEBHOOK,
  [testEventName]: entityTypes.WEBHOOK,
} as const;
/** The events that a subscription can select. */
export type EventName = Exclude<keyof typeof eventEntities, typeof testEventName>;

const deliverableNames = Object.keys(eventEntities) as [keyof typeof eventEntities];
const isSelectable = (name: string): name is EventName => name !== testEventName;
export const eventNames = deliverableNames.filter(isSelectable) as [EventName, ...EventName[]];

const common = {
  /** The UUID of the event. It stays the same in relay, queue, retry and replay. */
  id: z.string(),
  /** The UUID of a user, transaction, order, payment or trigger event. The id of any other entity, as text. */
  entityId: z.string(),
  /** ISO 8601, UTC. */
  occurredAt: z.string(),
  /** The id of what caused the event: an API request, a payment event or a run of the clock. */
  requestId: z.optional(z.string()),
};

export const DeliverableName = z.enum(deliverableNames);

/** An event that webhooks deliver to organisations. */
export const PlatformEvent = z.object({
  ...common,
  name: DeliverableName,
  /**
   * The two organisations of the entity's partnership. For an event about an endpoint or an order, both ids are the
   * id of its owner. The owner of an order is its merchant.
   */
  merchantId: z.int(),
  partnerId: z.int(),
});
export type PlatformEvent = z.infer<typeof PlatformEvent>;

/** Events for the platform's own consumers: accepted requests, reports, changed schedules. No webhook delivers them. */
const internalEventNames = [
  'order_received',
  'trigger_received',
  'refund_received',
  'purchase_changed',
  'campaign_scheduled',
  'payment_changed',
  'posting_due',
  'balance_reported',
  'settlement_written',
  'grant_revoked',
] as const;

/** An event for the platform's own consumers. Consumers read all other data from the entity. */
export const InternalEvent = z.object({ ...common, name: z.enum(internalEventNames) });
export type InternalEvent = z.infer<typeof InternalEvent>;

/** `detail-type` of the event that announces work for an endpoint. */
export const endpointDueName = 'endpoint_due';

/** Work for an endpoint is due: a probe, parked deliveries, or a replay. `entityId` is the id of the subscription. */
export const EndpointDue = z.object({ ...common, name: z.literal(endpointDueName), organisationId: z.int() });
export type EndpointDue = z.infer<typeof EndpointDue>;

/**
 * An event as the outbox contains it, and as `detail` of a bus event. The `detail-type` of the bus event is the name of
 * the event.
 */
export const BusEvent = z.discriminatedUnion('name', [PlatformEvent, InternalEvent, EndpointDue]);
export type BusEvent = z.infer<typeof BusEvent>;

const knownNames: ReadonlySet<string> = new Set([...deliverableNames, ...internalEventNames, endpointDueName]);

/**
 * An event of a newer release, which this release does not know. It goes to the bus unchanged, and the consumers of the
 * newer release receive it. Two releases run side by side during a deployment and after a rollback.
 */
const NewerEvent = z.looseObject({
  ...common,
  name: z.string().check(z.refine((name) => !knownNames.has(name))),
});

/** An event as the relay takes it from the table to the bus. The bus needs the time of the event. */
export const RelayedEvent = z
  .union([BusEvent, NewerEvent])
  .check(z.refine(({ occurredAt }) => !Number.isNaN(Date.parse(occurredAt)), 'occurredAt is no time'));
export type RelayedEvent = z.infer<typeof RelayedEvent>;

/** `detail-type` of the event that a campaign's one-time schedule puts on the bus. */
export const campaignDueName = 'campaign_due';

/** A campaign's start or end is due. The campaign's schedule may have changed since the one-time schedule was set. */
export const CampaignDue = z.object({ campaignId: z.int(), dueAt: z.string() });
export type CampaignDue = z.infer<typeof CampaignDue>;

/**
 * Work for one program: post a transaction, post the settlement of a transaction, or compare the balance of an account.
 */
export const ProgramTask = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('post'), partnerId: z.int(), transactionId: z.int() }),
  z.object({ kind: z.literal('settle'), partnerId: z.int(), transactionId: z.int(), attempt: z.int() }),
  z.object({ kind: z.literal('compare'), partnerId: z.int(), userId: z.int(), attempt: z.int() }),
]);
export type ProgramTask = z.infer<typeof ProgramTask>;

/** The possible outcomes of an event of a payment platform. */
export const receiptOutcomes = ['applied', 'duplicate', 'ignored', 'malformed', 'unknown_account'] as const;
