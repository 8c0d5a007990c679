import * as z from 'zod/mini';

/** `source` of every event that the platform puts on its own bus. */
export const platformSource = 'rewards.platform';

/** The entity types of events, with the specification's numbers. */
export const entityTypes = { USER: 1, CAMPAIGN: 2, TRANSACTION: 3 } as const;

/** The enumerated set of events (specification, "Events"), each with the type of its entity. */
export const eventEntities = {
  user_partner_authentication_created: entityTypes.USER,
  campaign_updated: entityTypes.CAMPAIGN,
  campaign_activated: entityTypes.CAMPAIGN,
  campaign_ended: entityTypes.CAMPAIGN,
  transaction_authenticated: entityTypes.TRANSACTION,
  transaction_created: entityTypes.TRANSACTION,
  transaction_status_updated: entityTypes.TRANSACTION,
} as const;
export type EventName = keyof typeof eventEntities;

export const eventNames = Object.keys(eventEntities) as [EventName, ...EventName[]];

const common = {
  /** The UUID of the event. It stays the same in relay, queue, retry and replay. */
  id: z.string(),
  /** UUID of the user, transaction, order, payment or trigger event; id of the campaign or membership as text. */
  entityId: z.string(),
  /** ISO 8601, UTC. */
  occurredAt: z.string(),
};

/** An event of the enumerated set. Webhooks deliver it to partners. */
export const PlatformEvent = z.object({
  ...common,
  name: z.enum(eventNames),
  /** The two organisations of the entity's partnership. */
  merchantId: z.int(),
  partnerId: z.int(),
});
export type PlatformEvent = z.infer<typeof PlatformEvent>;

/** Events for the platform's own consumers: accepted requests, reports, changed schedules. No webhook delivers them. */
const internalEventNames = [
  'order_received',
  'trigger_received',
  'refund_received',
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

/**
 * An event as the outbox contains it, and as `detail` of a bus event. The `detail-type` of the bus event is the name of
 * the event.
 */
export const BusEvent = z.discriminatedUnion('name', [PlatformEvent, InternalEvent]);
export type BusEvent = z.infer<typeof BusEvent>;

/** `detail-type` of the event that a campaign's one-time schedule puts on the bus. */
export const campaignDueName = 'campaign_due';

/** A campaign's start or end is due. The schedule may have changed since the reminder was set. */
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
