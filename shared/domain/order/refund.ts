import * as z from 'zod/mini';
import type { AwardClaim } from '../award/claim.ts';
import { Cents } from '../money.ts';
import type { Order } from './order.ts';

/** A full or partial refund. A merchant reports it for an order, or for the transactions of a token. */
export const Refund = z.object({
  uuid: z.string(),
  /** The UUID of the order; if no order was reported, the UUID of a transaction of the token. */
  refundedUuid: z.string(),
  /** The refund's id in the merchant's system. It is unique for the order or the token. */
  externalRefundId: z.string(),
  amountCents: Cents,
  /**
   * APPLIED when every award of the order is reversed as far as the refund requires. The item says PENDING for ever;
   * {@link withStates} adds the present state.
   */
  state: z.enum(['PENDING', 'APPLIED']),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type Refund = z.infer<typeof Refund>;

/** A refund as its merchant reports it. */
export type ReportedRefund = Pick<Refund, 'externalRefundId' | 'amountCents'>;

/** The subject of refunds: an order, or the claim of a spent token without an order. */
export type Refundable = Order | AwardClaim;

/** Whether the subject of refunds is an order. */
export const isOrder = (refundable: Refundable): refundable is Order => 'externalOrderId' in refundable;

/** The UUID under which refunds are announced: of the order, or of the token's first transaction. */
export function refundedUuidOf(refundable: Refundable): string {
  return isOrder(refundable) ? refundable.uuid : (refundable.rewards[0]?.uuid ?? '');
}

/** Makes a new refund. Its reversals are decided later. */
export function receiveRefund(refundedUuid: string, reported: ReportedRefund & { uuid: string }, now: Date): Refund {
  const at = now.toISOString();
  return { ...reported, refundedUuid, state: 'PENDING', createdAt: at, updatedAt: at };
}

/**
 * Applies every refund of an order that was accepted when it was read. The order becomes REFUNDED when its whole total is
 * refunded.
 */
export function withRefundsApplied(order: Order): Order {
  const isOver = order.refundedCents >= order.totalCents && order.state !== 'PENDING';
  return { ...order, refundsAppliedCents: order.refundedCents, ...(isOver && { state: 'REFUNDED' }) };
}

/** Whether every refund of an order, or of a claim, is applied. */
export const areRefundsApplied = ({ refundedCents = 0, refundsAppliedCents = 0 }: Refundable): boolean =>
  refundsAppliedCents >= refundedCents;

/**
 * The refunds of an order or a claim with their states. Refunds are applied in the order of their arrival, so the sum of
 * the applied refunds shows which ones they are.
 *
 * @param refunds the oldest first
 */
export function withStates({ refundsAppliedCents = 0 }: Refundable, refunds: readonly Refund[]): Refund[] {
  let sum = 0;
  return refunds.map((refund) => {
    sum += refund.amountCents;
    return { ...refund, state: refund.state === 'APPLIED' || sum <= refundsAppliedCents ? 'APPLIED' : 'PENDING' };
  });
}
