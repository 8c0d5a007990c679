import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMember } from '../../../shared/operations/member/manage-members.ts';
import { announcementOf, anOrderBody, orderOf, postOrder } from '../../support/order-story.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { makeWorld, type World } from '../../support/world.ts';

let world: World;
let ada: World['demo']['members'][number];
let grace: World['demo']['members'][number];
let adasLink: number;
/** A customer of the merchant `outsider`, and of no other merchant. */
let stranger: { readonly id: number; readonly externalId: string; readonly link: number };
beforeAll(async () => {
  world = await makeWorld();
  const { demo, platform } = world;
  [ada, grace] = demo.members as [typeof ada, typeof grace];
  adasLink = (await platform.members.find(ada.id))?.memberships[0]?.id ?? 0;
  const { user, memberships } = await createMember(
    {
      firstName: 'Joan',
      lastName: 'Clarke',
      email: 'joan@example.com',
      merchant: { id: demo.outsider.id, externalId: 'hb-1' },
      program: { partnerId: demo.partner.id, externalId: 'SKY-9', statusTierId: null, points: 0 },
    },
    platform,
  );
  stranger = { id: user.id, externalId: 'hb-1', link: memberships[0]?.id ?? 0 };
});

const post = (more: object = {}, headers = {}) => postOrder(world, anOrderBody(more), headers);
const pointers = ({ body }: Awaited<ReturnType<typeof post>>) =>
  body.errors.map(({ pointer }: { pointer: string }) => pointer);

describe('endpoint 11, reply 200', () => {
  it('contains the amount in cents and ids as strings', async () => {
    const answer = await post({ order_external_id: 'shown', transaction_discount: 500 });

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      code: 'ok',
      data: {
        order_id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
        external_order_id: 'shown',
        merchant_id: String(world.demo.merchant.id),
        user_id: String(ada.id),
        total_amount: 10_800,
        status: 'pending',
        created_date: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      },
    });
  });

  it('stores every field of the order', async () => {
    const items = [{ product_id: 'p-1', product_name: 'Espresso', product_price: 0 }, {}];
    const more = { transaction_discount: 10_000, order_payment_id: 'pay-1', line_items: items };
    const answer = await post({ ...more, order_external_id: '  kept ' });

    const order = await orderOf(world, answer);
    expect(order).toMatchObject({
      externalOrderId: 'kept',
      totalCents: 10_800,
      subtotalCents: 10_000,
      discountCents: 10_000,
      paymentId: 'pay-1',
      lineItems: [{ productId: 'p-1', productName: 'Espresso', priceCents: 0 }, {}],
      state: 'PENDING',
    });
    const key = { merchantId: world.demo.merchant.id, externalOrderId: 'kept' };
    expect(await world.platform.orders.findByExternalId(key)).toEqual(order);
  });

  it('stores only fields of the context that conditions can read', async () => {
    const transaction_context = { channel: 'app', gift: true, '': [], nested: { deep: 1 }, constructor: 'x' };
    const line_items = [{ quantity: 2, category: 'coffee', tags: ['new'] }];

    expect(await orderOf(world, await post({ transaction_context, line_items }))).toMatchObject({
      attributes: { channel: ['app'], gift: ['true'] },
      lineItems: [{ quantity: 2, category: 'coffee', tags: ['new'] }],
    });
  });

  it("sends one internal event to the platform's consumers, and no webhook", async () => {
    const order = await orderOf(world, await post());

    const events = (await outboxEvents(world)).filter(({ entityId }) => entityId === order.uuid);
    expect(events).toEqual([await announcementOf(world, order)]);
  });

  it.each([
    ['the merchant’s external id', () => ({ user: { merchant_external_id: ada.externalId } })],
    ['the id of the link', () => ({ user: { user_link_id: adasLink } })],
    ['the user’s id', () => ({ user: { user_id: ada.id } })],
    ['the wrapper `users`', () => ({ user: undefined, users: { user_id: ada.id } })],
    ['merchant_external_id at the top', () => ({ user: undefined, merchant_external_id: ada.externalId })],
    ['user_link_id at the top', () => ({ user: undefined, user_link_id: adasLink })],
    ['user_id at the top', () => ({ user: undefined, user_id: ada.id })],
    [
      'the shape of the sample in the specification',
      () => ({ user: undefined, users: {}, merchant_external_id: ada.externalId }),
    ],
    [
      'several of these fields together',
      () => ({ user: { user_id: ada.id, user_link_id: adasLink }, users: { user_id: ada.id }, user_id: ada.id }),
    ],
  ])('is returned when the body names the user by %s', async (_case, body) => {
    expect((await post(body())).body.data).toMatchObject({ user_id: String(ada.id) });
  });

  it.each([
    { transaction_subtotal: undefined, transaction_sub_total: 9_000 },
    { transaction_subtotal: 9_000, transaction_sub_total: 9_000 },
  ])('is returned when the body names the subtotal as %j', async (spelling) => {
    expect(await orderOf(world, await post(spelling))).toMatchObject({ subtotalCents: 9_000 });
  });

  it('accepts 500 line items and unknown fields', async () => {
    const line_items = Array.from({ length: 500 }, (_, number) => ({ product_id: `p-${number}`, colour: 'red' }));
    expect((await post({ line_items, colour: 'red' })).status).toBe(200);
  });

  it('accepts an order id that another merchant has used', async () => {
    await post({ order_external_id: 'of both' });
    const answer = await post(
      { order_external_id: 'of both', user: { user_id: stranger.id } },
      { 'x-api-key': world.demo.outsider.apiKey },
    );
    expect(answer.status).toBe(200);
  });
});

