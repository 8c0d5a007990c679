import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { minuteMs, validityMs } from '../../../shared/contracts/limits.ts';
import { partitions } from '../../../shared/contracts/table.ts';
import type { Order } from '../../../shared/domain/order/order.ts';
import { spendOfPayment } from '../../../shared/domain/purchase/purchase.ts';
import { cancelByOperator } from '../../../shared/operations/ledger/manage-transactions.ts';
import { countChanges } from '../../../shared/operations/stream/count-changes.ts';
import { authenticateTransaction } from '../../../shared/operations/token/authenticate-transaction.ts';
import { createTransaction } from '../../../shared/operations/token/create-transaction.ts';
import { releaseExpired } from '../../../shared/operations/token/release-expired.ts';
import { claimKey } from '../../../shared/store/award/claims.ts';
import { Campaigns, campaignWrites } from '../../../shared/store/campaign/campaigns.ts';
import { TotalsCounter } from '../../../shared/store/ledger/totals.ts';
import { orderKey } from '../../../shared/store/order/orders.ts';
import { TableClient } from '../../../shared/store/table/table-client.ts';
import { aFlowOf, runCampaign } from '../../support/campaigns.ts';
import { announcementOf, anOrderBody, confirmAll, orderOf, postOrder } from '../../support/order-story.ts';
import { canonicalText, connectAccounts, ingest, paymentOf, settleAnnounced } from '../../support/payment-story.ts';
import { reconcile } from '../../support/reconcile.ts';
import { aSecondProgram, linkTo } from '../../support/second-program.ts';
import { settleOrder, settlePayment } from '../../support/settle.ts';
import { ask, createBy, newShopper, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World, withSources } from '../../support/world.ts';

/** A purchase earns in one program only, even if its token and its order belong to different programs. */

let world: World;
let otherPartnerId: number;
let [own, other] = [0, 0];
let shopper: Shopper;
let externalOrderId: string;
/** The numbers of items that endpoints 1 and 2 write at a merchant with one program. */
let itemsAlone: readonly number[];
beforeAll(async () => {
  world = await makeWorld();
  own = world.demo.campaigns.earn;
  [shopper, externalOrderId] = [await newShopper(world), randomUUID()];
  itemsAlone = await itemsOfPurchase();
  const { id, partnership } = await aSecondProgram(world);
  otherPartnerId = id;
  const ofOther = { partnerId: id, partnershipUuid: partnership.uuid, ownerId: id };
  ({ id: other } = await runCampaign(world, { ...ofOther, flows: [aFlowOf({})] }));
  await connectAccounts(world);
});

beforeEach(async () => {
  shopper = await newShopper(world);
  await linkTo(world, shopper, otherPartnerId);
  externalOrderId = randomUUID();
});
afterEach(async () => expect(await reconcile(world.table)).toEqual([]));

const askFor = (campaignId: number) => ask(shopper, { campaignId, amount: 100, order: externalOrderId });

/** Buys with a token of the demonstration's program. Returns the number of items of each write. */
async function itemsOfPurchase(): Promise<number[]> {
  const transact = vi.spyOn(TableClient.prototype, 'transact');
  await createBy(shopper, await askFor(own));
  const items = transact.mock.calls.map(([writes]) => writes.length);
  transact.mockRestore();
  return items;
}

/** Reports the order. The member's default program is that of the demonstration. */
async function report(): Promise<Order> {
  const body = anOrderBody({ user: { merchant_external_id: shopper.externalId }, order_external_id: externalOrderId });
  return orderOf(world, await postOrder(world, body));
}

/** A campaign of the merchant. */
async function campaignOf(campaignId: number) {
  const approved = await world.platform.campaigns.approvedOf('byMerchant', world.demo.merchant.id);
  const found = approved.find(({ id }) => id === campaignId);
  if (!found) throw new Error(`there is no campaign ${campaignId}`);
  return found;
}

const claimKeyOf = (campaignId: number) =>
  claimKey({ merchantId: world.demo.merchant.id, campaignId, externalTransactionId: externalOrderId });

const claimOf = (campaignId: number) =>
  world.platform.claims.find({
    merchantId: world.demo.merchant.id,
    campaignId,
    externalTransactionId: externalOrderId,
  });

/** Delivers the claims and the order to the counters, as the stream does. */
async function count(): Promise<void> {
  const ofOrder = orderKey({ merchantId: world.demo.merchant.id, externalOrderId });
  const items = await world.platform.table.getAll([...[own, other].map(claimKeyOf), ofOrder]);
  await countChanges(items, { ...world.platform, totals: new TotalsCounter(world.platform.table) });
}

/** The programs in which the member has points. */
async function programs() {
  await confirmAll(world);
  const member = await world.platform.members.find(shopper.id);
  return member?.memberships.filter(({ availablePoints }) => availablePoints > 0).map(({ partnerId }) => partnerId);
}

