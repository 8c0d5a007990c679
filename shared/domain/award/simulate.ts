import type { Campaign } from '../campaign/document/campaign.ts';
import type { Decision } from '../campaign/evaluation/decision.ts';
import { evaluate } from '../campaign/evaluation/evaluate.ts';
import { gatherFacts, type RewardEvent, usageOf } from '../campaign/evaluation/gather-facts.ts';
import type { Member } from '../member/member.ts';
import type { Partnership } from '../partnership.ts';
import { costOf } from './claim.ts';
import { type Reward, rewardsOf } from './rewards.ts';

/** The reasons why a campaign would award nothing, apart from the results of its flows. */
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

/** The outcome of a campaign for an event that did not happen. */
export interface Simulation {
  readonly campaign: Campaign;
  /** Null if the campaign would award or take something. */
  readonly reason: SimulationReason | null;
  readonly rewards: readonly Reward[];
  /** Null if nothing was evaluated, because the member is not the merchant's customer or not linked to the program. */
  readonly decision: Decision | null;
}

/** The member and the event of a simulation. */
export interface Trial {
  readonly member: Member;
  readonly event: RewardEvent;
  /** Whether the event stands for a request to endpoint 1. Only such an event may take points. */
  readonly isRequest: boolean;
  /** The organisation that simulates. */
  readonly organisationId: number;
  /** The partnerships of the organisation that simulates. */
  readonly partnerships: readonly Partnership[];
}

/**
 * Decides what a campaign would do with an event. Pure like {@link evaluate}: it writes, counts and reserves nothing.
 */
export function simulate(campaign: Campaign, partnership: Partnership, trial: Trial): Simulation {
  const { member, event } = trial;
  const nothing = { campaign, rewards: [], decision: null };
  if (!member.associations.some(({ merchantId }) => merchantId === campaign.merchantId)) {
    return { ...nothing, reason: 'user_not_customer' };
  }
  const membership = member.memberships.find(({ partnerId }) => partnerId === campaign.partnerId);
  if (!membership) return { ...nothing, reason: 'user_not_linked' };

  const facts = gatherFacts(member, membership, partnership, adaptToType(event, campaign));
  const decision = evaluate(campaign, facts, usageOf(member, campaign.id));
  const rewards = rewardsOf(decision, campaign.partnerId);
  if (rewards.length === 0) return { campaign, rewards, decision, reason: decision.refused ?? 'not_qualified' };
  return { campaign, rewards, decision, reason: findObstacle(rewards, campaign, trial) };
}

/** Adapts the event to the campaign's type. For a transfer, the amount of the event is a number of points. */
function adaptToType(event: RewardEvent, { type }: Campaign): RewardEvent {
  if (event.amountCents === null) return event;
  // The amount of a redemption is paid with points, so it does not count as spend.
  if (type !== 'TRANSFER')
    return type === 'REDEEM' ? event : { ...event, spendCents: event.spendCents ?? event.amountCents };
  return { ...event, amountCents: null, transferPoints: event.amountCents / 100 };
}

/**
 * Finds the reason why the rewards would be refused; null if they would be given. Makes only those checks of endpoint 1
 * whose results the caller may see.
 */
function findObstacle(rewards: readonly Reward[], campaign: Campaign, trial: Trial): Simulation['reason'] {
  const { member, isRequest } = trial;
  const cost = costOf(rewards);
  if (cost && !isRequest) return 'only_by_request';
  const isLinked = (partnerId: number) => member.memberships.some((account) => account.partnerId === partnerId);
  const programs = rewards
    .map(({ partnerId }) => partnerId)
    .filter((partnerId) => isVisible(partnerId, campaign, trial));
  if (!programs.every((partnerId) => isOpen(partnerId, campaign, trial))) return 'partnership_not_active';
  if (!programs.every(isLinked)) return 'user_not_linked';
  if (!cost || !programs.includes(cost.partnerId)) return null;
  const payer = member.memberships.find(({ partnerId }) => partnerId === cost.partnerId);
  return (payer?.availablePoints ?? 0) >= cost.points ? null : 'insufficient_points';
}

/** A partner sees only its own program, even if the campaign also moves points of a second program. */
function isVisible(partnerId: number, { merchantId }: Campaign, { organisationId }: Trial): boolean {
  return partnerId === organisationId || merchantId === organisationId;
}

function isOpen(partnerId: number, { merchantId }: Campaign, { partnerships }: Trial): boolean {
  return partnerships.some(
    (one) => one.partnerId === partnerId && one.merchantId === merchantId && one.isActive && !one.isDeleted,
  );
}
