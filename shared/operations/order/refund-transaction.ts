import type { AwardClaim } from '../../domain/award/claim.ts';
import { TransactionNotFoundError } from '../../domain/errors.ts';
import { integerIdOf, parseIntegerId } from '../../domain/ids.ts';
import type { RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import type { Refund, ReportedRefund } from '../../domain/order/refund.ts';
import { AwardClaims } from '../../store/award/claims.ts';
import { Transactions } from '../../store/ledger/transactions.ts';
import { Orders } from '../../store/order/orders.ts';
import { Refunds } from '../../store/order/refunds.ts';
import type { Deps, Replying } from '../operation.ts';
import { addRefund } from './refund-order.ts';

export const refundTransactionStores = {
  claims: AwardClaims,
  orders: Orders,
  refunds: Refunds,
  transactions: Transactions,
};
type RefundDeps = Deps<typeof refundTransactionStores> & Replying<Refund>;

/** A refund of the transactions of a token, as the merchant reports it. */
export interface TransactionRefundRequest extends ReportedRefund {
  readonly merchantId: number;
  /** The integer id or the UUID of a transaction of the token. */
  readonly transactionId: string;
}

/**
 * Refunds of the transaction have to be reported in another way, or are impossible. The message contains the reason.
 */
export class TransactionNotRefundableError extends Error {
  override readonly name = 'TransactionNotRefundableError';
}

/**
 * Records a refund of all transactions that were created with one token, including both legs of a transfer.
 *
 * @returns the refund in its present state
 * @throws TransactionNotFoundError when there is no such transaction, or it belongs to another merchant
 * @throws TransactionNotRefundableError
 * @throws RefundExceedsTotalError
 * @throws RefundExistsError when the refund id was used for another amount
 */
export async function refundTransaction(
  { merchantId, transactionId: text, ...reported }: TransactionRefundRequest,
  deps: RefundDeps,
): Promise<Refund> {
  const id = parseIntegerId(text) ?? integerIdOf(text);
  const transaction = id === undefined ? undefined : await deps.transactions.find(id);
  // Two UUIDs may have the same integer id, so the UUID is compared as well.
  const isNamed = transaction && [transaction.uuid, String(transaction.id)].includes(text);
  if (!isNamed || transaction.merchantId !== merchantId) throw new TransactionNotFoundError();
  return addRefund(await findClaim(transaction, deps), reported, deps);
}

/** Finds the claim whose token created a transaction. @throws TransactionNotRefundableError when there is none */
async function findClaim(transaction: RewardTransaction, { claims, orders }: RefundDeps): Promise<AwardClaim> {
  const { id, merchantId, externalTransactionId, reverses, otherLegId, growthOf } = transaction;
  if (reverses)
    throw new TransactionNotRefundableError('The transaction is a reversal: refund the transaction that it reverses');
  if (externalTransactionId === null) {
    throw new TransactionNotRefundableError('The transaction is the award of an event, which has no refunds');
  }
  const key = { merchantId, externalOrderId: externalTransactionId };
  const [claim, order] = await Promise.all([
    claims.find({ ...transaction, externalTransactionId }),
    otherLegId === undefined ? orders.findByExternalId(key) : undefined,
  ]);
  if (order)
    throw new TransactionNotRefundableError(
      `The transaction belongs to the external order ${order.uuid}: refund the order`,
    );
  const isCreated = claim?.state === 'SPENT' && claim.rewards.some((reward) => reward.id === (growthOf ?? id));
  if (!isCreated)
    throw new TransactionNotRefundableError('The transaction was not created with its token: nothing has moved');
  return claim;
}