/** Lets the token of a campaign expire, as if its ten minutes were over. */
async function expire(campaignId: number): Promise<void> {
  const set = { expiresAt: '2020-01-01T00:00:00.000Z' };
  await world.platform.table.write({ kind: 'update', key: claimKeyOf(campaignId), changes: { set } });
}

const statusOf = ({ body }: Awaited<ReturnType<typeof askFor>>) => body.data.authentication_status;

describe('tokens of two programs for one purchase', () => {
  it('are never live together', async () => {
    const first = await askFor(own);
    expect((await askFor(other)).body.data).toMatchObject({
      authentication_status: 4,
      reason: 'transaction_already_exists',
    });
    await createBy(shopper, first);
    expect(statusOf(await askFor(other))).toBe(4);
    expect(await programs()).toEqual([world.demo.partner.id]);
  });

  it('may follow each other after the first token expired', async () => {
    const first = await askFor(own);
    await expire(own);
    const second = await askFor(other);
    expect(statusOf(second)).toBe(1);
    expect(statusOf(await askFor(own))).toBe(4);
    expect((await createBy(shopper, first)).status).toBe(400);
    await createBy(shopper, second);
    expect(await programs()).toEqual([otherPartnerId]);
  });

  it('may follow each other after the first token was released', async () => {
    await askFor(own);
    const now = () => new Date(Date.now() + validityMs.transactionToken + minuteMs);
    await releaseExpired(withSources(world, { now }));
    expect(statusOf(await askFor(other))).toBe(1);
  });

  it('may follow each other after an operator cancelled the first token', async () => {
    await askFor(own);
    const id = String((await claimOf(own))?.rewards[0]?.id);
    await cancelByOperator({ id, reason: 'The customer chose the hotel' }, world.platform);
    expect(statusOf(await askFor(other))).toBe(1);
  });

  it('cost endpoint 1 one more written item, and endpoint 2 none', async () => {
    const [atAuthentication = 0, atCreation = 0] = itemsAlone;
    expect(await itemsOfPurchase()).toEqual([atAuthentication + 1, atCreation]);
  });
});

describe('the token of an ended campaign', () => {
  /** Hides the ended campaign from the order's processing. The other program has another campaign, which still runs. */
  class Ended extends Campaigns {
    override async offeredWithTokens(...asked: Parameters<Campaigns['offeredWithTokens']>) {
      const { partnerships, campaigns } = await super.offeredWithTokens(...asked);
      return { partnerships, campaigns: campaigns.filter(({ id }) => id !== ended) };
    }
  }
  let ended: number;
  beforeAll(async () => {
    const { partnershipUuid } = await campaignOf(other);
    const ofOther = { partnerId: otherPartnerId, partnershipUuid, ownerId: otherPartnerId };
    ({ id: ended } = await runCampaign(world, { ...ofOther, flows: [aFlowOf({})] }));
  });
  const processLater = async (order: Order) =>
    settleOrder(await announcementOf(world, order), { ...world.platform, campaigns: new Ended(world.platform.table) });

  it('lets an order earn in another program after the token expired', async () => {
    await askFor(ended);
    await expire(ended);
    const order = await report();
    await processLater(order);
    expect((await world.platform.orders.find(order.uuid))?.state).not.toBe('PENDING');
    expect(await programs()).toEqual([world.demo.partner.id]);
  });

  it('prevents an order from earning in another program after the token was spent', async () => {
    await createBy(shopper, await askFor(ended));
    const order = await report();
    await processLater(order);
    expect((await world.platform.orders.find(order.uuid))?.state).not.toBe('PENDING');
    expect(await programs()).toEqual([otherPartnerId]);
  });
});

it('a payment that names its order late loses what it earned in another program than the token', async () => {
  const payment_id = randomUUID();
  const detail = { payment_id, customer: { external_id: shopper.externalId } };
  const account = String(world.demo.merchant.id);
  const settle = async () => {
    const { uuid } = await paymentOf(world, { platform: 'canonical', account, paymentId: payment_id });
    await settlePayment({ entityId: uuid }, world.platform);
    await settleAnnounced(world);
  };
  await ingest(world, canonicalText(world, 'payment.completed', { ...detail, amount: 10_000, currency: 'USD' }));
  await settle();
  expect(await programs()).toEqual([world.demo.partner.id]);

  await createBy(shopper, await askFor(other));
  await count();
  await ingest(world, canonicalText(world, 'payment.updated', { ...detail, order_id: externalOrderId }));
  await settle();
  // The stream announces the token, which the purchase's head does not know.
  await count();
  await settle();
  expect(await programs()).toEqual([otherPartnerId]);
});

