import { endpoint } from '../../../shared/http/endpoint.ts';
import { createdViews } from '../../../shared/http/views/reward-transaction.ts';
import { createTransaction, createTransactionStores } from '../../../shared/operations/create-transaction.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, createTransactionStores, async ({ body, caller, deps, requestName }) => {
  const { userId, organisationId: merchantId } = caller;
  const request = { token: body.reward_authentication_token, userId, merchantId, requestName };
  const { claim, createdAt } = await createTransaction(request, deps);
  return { reward_transactions: createdViews(claim, createdAt) };
});
