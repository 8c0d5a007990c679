import type { Member } from '../../../shared/domain/member/member.ts';
import { type Order, settleOrder, withTransactions } from '../../../shared/domain/order/order.ts';
import { awardWrites, type OrderToReward, rewardsOfOrder } from '../../../shared/domain/order/rewards-of-order.ts';
import { isLive, type Purchase } from '../../../shared/domain/transaction/purchase.ts';
import type { DecidedReward } from '../../../shared/domain/transaction/reserve.ts';
import { InternalEvent } from '../../../shared/events/platform-event.ts';
import { busMessage, consume } from '../../../shared/runtime/consume.ts';
import { once } from '../../../shared/runtime/once.ts';
import { runtime, withStores } from '../../../shared/runtime/runtime.ts';
import { Campaigns } from '../../../shared/store/campaigns.ts';
import { Members } from '../../../shared/store/members.ts';
import { Orders } from '../../../shared/store/orders.ts';
import { authenticationIdOf } from '../../../shared/store/purchases.ts';
import { LimitsUsed, PurchaseChanged, Transactions } from '../../../shared/store/transactions.ts';

const rewarding = once(() =>
  withStores(runtime(), { campaigns: Campaigns, members: Members, orders: Orders, transactions: Transactions }),
);
type Rewarding = ReturnType<typeof rewarding>;

/** Rewards an external order: what it earns is pending then, as any other transaction. */
export const handler = consume({
  message: busMessage(InternalEvent),
  deps: rewarding,
  handle: ({ detail }, deps) => processOrder(detail, deps),
});

/** How often an order is decided about again because others of the member's rewards used a limit meanwhile. */
const maximumRounds = 20;

/**
 * Safe to repeat, from wherever an earlier run ended: the order remembers each award in the award's own
 * write, and each campaign rewards an order once.
 *
 * @throws when the order or its user is not known, another run is faster, or a token for the order may
 * still be spent; the message comes again
 */
export async function processOrder(event: InternalEvent, deps: Rewarding): Promise<void> {
  const order = await deps.orders.find(event.entityId);
  if (!order) throw new Error(`there is no order ${event.entityId}`);
  if (order.state !== 'PENDING') return;

  const { current, rejection } = await rewardAll(order, deps);
  await deps.orders.change(settleOrder(current, rejection, deps.now()));
}

/** Writes every award of an order; what a lost race for a limit leaves is decided about anew. */
async function rewardAll(order: Order, deps: Rewarding) {
  let current = order;
  for (let round = 0; round < maximumRounds; round += 1) {
    const toReward = await orderToReward(order, deps);
    const { awards, rejection } = rewardsOfOrder(toReward);
    try {
      for (const decided of awards) current = await reward(current, toReward.member, decided, deps);
      return { current, rejection };
    } catch (error) {
      if (!(error instanceof LimitsUsed)) throw error;
    }
  }
  throw new Error(`the limits of the user of order ${order.uuid} kept changing`);
}

/** Gathers everything that the decision depends on, in one round trip. */
async function orderToReward(order: Order, deps: Rewarding): Promise<OrderToReward> {
  const [member, { campaigns, partnerships }] = await Promise.all([
    deps.members.find(order.userId),
    deps.campaigns.offeredBy(order.merchantId, new Date(order.createdAt)),
  ]);
  if (!member) throw new Error(`there is no user ${order.userId}`);
  return { order, member, campaigns, partnerships };
}

/** Writes one award, or finds the one that is there already. */
async function reward(order: Order, member: Member, decided: DecidedReward, deps: Rewarding): Promise<Order> {
  const now = deps.now();
  const stamp = { now, nextUuid: deps.nextUuid };
  try {
    return await writeAward(order, member, decided, deps);
  } catch (error) {
    if (!(error instanceof PurchaseChanged) || !error.purchase) throw error;
    if (error.purchase.state === 'SPENT') return withTransactions(order, rewardIds(error.purchase), now);
    // A token keeps what it promised: whoever holds it is answered as if there were no order.
    if (isLive(error.purchase, now)) throw new Error(`a token for order ${order.uuid} may still be spent`);
    await deps.transactions.expire(error.purchase, stamp);
  }
  return writeAward(order, member, decided, deps);
}

function writeAward(order: Order, member: Member, decided: DecidedReward, deps: Rewarding): Promise<Order> {
  const now = deps.now();
  const { id: campaignId } = decided.campaign;
  const key = { ...order, campaignId, externalTransactionId: order.externalOrderId };
  const token = authenticationIdOf(key, deps.config.stage, deps.random(16));
  const written = awardWrites({ order, member, decided, now }, token, deps.nextIds);
  const rewarded = withTransactions(order, rewardIds(written.purchase), now);
  return deps.transactions.awardOrder(written, rewarded, { now, nextUuid: deps.nextUuid });
}

const rewardIds = ({ rewards }: Purchase) => rewards.map(({ id }) => id);
