import { type Campaign, isRunning } from '../campaign/document/campaign.ts';
import type { Decision } from '../campaign/evaluation/decision.ts';
import { evaluate } from '../campaign/evaluation/evaluate.ts';
import { gatherFacts, type RewardEvent, usageOf } from '../campaign/evaluation/gather-facts.ts';
import type { Member, Membership } from '../member/member.ts';
import type { Partnership } from '../partnership.ts';
import { type AwardClaim, chargesOf } from './claim.ts';
import type { DecidedReward } from './reservation.ts';
import { costOf, type Reward, rewardsOf } from './rewards.ts';

/** A request for a transaction token, with everything that is known about it. */
export interface AuthenticationRequest {
  readonly member: Member;
  readonly merchantId: number;
  readonly campaigns: readonly Campaign[];
  readonly partnerships: readonly Partnership[];
  readonly campaignId: number | undefined;
  readonly partnerId: number | undefined;
  readonly externalTransactionId: string;
  readonly amountCents: number;
  readonly now: Date;
}

/** The statuses of the specification that are outcomes, not errors. */
export type AuthenticationRefusal = 'INSUFFICIENT_REWARDS_AMOUNT' | 'MEMBER_NOT_EXISTS' | 'ERROR';

/** Why there is no token: the status for the caller, the reason for the operator. */
export interface RefusedAuthentication {
  readonly refused: AuthenticationRefusal;
  readonly because: string;
  /** Whether what was used of the member's limits is the reason: an earlier token of the order may have used it. */
  readonly isByLimit?: boolean;
}

/** A campaign with the partnership that it runs under. */
export type RunningCampaign = Pick<DecidedReward, 'campaign' | 'partnership'>;

/** The one campaign that a request means, or why there is none. */
export function campaignMeantBy(request: AuthenticationRequest): RunningCampaign | RefusedAuthentication {
  const chosenPartner = request.partnerId ?? (request.campaignId === undefined ? defaultPartner(request) : undefined);
  if (request.campaignId === undefined && chosenPartner === undefined) {
    return refuse('MEMBER_NOT_EXISTS', 'the user is not linked to a loyalty program');
  }
  const [found, ...others] = runningCampaigns(request)
    .filter(({ campaign }) => isMeant(campaign, request))
    .filter(({ campaign }) => chosenPartner === undefined || campaign.partnerId === chosenPartner);

  if (found === undefined) return refuse('ERROR', 'no running campaign of the merchant matches');
  if (others.length > 0) return refuse('ERROR', 'several campaigns are running: campaign_id is needed');
  return found;
}

/**
 * A transfer is nothing that a purchase can mean by itself: it has to be named. Neither is a campaign that
 * rewards registrations, referrals or events only.
 */
function isMeant({ id, type, flows }: Campaign, { campaignId }: AuthenticationRequest): boolean {
  if (campaignId !== undefined) return id === campaignId && type !== 'CONNECT_ONLY';
  return (type === 'EARN' || type === 'REDEEM') && flows.some(({ trigger }) => trigger.type === 'SPEND');
}

/**
 * Decides about a request under a campaign. Refused here is only what the whole balance cannot cover:
 * points that are held may be held by an earlier request for this very order, and the write's condition
 * knows.
 *
 * @param earlier the reservation that this one would replace: what it uses of limits is free again then
 */
