import { evaluate } from '../campaign/evaluation/evaluate.ts';
import { gatherFacts, type RewardEvent, usageOf } from '../campaign/evaluation/gather-facts.ts';
import type { Member } from '../member/member.ts';
import { type AuthenticationRequest, isRefusedByUse, runningCampaigns } from './authenticate.ts';
import type { AwardRejection } from './finalization.ts';
import type { AwardBasis, DecidedReward } from './reservation.ts';
import { rewardsOf } from './rewards.ts';

/** The member of a reward event, with the campaigns and partnerships that may award it. */
export interface Earner extends Pick<AuthenticationRequest, 'campaigns' | 'partnerships'> {
  readonly member: Member;
}

/** A request to award a reward event: the event for the evaluation, and the basis that identifies its awards. */
export interface AwardRequest {
  readonly event: RewardEvent;
  readonly basis: Omit<AwardBasis, 'member' | 'now'>;
}

/** The awards of a reward event, and the rejection that applies when there are none. */
export interface Awards {
  readonly awards: readonly DecidedReward[];
  /** Campaigns that award nothing because a limit is used up. A token of the same event may have used it. */
  readonly limited: readonly number[];
  readonly rejection: AwardRejection;
}

/**
 * Decides the awards of a reward event that no member requested: under every earn campaign of the merchant that
 * ran at the event's time, with every program that the member is linked to. Such awards never take points.
 */
export function decideAwards({ member, campaigns, partnerships }: Earner, rewardEvent: RewardEvent): Awards {
  const running = runningCampaigns({ campaigns, partnerships, now: rewardEvent.at }).filter(
    ({ campaign }) => campaign.type === 'EARN',
  );
  if (running.length === 0) return nothing('no_running_campaign');

  // An award also changes the member's association with the merchant, so there has to be one.
  const own = running.filter(({ campaign: { merchantId } }) =>
    member.associations.some((association) => association.merchantId === merchantId),
  );
  if (own.length === 0) return nothing('user_not_customer');

  const open = own.flatMap(({ campaign, partnership }) => {
    const membership = member.memberships.find(({ partnerId }) => partnerId === campaign.partnerId);
    return membership ? [{ campaign, partnership, membership }] : [];
  });
  if (open.length === 0) return nothing('user_not_linked');

  const decided = open.map(({ campaign, partnership, membership }) => {
    const facts = gatherFacts(member, membership, partnership, rewardEvent);
    const decision = evaluate(campaign, facts, usageOf(member, campaign.id));
    return { campaign, partnership, decision, rewards: rewardsOf(decision, campaign.partnerId) };
  });
  return {
    awards: decided.filter(({ rewards }) => rewards.length > 0 && rewards.every(({ type }) => type === 'EARN')),
    limited: decided
      .filter(({ rewards, decision }) => rewards.length === 0 && isRefusedByUse(decision))
      .map(({ campaign }) => campaign.id),
    rejection: 'nothing_earned',
  };
}

const nothing = (rejection: AwardRejection): Awards => ({ awards: [], limited: [], rejection });
