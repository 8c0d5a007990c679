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

  // A UUID is looked up by the integer id that is derived from it, and two UUIDs may have the same integer id. So the
  // transaction may be another one than the caller named.
  const isNamed = transaction && [transaction.uuid, String(transaction.id)].includes(params.id);
  if (!isNamed || !isSide(caller.organisationId, transaction)) throw new TransactionNotFoundError();
  return { reward_transaction: partnerKeyView(transaction) };
});
