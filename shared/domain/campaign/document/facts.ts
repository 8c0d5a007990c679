import * as z from 'zod/mini';
import { Attributes, Location } from '../../member/member.ts';
import { Cents, Points } from '../../money.ts';
import { Instant, isTimeZone } from '../../period.ts';

/**
 * The event that a flow rewards: a purchase, a member who linked an account of the program, a member who
 * referred another one, or an event that an organisation sends under the partnership.
 */
export const FlowTrigger = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('SPEND') }),
  z.strictObject({ type: z.literal('REGISTRATION') }),
  z.strictObject({ type: z.literal('REFERRAL') }),
  z.strictObject({ type: z.literal('CUSTOM'), customTriggerId: z.int() }),
]);
export type FlowTrigger = z.infer<typeof FlowTrigger>;

/** Whether an event is the one that a flow rewards. */
export function triggerMatches(event: FlowTrigger, flow: FlowTrigger): boolean {
  if (event.type === 'CUSTOM' && flow.type === 'CUSTOM') return event.customTriggerId === flow.customTriggerId;
  return event.type === flow.type;
}

/** Everything that an evaluation depends on besides the campaign, including the time. */
export const Facts = z.object({
  /** When the event happened. */
  occurredAt: Instant,
  trigger: FlowTrigger,
  /** What was spent and may earn, in cents; null when nothing was spent. */
  amountCents: z.nullable(Cents),
  /** What a transfer moves, in points of the program that they leave; null for every other event. */
  transferPoints: z.nullable(Points),
  partnershipIsActive: z.boolean(),
  /** IANA time zone of the partnership. Limits count its days, weeks and months. */
  timeZone: z.string().check(z.refine(isTimeZone, 'must be an IANA time zone')),
  /** The member's tier in the loyalty program; null when it has none. */
  statusTierId: z.nullable(z.int()),
  /** When the member linked its account of the program; null when it has none. */
  connectedAt: z.nullable(Instant),
  /** What the member spent at the merchant since then, without this event. */
  totalSpendCents: z.int(),
  /** Where the member lives; null when the merchant has not reported it. */
  location: z.nullable(Location),
  /** What the merchant reports about the member, and the event about itself. */
  attributes: Attributes,
});
export type Facts = z.infer<typeof Facts>;

/** The values of an attribute; empty when it is not reported. */
export function valuesOf(name: string, { attributes }: Pick<Facts, 'attributes'>): readonly string[] {
  // An attribute may be named like a property of every object, such as `constructor`.
  return Object.hasOwn(attributes, name) ? (attributes[name] ?? []) : [];
}

/** What the member used of limits already, by {@link usageName}. A missing name means zero. */
export type Usage = Readonly<Record<string, number>>;

/** The name of one member's use of one limit of a campaign in one period. */
export function usageName(limitId: number, period: string): string {
  return `${limitId}#${period}`;
}
