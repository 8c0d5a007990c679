import { integerIdOf, parseIntegerId } from '../../../shared/domain/ids.ts';
import { isSide } from '../../../shared/domain/partnership.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { partnerKeyView } from '../../../shared/http/views/reward-transaction.ts';
import { Transactions } from '../../../shared/store/ledger/transactions.ts';
import { contract } from './contract.ts';

export const handler = endpoint(
  contract,
  { transactions: Transactions },
  async ({ params, caller, platform, refuse }) => {
    const id = parseIntegerId(params.id) ?? integerIdOf(params.id);
    const found = id === undefined ? undefined : await platform.transactions.find(id);

    // Two UUIDs may lead to one integer; only one of them is the transaction's.
    const transaction = found && (params.id === found.uuid || params.id === String(found.id)) ? found : undefined;
    if (!transaction || !isSide(caller.organisationId, transaction)) {
      return refuse('transaction_does_not_exist', 'The transaction does not exist');
    }
    return { reward_transaction: partnerKeyView(transaction) };
  },
);
