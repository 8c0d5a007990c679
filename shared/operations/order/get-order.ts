import { type AwardClaim, rewardIdsOf } from '../../domain/award/claim.ts';
import { isUuid } from '../../domain/ids.ts';
import type { RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import type { Order } from '../../domain/order/order.ts';
import type { Refund } from '../../domain/order/refund.ts';
import { AwardClaims } from '../../store/award/claims.ts';
import { Partnerships } from '../../store/campaign/partnerships.ts';
import { Transactions } from '../../store/ledger/transactions.ts';
import { Orders } from '../../store/order/orders.ts';
import { Refunds } from '../../store/order/refunds.ts';
import type { Deps } from '../operation.ts';
import { OrderNotFoundError } from './refund-order.ts';

const findRewardsStores = { partnerships: Partnerships, claims: AwardClaims, transactions: Transactions };
export const getOrderStores = { ...findRewardsStores, orders: Orders, refunds: Refunds };

/** An order as its merchant names it. */
export interface OrderQuery {
  readonly merchantId: number;
  /** The merchant's own id of the order, or the order's UUID. */
  readonly id: string;
}

/** The award claims of a purchase and their transactions. */
export interface RewardsOfPurchase {
  /** Tokens and awards under every campaign of the merchant. */
  readonly claims: readonly AwardClaim[];
  /** The oldest first. Includes points that paid for the purchase. */
  readonly transactions: readonly RewardTransaction[];
}

/** An order with its rewards and refunds. */
export interface OrderWithRewards extends RewardsOfPurchase {
  readonly order: Order;
  /** The oldest first. */
  readonly refunds: readonly Refund[];
}

/**
 * Gets an order of a merchant with its rewards and refunds.
 *
 * @throws OrderNotFoundError when there is no such order, or it belongs to another merchant
 */
export async function getOrder(
  { merchantId, id }: OrderQuery,
  deps: Deps<typeof getOrderStores>,
): Promise<OrderWithRewards> {
  const uuid = id.toLowerCase();
  // Both reads are made for every id. So the time of the reply does not show whether another merchant has the order.
  const found = await Promise.all([
    isUuid(uuid) ? deps.orders.find(uuid) : undefined,
    deps.orders.findByExternalId({ merchantId, externalOrderId: id }),
  ]);
  const order = found.find((one) => one?.merchantId === merchantId);
  if (!order) throw new OrderNotFoundError();
  const { externalOrderId: externalTransactionId, transactionIds } = order;
  const [rewards, withRefunds] = await Promise.all([
    findRewards({ merchantId, externalTransactionId, transactionIds }, deps),
    order.refundedCents > 0 ? deps.refunds.findWith(order) : undefined,
  ]);
  return { ...rewards, order, refunds: withRefunds?.refunds ?? [] };
}

/**
 * Finds the award claims of a purchase under every campaign of the merchant, and all transactions of the purchase.
 *
 * @param transactionIds transactions that an order lists
 */
export async function findRewards(
  {
    merchantId,
    externalTransactionId,
    transactionIds = [],
  }: Pick<AwardClaim, 'merchantId' | 'externalTransactionId'> & {
    readonly transactionIds?: readonly number[] | undefined;
  },
  { partnerships, claims: store, transactions }: Deps<typeof findRewardsStores>,
): Promise<RewardsOfPurchase> {
  // Includes ended campaigns: an order may be looked up a year after its campaign ended.
  const campaignIds = await partnerships.campaignIdsOf('byMerchant', merchantId);
  const claims = await store.findUnder(campaignIds, { merchantId, externalTransactionId });
  const ids = new Set([...transactionIds, ...claims.flatMap(rewardIdsOf)]);
  const found = await Promise.all([...ids].map((id) => transactions.find(id)));
  return {
    claims: claims.toSorted((one, other) => (one.issuedAt < other.issuedAt ? -1 : 1)),
    transactions: found.filter((one) => one !== undefined).toSorted((one, other) => (one.uuid < other.uuid ? -1 : 1)),
  };
}
