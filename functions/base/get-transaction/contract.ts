import * as z from 'zod/mini';
import { defineContract, partnerKey } from '../../../shared/contracts/contract.ts';
import { PartnerKeyTransaction } from '../../../shared/http/views/reward-transaction.ts';
import { pathId } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'base',
  name: 'get-transaction',
  method: 'GET',
  path: '/transactions/{id}',
  summary: 'Endpoint 7: get a reward transaction by its UUID or integer id, with a partner key.',
  credential: partnerKey,
  permission: 'transactions:read',
  params: z.object({ id: pathId }),
  data: z.object({ reward_transaction: PartnerKeyTransaction }),
  errorField: 'code',
  refusals: { transaction_does_not_exist: 404 },
  errors: { TransactionNotFoundError: 'transaction_does_not_exist' },
  notFound: 'transaction_does_not_exist',
  example: {
    reply: {
      reward_transaction: {
        id: 1001,
        uuid_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e02',
        partner_id: 2,
        partnership_uuid: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e01',
        campaign_id: 7,
        user_uuid: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e03',
        trigger_event_uuid_id: null,
        trigger_event_id: null,
        merchant_id: 1,
        transaction_amount: 42.5,
        reward_amount: 127,
        reward_unit: 'points',
        external_order_id: 'order-1001',
        external_id: 'order-1001',
        external_partner_transaction_id: 'SKY-TX-77',
        transaction_type: 1,
        transaction_status: 3,
        reversed_transaction_id: null,
        created_date: '2026-03-02T09:30:00.000Z',
      },
    },
  },
  access: { table: { transaction: ['GetItem'] } },
});
