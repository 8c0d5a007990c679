import type { Member } from '../member/member.ts';
import {
  type Authentication,
  type AuthenticationRequest,
  evaluateSpend,
  type Reservation,
  reserve,
  rewardsOf,
  runningCampaigns,
  type TransactionIds,
} from '../transaction/authenticate.ts';
import { eligibleCents, type Order, type OrderRejection } from './order.ts';

/** An order, with everything that is known when it is decided about. */
export interface OrderToReward extends Pick<AuthenticationRequest, 'campaigns' | 'partnerships'> {
  readonly order: Order;
  readonly member: Member;
}

/** What an order earns under one campaign. */
export type OrderAward = Pick<Authentication, 'campaign' | 'partnership' | 'decision'>;

/** What an order earns, and why that is nothing when it is. */
export interface OrderRewards {
  readonly awards: readonly OrderAward[];
  readonly rejection: OrderRejection;
}

/**
 * What an order earns: under every earn campaign of the merchant that ran when the order came, with
 * every program that the user is linked to. An order is no consent to pay with points, so what would
 * take any earns nothing either.
 */
export function rewardsOfOrder({ order, member, campaigns, partnerships }: OrderToReward): OrderRewards {
  const now = new Date(order.createdAt);
  const running = runningCampaigns({ campaigns, partnerships, now }).filter(({ campaign }) => campaign.type === 'EARN');
  if (running.length === 0) return { awards: [], rejection: 'no_running_campaign' };

  const open = running.flatMap(({ campaign, partnership }) => {
    const membership = member.memberships.find(({ partnerId }) => partnerId === campaign.partnerId);
    return membership ? [{ campaign, partnership, membership }] : [];
  });
  if (open.length === 0) return { awards: [], rejection: 'user_not_linked' };

  const awards = open
    .map((found) => ({ ...found, decision: evaluateSpend(found, { amountCents: eligibleCents(order), now }) }))
    .filter(({ decision }) => earnsOnly(rewardsOf(decision)));
  return { awards, rejection: 'nothing_earned' };
}

function earnsOnly(rewards: ReturnType<typeof rewardsOf>): boolean {
  return rewards.length > 0 && rewards.every(({ type }) => type === 'EARN');
}

/**
 * Turns an award into what is to be written: what a token would be that is issued and spent at once.
 * The token guards the order against endpoints 1 and 2, which answer for it as for one of their own.
 *
 * @param nextIds gives fresh identifiers, one pair for each call.
 */
export function awardWrites(
  { order, member, award, now }: Pick<OrderToReward, 'order' | 'member'> & { readonly award: OrderAward; now: Date },
  authenticationId: string,
  nextIds: () => TransactionIds,
): Reservation {
  const { merchantId, externalOrderId, totalCents } = order;
  const request = { member, merchantId, externalTransactionId: externalOrderId, amountCents: totalCents, now };
  const { purchase, transactions, decision } = reserve(request, { ...award, cost: 0 }, authenticationId, nextIds);
  return {
    decision,
    purchase: { ...purchase, state: 'SPENT', spentAt: now.toISOString(), orderUuid: order.uuid },
    transactions: transactions.map((transaction) => ({ ...transaction, state: 'PENDING' })),
  };
}