it('a later capture earns in the first capture’s program', async () => {
  const payment_id = randomUUID();
  const customer = { external_id: shopper.externalId };
  const capture = (capture_id: string) =>
    ingest(
      world,
      canonicalText(world, 'payment.completed', {
        ...{ payment_id, capture_id, amount: 10_000, currency: 'USD', customer },
      }),
    );
  const account = String(world.demo.merchant.id);
  const processLast = async () => {
    const { uuid } = await paymentOf(world, { platform: 'canonical', account, paymentId: payment_id });
    await settlePayment({ entityId: uuid }, world.platform);
  };
  await capture('c-1');
  await processLast();
  const key = { pk: `${partitions.user}${shopper.id}`, sk: 'USER' };
  await world.platform.table.write({ kind: 'update', key, changes: { set: { defaultPartnerId: otherPartnerId } } });
  await capture('c-2');
  await processLast();
  expect(await programs()).toEqual([world.demo.partner.id]);
});

describe('a purchase whose merchant changes programs', () => {
  /** The deps at a time at which the merchant has only these campaigns. */
  const having = (...campaignIds: number[]) => {
    class Having extends Campaigns {
      override async offeredWithTokens(...asked: Parameters<Campaigns['offeredWithTokens']>) {
        const { partnerships, campaigns } = await super.offeredWithTokens(...asked);
        return { partnerships, campaigns: campaigns.filter(({ id }) => campaignIds.includes(id)) };
      }
    }
    return { ...world.platform, campaigns: new Having(world.platform.table) };
  };
  const tokenOf = (campaignId: number, deps: typeof world.platform) => {
    const { merchant } = world.demo;
    const asked = { userId: shopper.id, merchantId: merchant.id, partnerId: undefined, amountCents: 100_00 };
    return authenticateTransaction({ ...asked, campaignId, externalTransactionId: externalOrderId }, deps);
  };
  const refused = { status: 'ERROR', refusal: { reason: 'transaction_already_exists' } };

  it('gets no token in the new program after its order earned', async () => {
    await settleOrder(await announcementOf(world, await report()), having(own));
    await count();
    expect(await tokenOf(other, having(other))).toMatchObject(refused);
    expect(await programs()).toEqual([world.demo.partner.id]);
  });

  it('gets no token in the new program after its payment earned', async () => {
    const payment_id = randomUUID();
    const customer = { external_id: shopper.externalId };
    const detail = { payment_id, order_id: externalOrderId, amount: 10_000, currency: 'USD', customer };
    await ingest(world, canonicalText(world, 'payment.completed', detail));
    const key = { platform: 'canonical', account: String(world.demo.merchant.id), paymentId: payment_id };
    const { uuid: entityId } = await paymentOf(world, key);
    await settlePayment({ entityId }, having(own));
    await world.platform.spend.count([spendOfPayment(await paymentOf(world, key)) ?? expect.unreachable()]);
    expect(await tokenOf(other, having(other))).toMatchObject(refused);
    expect(await programs()).toEqual([world.demo.partner.id]);
  });

  it.each([
    ['the order first, and the token later', [[1], [0]]],
    ['the order and the token together', [[1, 0]]],
    ['the token and the order together', [[0, 1]]],
  ])('gets no second token after its first token earned; the stream delivers %s', async (_, batches) => {
    await settleOrder(await announcementOf(world, await report()), having());
    const { authenticationId } = await tokenOf(own, having(own));
    const spender = { userId: shopper.id, merchantId: world.demo.merchant.id };
    await createTransaction({ token: authenticationId, ...spender }, world.platform);
    const ofOrder = orderKey({ merchantId: world.demo.merchant.id, externalOrderId });
    const items = await Promise.all([claimKeyOf(own), ofOrder].map((key) => world.platform.table.get(key)));
    for (const batch of batches) {
      const changed = batch.flatMap((position) => items[position] ?? []);
      await countChanges(changed, { ...world.platform, totals: new TotalsCounter(world.platform.table) });
    }
    expect(await tokenOf(other, having(other))).toMatchObject(refused);
    expect(await programs()).toEqual([world.demo.partner.id]);
  });

  it('gets no second token while the token of a deleted campaign is live', async () => {
    const campaign = await runCampaign(world, {});
    const both = having(campaign.id, other);
    const { authenticationId: token } = await tokenOf(campaign.id, both);
    const endsAt = world.platform.now().toISOString();
    await world.platform.table.transact(campaignWrites({ ...campaign, status: 'ENDED', endsAt, isDeleted: true }));
    const before = new Date(Date.parse(endsAt) - minuteMs);
    const offered = await world.platform.campaigns.offeredBy(world.demo.merchant.id, before);
    expect(offered.campaigns.map(({ id }) => id)).not.toContain(campaign.id);

    expect(await tokenOf(other, both)).toMatchObject(refused);
    await createTransaction({ token, userId: shopper.id, merchantId: world.demo.merchant.id }, world.platform);
    expect(await programs()).toEqual([world.demo.partner.id]);
  });
});
