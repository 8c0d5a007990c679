import type { AwardClaim } from '../award/claim.ts';
import { isOpenProposal } from '../ledger/manual-adjustment.ts';
import type { PayoutBatch } from '../ledger/payout.ts';
import type { Membership } from '../member/member.ts';
import { type Payment, paymentStatus } from '../payment/payment.ts';
import type { Books } from './invariants.ts';
import type { PendingWork } from './pending.ts';

// The unfinished business of a member with merchants and programs, and the part of it that prevents an erasure or a
// merge.

/** The things of a member that may be unfinished. */
export interface MemberBusiness extends Pick<Books, 'transactions' | 'claims' | 'adjustments'> {
  readonly payments: readonly Payment[];
  /** The batches that pay cashback to the member. */
  readonly batches: readonly PayoutBatch[];
  /** Orders, refunds and trigger events that are not finalized. */
  readonly pending: readonly PendingWork[];
}

/** A reason against an erasure or a merge. */
export interface MemberObstacle {
  readonly kind: /** Work in progress, each thing with its id. */
    | 'pending'
    /** Rewards that are held for review, by the ids of their transactions. */
    | 'held'
    /** Points in hosted programs, unless the erasure gives them up. */
    | 'balance'
    /** Cents of cashback that are in no payout batch. */
    | 'unpaid'
    /** Payout batches that contain the member and are not paid, by UUID. */
    | 'batches'
    /** Proposals of adjustments, by UUID. */
    | 'proposals'
    /** Members whose merge into this member is not finished. Only an erasure has to wait for it. */
    | 'merging';
  readonly values: readonly (number | string)[];
}

/** The tokens of endpoint 1 that are not spent. */
export const openClaims = ({ claims }: MemberBusiness): AwardClaim[] =>
  claims.filter(({ state }) => state === 'ISSUED');

/** Finds the work that has to be finished first. Unspent tokens are left out, because they can be cancelled. */
export function findUnfinished(business: MemberBusiness, now: Date): MemberObstacle[] {
  const { transactions, payments, adjustments, batches, pending } = business;
  const inProgress = [
    ...transactions
      .filter(({ state }) => state === 'PENDING' || state === 'ERROR')
      .map(({ id, state }) => `transaction ${id} (${state})`),
    ...pending.map(({ subject, state }) => `${subject} (${state})`),
    ...payments.filter(isInProgress).map(({ uuid }) => `payment ${uuid}`),
  ];
  const held = transactions.filter(({ state }) => state === 'HELD').map(({ id }) => id);
  const proposals = adjustments.filter((one) => isOpenProposal(one, now)).map(({ uuid }) => uuid);
  const unpaid = batches.filter(({ state }) => state !== 'PAID' && state !== 'RETURNED').map(({ uuid }) => uuid);
  return [
    ...obstacleOf('pending', inProgress),
    ...obstacleOf('held', held),
    ...obstacleOf('proposals', proposals),
    ...obstacleOf('batches', [...new Set(unpaid)]),
  ];
}

const isInProgress = (payment: Payment) => paymentStatus(payment) === 'received';

/**
 * Finds the points and the cashback that an erasure would take from the member.
 *
 * @param hosted the accounts in programs that the platform hosts; a partner's own program keeps its points
 */
export function findAssets(
  memberships: readonly Membership[],
  { hosted, forfeits }: { readonly hosted: readonly Membership[]; readonly forfeits: boolean },
): MemberObstacle[] {
  const points = hosted.map(({ availablePoints, heldPoints }) => availablePoints + heldPoints);
  const left = points.filter((balance) => balance !== 0);
  const unpaid = memberships.map(({ cashbackCents, paidOutCents = 0 }) => cashbackCents - paidOutCents);
  const cents = unpaid.reduce((sum, one) => sum + Math.max(0, one), 0);
  return [...(forfeits ? [] : obstacleOf('balance', left)), ...obstacleOf('unpaid', cents > 0 ? [cents] : [])];
}

const obstacleOf = (kind: MemberObstacle['kind'], values: readonly (number | string)[]): MemberObstacle[] =>
  values.length > 0 ? [{ kind, values }] : [];
