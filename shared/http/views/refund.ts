import * as z from 'zod/mini';
import type { Refund } from '../../domain/order/refund.ts';
import { datetime } from '../wire.ts';

const statuses = { PENDING: 'pending', APPLIED: 'applied' } as const satisfies Record<Refund['state'], string>;

/** A refund of an external order; like the order's, its amount is in cents. */
export const ExternalRefund = z.object({
  refund_external_id: z.string(),
  order_id: z.uuid(),
  amount: z.int(),
  status: z.enum(Object.values(statuses)),
  created_date: datetime,
});

/** The refund as its endpoint shows it. */
export function refundView(refund: Refund): z.input<typeof ExternalRefund> {
  return {
    refund_external_id: refund.externalRefundId,
    order_id: refund.refundedUuid,
    amount: refund.amountCents,
    status: statuses[refund.state],
    created_date: refund.createdAt,
  };
}
