import type { Order } from '../../../shared/domain/order/order.ts';
import { isLive, rewardIdsOf } from '../../../shared/domain/transaction/purchase.ts';
import { withTransactions } from '../../../shared/domain/transaction/settlement.ts';
import type { Sources } from '../../../shared/runtime/runtime.ts';
import type { Campaigns } from '../../../shared/store/campaigns.ts';
import type { Purchases } from '../../../shared/store/purchases.ts';

/** What the purchases of an order are found with. */
export interface FindingPurchases extends Pick<Sources, 'now'> {
  readonly campaigns: Pick<Campaigns, 'approvedOf'>;
  readonly purchases: Pick<Purchases, 'ofExternalTransaction'>;
}

/**
 * The order with whatever endpoints 1 and 2 moved for it too: points that it was paid with, and what it
 * earned under a campaign that was over when it came. Points that were only moved to another program are
 * no part of what was bought.
 *
 * @throws while a token for it may still be spent; the message comes again
 */
export async function withPurchases(order: Order, deps: FindingPurchases): Promise<Order> {
  const { merchantId, externalOrderId } = order;
  const campaigns = await deps.campaigns.approvedOf('byMerchant', merchantId);
  const purchases = await deps.purchases.ofExternalTransaction(
    { merchantId, externalTransactionId: externalOrderId },
    campaigns.map(({ id }) => id),
  );
  const now = deps.now();
  const bought = purchases.filter(({ isTransfer }) => !isTransfer);
  if (bought.some((purchase) => isLive(purchase, now))) {
    throw new Error(`a token for ${externalOrderId} may still be spent`);
  }
  const spent = bought.filter(({ state }) => state === 'SPENT');
  return withTransactions(order, spent.flatMap(rewardIdsOf), now);
}