export function authenticate(
  request: AuthenticationRequest,
  { campaign, partnership }: RunningCampaign,
  earlier?: AwardClaim,
): DecidedReward | RefusedAuthentication {
  const { member, merchantId } = request;
  if (!member.associations.some((association) => association.merchantId === merchantId)) {
    return refuse('ERROR', 'the user is not a customer of the merchant');
  }
  const membership = membershipOf(member, campaign.partnerId);
  if (membership === undefined) return refuse('MEMBER_NOT_EXISTS', 'the user is not linked to the partner');

  const replaced = earlier?.userId === member.user.id ? chargesOf(earlier) : [];
  const facts = gatherFacts(member, membership, partnership, purchaseOf(campaign, request));
  const decision = evaluate(campaign, facts, usageOf(member, campaign.id, replaced));
  const rewards = rewardsOf(decision, campaign.partnerId);
  if (rewards.length === 0) {
    return { ...refuse('ERROR', whyNothing(decision)), ...(isRefusedByUse(decision) && { isByLimit: true }) };
  }

  if (!areOfPartners(rewards, campaign, request)) {
    return refuse('ERROR', 'the merchant has no partnership with a program of the transfer');
  }
  const missing = rewards.find(({ partnerId }) => !membershipOf(member, partnerId));
  if (missing) return refuse('MEMBER_NOT_EXISTS', `the user is not linked to partner ${missing.partnerId}`);
  const cost = costOf(rewards);
  const payer = cost && membershipOf(member, cost.partnerId);
  const balance = payer ? payer.availablePoints + payer.heldPoints : 0;
  if (cost && cost.points > balance) {
    return refuse('INSUFFICIENT_REWARDS_AMOUNT', `${cost.points} points are needed, the balance is ${balance}`);
  }
  return { campaign, partnership, decision, rewards };
}

/**
 * Points move between the program of the campaign and another one of an active partnership of the merchant:
 * by a campaign of two nobody else's points are taken or given away.
 */
function areOfPartners(
  rewards: readonly Reward[],
  campaign: Campaign,
  { partnerships }: Pick<AuthenticationRequest, 'partnerships'>,
): boolean {
  const partners = new Set(partnerships.filter(isOpen).map(({ partnerId }) => partnerId));
  return (
    rewards.some(({ partnerId }) => partnerId === campaign.partnerId) &&
    rewards.every(({ partnerId }) => partners.has(partnerId))
  );
}

const isOpen = ({ isActive, isDeleted }: Partnership): boolean => isActive && !isDeleted;

/** What a request tells to evaluate: money that is spent or, for a transfer, points that are to be moved. */
function purchaseOf({ type }: Campaign, { amountCents, now }: AuthenticationRequest): RewardEvent {
  const trigger = { type: 'SPEND' } as const;
  if (type !== 'TRANSFER') return { trigger, at: now, amountCents };
  return { trigger, at: now, amountCents: null, transferPoints: amountCents / 100 };
}

const membershipOf = ({ memberships }: Member, partnerId: number): Membership | undefined =>
  memberships.find((membership) => membership.partnerId === partnerId);

function refuse(refused: AuthenticationRefusal, because: string): RefusedAuthentication {
  return { refused, because };
}

/** Whether a limit that the member used up is a reason why nothing is rewarded. */
export const isRefusedByUse = ({ flows }: Decision): boolean =>
  flows.some(({ limits }) => limits.some(({ effect, used }) => effect === 'REFUSED' && used > 0));

/** Why a decision rewards nothing, for the log. */
function whyNothing({ refused, flows }: Decision): string {
  return refused ?? flows.map(({ flowId, result }) => `flow ${flowId}: ${result}`).join(', ');
}

/** The campaigns that are running under active partnerships. */
export function runningCampaigns({
  campaigns,
  partnerships,
  now,
}: Pick<AuthenticationRequest, 'campaigns' | 'partnerships' | 'now'>): RunningCampaign[] {
  return campaigns
    .filter((campaign) => isRunning(campaign, now))
    .flatMap((campaign) => {
      const partnership = partnerships.find(({ uuid }) => uuid === campaign.partnershipUuid);
      return partnership && isOpen(partnership) ? [{ campaign, partnership }] : [];
    });
}

/** The program that is meant when the request names none: the user's own choice, or the only one it has. */
function defaultPartner({ member }: AuthenticationRequest): number | undefined {
  if (member.user.defaultPartnerId !== null) return member.user.defaultPartnerId;
  const [only, ...others] = member.memberships;
  return others.length === 0 ? only?.partnerId : undefined;
}
