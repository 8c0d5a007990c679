import { defineContract } from '../../../shared/http/contract.ts';
import { partnerKey } from '../../../shared/http/credential-schemes.ts';
import { ExternalOrder } from '../../../shared/http/views/order.ts';
import { OrderBody } from './body.ts';

export const contract = defineContract({
  host: 'order',
  name: 'create-order',
  method: 'POST',
  path: '/orders/external',
  summary: 'Endpoint 11: register an order of an outside system, for which its user is rewarded.',
  credential: partnerKey,
  permission: 'orders:write',
  body: OrderBody,
  data: ExternalOrder,
  errorField: 'error',
  refusals: { invalid_request: 400, user_does_not_exist: 404, order_already_exists: 409 },
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