describe('endpoint 11, reply 400 invalid_request', () => {
  it.each([
    ['/transaction_total', { transaction_total: 0 }],
    ['/transaction_total', { transaction_total: 10.5 }],
    ['/transaction_total', { transaction_total: '10' }],
    ['/transaction_total', { transaction_total: 1_000_000_001 }],
    ['/transaction_total', { transaction_total: undefined }],
    ['/transaction_subtotal', { transaction_subtotal: -1 }],
    ['/transaction_subtotal', { transaction_subtotal: undefined }],
    ['/transaction_sub_total', { transaction_sub_total: 9_999 }],
    ['/transaction_discount', { transaction_discount: -1 }],
    ['/transaction_discount', { transaction_discount: 10_001 }],
    ['/order_external_id', { order_external_id: ' ' }],
    ['/order_external_id', { order_external_id: undefined }],
    ['/order_payment_id', { order_payment_id: 5 }],
    ['/line_items', { line_items: {} }],
    ['/line_items', { line_items: Array.from({ length: 501 }, () => ({})) }],
    ['/line_items/1/product_price', { line_items: [{}, { product_price: -1 }] }],
    ['/user', { user: undefined }],
    ['/user', { user: {} }],
    ['/user', { user: 'cc-1001' }],
    ['/user/user_id', { user: { user_id: '5' } }],
    ['/users/merchant_external_id', { users: { merchant_external_id: 'cc-1002' } }],
    ['/merchant_external_id', { merchant_external_id: 'cc-1002' }],
  ])('is returned with the pointer %s when the body contains %j', async (pointer, more) => {
    const answer = await post(more);
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect(pointers(answer)).toEqual([pointer]);
  });

  it('is returned with every fault', async () => {
    const answer = await postOrder(world, {
      users: { user_link_id: 'x' },
      user_link_id: 5,
      transaction_total: -1,
      transaction_sub_total: 100,
      transaction_discount: 200,
      line_items: [{ product_price: 'free' }],
    });
    expect(pointers(answer).toSorted()).toEqual([
      '/line_items/0/product_price',
      '/order_external_id',
      '/transaction_discount',
      '/transaction_total',
      '/user_link_id',
      '/users/user_link_id',
    ]);
  });

  it('is returned when the body names two different customers', async () => {
    const answer = await post({ user: { user_id: grace.id, merchant_external_id: ada.externalId } });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request', errors: [{ pointer: '/user' }] } });
  });
});

describe('endpoint 11, reply 404 user_does_not_exist', () => {
  const unknown = { status: 404, body: { error: 'user_does_not_exist', message: 'The user does not exist' } };

  it.each([
    ['an external id that the merchant does not have', () => ({ merchant_external_id: 'nobody' })],
    ['an unknown link', () => ({ user_link_id: 7 })],
    ['an unknown user', () => ({ user_id: 7 })],
    ['a known user with an unknown link', () => ({ user_id: ada.id, user_link_id: 7 })],
  ])('is returned for %s', async (_case, user) => {
    expect(await post({ user: user() })).toMatchObject(unknown);
  });

  it.each([
    ['the id of that user', () => ({ user_id: stranger.id })],
    ['the other merchant’s external id of that user', () => ({ merchant_external_id: stranger.externalId })],
    ['the link of that user', () => ({ user_link_id: stranger.link })],
    [
      'the link of that user and the id of a customer of the caller',
      () => ({ user_id: ada.id, user_link_id: stranger.link }),
    ],
  ])('is returned for a user of another merchant when the body contains %s', async (_case, user) => {
    expect(await post({ user: user() })).toMatchObject(unknown);
  });

  it('is returned to partners, because they have no customers', async () => {
    const headers = { 'x-api-key': world.demo.partner.apiKey };
    expect(await post({ user: { merchant_external_id: 'SKY-77001' } }, headers)).toMatchObject(unknown);
  });
});

describe('endpoint 11, reply 409 order_already_exists', () => {
  const taken = { status: 409, body: { error: 'order_already_exists' } };

  it('is returned for a used order id', async () => {
    await post({ order_external_id: 'used' });
    expect(await post({ order_external_id: 'used', transaction_total: 1 })).toMatchObject(taken);
  });

  it('is returned to nineteen of twenty parallel requests', async () => {
    const body = anOrderBody({ order_external_id: 'at once' });

    const answers = await Promise.all(Array.from({ length: 20 }, () => postOrder(world, body)));

    const [accepted, ...more] = answers.filter(({ status }) => status === 200);
    expect(more).toEqual([]);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
    const events = (await outboxEvents(world)).filter(({ entityId }) => entityId === accepted?.body.data.order_id);
    expect(events).toHaveLength(1);
  });
});

describe('Idempotency-Key of endpoint 11', () => {
  it('returns the same reply to the same request', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const body = anOrderBody();
    const first = await postOrder(world, body, headers);
    const second = await postOrder(world, body, headers);

    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(second.headers['Idempotent-Replayed']).toBe('true');
  });

  it('returns 422 idempotency_key_reused for another body', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    await post({}, headers);
    expect(await post({}, headers)).toMatchObject({ status: 422, body: { error: 'idempotency_key_reused' } });
  });

  it('returns 409 to the same order with another key', async () => {
    const body = anOrderBody();
    await postOrder(world, body, { 'Idempotency-Key': randomUUID() });

    expect((await postOrder(world, body, { 'Idempotency-Key': randomUUID() })).status).toBe(409);
    expect((await postOrder(world, body)).status).toBe(409);
  });
});
