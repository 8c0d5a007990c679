import * as z from 'zod/mini';
import { defineContract, partnerKey } from '../../../shared/contracts/contract.ts';
import { described } from '../../../shared/contracts/described.ts';
import { PartnerKeyTransaction, partnerKeyExample } from '../../../shared/http/views/reward-transaction.ts';
import { pathId } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'base',
  name: 'get-transaction',
  method: 'GET',
  path: '/transactions/{id}',
  summary: 'Endpoint 7: get a reward transaction by its UUID or integer id, with a partner key.',
  credential: partnerKey,
  permission: 'transactions:read',
  params: z.object({ id: described('UUID or integer id of the transaction.', pathId) }),
  data: z.object({
    reward_transaction: described(
      'The reward transaction. `reward_amount` is negative in a reversal.',
      PartnerKeyTransaction,
    ),
  }),
  errorField: 'code',
  refusals: { transaction_does_not_exist: 404 },
  errors: { TransactionNotFoundError: 'transaction_does_not_exist' },
  notFound: 'transaction_does_not_exist',
  example: { reply: { reward_transaction: partnerKeyExample } },
  access: { table: { transaction: ['GetItem'] } },
});
