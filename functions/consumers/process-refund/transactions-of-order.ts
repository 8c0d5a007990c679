import { isLive, rewardIdsOf } from '../../../shared/domain/award/claim.ts';
import type { Order } from '../../../shared/domain/order/order.ts';
import type { OperationDeps, Stores } from '../../../shared/operations/deps.ts';
import type { AwardClaims } from '../../../shared/store/award/claims.ts';
import type { Campaigns } from '../../../shared/store/campaign/campaigns.ts';

/** What finding the transactions of an order works with. */
type Finding = Stores<{ campaigns: typeof Campaigns; claims: typeof AwardClaims }> & Pick<OperationDeps, 'now'>;

/**
 * Everything that a refund of an order concerns: what the order was rewarded with, and what tokens of endpoint 1
 * for the same external id made, before the order came or afterwards. Points that it was paid with are among that.
 * A transfer is nothing that was bought.
 *
 * @returns the ids of the reward transactions, those that the order remembers first
 * @throws while a token for it may still be spent; to try again later finds what became of it
 */
export async function transactionsOfOrder(order: Order, { campaigns, claims, now }: Finding): Promise<number[]> {
  const { merchantId, externalOrderId: externalTransactionId, transactionIds } = order;
  // Those that are over as well: an order may be refunded a year after its campaign ended.
  const approved = await campaigns.approvedOf('byMerchant', merchantId);
  const found = await claims.findUnder(
    approved.map(({ id }) => id),
    { merchantId, externalTransactionId },
  );
  const bought = found.filter(({ isTransfer }) => !isTransfer);
  if (bought.some((claim) => isLive(claim, now()))) {
    throw new Error(`a token for ${externalTransactionId} may still be spent`);
  }
  const spent = bought.filter(({ state }) => state === 'SPENT');
  return [...new Set([...transactionIds, ...spent.flatMap(rewardIdsOf)])];
}
