import * as z from 'zod/mini';
import { defineContract } from '../../../shared/http/contract.ts';
import { userToken } from '../../../shared/http/credential-schemes.ts';
import { CreatedTransaction } from '../../../shared/http/views/reward-transaction.ts';
import { text } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'reward',
  name: 'create-transaction',
  method: 'POST',
  path: '/reward_transaction/create',
  summary: 'Endpoint 2: create the transaction of a token; the token is consumed.',
  credential: userToken,
  body: z.object({ reward_authentication_token: text() }),
  data: z.object({ reward_transactions: z.array(CreatedTransaction) }),
  errorField: 'error',
  refusals: { invalid_token: 400, transaction_already_exists: 409 },
  access: {
    table: {
      purchase: ['GetItem', 'UpdateItem'],
      transaction: ['UpdateItem'],
      outbox: ['PutItem'],
    },
  },
});
