import type { Attributes, Member, Membership } from '../../member/member.ts';
import type { Partnership } from '../../partnership.ts';
import { type Facts, type FlowTrigger, type Usage, usageName } from '../document/facts.ts';

/** Something that happens to a member and may be rewarded. */
export interface RewardEvent {
  readonly trigger: FlowTrigger;
  readonly at: Date;
  /** What was spent and may earn; null when nothing was spent. */
  readonly amountCents: number | null;
  readonly transferPoints?: number;
  /** What the event reports about itself. It overrides what the merchant reports about the member. */
  readonly attributes?: Attributes;
}

/**
 * Gathers the facts of an event under a partnership. They contain nothing that other merchants report about
 * the member: this merchant may neither reward by it nor learn it.
 */
export function gatherFacts(
  member: Member,
  membership: Membership,
  partnership: Partnership,
  rewardEvent: RewardEvent,
): Facts {
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
    totalSpendCents: spent?.spentCents ?? 0,
    location: association?.location ?? null,
    attributes: { ...association?.attributes, ...rewardEvent.attributes },
  };
}

/** How much of a limit a reward used in a period. */
export interface LimitUse {
  readonly limitId: number;
  readonly period: string;
  readonly amount: number;
}

/**
 * What a member used of a campaign's limits.
 *
 * @param returned use that the decision returns, because its reward replaces an earlier one
 */
export function usageOf(member: Member, campaignId: number, returned: readonly LimitUse[] = []): Usage {
  const usage: Record<string, number> = {};
  for (const { limitId, period, used } of member.usage.filter((one) => one.campaignId === campaignId)) {
    usage[usageName(limitId, period)] = used;
  }
  for (const { limitId, period, amount } of returned) {
    const name = usageName(limitId, period);
    // It may have been returned in the meantime. Then the write of this decision fails; the use is never negative.
    usage[name] = Math.max(0, (usage[name] ?? 0) - amount);
  }
  return usage;
}
