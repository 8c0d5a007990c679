import * as z from 'zod/mini';
import { defineContract } from '../../../shared/http/contract.ts';
import { partnerKey } from '../../../shared/http/credential-schemes.ts';
import { PartnerKeyTransaction } from '../../../shared/http/views/reward-transaction.ts';

export const contract = defineContract({
  host: 'base',
  name: 'get-transaction',
  method: 'GET',
  path: '/transactions/{id}',
  summary: 'Endpoint 7: get a reward transaction by its UUID or integer id, with a partner key.',
  credential: partnerKey,
  permission: 'transactions:read',
  params: z.object({ id: z.string() }),
  data: z.object({ reward_transaction: PartnerKeyTransaction }),
  errorField: 'code',
  refusals: { transaction_does_not_exist: 404 },
  notFound: 'transaction_does_not_exist',
  access: { table: { transaction: ['GetItem'] } },
});
