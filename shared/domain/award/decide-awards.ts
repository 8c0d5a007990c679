import { type Campaign, isRunning } from '../campaign/document/campaign.ts';
import type { Decision } from '../campaign/evaluation/decision.ts';
import { evaluate } from '../campaign/evaluation/evaluate.ts';
import { gatherFacts, type RewardEvent, usageOf } from '../campaign/evaluation/gather-facts.ts';
import { moneyOf } from '../campaign/evaluation/reward.ts';
import { blockOf, type Member, type Membership } from '../member/member.ts';
import type { Partnership } from '../partnership.ts';
import { type AwardBasis, type AwardClaim, chargesOf, costOf, type DecidedReward } from './claim.ts';
import { type AwardRejection, reasonOfDecisions } from './finalization.ts';
import type { RefusalReason } from './refusal.ts';
import { type Reward, rewardsOf } from './rewards.ts';

/** The member of a reward event; the campaigns that may award the event, and their partnerships. */
export interface Earner extends Pick<AuthenticationRequest, 'campaigns' | 'partnerships'> {
  readonly member: Member;
  /**
   * Whether the merchant has several programs. Then an award binds its purchase to one program. Absent in simulations.
   */
  readonly isOneOfSeveral?: boolean;
}

/** A request to award a reward event: the event for the evaluation, and the basis that identifies its awards. */
export interface AwardRequest {
  readonly event: RewardEvent;
  readonly basis: Omit<AwardBasis, 'member' | 'now'>;
}

/** The facts about a purchase that are known from other reports of the same purchase. */
export interface KnownPurchase {
  /** The cents of the total that points have paid. */
  readonly paidCents: number;
  /** The cents of the purchase that the user's spend totals contain already. */
  readonly countedCents: number;
  /** The program in which the purchase earned already. It earns in no other program. */
  readonly partnerId: number | undefined;
}

/** The awards of a reward event, and the reason that applies if there are none. */
export interface Awards {
  readonly awards: readonly DecidedReward[];
  /** Campaigns that award nothing because a limit is used up. A token of the same event may have used the limit. */
  readonly limited: readonly number[];
  readonly rejection: AwardRejection;
}

/**
 * Decides the awards of a reward event for which no token is requested. Only earn campaigns that ran at the time of the
 * event award it, and only in programs that the member is linked to. A purchase earns in one program only: the one that
 * endpoint 1 would choose. These awards never take points.
 */
export function decideAwards({ member, campaigns, partnerships }: Earner, rewardEvent: RewardEvent): Awards {
  const running = runningCampaigns({ campaigns, partnerships, now: rewardEvent.at }).filter(
    ({ campaign }) => campaign.type === 'EARN',
  );
  if (running.length === 0) return nothing('no_running_campaign');

  // An award also changes the member's association with the merchant. A member without this association gets no award.
  const own = running.filter(({ campaign: { merchantId } }) =>
    member.associations.some((association) => association.merchantId === merchantId),
  );
  if (own.length === 0) return nothing('user_not_customer');
  if (member.user.block) return nothing('member_blocked');

  const open = own.flatMap(({ campaign, partnership }) => {
    const membership = member.memberships.find(({ partnerId }) => partnerId === campaign.partnerId);
    return membership ? [{ campaign, partnership, membership }] : [];
  });
  if (open.length === 0) return nothing('user_not_linked');

  const isPurchase = rewardEvent.trigger.type === 'SPEND';
  const chosen = isPurchase ? chooseProgram({ member, partnerships, partnerId: rewardEvent.partnerId }) : undefined;
  if (isPurchase && chosen === undefined) return nothing('no_default_program');
  const matching = open.filter(({ campaign }) => chosen === undefined || campaign.partnerId === chosen);
  if (matching.length === 0) return nothing('no_running_campaign');
  const rewarding = matching.filter(({ membership }) => membership.block === undefined);
  if (rewarding.length === 0) return nothing('member_blocked');

  const decided = rewarding.map(({ campaign, partnership, membership }) => {
    const facts = gatherFacts(member, membership, partnership, rewardEvent);
    const decision = evaluate(campaign, facts, usageOf(member, campaign.id));
    return { campaign, partnership, decision, rewards: rewardsOf(decision, campaign.partnerId) };
  });
  return {
    awards: decided.filter(({ rewards }) => rewards.length > 0 && rewards.every(({ type }) => type === 'EARN')),
    limited: decided
      .filter(({ rewards, decision }) => rewards.length === 0 && isRefusedByUse(decision))
      .map(({ campaign }) => campaign.id),
    rejection: rewardEvent.isPaidWithPoints
      ? 'paid_with_points'
      : reasonOfDecisions(decided.map(({ decision }) => decision)),
  };
}

