import type { AwardClaim } from '../../shared/domain/award/claim.ts';
import type { Order } from '../../shared/domain/order/order.ts';
import type { Payment } from '../../shared/domain/payment/payment.ts';
import type { End } from './checks/end.ts';
import { positionOf, type SalePosition } from './payments.ts';
import type { PlacedOrder, Sale, Token } from './story.ts';

/**
 * What a purchase should come to: from the requests of clients and the events of payment platforms, by rules of its own.
 * The table only says which tokens were spent, which refunds were accepted, and which redemptions the program completed.
 */

/** A part of a whole. */
type Share = readonly [part: bigint, whole: bigint];

const none: Share = [0n, 1n];
const shareOf = (part: number, whole: number): Share =>
  whole > 0 ? [BigInt(Math.min(part, whole)), BigInt(whole)] : none;
const most = (shares: readonly Share[]): Share =>
  shares.reduce((one, other) => (other[0] * one[1] > one[0] * other[1] ? other : one), none);
const added = ([a, b]: Share, [c, d]: Share): Share => {
  const part = a * d + c * b;
  return part > b * d ? [1n, 1n] : [part, b * d];
};
/** What is left of an amount when several shares of it are gone, one after the other. Rounded down once. */
const without = (cents: number, ...gone: readonly Share[]): number => {
  const left = gone.reduce((product, [part, whole]) => product * (whole - part), BigInt(cents));
  return Number(left / gone.reduce((product, [, whole]) => product * whole, 1n));
};
const sumOf = <One>(all: readonly One[], amountOf: (one: One) => number) =>
  all.reduce((sum, one) => sum + amountOf(one), 0);

/** A spent token with its claim. */
export interface SpentToken {
  readonly token: Token;
  readonly claim: AwardClaim;
}

/** A sale with its payment in the table. */
interface RecordedSale {
  readonly sale: Sale;
  readonly payment: Payment | undefined;
  readonly position: SalePosition;
}

/** Everything that was reported of one purchase. */
export interface ModelPurchase {
  readonly merchantId: number;
  /** The external id of the merchant, or the key of a payment that names no order. */
  readonly name: string;
  /** The external ids of its awards: a payment that named its order late was a purchase of its own before. */
  readonly externalIds: ReadonlySet<string>;
  readonly tokens: readonly SpentToken[];
  readonly redemptions: readonly SpentToken[];
  readonly order: PlacedOrder | undefined;
  readonly sales: readonly RecordedSale[];
}

/** The purchases of a history. */
export function purchasesOf(end: End): ModelPurchase[] {
  const tokens = spentTokens(end);
  const orders = end.story.orders.filter((placed) => recordOf(end, placed) !== undefined);
  const sales = end.story.sales.map((sale) => recorded(end, sale));
  const named = [
    ...tokens.map((one) => ({ merchantId: one.claim.merchantId, name: one.token.purchase.externalId })),
    ...orders.map(({ merchantId, externalId: name }) => ({ merchantId, name })),
    ...sales.map(({ sale }) => ({ merchantId: sale.merchant.id, name: nameOfSale(sale) })),
  ];
  const distinct = new Map(named.map((one) => [`${one.merchantId} ${one.name}`, one]));
  return [...distinct.values()].map(({ merchantId, name }) => {
    const own = tokens.filter(
      ({ claim, token }) => claim.merchantId === merchantId && token.purchase.externalId === name,
    );
    const ownSales = sales.filter(({ sale }) => sale.merchant.id === merchantId && nameOfSale(sale) === name);
    return {
      ...{ merchantId, name },
      externalIds: new Set([name, ...ownSales.flatMap(({ payment }) => (payment ? keysOf(payment) : []))]),
      tokens: own.filter(({ token }) => token.purchase.campaign.kind === 'earn'),
      redemptions: own.filter(({ token }) => token.purchase.campaign.kind === 'pay'),
      order: orders.find((one) => one.merchantId === merchantId && one.externalId === name),
      sales: ownSales,
    };
  });
}

/** The order in the table. */
export const recordOf = ({ orders }: End, { merchantId, externalId }: PlacedOrder): Order | undefined =>
  orders.find((one) => one.merchantId === merchantId && one.externalOrderId === externalId);

const nameOfSale = ({ id, orderId }: Sale) => orderId ?? id;

/** The tokens of purchases that were spent. Transfers buy nothing. */
function spentTokens({ story, claims }: End): SpentToken[] {
  return story.tokens.flatMap((token) => {
    const claim = claims.find(({ authenticationId, state }) => state === 'SPENT' && authenticationId === token.text);
    return claim && token.purchase.campaign.kind !== 'transfer' ? [{ token, claim }] : [];
  });
}

/** The ids under which a payment was a purchase of its own. */
const keysOf = ({ platform, account, paymentId, book }: Payment) =>
  [paymentId, ...book.aliases].map((id) => `${platform}:${account}:${id}`);

function recorded(end: End, sale: Sale): RecordedSale {
  return { sale, payment: paymentsOf(end, sale)[0], position: positionOf(sale) };
}

