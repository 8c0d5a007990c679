import { type Campaign, isRunning } from '../campaign/campaign.ts';
import { type Decision, evaluate } from '../campaign/evaluate.ts';
import type { Member, Membership } from '../member/member.ts';
import type { Partnership } from '../partnership.ts';
import { type Purchase, tokenValidityMs } from './purchase.ts';
import type { RewardTransaction } from './reward-transaction.ts';

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

/** What the platform would do for a request: whom, under which campaign, how many points. */
export interface Authentication {
  readonly campaign: Campaign;
  readonly partnership: Partnership;
  readonly membership: Membership;
  readonly decision: Decision;
  /** Points that have to be reserved from the member's balance. */
  readonly cost: number;
}

/** The statuses of the specification that are outcomes, not errors. */
export type AuthenticationRefusal = 'INSUFFICIENT_REWARDS_AMOUNT' | 'MEMBER_NOT_EXISTS' | 'ERROR';

/** Why there is no token: the status for the caller, the reason for the operator. */
export interface RefusedAuthentication {
  readonly refused: AuthenticationRefusal;
  readonly because: string;
}

/**
 * Decides about a request for a token. Refused here is only what the whole balance cannot cover: points
 * that are held may be held by an earlier request for this very order, and the write's condition knows.
 */
export function authenticate(request: AuthenticationRequest): Authentication | RefusedAuthentication {
  const candidates = candidatesFor(request);
  if (candidates === 'no-program') return refuse('MEMBER_NOT_EXISTS', 'the user is not linked to a loyalty program');

  const [found, ...others] = candidates;
  if (found === undefined) return refuse('ERROR', 'no running campaign of the merchant matches');
  if (others.length > 0) return refuse('ERROR', 'several campaigns are running: campaign_id is needed');

  if (!request.member.associations.some(({ merchantId }) => merchantId === request.merchantId)) {
    return refuse('ERROR', 'the user is not a customer of the merchant');
  }

  const { campaign, partnership } = found;
  const membership = request.member.memberships.find(({ partnerId }) => partnerId === campaign.partnerId);
  if (membership === undefined) return refuse('MEMBER_NOT_EXISTS', 'the user is not linked to the partner');

  const decision = evaluateSpend({ campaign, partnership, membership }, request);
  if (rewardsOf(decision).length === 0) return refuse('ERROR', decision.refused ?? 'the purchase is worth no points');

  const cost = rewardsOf(decision).reduce((sum, { type, points }) => sum + (type === 'REDEEM' ? points : 0), 0);
  const balance = membership.availablePoints + membership.heldPoints;
  if (cost > balance) {
    return refuse('INSUFFICIENT_REWARDS_AMOUNT', `${cost} points are needed, the balance is ${balance}`);
  }
  return { campaign, partnership, membership, decision, cost };
}

function refuse(refused: AuthenticationRefusal, because: string): RefusedAuthentication {
  return { refused, because };
}

/** The campaigns that a request may mean, each with its active partnership. */
function candidatesFor(request: AuthenticationRequest) {
  const chosenPartner = request.partnerId ?? (request.campaignId === undefined ? defaultPartner(request) : undefined);
  if (request.campaignId === undefined && chosenPartner === undefined) return 'no-program';

  return runningCampaigns(request)
    .filter(({ campaign }) => request.campaignId === undefined || campaign.id === request.campaignId)
    .filter(({ campaign }) => chosenPartner === undefined || campaign.partnerId === chosenPartner)
    .filter(({ campaign }) => campaign.type === 'EARN' || campaign.type === 'REDEEM');
}

/** A campaign that rewards what happens now, with the partnership that it runs under. */
type RunningCampaign = Pick<Authentication, 'campaign' | 'partnership'>;

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
      return partnership?.isActive && !partnership.isDeleted ? [{ campaign, partnership }] : [];
    });
}

/** What a campaign gives a member of its program for an amount that is spent now. */
export function evaluateSpend(
  { campaign, partnership, membership }: RunningCampaign & Pick<Authentication, 'membership'>,
  { amountCents, now }: Pick<AuthenticationRequest, 'amountCents' | 'now'>,
): Decision {
  return evaluate(campaign, {
    occurredAt: now.toISOString(),
    trigger: 'SPEND',
    amountCents,
    partnershipIsActive: partnership.isActive && !partnership.isDeleted,
    statusTierId: membership.statusTierId,
  });
}

/** The program that is meant when the request names none: the user's own choice, or the only one it has. */
function defaultPartner({ member }: AuthenticationRequest): number | undefined {
  if (member.user.defaultPartnerId !== null) return member.user.defaultPartnerId;
  const [only, ...others] = member.memberships;
  return others.length === 0 ? only?.partnerId : undefined;
}

/** The rewards of a decision: one for every action that is worth at least a point. */
export function rewardsOf(decision: Decision) {
  return decision.flows.flatMap(({ flowId, actions }) =>
    actions
      .filter(({ points }) => points > 0)
      .map(({ actionId, kind, points }) => ({
        flowId,
        actionId,
        points,
        type: kind === 'AWARD_POINTS' ? ('EARN' as const) : ('REDEEM' as const),
      })),
  );
}

/** What is written for a token: the purchase that holds it, its transactions, and the decision behind them. */
export interface Reservation {
  readonly purchase: Purchase;
  readonly transactions: readonly RewardTransaction[];
  readonly decision: Decision;
}

/** Identifiers for a new transaction; the second is a function of the first. */
export interface TransactionIds {
  readonly uuid: string;
  readonly id: number;
}

/**
 * Turns a decision into what is to be written.
 *
 * @param nextIds gives fresh identifiers, one pair for each call.
 */
export function reserve(
  request: Pick<AuthenticationRequest, 'member' | 'merchantId' | 'externalTransactionId' | 'amountCents' | 'now'>,
  authentication: Pick<Authentication, 'campaign' | 'partnership' | 'decision' | 'cost'>,
  authenticationId: string,
  nextIds: () => TransactionIds,
): Reservation {
  const { campaign, partnership, decision, cost } = authentication;
  const rewards = rewardsOf(decision).map((reward) => ({ ...reward, ...nextIds() }));
  const snapshotId = rewards[0]?.id;
  if (snapshotId === undefined) throw new RangeError('nothing to reserve');

  const at = request.now.toISOString();
  const common = {
    state: 'INITIATED' as const,
    merchantId: request.merchantId,
    partnerId: campaign.partnerId,
    partnershipUuid: partnership.uuid,
    campaignId: campaign.id,
    campaignVersion: campaign.version,
    userId: request.member.user.id,
    userUuid: request.member.user.uuid,
    amountCents: request.amountCents,
    externalTransactionId: request.externalTransactionId,
    snapshotId,
    createdAt: at,
    updatedAt: at,
  };
  return {
    decision,
    transactions: rewards.map((reward) => ({ ...common, ...reward })),
    purchase: {
      merchantId: request.merchantId,
      campaignId: campaign.id,
      externalTransactionId: request.externalTransactionId,
      authenticationId,
      state: 'ISSUED',
      userId: common.userId,
      userUuid: common.userUuid,
      partnerId: campaign.partnerId,
      amountCents: request.amountCents,
      heldPoints: cost,
      rewards: rewards.map(({ id, uuid, type, points }) => ({ id, uuid, type, points })),
      issuedAt: at,
      expiresAt: new Date(request.now.getTime() + tokenValidityMs).toISOString(),
    },
  };
}
