import { describe, expect, it } from 'vitest';
import { award } from '../../shared/domain/award/claim.ts';
import { decideAwards, type Earner } from '../../shared/domain/award/decide-awards.ts';
import { withTransactions } from '../../shared/domain/award/finalization.ts';
import {
  awardRequestForOrder,
  finalizeOrder,
  type Order,
  type OrderState,
  orderStates,
  orderStatesBefore,
  orderTransitions,
  receiveOrder,
} from '../../shared/domain/order/order.ts';
import { eligibleCents } from '../../shared/domain/order/purchase-details.ts';
import { receiveRefund, withRefundsApplied, withStates } from '../../shared/domain/order/refund.ts';
import { spendOfOrder } from '../../shared/domain/purchase/purchase.ts';
import {
  aCampaign,
  aFlow,
  aMember,
  aMembership,
  aMultiplier,
  anOrder,
  aPartnership,
  aPurchase,
  aRequest,
  aUser,
  decided,
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

/** A claim with these transactions. */
const aClaim = (ids: readonly number[], type: 'EARN' | 'REDEEM' = 'EARN') =>
  aPurchase({ rewards: aPurchase().rewards.flatMap((reward) => ids.map((id) => ({ ...reward, id, type }))) });

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

  it.each(allowed)('change from %s only to %j', (state, next) => {
    expect(orderTransitions[state]).toEqual(next);
    expect(orderStates.filter((one) => orderStatesBefore(one).includes(state))).toEqual(next);
  });

  it('start with PENDING, and the order has no transactions yet', () => {
    const { state: _, revision: __, transactionIds: ___, refundedCents: ____, ...received } = anOrder();
    expect(receiveOrder(received, noon)).toMatchObject({ state: 'PENDING', transactionIds: [], revision: 0 });
  });

  it('end with PROCESSED when the order was rewarded', () => {
    const rewarded = withTransactions(anOrder(), aClaim([1]), noon);
    const settled = finalizeOrder(rewarded, 'nothing_earned', later);
    expect(settled).toMatchObject({ state: 'PROCESSED', transactionIds: [1], updatedAt: later.toISOString() });
    expect(settled).not.toHaveProperty('rejection');
  });

  it('end with REJECTED when the order was not rewarded', () => {
    expect(finalizeOrder(anOrder(), 'user_not_linked', later)).toMatchObject({
      state: 'REJECTED',
      rejection: 'user_not_linked',
    });
  });
});

describe('transactions of an order', () => {
  it('are listed once, even when added twice', () => {
    const once = withTransactions(anOrder(), aClaim([1, 2]), noon);
    expect(withTransactions(once, aClaim([2, 3]), later)).toMatchObject({ transactionIds: [1, 2, 3] });
  });

  it("set the order's program when they earn, but not when they redeem", () => {
    const earned = finalizeOrder(withTransactions(anOrder(), aClaim([1]), noon), 'nothing_earned', later);
    expect(spendOfOrder(earned)).toMatchObject({ programId: 2 });
    expect(withTransactions(anOrder(), aClaim([1], 'REDEEM'), noon)).not.toHaveProperty('programId');
  });
});

