import type { AwardClaim } from '../../domain/award/claim.ts';
import type { RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import type { Order } from '../../domain/order/order.ts';
import type { Organisation } from '../../domain/organisation.ts';
import { allOrganisations, findOrganisationOfKind } from '../organisation/find-organisation.ts';
import type { ExplainRewardsDeps } from './explain-rewards.ts';

/** Lists of transactions, orders and trigger events for operators. */

/** The fields that lists filter and sort by. An order has no partnership and no campaign. */
export interface ListedRecord {
  /** UUID version 7: records sort by time. */
  readonly uuid: string;
  readonly userId: number | null;
  readonly merchantId: number;
  readonly state: string;
  readonly partnershipUuid?: string | undefined;
  readonly campaignId?: number | undefined;
  readonly createdAt: string;
}

/** Which records to list. An absent field does not restrict the list. */
export interface RecordFilter {
  readonly userId?: number | undefined;
  readonly merchantId?: number | undefined;
  readonly partnershipUuid?: string | undefined;
  readonly campaignId?: number | undefined;
  readonly state?: string | undefined;
  /** From this instant on. */
  readonly since?: Date | undefined;
  /** Before this instant. */
  readonly until?: Date | undefined;
  /** Only records that are older than the record with this UUID, which is the last record of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** The newest records that fit a filter, and whether older records fit too. */
export interface RecordPage<Listed> {
  readonly records: readonly Listed[];
  readonly hasMore: boolean;
}

/**
 * Returns one page of the records that fit a filter, the newest first. No index leads to these records, so `records`
 * reads the whole table: time and cost grow with the table. The sequence in which the records are read does not change
 * the page.
 */
export async function listRecords<Listed extends ListedRecord>(
  records: AsyncIterable<Listed>,
  filter: RecordFilter,
): Promise<RecordPage<Listed>> {
  const wanted = filter.limit + 1;
  const newestOf = (found: readonly Listed[]) =>
    found.toSorted((one, other) => (one.uuid < other.uuid ? 1 : -1)).slice(0, wanted);
  let newest: Listed[] = [];
  for await (const record of records) {
    if (!fits(record, filter)) continue;
    newest.push(record);
    // Keeps the memory small while a large table is read.
    if (newest.length >= 4 * wanted) newest = newestOf(newest);
  }
  newest = newestOf(newest);
  return { records: newest.slice(0, filter.limit), hasMore: newest.length > filter.limit };
}

function fits(record: ListedRecord, filter: RecordFilter): boolean {
  const { userId, merchantId, partnershipUuid, campaignId, state, since, until, after } = filter;
  const at = Date.parse(record.createdAt);
  return (
    (userId === undefined || record.userId === userId) &&
    (merchantId === undefined || record.merchantId === merchantId) &&
    (partnershipUuid === undefined || record.partnershipUuid === partnershipUuid) &&
    (campaignId === undefined || record.campaignId === campaignId) &&
    (state === undefined || record.state === state) &&
    (since === undefined || at >= since.getTime()) &&
    (until === undefined || at < until.getTime()) &&
    (after === undefined || record.uuid < after)
  );
}

/** Everything that one merchant's order number leads to. */
export interface FoundOrder {
  readonly merchant: Organisation;
  /** The external order; undefined when only tokens or payments have the number. */
  readonly order: Order | undefined;
  /** The reward transactions of the order, and of the tokens and payments with the number. */
  readonly transactions: readonly RewardTransaction[];
}

/**
 * Finds purchases by the merchant's own order number, at one merchant or at all merchants: external orders, payments,
 * and purchases with a token.
 *
 * @returns an entry for each merchant that has an order or a reward transaction for the number
 * @throws NotFoundError, WrongOrganisationKindError for the merchant
 */
export async function findOrders(
  { externalOrderId, merchant }: { readonly externalOrderId: string; readonly merchant?: string | undefined },
  deps: ExplainRewardsDeps,
): Promise<FoundOrder[]> {
  const merchants =
    merchant === undefined
      ? (await allOrganisations(deps)).filter(({ kind }) => kind === 'MERCHANT')
      : [await findOrganisationOfKind(merchant, 'MERCHANT', deps)];
  const found: FoundOrder[] = [];
  for (const one of merchants) {
    const [order, claims] = await Promise.all([
      deps.orders.findByExternalId({ merchantId: one.id, externalOrderId }),
      findClaims(one.id, externalOrderId, deps),
    ]);
    const claimed = claims.flatMap(({ rewards }) => rewards.map(({ id }) => id));
    const ids = new Set([...(order?.transactionIds ?? []), ...claimed]);
    const transactions = await Promise.all([...ids].map((id) => deps.transactions.find(id)));
    const existing = transactions.filter((transaction) => transaction !== undefined);
    if (order || existing.length > 0) found.push({ merchant: one, order, transactions: existing });
  }
  return found;
}

/** Finds the award claims for a merchant's order number, also those of campaigns that have ended. */
async function findClaims(
  merchantId: number,
  externalTransactionId: string,
  { campaigns, claims }: ExplainRewardsDeps,
): Promise<AwardClaim[]> {
  const approved = await campaigns.approvedOf('byMerchant', merchantId);
  return claims.findUnder(
    approved.map(({ id }) => id),
    { merchantId, externalTransactionId },
  );
}
