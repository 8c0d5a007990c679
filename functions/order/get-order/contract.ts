import * as z from 'zod/mini';
import { defineContract, partnerKey } from '../../../shared/contracts/contract.ts';
import { described } from '../../../shared/contracts/described.ts';
import { externalOrderExample, OrderDetails } from '../../../shared/http/views/order.ts';
import { partnerKeyExample } from '../../../shared/http/views/reward-transaction.ts';

export const contract = defineContract({
  host: 'order',
  name: 'get-order',
  method: 'GET',
  path: '/orders/external/{order_id}',
  summary: 'Added: get an external order with its rewards and refunds, by your own order id or by the order’s UUID.',
  credential: partnerKey,
  permission: 'orders:read',
  params: z.object({
    order_id: described("The caller's own id of the order, or the platform's UUID of it.", z.string().check(z.trim())),
  }),
  data: OrderDetails,
  refusals: { order_does_not_exist: 404 },
  errors: { OrderNotFoundError: 'order_does_not_exist' },
  notFound: 'order_does_not_exist',
  example: {
    reply: {
      ...externalOrderExample,
      status: 'processed',
      eligible_amount: 3900,
      refunded_amount: 1250,
      reason: null,
      message: null,
      last_updated_date: '2026-03-04T10:00:02.000Z',
      rewards: [{ ...partnerKeyExample, reward_amount: 117 }],
      refunds: [
        {
          refund_external_id: 'refund-1',
          order_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e06',
          amount: 1250,
          status: 'applied',
          created_date: '2026-03-04T10:00:00.000Z',
        },
      ],
    },
  },
  access: {
    table: { order: ['GetItem', 'Query'], claim: ['BatchGetItem'], transaction: ['GetItem'] },
    indexes: ['byMerchant'],
  },
});
