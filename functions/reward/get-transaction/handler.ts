import { parseIntegerId } from '../../../shared/domain/ids.ts';
import { isSide } from '../../../shared/domain/partnership.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { bearerView } from '../../../shared/http/views/reward-transaction.ts';
import { Transactions } from '../../../shared/store/ledger/transactions.ts';
import { contract } from './contract.ts';

export const handler = endpoint(
  contract,
  { transactions: Transactions },
  async ({ params, caller, platform, refuse }) => {
    const text = params.reward_transaction_id;
    if (/^(-\d+|0+)$/.test(text)) {
      const fault = { pointer: '/reward_transaction_id', code: 'too_small', message: 'must be at least 1' };
      return refuse('invalid_request', 'reward_transaction_id must be at least 1', { faults: [fault] });
    }

    const id = parseIntegerId(text);
    const transaction = id === undefined ? undefined : await platform.transactions.find(id);
    if (!transaction || !isSide(caller.organisationId, transaction)) {
      return refuse('transaction_does_not_exist', 'The transaction does not exist');
    }
    return { reward_transaction: bearerView(transaction) };
  },
);
