import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Order } from '../../../shared/domain/order/order.ts';
import { countChanges } from '../../../shared/operations/count-changes.ts';
import { processOrder, processOrders } from '../../../shared/operations/process-order.ts';
import { claimKey } from '../../../shared/store/award/claims.ts';
import { TotalsCounter } from '../../../shared/store/ledger/totals.ts';
import { orderKey } from '../../../shared/store/order/orders.ts';
import { aFlowOf, runCampaign } from '../../support/campaigns.ts';
import { announcementOf, anOrderBody, confirmAll, orderOf, postOrder } from '../../support/order-story.ts';
import { reconcile } from '../../support/reconcile.ts';
import { aSecondProgram, linkTo } from '../../support/second-program.ts';
import { ask, createBy, newShopper, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';

/** A purchase earns in one program, also if its token and its order would choose different programs. */

let world: World;
let otherPartnerId: number;
let [own, other] = [0, 0];
beforeAll(async () => {
  world = await makeWorld();
  const { id, partnership } = await aSecondProgram(world);
  otherPartnerId = id;
  own = world.demo.campaigns.earn;
  const ofOther = { partnerId: id, partnershipUuid: partnership.uuid, ownerId: id };
  ({ id: other } = await runCampaign(world, { ...ofOther, flows: [aFlowOf({})] }));
});

let shopper: Shopper;
let externalOrderId: string;
beforeEach(async () => {
  shopper = await newShopper(world);
  await linkTo(world, shopper, otherPartnerId);
  externalOrderId = randomUUID();
});
afterEach(async () => expect(await reconcile(world.table)).toEqual([]));

const askFor = (campaignId: number) => ask(shopper, { campaignId, amount: 100, order: externalOrderId });

/** Reports the order. The member's default program is the world's own. */
async function report(): Promise<Order> {
  const body = anOrderBody({ user: { merchant_external_id: shopper.externalId }, order_external_id: externalOrderId });
  return orderOf(world, await postOrder(world, body));
}

const process = async (order: Order) => processOrder(await announcementOf(world, order), world.platform);

const claimKeyOf = (campaignId: number) =>
  claimKey({ merchantId: world.demo.merchant.id, campaignId, externalTransactionId: externalOrderId });

/** Delivers the claims and the order like the stream. */
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

describe('an order of a member with two programs', () => {
  it('earns nothing more when a token earned in the other program just before it', async () => {
    await createBy(shopper, await askFor(other));
    await process(await report());
    expect(await programs()).toEqual([otherPartnerId]);
  });

  it('waits for a token of the other program, alone and with other orders', async () => {
    const token = await askFor(other);
    const order = await report();
    await expect(process(order)).rejects.toThrow('may still be spent');
    const event = await announcementOf(world, order);
    expect(await processOrders([event], world.platform)).toEqual([expect.any(Error)]);

    await createBy(shopper, token);
    await process(order);
    expect(await programs()).toEqual([otherPartnerId]);
  });

  it('earns in its own program after the token of the other program expired', async () => {
    await askFor(other);
    const set = { expiresAt: '2020-01-01T00:00:00.000Z' };
    await world.platform.table.write({ kind: 'update', key: claimKeyOf(other), changes: { set } });
    await process(await report());
    expect(await programs()).toEqual([world.demo.partner.id]);
  });
});

describe('a token for a purchase that earned in another program', () => {
  it('is refused when an order earned', async () => {
    await process(await report());
    await count();
    expect((await askFor(other)).body.data).toMatchObject({
      authentication_status: 4,
      reason: 'transaction_already_exists',
    });
    expect(await programs()).toEqual([world.demo.partner.id]);
  });

  it('is refused when a token earned', async () => {
    await createBy(shopper, await askFor(own));
    await count();
    expect((await askFor(other)).body.data.authentication_status).toBe(4);
  });
});
