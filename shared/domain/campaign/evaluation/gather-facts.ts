import type { Attributes, Member, Membership } from '../../member/member.ts';
import type { Partnership } from '../../partnership.ts';
import { type EventFacts, type FlowTrigger, type Usage, usageName } from '../document/facts.ts';

/** An event of a member that campaigns may reward. */
export interface RewardEvent {
  readonly trigger: FlowTrigger;
  readonly at: Date;
  /** The part of the payment that may earn; null when the member spent nothing. */
  readonly amountCents: number | null;
  /** The money of this purchase that the member's spend totals do not contain yet. Points that pay are no money. */
  readonly spendCents?: number;
  /** Points have paid the whole purchase. */
  readonly isPaidWithPoints?: boolean;
  readonly transferPoints?: number;
  /** The program that the member chose for the purchase; without it, the member's default program at the merchant. */
  readonly partnerId?: number;
  /**
   * The event's own attributes. They override the member's attributes of the same names, except when the event is a
   * purchase. Members may send purchases, and nothing that they send may change what the merchant reported about them.
   */
  readonly attributes?: Attributes | undefined;
  /** The items of a purchase. */
  readonly items?: EventFacts['items'];
  /** The numbers in the event's context. */
  readonly numbers?: EventFacts['numbers'];
}

/**
 * Gathers the facts of an event under a partnership. They contain no data that other merchants report about the member.
 * The merchant must not learn such data, and campaigns of the merchant must not depend on it.
 */
export function gatherFacts(
  member: Pick<Member, 'associations' | 'spend'>,
  membership: Membership,
  partnership: Partnership,
  rewardEvent: RewardEvent,
): EventFacts {
  const { associations, spend } = member;
  const { merchantId, partnerId } = partnership;
  const association = associations.find((one) => one.merchantId === merchantId);
  const spent = spend.find((total) => total.merchantId === merchantId && total.partnerId === partnerId);
  return {
    occurredAt: rewardEvent.at.toISOString(),
    trigger: rewardEvent.trigger,
    amountCents: rewardEvent.amountCents,
    transferPoints: rewardEvent.transferPoints ?? null,
    partnershipIsActive: partnership.isActive && !partnership.isDeleted,
    timeZone: partnership.timeZone,
    statusTierId: membership.statusTierId,
    connectedAt: membership.createdAt,
    totalSpendCents: (spent?.spentCents ?? 0) + (rewardEvent.spendCents ?? 0),
    location: association?.location ?? null,
    attributes:
      rewardEvent.trigger.type === 'SPEND'
        ? { ...rewardEvent.attributes, ...association?.attributes }
        : { ...association?.attributes, ...rewardEvent.attributes },
    items: rewardEvent.items,
    numbers: rewardEvent.numbers,
  };
}

/** How much of a limit a reward used in a period. */
export interface LimitUse {
  readonly limitId: number;
  readonly period: string;
  readonly amount: number;
}

/**
 * Returns a member's use of a campaign's limits.
 *
 * @param returned the use by an earlier reward that this decision replaces; it is subtracted
 */
export function usageOf(member: Member, campaignId: number, returned: readonly LimitUse[] = []): Usage {
  const usage: Record<string, number> = {};
  for (const { limitId, period, used } of member.usage.filter((one) => one.campaignId === campaignId)) {
    usage[usageName(limitId, period)] = used;
  }
  for (const { limitId, period, amount } of returned) {
    const name = usageName(limitId, period);
    // Another request may have returned the use already. Then the write of this decision fails. Until then the use must
    // not be negative.
    usage[name] = Math.max(0, (usage[name] ?? 0) - amount);
  }
  return usage;
}
