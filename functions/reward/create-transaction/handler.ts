import { endpoint } from '../../../shared/http/endpoint.ts';
import { createdViews } from '../../../shared/http/views/reward-transaction.ts';
import {
  type CreatedTransactions,
  createTransaction,
  createTransactionStores,
} from '../../../shared/operations/token/create-transaction.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, createTransactionStores, ({ body, caller, replyWith }) => {
  const { userId, organisationId: merchantId } = caller;
  return replyWith(
    ({ claim, createdAt }: CreatedTransactions) => ({ reward_transactions: createdViews(claim, createdAt) }),
    (deps) => createTransaction({ token: body.reward_authentication_token, userId, merchantId }, deps),
  );
});
