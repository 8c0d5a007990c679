import { defineContract, partnerKey } from '../../../shared/contracts/contract.ts';
import { OrderBody } from '../../../shared/http/order-body.ts';
import { ExternalOrder, externalOrderExample } from '../../../shared/http/views/order.ts';

export const contract = defineContract({
  host: 'order',
  name: 'create-order',
  method: 'POST',
  path: '/orders/external',
  summary: 'Endpoint 11: register an order of an external system. Its user is rewarded for it.',
  credential: partnerKey,
  permission: 'orders:write',
  body: OrderBody,
  data: ExternalOrder,
  refusals: { invalid_request: 400, user_does_not_exist: 404, order_already_exists: 409 },
  errors: { UserNotFoundError: 'user_does_not_exist', OrderExistsError: 'order_already_exists' },
  example: {
    request: {
      user: { merchant_external_id: 'customer-1001' },
      transaction_total: 4250,
      transaction_subtotal: 3900,
      transaction_discount: 0,
      order_external_id: 'order-1001',
      order_payment_id: 'pay-77',
      line_items: [
        {
          product_id: 'sku-1',
          product_name: 'Kettle',
          product_price: 1950,
          quantity: 2,
          category: 'kitchen',
          tags: ['new'],
        },
      ],
    },
    reply: externalOrderExample,
  },
  access: {
    table: {
      externalUser: ['GetItem'],
      link: ['GetItem'],
      user: ['Query'],
      order: ['PutItem'],
      outbox: ['PutItem'],
    },
  },
});
