import { randomUUID } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { handler } from '../../../functions/consumers/count-changes/handler.ts';
import { dayMs } from '../../../shared/contracts/limits.ts';
import { partitions } from '../../../shared/contracts/table.ts';
import type { AwardClaim } from '../../../shared/domain/award/claim.ts';
import type { Member, Membership } from '../../../shared/domain/member/member.ts';
import type { Order } from '../../../shared/domain/order/order.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { claimItem } from '../../../shared/store/award/claims.ts';
import { memberWrites } from '../../../shared/store/member/members.ts';
import type { Item } from '../../../shared/store/table/table-client.ts';
import { aMember, aMembership, anAssociation, anOrder, aPurchase, aUser } from '../../domain/fixtures.ts';
import { addCampaign, type FlowInput } from '../../support/campaigns.ts';
import { announcementOf, anOrderBody, orderOf, postOrder } from '../../support/order-story.ts';
import { settleOrder } from '../../support/settle.ts';
import { createByToken, issueToken } from '../../support/story.ts';
import { makeWorld, type World } from '../../support/world.ts';

let world: World;
let platform: Platform;
beforeAll(async () => {
  world = await makeWorld();
  ({ platform } = world);
});

const spentAt = '2026-03-08T12:00:00.000Z';
const before = '2026-01-01T00:00:00.000Z';
const after = '2026-03-08T12:00:01.000Z';

/** A member who linked accounts of programs 2 and 3 before the purchases, and of program 4 after them. */
let member: Member;
beforeEach(async () => {
  const { id, uuid } = platform.nextIds();
  const programs = [
    [2, before],
    [3, before],
    [4, after],
  ] as const;
  const memberships = programs.map(
    ([partnerId, createdAt]): Membership =>
      aMembership({ id: platform.nextIds().id, userId: id, partnerId, externalId: uuid, createdAt }),
  );
  const association = anAssociation({ id: platform.nextIds().id, userId: id, externalId: uuid });
  member = aMember({ user: aUser({ id, uuid }), memberships, associations: [association] });
  await platform.table.transact(memberWrites(member));
});

const purchaseOf = (more: Partial<AwardClaim> = {}): Item =>
  claimItem(
    aPurchase({
      externalTransactionId: `p-${randomUUID()}`,
      userId: member.user.id,
      state: 'SPENT',
      amountCents: 1_000,
      spentAt,
      ...more,
    }),
  );

const orderItem = (more: Partial<Order> = {}): Item => ({
  ...anOrder({
    externalOrderId: `o-${randomUUID()}`,
    userId: member.user.id,
    state: 'PROCESSED',
    createdAt: spentAt,
    ...more,
  }),
  pk: 'ORDER#1',
  sk: 'ORDER#1',
});

/** Delivers items to the consumer, as the stream does. */
const count = (...items: Item[]) =>
  handler({
    Records: items.map((item) => ({ dynamodb: { NewImage: marshall(item) } }) as unknown as DynamoDBRecord),
  } as DynamoDBStreamEvent);

async function spent(userId = member.user.id, merchantId = 1): Promise<Record<number, number>> {
  const found = (await platform.members.find(userId))?.spend.filter((total) => total.merchantId === merchantId) ?? [];
  return Object.fromEntries(found.map(({ partnerId, spentCents }) => [partnerId, spentCents]));
}

describe('a member’s total spend', () => {
  it('is counted in every program that the member linked before the purchase', async () => {
    await count(purchaseOf(), purchaseOf({ amountCents: 250 }));
    expect(await spent()).toEqual({ 2: 1_250, 3: 1_250 });
  });

  it('is counted separately for each merchant', async () => {
    await count(purchaseOf(), purchaseOf({ merchantId: 8, amountCents: 70 }));
    expect([await spent(), await spent(member.user.id, 8)]).toEqual([
      { 2: 1_000, 3: 1_000 },
      { 2: 70, 3: 70 },
    ]);
  });

  it('excludes transfers, trigger events, and purchases that are not final', async () => {
    await count(
      purchaseOf({ state: 'ISSUED' }),
      purchaseOf({ isTransfer: true }),
      purchaseOf({ kind: 'TRIGGER' }),
      orderItem({ state: 'PENDING' }),
    );
    expect(await spent()).toEqual({});
  });

  it('includes the eligible amount of every order, rewarded or not', async () => {
    const amounts = { totalCents: 10_800, subtotalCents: 10_000, discountCents: 500 };
    await count(orderItem(amounts), orderItem({ ...amounts, state: 'REJECTED' }));
    expect(await spent()).toEqual({ 2: 19_000, 3: 19_000 });
  });
});

