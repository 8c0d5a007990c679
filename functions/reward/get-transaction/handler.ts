import { InvalidInputError, TransactionNotFoundError } from '../../../shared/domain/errors.ts';
import { parseIntegerId } from '../../../shared/domain/ids.ts';
import { isSide } from '../../../shared/domain/partnership.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { bearerView } from '../../../shared/http/views/reward-transaction.ts';
import { Transactions } from '../../../shared/store/ledger/transactions.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, { transactions: Transactions }, async ({ params, caller, deps }) => {
  const text = params.reward_transaction_id;
  if (/^(-\d+|0+)$/.test(text)) {
    throw new InvalidInputError([{ path: ['rewardTransactionId'], code: 'too_small', message: 'must be at least 1' }]);
  }
  const id = parseIntegerId(text);
  const transaction = id === undefined ? undefined : await deps.transactions.find(id);
  if (!transaction || !isSide(caller.organisationId, transaction)) throw new TransactionNotFoundError();
  return { reward_transaction: bearerView(transaction) };
});
