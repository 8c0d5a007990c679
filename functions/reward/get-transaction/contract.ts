import * as z from 'zod/mini';
import { defineContract } from '../../../shared/http/contract.ts';
import { bearer } from '../../../shared/http/credential-schemes.ts';
import { BearerTransaction } from '../../../shared/http/views/reward-transaction.ts';

export const contract = defineContract({
  host: 'reward',
  name: 'get-transaction',
  method: 'GET',
  path: '/transactions/{reward_transaction_id}',
  summary: 'Endpoint 8: get a reward transaction by its integer id, with a bearer token.',
  credential: bearer,
  permission: 'transactions:read',
  params: z.object({ reward_transaction_id: z.string() }),
  data: z.object({ reward_transaction: BearerTransaction }),
  envelope: 'bare',
  errorField: 'error',
  refusals: { transaction_does_not_exist: 404, invalid_request: 400 },
  notFound: 'transaction_does_not_exist',
  access: { table: { transaction: ['GetItem'] } },
});
