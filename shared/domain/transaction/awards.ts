import { evaluate } from '../campaign/evaluate.ts';
import { factsOf, type Happening, usageOf } from '../campaign/facts-of.ts';
import type { Member } from '../member/member.ts';
import { type AuthenticationRequest, runningCampaigns } from './authenticate.ts';
import type { DecidedReward } from './reserve.ts';
import { rewardsOf } from './rewards.ts';

/** A member to whom something happened, with what may reward it. */
export interface Earner extends Pick<AuthenticationRequest, 'campaigns' | 'partnerships'> {
  readonly member: Member;
}

/** Why something that happened earned nothing. */
export const awardRejections = ['no_running_campaign', 'user_not_linked', 'nothing_earned'] as const;
export type AwardRejection = (typeof awardRejections)[number];

/** What something earned, and why that is nothing when it is. */
export interface Awards {
  readonly awards: readonly DecidedReward[];
  readonly rejection: AwardRejection;
}

/**
 * What something that happened earns without anybody asking for it: under every earn campaign that ran
 * then, with every program that the member is linked to. Nobody is asked, so nothing is ever paid by it.
 */
export function awardsFor({ member, campaigns, partnerships }: Earner, happening: Happening): Awards {
  const running = runningCampaigns({ campaigns, partnerships, now: happening.at }).filter(
    ({ campaign }) => campaign.type === 'EARN',
  );
  if (running.length === 0) return { awards: [], rejection: 'no_running_campaign' };

  const open = running.flatMap(({ campaign, partnership }) => {
    const membership = member.memberships.find(({ partnerId }) => partnerId === campaign.partnerId);
    return membership ? [{ campaign, partnership, membership }] : [];
  });
  if (open.length === 0) return { awards: [], rejection: 'user_not_linked' };

  const awards = open.flatMap(({ campaign, partnership, membership }) => {
    const facts = factsOf(member, membership, partnership, happening);
    const decision = evaluate(campaign, facts, usageOf(member, campaign.id));
    const rewards = rewardsOf(decision, campaign.partnerId);
    const isEarned = rewards.length > 0 && rewards.every(({ type }) => type === 'EARN');
    return isEarned ? [{ campaign, partnership, decision, rewards }] : [];
  });
  return { awards, rejection: 'nothing_earned' };
}
