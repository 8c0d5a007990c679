import * as z from 'zod/mini';
import { bearer, defineContract } from '../../../shared/contracts/contract.ts';
import { described } from '../../../shared/contracts/described.ts';
import { BearerTransaction } from '../../../shared/http/views/reward-transaction.ts';
import { pathInteger } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'reward',
  name: 'get-transaction',
  method: 'GET',
  path: '/transactions/{reward_transaction_id}',
  summary: 'Endpoint 8: get a reward transaction by its integer id, with a bearer token.',
  credential: bearer,
  permission: 'transactions:read',
  params: z.object({ reward_transaction_id: described('Integer id of the transaction.', pathInteger) }),
  data: z.object({
    reward_transaction: described(
      'The reward transaction. `reward_amount` is negative in a reversal.',
      BearerTransaction,
    ),
  }),
  envelope: 'bare',
  refusals: { transaction_does_not_exist: 404, invalid_request: 400 },
  errors: { TransactionNotFoundError: 'transaction_does_not_exist' },
  notFound: 'transaction_does_not_exist',
  example: {
    reply: {
      reward_transaction: {
        id: 1001,
        partner_id: 2,
        user_id: 42,
        merchant_id: 1,
        campaign_id: 7,
        partnership_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e01',
        transaction_amount: 42.5,
        reward_amount: 127,
        reward_unit: 'points',
        external_order_id: 'order-1001',
        transaction_type: 1,
        transaction_status: 3,
        external_id: 'order-1001',
        external_partner_transaction_id: 'SKY-TX-77',
        reversed_transaction_id: null,
        rewards_redeemed: 0,
        trigger_id: null,
        trigger_event_id: null,
        next_attempt_at: null,
        retry_method: null,
        retry_count: 0,
        uuid_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e02',
        campaign_eligibility_snapshot_id: 501,
        created_date: '2026-03-02T09:30:00.000',
      },
    },
  },
  access: { table: { transaction: ['GetItem'] } },
});
