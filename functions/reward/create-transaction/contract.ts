import * as z from 'zod/mini';
import { defineContract, userToken } from '../../../shared/contracts/contract.ts';
import { described } from '../../../shared/contracts/described.ts';
import { timingMs } from '../../../shared/contracts/limits.ts';
import { CreatedTransaction } from '../../../shared/http/views/reward-transaction.ts';
import { text } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'reward',
  name: 'create-transaction',
  method: 'POST',
  path: '/reward_transaction/create',
  summary: 'Endpoint 2: create the transaction of a token; the token is consumed.',
  credential: userToken,
  body: z.object({ reward_authentication_token: described('The token of endpoint 1.', text()) }),
  data: z.object({
    reward_transactions: described(
      'One transaction for each program that the token moves points or money of.',
      z.array(CreatedTransaction),
    ),
  }),
  refusals: { invalid_token: 400, transaction_already_exists: 409 },
  errors: { TokenNotValidError: 'invalid_token', TransactionExistsError: 'transaction_already_exists' },
  example: {
    request: { reward_authentication_token: '3q2-7wAAAAAAAAAAAAAAAA' },
    reply: {
      reward_transactions: [
        {
          id: 1001,
          partner_id: 2,
          campaign_id: 7,
          user_id: 42,
          merchant_id: 1,
          transaction_amount: 42.5,
          reward_amount: 127,
          reward_unit: 'points',
          external_order_id: 'order-1001',
          transaction_type: 1,
          status: 1,
          last_updated_date: '2026-03-02T09:30:00.000Z',
          created_date: '2026-03-02T09:30:00.000Z',
        },
      ],
    },
  },
  p99GoalMs: timingMs.checkoutP99,
  access: {
    table: {
      claim: ['GetItem', 'UpdateItem'],
      transaction: ['UpdateItem'],
      outbox: ['PutItem'],
    },
  },
});