const nothing = (rejection: AwardRejection): Awards => ({ awards: [], limited: [], rejection });

/** A request for a transaction token, with everything that its decision depends on. */
export interface AuthenticationRequest {
  readonly member: Member;
  readonly merchantId: number;
  readonly campaigns: readonly Campaign[];
  readonly partnerships: readonly Partnership[];
  readonly campaignId: number | undefined;
  readonly partnerId: number | undefined;
  readonly externalTransactionId: string;
  readonly amountCents: number;
  /** The items and attributes of the purchase, if the caller sent any. */
  readonly details?: Pick<RewardEvent, 'items' | 'attributes'> | undefined;
  /** A digest of the details; undefined without details. */
  readonly detailsDigest?: string | undefined;
  /** The part of the amount that earlier tokens paid with points; 0 by default. */
  readonly paidCents?: number;
  /** The part of the amount that the member's spend totals contain already; 0 by default. */
  readonly countedCents?: number;
  /** The program in which the purchase earned already. It earns in no other program. */
  readonly earnedPartnerId?: number | undefined;
  /** Whether the merchant has several programs. Then a token binds its purchase to one program. */
  readonly isOneOfSeveral?: boolean;
  readonly now: Date;
}

/** A refused token: the reason, and what an operator needs to explain it. */
export interface RefusedAuthentication {
  readonly refused: RefusalReason;
  /** The decision that rewards nothing, or whose rewards cannot be given. */
  readonly decision?: Decision;
  /** The points that the purchase costs, and the balance of the member. */
  readonly cost?: { readonly points: number; readonly balance: number };
  /** Whether the member has used up a limit. An earlier token of the same purchase may have used the limit. */
  readonly isByLimit?: boolean;
}

/** A campaign with the partnership that it runs under. */
export type RunningCampaign = Pick<DecidedReward, 'campaign' | 'partnership'>;

/** Finds the one campaign of a request, or the reason why there is none. */
export function selectCampaign(request: AuthenticationRequest): RunningCampaign | RefusedAuthentication {
  if (request.member.user.block) return { refused: 'member_blocked' };
  const chosenPartner = request.campaignId === undefined ? chooseProgram(request) : request.partnerId;
  if (request.campaignId === undefined && chosenPartner === undefined) {
    return { refused: request.member.memberships.length === 0 ? 'user_not_linked' : 'no_default_program' };
  }
  const [found, ...others] = runningCampaigns(request)
    .filter(({ campaign }) => isEligible(campaign, request))
    .filter(({ campaign }) => chosenPartner === undefined || campaign.partnerId === chosenPartner);

  if (found === undefined) return { refused: 'no_running_campaign' };
  if (others.length > 0) return { refused: 'several_campaigns' };
  return found;
}

/**
 * Whether a purchase can use a campaign. If the request has no campaign id, only earn and redeem campaigns with a SPEND
 * flow are eligible. A transfer campaign is eligible only if the request contains its id.
 */
function isEligible({ id, type, flows }: Campaign, { campaignId }: AuthenticationRequest): boolean {
  if (campaignId !== undefined) return id === campaignId && type !== 'CONNECT_ONLY';
  return (type === 'EARN' || type === 'REDEEM') && flows.some(({ trigger }) => trigger.type === 'SPEND');
}

/**
 * Decides whether a campaign grants a token request. The decision compares the cost with available plus held points,
 * because an earlier token of the same purchase may hold points. The write compares the cost with the available points.
 *
 * @param earlier the claim that the new claim would replace; the charges of the earlier claim do not count against the
 *   request
 */
