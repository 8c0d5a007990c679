import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { orderKey } from '../../../shared/store/order/orders.ts';
import { announcementsOf, anOrderBody, orderOf, postOrder, postRefund } from '../../support/order-story.ts';
import { makeWorld, type World } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

/** Creates an order of $108 and returns its id. */
async function anOrder(): Promise<string> {
  return (await postOrder(world, anOrderBody())).body.data.order_id;
}
async function refundsOf(orderId: string) {
  const order = await world.platform.orders.find(orderId);
  return (order && (await world.platform.refunds.findWith(order)))?.refunds ?? [];
}

describe('endpoint refund-order, reply 200', () => {
  it('returns the refund with its amount in cents', async () => {
    const order = await anOrder();
    const answer = await postRefund(world, order, { refund_external_id: ' refund-1 ', amount: 2_500 });

    expect(answer).toMatchObject({ status: 200, body: { code: 'ok' } });
    expect(answer.body.data).toEqual({
      refund_external_id: 'refund-1',
      order_id: order,
      amount: 2_500,
      status: 'pending',
      created_date: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    expect(await refundsOf(order)).toMatchObject([
      { externalRefundId: 'refund-1', amountCents: 2_500, state: 'PENDING' },
    ]);
    expect(await announcementsOf(world, order, 'refund_received')).toHaveLength(1);
  });

  it('accepts the id of the order in upper case', async () => {
    const order = await anOrder();
    const answer = await postRefund(world, order.toUpperCase(), { refund_external_id: 'r', amount: 1 });
    expect(answer).toMatchObject({ status: 200, body: { data: { order_id: order } } });
  });

  it('returns the same reply to a repeated refund', async () => {
    const order = await anOrder();
    const body = { refund_external_id: 'again', amount: 10_800 };
    const first = await postRefund(world, order, body);
    const second = await postRefund(world, order, body);

    expect([second.status, second.body.data]).toEqual([200, first.body.data]);
    expect(await refundsOf(order)).toHaveLength(1);
    expect(await announcementsOf(world, order, 'refund_received')).toHaveLength(1);
  });

  it('accepts a refund id that another order has used', async () => {
    const body = { refund_external_id: 'of both', amount: 100 };
    expect((await postRefund(world, await anOrder(), body)).status).toBe(200);
    expect((await postRefund(world, await anOrder(), body)).status).toBe(200);
  });
});

describe('endpoint refund-order, reply 400 invalid_request', () => {
  it.each([
    ['/amount', { amount: 0 }],
    ['/amount', { amount: -1 }],
    ['/amount', { amount: 10.5 }],
    ['/amount', { amount: '10' }],
    ['/amount', { amount: undefined }],
    ['/amount', { amount: 1_000_000_001 }],
    ['/refund_external_id', { refund_external_id: ' ' }],
    ['/refund_external_id', { refund_external_id: undefined }],
    ['/refund_external_id', { refund_external_id: 5 }],
  ])('is returned with the pointer %s when the body contains %j', async (pointer, more) => {
    const answer = await postRefund(world, await anOrder(), { refund_external_id: 'r', amount: 100, ...more });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request', errors: [{ pointer }] } });
  });
});

describe('endpoint refund-order, reply 404 order_does_not_exist', () => {
  const unknown = { status: 404, body: { error: 'order_does_not_exist', message: 'The order does not exist' } };
  const body = { refund_external_id: 'r', amount: 100 };

  it.each(['0190163d-8694-739b-aea5-966c26f8ad91', 'nonsense', '1', 'ORDER#'])(
    'is returned for the order id %s',
    async (id) => {
      expect(await postRefund(world, id, body)).toMatchObject(unknown);
    },
  );

  it('is returned to another merchant and to the partner', async () => {
    const order = await anOrder();
    for (const { apiKey } of [world.demo.outsider, world.demo.partner]) {
      expect(await postRefund(world, order, body, { 'x-api-key': apiKey })).toMatchObject(unknown);
    }
    expect(await refundsOf(order)).toEqual([]);
  });

  it('is returned for an id that differs only in its time part', async () => {
    const order = await anOrder();
    expect(await postRefund(world, `00000000-0000${order.slice(13)}`, body)).toMatchObject(unknown);
  });
});

describe('endpoint refund-order, reply 409', () => {
  it('is refund_already_exists for a used id with another amount', async () => {
    const order = await anOrder();
    await postRefund(world, order, { refund_external_id: 'used', amount: 100 });
    const answer = await postRefund(world, order, { refund_external_id: 'used', amount: 101 });
    expect(answer).toMatchObject({ status: 409, body: { error: 'refund_already_exists' } });
    expect(await orderOf(world, { body: { data: { order_id: order } } } as never)).toMatchObject({
      refundedCents: 100,
    });
  });

  it.each([[[10_801]], [[10_000, 801]], [[10_800, 1]]])(
    'is refund_exceeds_order for the last of the refunds %j',
    async (amounts) => {
      const order = await anOrder();
      const answers = [];
      for (const [number, amount] of amounts.entries()) {
        answers.push(await postRefund(world, order, { refund_external_id: `r-${number}`, amount }));
      }
      expect(answers.at(-1)).toMatchObject({ status: 409, body: { error: 'refund_exceeds_order' } });
      expect(await refundsOf(order)).toHaveLength(amounts.length - 1);
    },
  );

  it('is refund_exceeds_order for an order that was stored before refunds existed', async () => {
    const id = await anOrder();
    const order = await world.platform.orders.find(id);
    if (!order) throw new Error('there is no order');
    await world.platform.table.write({ kind: 'update', key: orderKey(order), changes: { remove: ['refundedCents'] } });

    const answer = await postRefund(world, id, { refund_external_id: 'r', amount: 10_801 });
    expect(answer).toMatchObject({ status: 409, body: { error: 'refund_exceeds_order' } });
    expect((await postRefund(world, id, { refund_external_id: 'r', amount: 10_800 })).status).toBe(200);
  });
});

describe('Idempotency-Key of a refund', () => {
  it('returns the same reply to the same request', async () => {
    const order = await anOrder();
    const headers = { 'Idempotency-Key': randomUUID() };
    const body = { refund_external_id: 'keyed', amount: 100 };
    const first = await postRefund(world, order, body, headers);
    const second = await postRefund(world, order, body, headers);
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(second.headers['Idempotent-Replayed']).toBe('true');
  });

  it('returns 422 idempotency_key_reused for another body', async () => {
    const order = await anOrder();
    const headers = { 'Idempotency-Key': randomUUID() };
    await postRefund(world, order, { refund_external_id: 'keyed', amount: 100 }, headers);
    const answer = await postRefund(world, order, { refund_external_id: 'keyed', amount: 99 }, headers);
    expect(answer).toMatchObject({ status: 422, body: { error: 'idempotency_key_reused' } });
  });
});
