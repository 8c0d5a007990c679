import * as z from 'zod/mini';
import { Attributes, Location } from '../../member/member.ts';
import { Cents, Points } from '../../money.ts';
import { Instant, isTimeZone } from '../../period.ts';
import { triggerKinds } from './kinds/triggers.ts';
import { unionOf } from './kinds/union.ts';

/**
 * The event that a flow rewards: a purchase, the link of an account of the program, the referral of a new member, or an
 * event that an organisation sends under the partnership.
 */
export const FlowTrigger = unionOf('type', triggerKinds);
export type FlowTrigger = z.infer<typeof FlowTrigger>;

/** Whether a flow with this trigger rewards an amount of money. All other flows reward the event. */
export const isByDollar = (trigger: FlowTrigger): boolean =>
  trigger.type === 'SPEND' || (trigger.type === 'CUSTOM' && trigger.amountField !== undefined);

/** Whether the trigger of an event is the trigger of a flow. */
export function triggerMatches(event: FlowTrigger, flow: FlowTrigger): boolean {
  if (event.type === 'CUSTOM' && flow.type === 'CUSTOM') return event.customTriggerId === flow.customTriggerId;
  return event.type === flow.type;
}

/** Everything that an evaluation depends on, except the campaign and the member's use of limits. */
export const Facts = z.object({
  /** When the event happened. */
  occurredAt: Instant,
  trigger: FlowTrigger,
  /** The part of the payment that may earn, in cents; null when the member spent nothing. */
  amountCents: z.nullable(Cents),
  /** The points that leave the first program of a transfer; null for every other event. */
  transferPoints: z.nullable(Points),
  partnershipIsActive: z.boolean(),
  /** IANA time zone of the partnership. The periods of limits are days, weeks and months of this time zone. */
  timeZone: z.string().check(z.refine(isTimeZone, 'must be an IANA time zone')),
  /** The member's tier in the loyalty program; null when the member has none. */
  statusTierId: z.nullable(z.int()),
  /** When the member linked an account of the program; null when none is linked. */
  connectedAt: z.nullable(Instant),
  /** The money that the member has spent at the merchant since the account was linked, including this purchase. */
  totalSpendCents: z.int(),
  /** Where the member lives; null when the merchant has not reported it. */
  location: z.nullable(Location),
  /** The attributes of the member that the merchant reports, and those of the event. */
  attributes: Attributes,
});
export type Facts = z.infer<typeof Facts>;

/** One item of a purchase, as conditions see it. */
export interface PurchasedItem {
  readonly productId?: string | undefined;
  readonly category?: string | undefined;
  readonly tags: readonly string[];
  /** The price of the whole quantity, before discounts of the order. */
  readonly amountCents: number;
}

/**
 * The facts, and those details of the event that a decision does not store. A decision stores only the amounts that
 * follow from the details, so its size does not grow with the number of items.
 */
export interface EventFacts extends Facts {
  readonly items?: readonly PurchasedItem[] | undefined;
  /** The numbers in the context of the event, by name. */
  readonly numbers?: ReadonlyMap<string, number> | undefined;
}

/** The values of an attribute; empty when it is not reported. */
export function valuesOf(name: string, { attributes }: Pick<Facts, 'attributes'>): readonly string[] {
  // An attribute may be named like a property of every object, such as `constructor`.
  return Object.hasOwn(attributes, name) ? (attributes[name] ?? []) : [];
}

/** The member's use of limits, by {@link usageName}. A missing name means zero. */
export type Usage = Readonly<Record<string, number>>;

/** The key of a limit and a period in {@link Usage}. */
export function usageName(limitId: number, period: string): string {
  return `${limitId}#${period}`;
}
