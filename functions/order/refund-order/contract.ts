import * as z from 'zod/mini';
import { defineContract, partnerKey } from '../../../shared/contracts/contract.ts';
import { described } from '../../../shared/contracts/described.ts';
import { ExternalRefund, ReportedRefund } from '../../../shared/http/views/refund.ts';

export const contract = defineContract({
  host: 'order',
  name: 'refund-order',
  method: 'POST',
  path: '/orders/external/{order_id}/refunds',
  summary: 'Added: report a refund of an external order. The rewards of the order are reversed.',
  credential: partnerKey,
  permission: 'orders:write',
  params: z.object({
    order_id: described('UUID of the order: the `order_id` of endpoint 11.', z.string().check(z.toLowerCase())),
  }),
  body: ReportedRefund,
  data: ExternalRefund,
  refusals: {
    invalid_request: 400,
    order_does_not_exist: 404,
    refund_already_exists: 409,
    refund_exceeds_order: 409,
  },
  errors: {
    OrderNotFoundError: 'order_does_not_exist',
    RefundExistsError: 'refund_already_exists',
    RefundExceedsTotalError: 'refund_exceeds_order',
  },
  notFound: 'order_does_not_exist',
  example: {
    request: { refund_external_id: 'refund-1', amount: 1250 },
    reply: {
      refund_external_id: 'refund-1',
      order_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e06',
      amount: 1250,
      status: 'pending',
      created_date: '2026-03-04T10:00:00.000Z',
    },
  },
  access: { table: { order: ['Query', 'PutItem', 'UpdateItem'], outbox: ['PutItem'] } },
});
