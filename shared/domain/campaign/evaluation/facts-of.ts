import type { Member, Membership } from '../../member/member.ts';
import type { Attributes } from '../../member/profile.ts';
import type { Partnership } from '../../partnership.ts';
import type { Facts, Usage } from '../document/facts.ts';
import { usageName } from '../document/facts.ts';
import type { FlowTrigger } from '../document/trigger-of-flow.ts';

/** What happened, as far as it differs from one occasion to the next. */
export interface RewardEvent {
  readonly trigger: FlowTrigger;
  readonly at: Date;
  /** What was spent and may earn; null when nothing was. */
  readonly amountCents: number | null;
  readonly transferPoints?: number;
  /** What the event tells about itself; it goes before what is known of the member. */
  readonly attributes?: Attributes;
}

/**
 * Everything that is known when something happened to a member under a partnership. What other merchants
 * than the partnership's own say of the member is not: neither may they reward by it, nor find it out.
 */
export function gatherFacts(
  member: Member,
  membership: Membership,
  partnership: Partnership,
  rewardEvent: RewardEvent,
): Facts {
  const { associations, spend } = member;
  const { merchantId, partnerId } = partnership;
  const told = associations.find((association) => association.merchantId === merchantId);
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
    location: told?.location ?? null,
    attributes: { ...told?.attributes, ...rewardEvent.attributes },
  };
}

/** What a use of a limit is known by. */
export interface LimitUse {
  readonly limitId: number;
  readonly period: string;
  readonly amount: number;
}

/**
 * What a member used of a campaign's limits.
 *
 * @param given what is given back with the very reward that is decided about: it replaces another one
 */
export function usageOf(member: Member, campaignId: number, given: readonly LimitUse[] = []): Usage {
  const usage: Record<string, number> = {};
  for (const { limitId, period, used } of member.usage.filter((one) => one.campaignId === campaignId)) {
    usage[usageName(limitId, period)] = used;
  }
  for (const { limitId, period, amount } of given) {
    const name = usageName(limitId, period);
    // It may have been given back since: then the write that relies on it fails, and this is not a debt.
    usage[name] = Math.max(0, (usage[name] ?? 0) - amount);
  }
  return usage;
}
