import { TransactionNotFoundError } from '../../../shared/domain/errors.ts';
import { integerIdOf, parseIntegerId } from '../../../shared/domain/ids.ts';
import { isSide } from '../../../shared/domain/partnership.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { partnerKeyView } from '../../../shared/http/views/reward-transaction.ts';
import { Transactions } from '../../../shared/store/ledger/transactions.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, { transactions: Transactions }, async ({ params, caller, deps }) => {
  const id = parseIntegerId(params.id) ?? integerIdOf(params.id);
  const transaction = id === undefined ? undefined : await deps.transactions.find(id);

  // The integer id is derived from the UUID, and two UUIDs may lead to the same one. So the UUID is compared as well.
  const isNamed = transaction && [transaction.uuid, String(transaction.id)].includes(params.id);
  if (!isNamed || !isSide(caller.organisationId, transaction)) throw new TransactionNotFoundError();
  return { reward_transaction: partnerKeyView(transaction) };
});