export function authenticate(
  request: AuthenticationRequest,
  { campaign, partnership }: RunningCampaign,
  earlier?: AwardClaim,
): DecidedReward | RefusedAuthentication {
  const { member, merchantId } = request;
  if (!member.associations.some((association) => association.merchantId === merchantId)) {
    return { refused: 'user_not_customer' };
  }
  const membership = membershipOf(member, campaign.partnerId);
  if (membership === undefined) return { refused: 'user_not_linked' };
  if (blockOf(member, campaign.partnerId)) return { refused: 'member_blocked' };
  const { earnedPartnerId = campaign.partnerId } = request;
  if (campaign.type === 'EARN' && earnedPartnerId !== campaign.partnerId) {
    return { refused: 'transaction_already_exists' };
  }

  const replaced = earlier?.userId === member.user.id ? chargesOf(earlier) : [];
  const rewardEvent = toRewardEvent(campaign, request);
  if (rewardEvent.isPaidWithPoints) return { refused: 'paid_with_points' };
  const facts = gatherFacts(member, membership, partnership, rewardEvent);
  const decision = evaluate(campaign, facts, usageOf(member, campaign.id, replaced));
  const rewards = rewardsOf(decision, campaign.partnerId);
  if (rewards.length === 0) {
    const refused = reasonOfDecisions([decision]);
    return { refused, decision, ...(isRefusedByUse(decision) && { isByLimit: true }) };
  }

  if (!arePartnersAllowed(rewards, campaign, request)) return { refused: 'program_not_available', decision };
  const obstacle = findObstacle(member, rewards);
  if (obstacle) return { refused: obstacle, decision };
  const cost = costOf(rewards);
  const payer = cost && membershipOf(member, cost.partnerId);
  const balance = payer ? payer.availablePoints + payer.heldPoints : 0;
  if (cost && cost.points > balance) {
    return { refused: 'insufficient_points', decision, cost: { points: cost.points, balance } };
  }
  return { campaign, partnership, decision, rewards };
}

/**
 * Whether a campaign may move the points of its rewards. At least one reward has to be in the campaign's own program.
 * The program of each reward has to belong to an active partnership of the merchant.
 */
function arePartnersAllowed(
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

/**
 * The reward event of a request. `amountCents` is the request's `transaction_amount` times 100. For a transfer,
 * `transaction_amount` is a number of points, so this function divides by 100 again. The part that points have paid
 * earns nothing. An amount that the request pays with points is no spend.
 */
function toRewardEvent(
  { type }: Campaign,
  { amountCents, details, paidCents = 0, countedCents = 0, now }: AuthenticationRequest,
): RewardEvent {
  const event = { ...details, trigger: { type: 'SPEND' }, at: now } as const;
  if (type === 'TRANSFER')
    return { trigger: event.trigger, at: now, amountCents: null, transferPoints: amountCents / 100 };
  if (type === 'REDEEM') return { ...event, amountCents };
  const money = moneyOf(amountCents, amountCents, paidCents);
  const spendCents = Math.max(0, money - countedCents);
  return { ...event, amountCents: money, spendCents, isPaidWithPoints: money === 0 };
}

/** Why the accounts of a member cannot take part in rewards; undefined when they can. */
function findObstacle(member: Member, rewards: readonly Reward[]): RefusalReason | undefined {
  if (rewards.some(({ partnerId }) => !membershipOf(member, partnerId))) return 'user_not_linked';
  return rewards.some(({ partnerId }) => blockOf(member, partnerId)) ? 'member_blocked' : undefined;
}

const membershipOf = ({ memberships }: Member, partnerId: number): Membership | undefined =>
  memberships.find((membership) => membership.partnerId === partnerId);

/** Whether a limit that the member has used before prevents the reward. */
const isRefusedByUse = ({ flows }: Decision): boolean =>
  flows.some(({ limits }) => limits.some(({ effect, used }) => effect === 'REFUSED' && used > 0));

/** Selects the campaigns that run at `now` under active partnerships. */
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

/** Whether purchases may earn in one of several programs, so that a program has to be chosen. */
export const haveSeveralPrograms = (campaigns: readonly Campaign[]): boolean =>
  new Set(campaigns.filter(({ type }) => type === 'EARN').map(({ partnerId }) => partnerId)).size > 1;

/**
 * Chooses the program of a purchase, however it is reported. The first that exists is chosen:
 *
 * - the program that the request or the event names
 * - the program of a direct partnership
 * - the member's default program, unless the merchant does not work with it
 * - the member's only program that the merchant works with
 *
 * @returns undefined when the member has no program, or several programs and no default
 */
function chooseProgram({
  member: { user, memberships },
  partnerships,
  partnerId,
}: Pick<AuthenticationRequest, 'member' | 'partnerships'> & {
  readonly partnerId?: number | undefined;
}): number | undefined {
  if (partnerId !== undefined) return partnerId;
  const open = partnerships.filter(isOpen);
  const direct = open.find(({ kind }) => kind === 'direct');
  if (direct && memberships.length > 0) return direct.partnerId;
  const offered = memberships.filter((own) => open.some((one) => one.partnerId === own.partnerId));
  const { defaultPartnerId } = user;
  const isElsewhere =
    memberships.some((own) => own.partnerId === defaultPartnerId) &&
    !offered.some((own) => own.partnerId === defaultPartnerId);
  if (defaultPartnerId !== null && !isElsewhere) return defaultPartnerId;
  const [only, ...others] = offered.length > 0 ? offered : memberships;
  return others.length === 0 ? only?.partnerId : undefined;
}
