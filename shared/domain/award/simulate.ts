import type { Campaign } from '../campaign/document/campaign.ts';
import type { Decision } from '../campaign/evaluation/decision.ts';
import { evaluate } from '../campaign/evaluation/evaluate.ts';
import { gatherFacts, type RewardEvent, usageOf } from '../campaign/evaluation/gather-facts.ts';
import type { Member } from '../member/member.ts';
import type { Partnership } from '../partnership.ts';
import { costOf, type Reward, rewardsOf } from './rewards.ts';

/** Why a campaign would give nothing, beside what its flows say. */
export const simulationReasons = [
  'user_not_customer',
  'user_not_linked',
  'campaign_not_running',
  'partnership_not_active',
  'points_out_of_range',
  'not_qualified',
  'only_by_request',
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

/** What is tried out, and for whom. */
export interface Trial {
  readonly member: Member;
  readonly happening: RewardEvent;
  /** Whether a member asks for it, as at endpoint 1: nothing is paid or moved by what merely happens. */
  readonly isRequest: boolean;
  /** The organisation that wants to know. */
  readonly organisationId: number;
  /** The partnerships that it is a side of. */
  readonly partnerships: readonly Partnership[];
}

/** What a campaign would do. Pure as {@link evaluate} is: nothing is written, counted or reserved. */
export function simulate(campaign: Campaign, partnership: Partnership, trial: Trial): Simulation {
  const { member, happening: rewardEvent } = trial;
  const nothing = { campaign, rewards: [], decision: null };
  if (!member.associations.some(({ merchantId }) => merchantId === campaign.merchantId)) {
    return { ...nothing, reason: 'user_not_customer' };
  }
  const membership = member.memberships.find(({ partnerId }) => partnerId === campaign.partnerId);
  if (!membership) return { ...nothing, reason: 'user_not_linked' };

  const facts = gatherFacts(member, membership, partnership, meantBy(campaign, rewardEvent));
  const decision = evaluate(campaign, facts, usageOf(member, campaign.id));
  const rewards = rewardsOf(decision, campaign.partnerId);
  if (rewards.length === 0) return { campaign, rewards, decision, reason: decision.refused ?? 'not_qualified' };
  return { campaign, rewards, decision, reason: obstacleTo(rewards, campaign, trial) };
}

/** To a transfer an amount means points. */
function meantBy({ type }: Campaign, rewardEvent: RewardEvent): RewardEvent {
  if (type !== 'TRANSFER' || rewardEvent.amountCents === null) return rewardEvent;
  return { ...rewardEvent, amountCents: null, transferPoints: rewardEvent.amountCents / 100 };
}

/** Why what the flows give is not given all the same; null when it is. As endpoint 1 finds it, as far as the caller sees. */
function obstacleTo(rewards: readonly Reward[], campaign: Campaign, trial: Trial): Simulation['reason'] {
  const { member, isRequest } = trial;
  const cost = costOf(rewards);
  if (cost && !isRequest) return 'only_by_request';
  const isLinked = (partnerId: number) => member.memberships.some((account) => account.partnerId === partnerId);
  const programs = rewards.map(({ partnerId }) => partnerId).filter((partnerId) => isSeen(partnerId, campaign, trial));
  if (!programs.every((partnerId) => isOpen(partnerId, campaign, trial))) return 'partnership_not_active';
  if (!programs.every(isLinked)) return 'user_not_linked';
  if (!cost || !programs.includes(cost.partnerId)) return null;
  const payer = member.memberships.find(({ partnerId }) => partnerId === cost.partnerId);
  return (payer?.availablePoints ?? 0) >= cost.points ? null : 'insufficient_points';
}

/** A partner sees what members have in its own program only, also where its campaign moves points of another. */
function isSeen(partnerId: number, { merchantId }: Campaign, { organisationId }: Trial): boolean {
  return partnerId === organisationId || merchantId === organisationId;
}

function isOpen(partnerId: number, { merchantId }: Campaign, { partnerships }: Trial): boolean {
  return partnerships.some(
    (one) => one.partnerId === partnerId && one.merchantId === merchantId && one.isActive && !one.isDeleted,
  );
}
