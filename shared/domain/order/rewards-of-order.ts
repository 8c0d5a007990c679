import { type Awards, awardsFor, type Earner } from '../transaction/awards.ts';
import { award, type DecidedReward, type Reservation, type TransactionIds } from '../transaction/reserve.ts';
import { eligibleCents, type Order } from './order.ts';

/** An order, with everything that is known when it is decided about. */
export interface OrderToReward extends Earner {
  readonly order: Order;
}

/** What an order earns, by the campaigns that ran when it came. */
export function rewardsOfOrder({ order, ...earner }: OrderToReward): Awards {
  return awardsFor(earner, {
    trigger: { type: 'SPEND' },
    at: new Date(order.createdAt),
    amountCents: eligibleCents(order),
  });
}

/**
 * Turns an award into what is to be written. Its place is that of the order's purchase, so endpoints 1
 * and 2 answer for the order as for one of their own.
 *
 * @param nextIds gives fresh identifiers, one pair for each call.
 */
export function awardWrites(
  {
    order,
    member,
    decided,
    now,
  }: Pick<OrderToReward, 'order' | 'member'> & { readonly decided: DecidedReward; now: Date },
  authenticationId: string,
  nextIds: () => TransactionIds,
): Reservation {
  const { merchantId, externalOrderId, totalCents } = order;
  const occasion = { member, merchantId, externalTransactionId: externalOrderId, amountCents: totalCents, now };
  const written = award(occasion, decided, authenticationId, nextIds);
  return { ...written, purchase: { ...written.purchase, orderUuid: order.uuid } };
}
