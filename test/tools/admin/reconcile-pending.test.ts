import { startFauxqs } from 'fauxqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { spendOfOrder } from '../../../shared/domain/purchase/purchase.ts';
import { sendTrigger } from '../../../shared/operations/award/send-trigger.ts';
import { createOrder } from '../../../shared/operations/order/create-order.ts';
import { refundOrder } from '../../../shared/operations/order/refund-order.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { claimKey } from '../../../shared/store/award/claims.ts';
import { runCampaign } from '../../support/campaigns.ts';
import { announcementOf, confirmAll } from '../../support/order-story.ts';
import { canonicalText, connectAccounts, ingest, paymentOf } from '../../support/payment-story.ts';
import { settleOrder, settleRefund } from '../../support/settle.ts';
import { issueToken } from '../../support/story.ts';
import { makeWorld, type World, withSources } from '../../support/world.ts';
import { commandLineOf } from './command-line.ts';

const prefix = 'rewards-local-consumers-';

let world: World;
let sqs: Awaited<ReturnType<typeof startFauxqs>>;
let admin: ReturnType<typeof commandLineOf>;
beforeAll(async () => {
  world = await makeWorld();
  await runCampaign(world, {});
  sqs = await startFauxqs({ port: 0, logger: false });
  sqs.createQueue(`${prefix}processorderQueueFailures`);
  const RedrivePolicy = JSON.stringify({
    deadLetterTargetArn: `arn:aws:sqs:us-east-1:000000000000:${prefix}processorderQueueFailures`,
    maxReceiveCount: 10,
  });
  sqs.createQueue(`${prefix}processorderQueue`, { attributes: { RedrivePolicy } });
  sqs.createQueue('of-another-system');
  admin = commandLineOf({ ...world.table, sqs: sqs.address });
});
afterAll(() => sqs.stop());

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const at = (time: Date): Platform => withSources(world, { now: () => time });

/** Registers an order at the given time. */
async function orderAt(time: Date, externalOrderId: string) {
  const amounts = { totalCents: 5_000, subtotalCents: 5_000, discountCents: 0 };
  const details = { paymentId: null, lineItems: [], receivedBy: undefined };
  const user = { merchantExternalId: 'cc-1001', id: undefined, linkId: undefined };
  return createOrder({ merchantId: world.demo.merchant.id, externalOrderId, user, ...amounts, ...details }, at(time));
}

const pending = async (...options: string[]) => {
  const { status, json } = await admin.script('reconcile', ...options);
  return { status, pending: json.pending, differences: json.differences };
};

describe('the command reconcile, for pending work,', () => {
  it('reports no work of the last hour', async () => {
    const order = await orderAt(minutesAgo(59), 'young');
    await settleOrder(await announcementOf(world, order), at(minutesAgo(59)));
    await orderAt(minutesAgo(59), 'younger');
    await issueToken(world, 'live');

    expect(await pending()).toEqual({ status: 0, pending: [], differences: [] });
  });

  it('reports no refund that is applied, although its item is older than an hour', async () => {
    const time = minutesAgo(61);
    const order = await orderAt(time, 'refunded');
    await settleOrder(await announcementOf(world, order), at(time));
    await confirmAll(world);
    const refund = {
      merchantId: world.demo.merchant.id,
      orderUuid: order.uuid,
      externalRefundId: 'r',
      amountCents: 100,
    };
    await refundOrder(refund, at(time));
    await settleRefund({ entityId: order.uuid }, at(time));
    await confirmAll(world);

    expect((await pending()).pending).toEqual([]);
  });

  it('reports every kind of work after an hour', async () => {
    const time = minutesAgo(61);
    const since = time.toISOString();
    const { merchant, partnership, trigger, members } = world.demo;
    const userId = members[0]?.id;

    const waiting = await orderAt(time, 'waiting');
    const rewarded = await orderAt(time, 'rewarded');
    await settleOrder(await announcementOf(world, rewarded), at(time));
    const decided = await world.platform.orders.find(rewarded.uuid);
    const [transactionId] = decided?.transactionIds ?? [];
    const spent = decided && spendOfOrder(decided);
    await world.platform.spend.count(spent ? [spent] : []);
    const refund = { merchantId: merchant.id, orderUuid: rewarded.uuid, externalRefundId: 'r-1', amountCents: 100 };
    const { uuid: refundUuid } = await refundOrder(refund, at(time));
    const event = await sendTrigger(
      {
        callerId: merchant.id,
        partnershipUuid: partnership.uuid,
        triggerName: trigger.name,
        userUuid: null,
        externalUserId: 'cc-1001',
        transactionContext: {},
      },
      at(time),
    );
    await issueToken(world, 'forgotten');
    const key = claimKey({
      merchantId: merchant.id,
      campaignId: world.demo.campaigns.earn,
      externalTransactionId: 'forgotten',
    });
    await world.platform.table.write({ kind: 'update', key, changes: { set: { expiresAt: since } } });

    await connectAccounts(world);
    const captured = { payment_id: 'pay-1', amount: 500, currency: 'USD', customer: { external_id: 'cc-1001' } };
    await ingest(world, canonicalText(world, 'payment.completed', captured));
    const account = { platform: 'canonical', account: String(merchant.id) };
    const payment = await paymentOf(world, { ...account, paymentId: 'pay-1' });
    for await (const { pk, sk, uuid } of world.table.mirror.read(['payment'])) {
      if (uuid !== payment.uuid) continue;
      await world.platform.table.write({ kind: 'update', key: { pk, sk }, changes: { set: { updatedAt: since } } });
    }

    const found = await pending();
    const differences = [
      { subject: `purchase rewarded of merchant ${merchant.id}`, what: 'money of its head (cents)' },
    ];
    expect(found).toMatchObject({ status: 1, differences });
    expect(found.pending).toHaveLength(6);
    expect(found.pending).toEqual(
      expect.arrayContaining([
        { subject: `order ${waiting.uuid}`, state: 'PENDING', since },
        { subject: `refund ${refundUuid} of ${rewarded.uuid}`, state: 'PENDING', since },
        { subject: `payment ${payment.uuid}`, state: 'RECEIVED', since },
        { subject: `trigger event ${event.uuid}`, state: 'RECEIVED', since },
        { subject: `transaction ${transactionId}`, state: 'PENDING', since },
        { subject: `claim forgotten of organisation ${merchant.id}`, state: 'ISSUED', since },
      ]),
    );
    expect((await pending('--member', String(userId))).pending).toHaveLength(5);
    expect((await pending('--member', String(members[1]?.id))).pending).toEqual([]);
    const { out } = await admin.read('reconcile');
    expect(out).toContain('Pending for too long');
    expect(out).not.toContain('Everything is consistent.');
  });
});

describe('the command reconcile, for dead-letter queues,', () => {
  it('reports each queue with messages', async () => {
    sqs.sendMessage(`${prefix}processorderQueue`, 'an order');
    sqs.sendMessage('of-another-system', 'unknown');
    expect((await admin.script('reconcile')).json.deadLetters).toEqual([]);

    sqs.sendMessage(`${prefix}processorderQueueFailures`, 'a failed order');
    const { status, json } = await admin.script('reconcile');
    expect(status).toBe(1);
    expect(json.deadLetters).toEqual([{ queue: `${prefix}processorderQueueFailures`, messages: 1 }]);
    expect((await admin.read('reconcile')).out).toContain('Dead-letter queues with messages');
  });

  it('reports that it read no queue when it has no SQS address', async () => {
    const { json } = await commandLineOf(world.table).script('reconcile');
    expect(json.deadLetters).toBeNull();
  });
});
