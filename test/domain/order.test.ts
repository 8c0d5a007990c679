import { describe, expect, it } from 'vitest';
import { award } from '../../shared/domain/award/claim.ts';
import { decideAwards, type Earner } from '../../shared/domain/award/decide-awards.ts';
import { withTransactions } from '../../shared/domain/award/finalization.ts';
import {
  awardRequestForOrder,
  eligibleCents,
  finalizeOrder,
  type Order,
  type OrderState,
  orderStates,
  orderStatesBefore,
  orderTransitions,
  receiveOrder,
} from '../../shared/domain/order/order.ts';
import { receiveRefund, refundsOfTransaction, withRefundsApplied } from '../../shared/domain/order/refund.ts';
import { spendOfOrder } from '../../shared/domain/order/spend.ts';
import {
  aCampaign,
  aFlow,
  aMember,
  aMembership,
  aMultiplier,
  anOrder,
  aPartnership,
  earning,
  noon,
  redeeming,
} from './fixtures.ts';

const later = new Date('2026-03-08T13:00:00.000Z');

interface OrderToReward extends Earner {
  readonly order: Order;
}

/** An order of $100 by a member of the campaign's program. */
const toReward = (more: Partial<OrderToReward> = {}): OrderToReward => ({
  order: anOrder(),
  member: aMember(),
  campaigns: [aCampaign()],
  partnerships: [aPartnership()],
  ...more,
});

const rewardsOfOrder = ({ order, ...earner }: OrderToReward) => decideAwards(earner, awardRequestForOrder(order).event);
const pointsOf = (given: OrderToReward) =>
  rewardsOfOrder(given).awards.map(({ decision }) => decision.flows[0]?.actions[0]?.points);

describe('the states of an order', () => {
  const allowed: [OrderState, OrderState[]][] = [
    ['PENDING', ['PROCESSED', 'REJECTED']],
    ['PROCESSED', ['REFUNDED']],
    ['REJECTED', ['REFUNDED']],
    ['REFUNDED', []],
  ];

  it.each(allowed)('include %s, which only the states %j can follow', (state, next) => {
    expect(orderTransitions[state]).toEqual(next);
    expect(orderStates.filter((one) => orderStatesBefore(one).includes(state))).toEqual(next);
  });

  it('start with PENDING, without transactions', () => {
    const { state: _, revision: __, transactionIds: ___, refundedCents: ____, ...received } = anOrder();
    expect(receiveOrder(received, noon)).toMatchObject({ state: 'PENDING', transactionIds: [], revision: 0 });
  });

  it('end with PROCESSED when the order was rewarded', () => {
    const rewarded = withTransactions(anOrder(), [1], noon);
    const settled = finalizeOrder(rewarded, 'nothing_earned', later);
    expect(settled).toMatchObject({ state: 'PROCESSED', transactionIds: [1], updatedAt: later.toISOString() });
    expect(settled).not.toHaveProperty('rejection');
  });

  it('end with REJECTED and the reason when the order was not rewarded', () => {
    expect(finalizeOrder(anOrder(), 'user_not_linked', later)).toMatchObject({
      state: 'REJECTED',
      rejection: 'user_not_linked',
    });
  });
});

describe('transactions of an order', () => {
  it('are listed once when the same transaction is added twice', () => {
    const once = withTransactions(anOrder(), [1, 2], noon);
    expect(withTransactions(once, [2, 3], later)).toMatchObject({ transactionIds: [1, 2, 3] });
  });
});

describe('refunds of an order', () => {
  const refund = (amountCents: number) =>
    receiveRefund(anOrder().uuid, { uuid: 'refund', externalRefundId: 'r-1', amountCents }, noon);

  it("start as PENDING and reverse their share of the order's total", () => {
    expect(refund(2_500)).toMatchObject({ state: 'PENDING', refundedUuid: anOrder().uuid, amountCents: 2_500 });
    expect(refundsOfTransaction([refund(2_500)], anOrder({ totalCents: 10_800 }))).toEqual([
      {
        uuid: 'refund',
        refundedUuid: anOrder().uuid,
        receivedAt: noon.toISOString(),
        amountCents: 2_500,
        capturedCents: 10_800,
      },
    ]);
  });

  it.each(['PROCESSED', 'REJECTED'] as const)(
    'change a %s order to REFUNDED when they reach the full amount',
    (state) => {
      const most = withRefundsApplied(anOrder({ state }), [refund(9_000), refund(999)], later);
      expect(most).toMatchObject({ state, refundsAppliedCents: 9_999, updatedAt: later.toISOString() });
      expect(withRefundsApplied(most, [refund(1)], later)).toMatchObject({
        state: 'REFUNDED',
        refundsAppliedCents: 10_000,
      });
    },
  );
});

