import { validityMs } from '../../contracts/limits.ts';
import type { Campaign } from '../campaign/document/campaign.ts';
import type { Decision } from '../campaign/evaluation/decision.ts';
import type { RewardTransaction } from '../ledger/reward-transaction.ts';
import type { Member } from '../member/member.ts';
import type { Partnership } from '../partnership.ts';
import type { AwardClaim, AwardKind } from './claim.ts';
import { costOf, type Reward } from './rewards.ts';

/** The items that are written for a token or an award: the claim, its transactions, and their decision. */
export interface Reservation {
  readonly claim: AwardClaim;
  readonly transactions: readonly RewardTransaction[];
  readonly decision: Decision;
}

/** The ids of a new transaction. The integer is derived from the UUID. */
export interface TransactionIds {
  readonly uuid: string;
  readonly id: number;
}

/** The basis of an award: the member, the merchant, and the event that is awarded. */
export interface AwardBasis {
  readonly member: Member;
  readonly merchantId: number;
  /** The external transaction, or another id of the event. */
  readonly externalTransactionId: string;
  readonly kind?: AwardKind;
  readonly triggerEvent?: NonNullable<RewardTransaction['triggerEvent']>;
  /** The external order, if it is awarded without a token. */
  readonly orderUuid?: string;
  readonly amountCents: number;
  readonly now: Date;
}

/** A decision that awards or takes something, with its campaign and partnership. */
export interface DecidedReward {
  readonly campaign: Campaign;
  readonly partnership: Partnership;
  readonly decision: Decision;
  /** Never empty. */
  readonly rewards: readonly Reward[];
}

/**
 * Makes the claim and the transactions of a decision.
 *
 * @param nextIds returns fresh ids on every call
 * @throws RangeError when the decision rewards nothing
 */
export function reserve(
  basis: AwardBasis,
  { campaign, partnership, decision, rewards: decided }: DecidedReward,
  authenticationId: string,
  nextIds: () => TransactionIds,
): Reservation {
  const rewards = decided.map((reward) => ({ ...reward, ...nextIds() }));
  const snapshotId = rewards[0]?.id;
  if (snapshotId === undefined) throw new RangeError('nothing to reserve');

  const { kind = 'PURCHASE', merchantId, externalTransactionId, amountCents, orderUuid } = basis;
  const at = basis.now.toISOString();
  const { id: userId, uuid: userUuid } = basis.member.user;
  const common = {
    state: 'INITIATED' as const,
    merchantId,
    partnershipUuid: partnership.uuid,
    campaignId: campaign.id,
    campaignVersion: campaign.version,
    userId,
    userUuid,
    amountCents,
    externalTransactionId: kind === 'PURCHASE' ? externalTransactionId : null,
    ...(kind === 'REGISTRATION' && { isRegistration: true }),
    ...(basis.triggerEvent && { triggerEvent: basis.triggerEvent }),
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
      kind,
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
      expiresAt: new Date(basis.now.getTime() + validityMs.transactionToken).toISOString(),
    },
  };
}

/** The fields of a transfer's leg. Its two legs have the same action and different types. */
function legOf(
  { actionId, type, partnerId }: Reward,
  rewards: readonly (Reward & TransactionIds)[],
  campaign: Campaign,
): Pick<RewardTransaction, 'otherLegId' | 'isForeign'> {
  const other = rewards.find((reward) => reward.actionId === actionId && reward.type !== type);
  return other ? { otherLegId: other.id, isForeign: partnerId !== campaign.partnerId } : {};
}

/**
 * Makes the claim and the transactions of an award without a token. The claim is spent from the start, and prevents a
 * second award for the same event.
 */
export function award(
  basis: AwardBasis,
  decided: DecidedReward,
  authenticationId: string,
  nextIds: () => TransactionIds,
): Reservation {
  const { claim, transactions, decision } = reserve(basis, decided, authenticationId, nextIds);
  return {
    decision,
    claim: { ...claim, state: 'SPENT', spentAt: basis.now.toISOString() },
    transactions: transactions.map((transaction) => ({ ...transaction, state: 'PENDING' })),
  };
}
