import * as z from 'zod/mini';

/** `source` of every event that the platform puts on its own bus. */
export const platformSource = 'rewards.platform';

/** The entity types of the specification's events, as numbered there. */
export const entityTypes = { USER: 1, CAMPAIGN: 2, TRANSACTION: 3 } as const;

/** The enumerated set of events (specification, "Events") and the entity that each tells about. */
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

const happened = {
  /** UUID; stable through relay, queue, retry and replay. */
  id: z.string(),
  /** UUID of the user, transaction, order or trigger event, id of the campaign as text. */
  entityId: z.string(),
  /** ISO 8601, UTC. */
  occurredAt: z.string(),
};

/** Something that happened and that partners hear of: one of the enumerated set. */
export const PlatformEvent = z.object({
  ...happened,
  name: z.enum(eventNames),
  /** The organisations on the two sides of the partnership that the thing belongs to. */
  merchantId: z.int(),
  partnerId: z.int(),
});
export type PlatformEvent = z.infer<typeof PlatformEvent>;

/** What is worked on afterwards: accepted requests, and schedules that the clock has to know. No webhook tells of it. */
const internalEventNames = ['order_received', 'trigger_received', 'refund_received', 'campaign_scheduled'] as const;

/** Something that only the platform's own consumers hear of; they read the rest from the entity. */
export const InternalEvent = z.object({ ...happened, name: z.enum(internalEventNames) });
export type InternalEvent = z.infer<typeof InternalEvent>;

/**
 * Whatever happened, as it stands in the outbox and in the `detail` of the bus event (whose
 * `detail-type` is the name).
 */
export const BusEvent = z.discriminatedUnion('name', [PlatformEvent, InternalEvent]);
export type BusEvent = z.infer<typeof BusEvent>;

/** `detail-type` of what the clock says when a campaign's schedule asks for it. */
export const campaignDueName = 'campaign_due';

/** The clock came to an instant of a campaign's schedule: as it was when the clock was set. */
export const CampaignDue = z.object({ campaignId: z.int(), dueAt: z.string() });
export type CampaignDue = z.infer<typeof CampaignDue>;