/** The payments of a sale in the table: there has to be one. */
export const paymentsOf = ({ payments }: End, sale: Sale): Payment[] =>
  payments.filter(
    ({ merchantId, paymentId, book }) =>
      merchantId === sale.merchant.id &&
      [paymentId, ...book.aliases].some((id) => id === sale.id || sale.captures.some((one) => one.id === id)),
  );

const centsOf = ({ token }: SpentToken) => token.purchase.cents;

/** What points paid. A refund of the redemption does not undo this. */
const paidOf = (end: End, { redemptions }: ModelPurchase): number =>
  sumOf(
    redemptions.filter(({ claim }) => isCompleted(end, claim)),
    centsOf,
  );

const isCompleted = ({ transactions }: End, { rewards }: AwardClaim) =>
  rewards.every(({ id }) =>
    transactions.some((one) => one.id === id && (one.state === 'COMPLETED' || one.state === 'REVERSED')),
  );

/** The merchant's refunds of an order or of a token, without those that failed at the payment platform. */
function refundedOf({ refunds }: End, { sales }: ModelPurchase, uuids: readonly string[]): number {
  const isFailed = (id: string) =>
    sales.some(({ sale }) => sale.refunds.some((one) => one.id === id && one.stages.includes('failed')));
  return sumOf(
    refunds.filter(({ refundedUuid, externalRefundId }) => uuids.includes(refundedUuid) && !isFailed(externalRefundId)),
    ({ amountCents }) => amountCents,
  );
}

const uuidsOf = ({ rewards }: AwardClaim) => rewards.map(({ uuid }) => uuid);

/** The payments of each account: without the merchant's word, two accounts may report the same money. */
const accountsOf = ({ sales }: ModelPurchase) => [...Map.groupBy(sales, ({ sale }) => sale.platform).values()];

/** The share of the captured money that payment platforms have returned. */
const returnedOf = (sales: ModelPurchase['sales']): Share =>
  shareOf(
    sumOf(sales, ({ position }) => position.returnedCents),
    sumOf(sales, ({ position }) => position.capturedCents),
  );

/** The share of a purchase that is gone: merchant and payment platforms report the same money, so the larger counts. */
function goneOf(end: End, purchase: ModelPurchase): Share {
  const { order, tokens, sales } = purchase;
  const uuid = order && recordOf(end, order)?.uuid;
  const ofOrder = order ? shareOf(refundedOf(end, purchase, [uuid ?? '']), order.totalCents) : none;
  const ofTokens = tokens.map((one) => shareOf(refundedOf(end, purchase, uuidsOf(one.claim)), centsOf(one)));
  const isStated = order !== undefined || tokens.length > 0;
  const returned = isStated ? [returnedOf(sales)] : accountsOf(purchase).map(returnedOf);
  return most([added(ofOrder, most(ofTokens)), ...returned]);
}

/** The money of a purchase: before anything came back, and what is left of it. */
export interface Money {
  readonly bought: number;
  readonly left: number;
}

/** The money that a campaign rewards. A token counts with its own amount for its own campaign. */
export function moneyOf(end: End, purchase: ModelPurchase, campaignId?: number): Money {
  const { order, tokens } = purchase;
  const own = tokens.filter(({ claim }) => claim.campaignId === campaignId);
  const [gone, paid] = [goneOf(end, purchase), paidOf(end, purchase)];
  const after = (cents: number, ...shares: Share[]) => ({
    bought: without(cents, ...shares),
    left: without(cents, ...shares, gone),
  });
  if (tokens.length > 0) {
    const cents = Math.max(...(own.length > 0 ? own : tokens).map(centsOf));
    return after(cents, shareOf(paid, cents));
  }
  if (order) return after(order.eligibleCents, shareOf(paid, order.totalCents));
  const byAccount = accountsOf(purchase).map((sales) => {
    const { statedOrder, uncaptured } = statedBy(sales);
    if (statedOrder) return after(statedOrder.eligibleCents, uncaptured);
    return after(sumOf(sales, ({ position }) => position.eligibleCents));
  });
  return byAccount.reduce((one, other) => (other.bought > one.bought ? other : one), { bought: 0, left: 0 });
}

/** The order as an account stated it last, and the share of it that is not captured. */
function statedBy(sales: ModelPurchase['sales']) {
  const captured = sumOf(sales, ({ position }) => position.capturedCents);
  const statements = sales.flatMap(({ sale }) => sale.statedOrder ?? []);
  const [statedOrder] =
    captured > 0 ? statements.toSorted((one, other) => other.at - one.at || other.totalCents - one.totalCents) : [];
  const total = statedOrder?.totalCents ?? 0;
  return { statedOrder, uncaptured: shareOf(Math.max(0, total - captured), total) };
}

/** The cents that points paid and that still count as paid. */
export function redeemedCents(end: End, purchase: ModelPurchase, redemption: SpentToken): number {
  const cents = centsOf(redemption);
  const own = shareOf(refundedOf(end, purchase, uuidsOf(redemption.claim)), cents);
  return without(cents, added(goneOf(end, purchase), own));
}
