import { validityMs } from '../../contracts/limits.ts';
import type { Campaign } from '../campaign/document/campaign.ts';
import type { Decision } from '../campaign/evaluation/decision.ts';
import type { RewardTransaction } from '../ledger/reward-transaction.ts';
import type { Member } from '../member/member.ts';
import type { Partnership } from '../partnership.ts';
import type { AwardClaim, AwardKind } from './claim.ts';
import { costOf, type Reward } from './rewards.ts';

/** What is written for a token or an award: the purchase, its transactions, and the decision behind them. */
export interface Reservation {
  readonly claim: AwardClaim;
  readonly transactions: readonly RewardTransaction[];
  readonly decision: Decision;
}

/** Identifiers for a new transaction; the second is a function of the first. */
export interface TransactionIds {
  readonly uuid: string;
  readonly id: number;
}

/** What a reward is given for. */
export interface AwardBasis {
  readonly member: Member;
  readonly merchantId: number;
  /** The external transaction, or what else names the occasion. */
  readonly externalTransactionId: string;
  readonly kind?: AwardKind;
  readonly triggerEvent?: NonNullable<RewardTransaction['triggerEvent']>;
  /** The external order, when it is rewarded without a token. */
  readonly orderUuid?: string;
  readonly amountCents: number;
  readonly now: Date;
}

/** A decision that gives or takes something, with what it was made of. */
export interface DecidedReward {
  readonly campaign: Campaign;
  readonly partnership: Partnership;
  readonly decision: Decision;
  /** Never empty. */
  readonly rewards: readonly Reward[];
}

/**
 * Turns a decision into what is to be written.
 *
 * @param nextIds gives fresh identifiers, one pair for each call.
 * @throws RangeError when the decision rewards nothing
 */
export function reserve(
  rewarded: AwardBasis,
  { campaign, partnership, decision, rewards: decided }: DecidedReward,
  authenticationId: string,
  nextIds: () => TransactionIds,
): Reservation {
  const rewards = decided.map((reward) => ({ ...reward, ...nextIds() }));
  const snapshotId = rewards[0]?.id;
  if (snapshotId === undefined) throw new RangeError('nothing to reserve');

  const { kind: occasion = 'PURCHASE', merchantId, externalTransactionId, amountCents, orderUuid } = rewarded;
  const at = rewarded.now.toISOString();
  const { id: userId, uuid: userUuid } = rewarded.member.user;
  const common = {
    state: 'INITIATED' as const,
    merchantId,
    partnershipUuid: partnership.uuid,
    campaignId: campaign.id,
    campaignVersion: campaign.version,
    userId,
    userUuid,
    amountCents,
    externalTransactionId: occasion === 'PURCHASE' ? externalTransactionId : null,
    ...(occasion === 'REGISTRATION' && { isRegistration: true }),
    ...(rewarded.triggerEvent && { triggerEvent: rewarded.triggerEvent }),
    snapshotId,
    createdAt: at,
    updatedAt: at,
  };
  const cost = costOf(rewards);
  return {
    decision,
    transactions: rewards.map((reward) => ({ ...common, ...reward, ...legOf(reward, rewards, campaign) })),
    claim: {
      merchantId,
      campaignId: campaign.id,
      externalTransactionId,
      kind: occasion,
      isTransfer: decision.facts.transferPoints !== null,
      ...(orderUuid !== undefined && { orderUuid }),
      authenticationId,
      state: 'ISSUED',
      userId,
      userUuid,
      partnerId: campaign.partnerId,
      amountCents,
      heldPoints: cost?.points ?? 0,
      heldPartnerId: cost?.partnerId ?? campaign.partnerId,
      rewards: rewards.map(({ flowId: _flow, actionId: _action, ...reward }) => reward),
      issuedAt: at,
      expiresAt: new Date(rewarded.now.getTime() + validityMs.transactionToken).toISOString(),
    },
  };
}

/** What only the two legs of a transfer have: nothing else gives and takes by one action. */
function legOf(
  { actionId, type, partnerId }: Reward,
  rewards: readonly (Reward & TransactionIds)[],
  campaign: Campaign,
): Pick<RewardTransaction, 'otherLegId' | 'isForeign'> {
  const other = rewards.find((reward) => reward.actionId === actionId && reward.type !== type);
  return other ? { otherLegId: other.id, isForeign: partnerId !== campaign.partnerId } : {};
}

/**
 * The same for what is awarded without a token: as one that was spent when it was issued. Its place is
 * taken all the same, so that the occasion is never rewarded twice.
 */
export function award(
  rewarded: AwardBasis,
  decided: DecidedReward,
  authenticationId: string,
  nextIds: () => TransactionIds,
): Reservation {
  const { claim, transactions, decision } = reserve(rewarded, decided, authenticationId, nextIds);
  return {
    decision,
    claim: { ...claim, state: 'SPENT', spentAt: rewarded.now.toISOString() },
    transactions: transactions.map((transaction) => ({ ...transaction, state: 'PENDING' })),
  };
}
