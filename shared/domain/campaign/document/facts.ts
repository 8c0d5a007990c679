import * as z from 'zod/mini';
import { Instant } from '../../instant.ts';
import { Attributes, Location } from '../../member/profile.ts';
import { Cents, Points } from '../../money.ts';
import { isTimeZone } from '../../period.ts';
import { FlowTrigger } from './trigger-of-flow.ts';

/** All that an evaluation may depend on beside the campaign, the time included. */
export const Facts = z.object({
  /** When the rewarded thing happened. */
  occurredAt: Instant,
  trigger: FlowTrigger,
  /** What was spent and may earn, in cents; null when nothing was spent. */
  amountCents: z.nullable(Cents),
  /** What a transfer is to move, in points of the program that it takes them from; null for all else. */
  transferPoints: z.nullable(Points),
  partnershipIsActive: z.boolean(),
  /** IANA time zone of the partnership: whose days and months the limits mean. */
  timeZone: z.string().check(z.refine(isTimeZone, 'must be an IANA time zone')),
  /** The member's tier in the loyalty program; null when it has none. */
  statusTierId: z.nullable(z.int()),
  /** When the member linked its account of the program; null when it has none. */
  connectedAt: z.nullable(Instant),
  /** What the member spent at the merchant since then, what is decided about left out. */
  totalSpendCents: z.int(),
  /** Where the member lives, as far as the merchant told. */
  location: z.nullable(Location),
  /** What the merchant tells about the member, and the event about itself. */
  attributes: Attributes,
});
export type Facts = z.infer<typeof Facts>;

/** The values of an attribute; none where nobody told it. */
export function valuesOf(name: string, { attributes }: Pick<Facts, 'attributes'>): readonly string[] {
  // An attribute may have the name of something that every object has, such as `constructor`.
  return Object.hasOwn(attributes, name) ? (attributes[name] ?? []) : [];
}

/** What the member used of limits already, by {@link usageName}; what is not there is zero. */
export type Usage = Readonly<Record<string, number>>;

/** The name of what one member used of one limit of a campaign in one period. */
export function usageName(limitId: number, period: string): string {
  return `${limitId}#${period}`;
}