describe('refunds of an order', () => {
  const refund = (amountCents: number) =>
    receiveRefund(anOrder().uuid, { uuid: 'refund', externalRefundId: 'r-1', amountCents }, noon);

  it('start as PENDING, and are APPLIED as far as the order says', () => {
    expect(refund(2_500)).toMatchObject({ state: 'PENDING', refundedUuid: anOrder().uuid, amountCents: 2_500 });
    const states = (refundsAppliedCents: number) =>
      withStates(anOrder({ refundsAppliedCents }), [refund(2_500), refund(500)]).map(({ state }) => state);
    expect(states(0)).toEqual(['PENDING', 'PENDING']);
    expect(states(2_500)).toEqual(['APPLIED', 'PENDING']);
    expect(states(3_000)).toEqual(['APPLIED', 'APPLIED']);
  });

  it.each(['PROCESSED', 'REJECTED'] as const)(
    'change a %s order to REFUNDED when they reach the full amount',
    (state) => {
      const most = withRefundsApplied(anOrder({ state, refundedCents: 9_999 }));
      expect(most).toMatchObject({ state, refundsAppliedCents: 9_999 });
      expect(withRefundsApplied({ ...most, refundedCents: 10_000 })).toMatchObject({
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

describe('rewards of an order', () => {
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

  /** An order whose member has accounts in programs 2 and 3. Campaigns of both programs can reward it. */
  const ofTwoPrograms = (defaultPartnerId: number | null, more: Partial<OrderToReward> = {}) => {
    const other = aPartnership({ uuid: '019b0000-0000-7000-8000-0000000000bb', partnerId: 3 });
    return toReward({
      member: aMember({
        user: aUser({ defaultPartnerId }),
        memberships: [aMembership(), aMembership({ partnerId: 3 })],
      }),
      campaigns: [
        aCampaign(),
        aCampaign({ id: 6, flows: [aFlow([earning(20_000)])] }),
        aCampaign({ id: 7, partnerId: 3, partnershipUuid: other.uuid, flows: [aFlow([earning(30_000)])] }),
      ],
      partnerships: [aPartnership(), other],
      ...more,
    });
  };

  it.each<[string, OrderToReward, number[]]>([
    ["the member's default program", ofTwoPrograms(2), [100, 200]],
    ['the other program if it is the default', ofTwoPrograms(3), [300]],
    ['the program that the order names', ofTwoPrograms(2, { order: anOrder({ partnerId: 3 }) }), [300]],
    [
      'the only program of a direct partnership',
      ofTwoPrograms(3, { partnerships: [aPartnership({ kind: 'direct' })] }),
      [100, 200],
    ],
    [
      'the program that the merchant works with, if the default program belongs to other merchants',
      ofTwoPrograms(3, { partnerships: [aPartnership()] }),
      [100, 200],
    ],
  ])('come from every campaign of one program: %s', (_case, given, points) => {
    expect(pointsOf(given)).toEqual(points);
  });

  it('are empty when neither of the member’s two programs is the default', () => {
    expect(rewardsOfOrder(ofTwoPrograms(null))).toMatchObject({ awards: [], rejection: 'no_default_program' });
  });

  it('are equal to the rewards that endpoint 1 gives', () => {
    for (const defaultPartnerId of [2, 3]) {
      const given = ofTwoPrograms(defaultPartnerId);
      const campaigns = given.campaigns.filter(({ id }) => id !== 6);
      const { member, partnerships } = given;
      const byToken = decided(aRequest({ member, campaigns, partnerships, amountCents: 10_000 }));
      const points = 'refused' in byToken ? [] : byToken.rewards.map((reward) => reward.points);
      expect(pointsOf({ ...given, campaigns })).toEqual(points);
    }
  });

  it('are computed from the amount that was not paid with points', () => {
    const { event, basis } = awardRequestForOrder(anOrder({ totalCents: 12_500 }), {
      ...{ paidCents: 2_500, countedCents: 1_000, partnerId: undefined },
    });
    expect(event).toMatchObject({ amountCents: 8_000, spendCents: 7_000 });
    expect(basis).toMatchObject({ amountCents: 12_500, paidCents: 2_500 });
  });

  it('depend on a total spend that includes the order itself', () => {
    const amountCents = 14_999;
    const condition = { id: 9, ownerId: 1, attribute: 'TOTAL_SPEND', operator: 'GREATER_THAN', amountCents } as const;
    const conditionGroups = [{ id: 8, logic: 'ANY' as const, conditions: [condition] }];
    const campaigns = [aCampaign({ flows: [{ ...aFlow([earning(10_000)]), conditionGroups }] })];
    const spentBefore = (spentCents: number) =>
      aMember({ spend: [{ userId: 10, merchantId: 1, partnerId: 2, spentCents }] });
    expect(pointsOf(toReward({ campaigns, member: spentBefore(5_000) }))).toEqual([100]);
    expect(pointsOf(toReward({ campaigns, member: spentBefore(4_999) }))).toEqual([]);
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
  it('has a spent claim and pending transactions', () => {
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
