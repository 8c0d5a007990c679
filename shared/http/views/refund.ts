import * as z from 'zod/mini';
import { described } from '../../contracts/described.ts';
import { maximumAmountCents } from '../../contracts/limits.ts';
import type { Refund } from '../../domain/order/refund.ts';
import { currency, datetime, text } from '../wire.ts';

const statuses = { PENDING: 'pending', APPLIED: 'applied' } as const satisfies Record<Refund['state'], string>;

/** A refund as its merchant reports it; its amount is in cents, like the amounts of an order. */
export const ReportedRefund = z.object({
  refund_external_id: described(
    "The refund's id in the caller's system. A repetition with the same id and amount is always the same refund.",
    text(),
  ),
  amount: described('Refunded amount, in cents.', z.int().check(z.gte(1), z.lte(maximumAmountCents))),
  currency,
});

const externalRefundId = described(
  "The refund's id in the caller's system. A repetition with the same id and amount is always the same refund.",
  z.string(),
);

const common = {
  amount: described('Refunded amount, in cents.', z.int()),
  status: described(
    'pending: the rewards are not reversed yet. applied: they are reversed.',
    z.enum(Object.values(statuses)),
  ),
  created_date: described('Time at which the refund was reported.', datetime),
};

/** A refund of an external order. */
export const ExternalRefund = z.object({
  refund_external_id: externalRefundId,
  order_id: described('UUID of the order: the `order_id` of endpoint 11.', z.uuid()),
  ...common,
});

/** A refund of what a transaction token moved. */
export const TransactionRefund = z.object({
  refund_external_id: externalRefundId,
  transaction_id: described('UUID of the transaction.', z.uuid()),
  ...common,
});

/** The refund of an order, as the API returns it. */
export function refundView(refund: Refund): z.input<typeof ExternalRefund> {
  return { refund_external_id: refund.externalRefundId, order_id: refund.refundedUuid, ...commonView(refund) };
}

/** The refund of a token's transactions, as the API returns it. */
export function refundOfTransactionView(refund: Refund): z.input<typeof TransactionRefund> {
  return { refund_external_id: refund.externalRefundId, transaction_id: refund.refundedUuid, ...commonView(refund) };
}

const commonView = ({ amountCents, state, createdAt }: Refund) => ({
  amount: amountCents,
  status: statuses[state],
  created_date: createdAt,
});