describe('the eligible amount of an order', () => {
  it.each([
    ['the subtotal', { subtotalCents: 10_000 }, 10_000],
    ['the subtotal less the discount', { subtotalCents: 10_000, discountCents: 2_501 }, 7_499],
    ['the subtotal without taxes, fees and tips', { totalCents: 99_999, subtotalCents: 10_000 }, 10_000],
    ['zero when the discount equals the subtotal', { subtotalCents: 10_000, discountCents: 10_000 }, 0],
    ['at most the total', { totalCents: 1, subtotalCents: 1_000_000_000 }, 1],
  ])('is %s', (_case, amounts, expected) => {
    const order = anOrder(amounts);
    expect(eligibleCents(order)).toBe(expected);
    expect(awardRequestForOrder(order).event.amountCents).toBe(expected);
    expect(spendOfOrder({ ...order, state: 'PROCESSED' })?.amountCents).toBe(expected);
  });
});

describe('the rewards of an order', () => {
  it('are computed from the eligible amount', () => {
    expect(pointsOf(toReward())).toEqual([100]);
    expect(pointsOf(toReward({ order: anOrder({ totalCents: 50_000, discountCents: 1_000 }) }))).toEqual([90]);
  });

  it("use the multiplier of the member's tier", () => {
    const campaigns = [aCampaign({ flows: [aFlow([earning(10_000)], [aMultiplier()])] })];
    const gold = aMember({ memberships: [aMembership({ statusTierId: 2 })] });
    expect(pointsOf(toReward({ campaigns }))).toEqual([100]);
    expect(pointsOf(toReward({ campaigns, member: gold }))).toEqual([150]);
  });

  it('come from every campaign of every program that the member has linked', () => {
    const other = aPartnership({ uuid: '019b0000-0000-7000-8000-0000000000bb', partnerId: 3 });
    const given = toReward({
      member: aMember({ memberships: [aMembership(), aMembership({ partnerId: 3 })] }),
      campaigns: [
        aCampaign(),
        aCampaign({ id: 6, flows: [aFlow([earning(20_000)])] }),
        aCampaign({ id: 7, partnerId: 3, partnershipUuid: other.uuid, flows: [aFlow([earning(30_000)])] }),
      ],
      partnerships: [aPartnership(), other],
    });
    expect(pointsOf(given)).toEqual([100, 200, 300]);
  });

  it('use the campaigns that ran when the order was received', () => {
    const campaigns = [aCampaign({ endsAt: later.toISOString() })];
    expect(pointsOf(toReward({ campaigns }))).toEqual([100]);
    const order = anOrder({ createdAt: later.toISOString() });
    expect(pointsOf(toReward({ campaigns, order }))).toEqual([]);
  });

  it.each<[string, Partial<OrderToReward>, string]>([
    ['there is no campaign', { campaigns: [] }, 'no_running_campaign'],
    ['the campaign is paused', { campaigns: [aCampaign({ status: 'PAUSED' })] }, 'no_running_campaign'],
    ['the campaign redeems points', { campaigns: [aCampaign({ type: 'REDEEM' })] }, 'no_running_campaign'],
    ['the partnership is inactive', { partnerships: [aPartnership({ isActive: false })] }, 'no_running_campaign'],
    ['the user belongs to no program', { member: aMember({ memberships: [] }) }, 'user_not_linked'],
    [
      'the user belongs to another program',
      { member: aMember({ memberships: [aMembership({ partnerId: 3 })] }) },
      'user_not_linked',
    ],
    ['the order is worth less than a point', { order: anOrder({ subtotalCents: 99 }) }, 'worth_nothing'],
    ['the discount equals the subtotal', { order: anOrder({ discountCents: 10_000 }) }, 'worth_nothing'],
    [
      'the campaign would take points as well',
      { campaigns: [aCampaign({ flows: [aFlow([earning(10_000, 1), redeeming(10_000, 2)])] })] },
      'nothing_earned',
    ],
  ])('are empty, with a reason, when %s', (_case, given, rejection) => {
    expect(rewardsOfOrder(toReward(given))).toMatchObject({ awards: [], rejection });
  });
});

describe('an award for an order', () => {
  it("has a spent claim with the order's id, and pending transactions with the order's total", () => {
    const order = anOrder({ totalCents: 10_800 });
    const member = aMember();
    const [first] = rewardsOfOrder(toReward({ order, member })).awards;
    if (!first) throw new Error('the order earns nothing');

    const occasion = { ...awardRequestForOrder(order).basis, member, now: later };
    const written = award(occasion, first, 'rwa_local_B', () => ({ id: 7, uuid: 'seven' }));

    expect(written.claim).toMatchObject({
      merchantId: 1,
      campaignId: 5,
      externalTransactionId: order.externalOrderId,
      authenticationId: 'rwa_local_B',
      state: 'SPENT',
      orderUuid: order.uuid,
      heldPoints: 0,
      amountCents: 10_800,
      rewards: [{ id: 7, uuid: 'seven', type: 'EARN', points: 100 }],
      spentAt: later.toISOString(),
    });
    expect(written.transactions).toMatchObject([
      { id: 7, state: 'PENDING', points: 100, amountCents: 10_800, createdAt: later.toISOString() },
    ]);
    expect(written.decision.facts).toMatchObject({ amountCents: 10_000, occurredAt: noon.toISOString() });
  });
});