describe('a batch of ledger entries and purchases', () => {
  it('is counted into totals and total spend', async () => {
    const campaign = { id: world.demo.campaigns.earn, partnershipUuid: world.demo.partnership.uuid };
    const entry = { userId: member.user.id, partnerId: 2, campaign, transactionId: 1, transactionUuid: randomUUID() };
    const more = { kind: 'EARN', points: 20, cashbackCents: 0, createdAt: spentAt };
    await count({ ...entry, ...more, pk: 'LEDGER#1', sk: 'EARN' }, purchaseOf());

    const partnership = await platform.campaigns.partnership(campaign.partnershipUuid);
    expect(partnership?.totals).toMatchObject({ earnedPoints: 20, transactions: 1 });
    expect(await spent()).toEqual({ 2: 1_000, 3: 1_000 });
  });
});

describe('a purchase is counted once', () => {
  it('for each of two merchants that use the same order id', async () => {
    const externalTransactionId = `alike-${randomUUID()}`;
    await count(purchaseOf({ externalTransactionId }), purchaseOf({ externalTransactionId, merchantId: 8 }));
    expect([await spent(), await spent(member.user.id, 8)]).toEqual([
      { 2: 1_000, 3: 1_000 },
      { 2: 1_000, 3: 1_000 },
    ]);
  });

  it('and not for an account that is linked after the purchase', async () => {
    const order = orderItem({ state: 'REJECTED', createdAt: '2025-12-31T00:00:00.000Z' });
    await count(order);
    await count({ ...order, createdAt: spentAt });
    expect(await spent()).toEqual({});
  });

  it('even if its order arrives or changes many years later', async () => {
    const externalTransactionId = `late-${randomUUID()}`;
    const order = orderItem({ subtotalCents: 900 });
    await count(purchaseOf({ externalTransactionId }), order);

    await deleteExpiredMarks(Date.now() + 20 * 365 * dayMs);
    await count(orderItem({ externalOrderId: externalTransactionId }), { ...order, state: 'REFUNDED' });

    expect(await spent()).toEqual({ 2: 1_900, 3: 1_900 });
  });
});

/** Deletes the marks whose time to live ends before an instant, as DynamoDB does. */
async function deleteExpiredMarks(instant: number): Promise<void> {
  const { name, documents } = world.table;
  const { Items = [] } = await documents.send(
    new ScanCommand({
      TableName: name,
      ConsistentRead: true,
      FilterExpression: 'begins_with(pk, :mark)',
      ExpressionAttributeValues: { ':mark': partitions.countedSpend },
    }),
  );
  expect(Items.length).toBeGreaterThan(0);
  const expired = Items.filter(({ ttl }) => typeof ttl === 'number' && ttl * 1_000 < instant);
  await Promise.all(expired.map(({ pk, sk }) => platform.table.write({ kind: 'delete', key: { pk, sk } })));
}

describe('a campaign with a total spend condition', () => {
  const regulars: FlowInput = {
    id: 1,
    trigger: { type: 'SPEND' },
    actions: [{ id: 2, ownerId: 1, kind: 'AWARD_POINTS', pointsPerDollarBp: 10_000 }],
    conditionGroups: [
      {
        id: 3,
        conditions: [{ id: 4, ownerId: 1, attribute: 'TOTAL_SPEND', operator: 'GREATER_THAN', amountCents: 15_000 }],
      },
    ],
  };

  it('rewards a member after enough orders and purchases', async () => {
    const ada = world.demo.members[0]?.id ?? 0;
    const { id: campaignId } = await addCampaign(world, [regulars]);
    const rewardedBy = async (order: Order) =>
      (await Promise.all(order.transactionIds.map((id) => platform.transactions.find(id)))).map(
        (transaction) => transaction?.campaignId,
      );
    const processed = async () => {
      const order = await orderOf(world, await postOrder(world, anOrderBody({ transaction_subtotal: 9_000 })));
      await settleOrder(await announcementOf(world, order), platform);
      const settled = await platform.orders.find(order.uuid);
      if (!settled) throw new Error('there is no order');
      await count({ ...settled, pk: 'ORDER#1', sk: 'ORDER#1' });
      return settled;
    };

    const first = await processed();
    const token = await issueToken(world, `spend-${randomUUID()}`, { amount: 60.01 });
    await createByToken(world, token);
    const claim = await platform.claims.findByToken(token);
    if (claim) await count(claimItem(claim));
    const second = await processed();

    expect(await rewardedBy(first)).not.toContain(campaignId);
    // $90 of the first order and $60.01 of the purchase count. The second order itself does not count for its reward.
    expect(await rewardedBy(second)).toContain(campaignId);
    expect(Object.values(await spent(ada, world.demo.merchant.id))).toEqual([24_001]);
  });
});
