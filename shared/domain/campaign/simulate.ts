import type { Member } from '../member/member.ts';
import type { Partnership } from '../partnership.ts';
import { costOf, type Reward, rewardsOf } from '../transaction/rewards.ts';
import type { Campaign } from './campaign.ts';
import type { Decision } from './decision.ts';
import { evaluate } from './evaluate.ts';
import { factsOf, type Happening, usageOf } from './facts-of.ts';

/** Why a campaign would give nothing, beside what its flows say. */
export const simulationReasons = [
  'user_not_customer',
  'user_not_linked',
  'campaign_not_running',
  'partnership_not_active',
  'points_out_of_range',
  'not_qualified',
  'insufficient_points',
] as const;
type SimulationReason = (typeof simulationReasons)[number];

/** What a campaign would do if something happened to a member. */
export interface Simulation {
  readonly campaign: Campaign;
  /** Null when it would reward or take something. */
  readonly reason: SimulationReason | null;
  readonly rewards: readonly Reward[];
  /** Null when nothing could be evaluated, because the member is not known on both sides. */
  readonly decision: Decision | null;
}

/** What a campaign would do. Pure as {@link evaluate} is: nothing is written, counted or reserved. */
export function simulate(
  campaign: Campaign,
  partnership: Partnership,
  member: Member,
  happening: Happening,
): Simulation {
  const nothing = { campaign, rewards: [], decision: null };
  if (!member.associations.some(({ merchantId }) => merchantId === campaign.merchantId)) {
    return { ...nothing, reason: 'user_not_customer' };
  }
  const membership = member.memberships.find(({ partnerId }) => partnerId === campaign.partnerId);
  if (!membership) return { ...nothing, reason: 'user_not_linked' };

  const facts = factsOf(member, membership, partnership, meantBy(campaign, happening));
  const decision = evaluate(campaign, facts, usageOf(member, campaign.id));
  const rewards = rewardsOf(decision, campaign.partnerId);
  if (rewards.length === 0) return { campaign, rewards, decision, reason: decision.refused ?? 'not_qualified' };
  return { campaign, rewards, decision, reason: obstacleOf(rewards, member) };
}

/** Why a member cannot have rewards that it qualifies for; null when it can. A transfer needs both accounts. */
function obstacleOf(rewards: readonly Reward[], member: Member): SimulationReason | null {
  const programs = new Set(member.memberships.map(({ partnerId }) => partnerId));
  if (!rewards.every(({ partnerId }) => programs.has(partnerId))) return 'user_not_linked';
  return isAffordable(rewards, member) ? null : 'insufficient_points';
}

/** To a transfer an amount means points. */
function meantBy({ type }: Campaign, happening: Happening): Happening {
  if (type !== 'TRANSFER' || happening.amountCents === null) return happening;
  return { ...happening, amountCents: null, transferPoints: happening.amountCents / 100 };
}

function isAffordable(rewards: readonly Reward[], { memberships }: Member): boolean {
  const cost = costOf(rewards);
  if (!cost) return true;
  const payer = memberships.find(({ partnerId }) => partnerId === cost.partnerId);
  return (payer?.availablePoints ?? 0) >= cost.points;
}
