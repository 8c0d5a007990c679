import { evaluate } from '../campaign/evaluation/evaluate.ts';
import { gatherFacts, type RewardEvent, usageOf } from '../campaign/evaluation/gather-facts.ts';
import type { Member } from '../member/member.ts';
import { type AuthenticationRequest, isRefusedByUse, runningCampaigns } from './authenticate.ts';
import type { AwardRejection } from './finalization.ts';
import type { AwardBasis, DecidedReward } from './reservation.ts';
import { rewardsOf } from './rewards.ts';

/** A member to whom something happened, with what may reward it. */
export interface Earner extends Pick<AuthenticationRequest, 'campaigns' | 'partnerships'> {
  readonly member: Member;
}

/** Something that happened: what an evaluation is told of it, and what the awards for it are known by. */
export interface AwardRequest {
  readonly event: RewardEvent;
  readonly basis: Omit<AwardBasis, 'member' | 'now'>;
}

/** What something earned, and why that is nothing when it is. */
export interface Awards {
  readonly awards: readonly DecidedReward[];
  /** Campaigns under which it earned nothing because of what the member used of limits: its own token may have. */
  readonly limited: readonly number[];
  readonly rejection: AwardRejection;
}

/**
 * What something that happened earns without anybody asking for it: under every earn campaign that ran
 * then of a merchant that the member is a customer of, with every program that it is linked to. Nobody is asked, so nothing is ever paid by it.
 */
export function decideAwards({ member, campaigns, partnerships }: Earner, rewardEvent: RewardEvent): Awards {
  const running = runningCampaigns({ campaigns, partnerships, now: rewardEvent.at }).filter(
    ({ campaign }) => campaign.type === 'EARN',
  );
  if (running.length === 0) return nothing('no_running_campaign');

  // Of somebody whom the merchant does not know there would be nothing to write its part of the award to.
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
