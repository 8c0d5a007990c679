import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { contract } from '../../../functions/base/receive-payment/contract.ts';
import { handler } from '../../../functions/base/receive-payment/handler.ts';
import { connectPaymentAccount } from '../../../shared/operations/payment/manage-payments.ts';
import { call } from '../../support/call.ts';
import { ingest, paymentOf, settleAnnounced } from '../../support/payment-story.ts';
import { startPutEventsReceiver } from '../../support/put-events-receiver.ts';
import { newShopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';

/** Webhooks of Square and Adyen, from the signed request to the points of the member. */

const squareKey = 'key of the webhook';
const adyenKey = '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056';
const squareUrl = 'https://hooks.example.com/square';

let world: World;
let bus: Awaited<ReturnType<typeof startPutEventsReceiver>>;
let isBusUp = true;
beforeAll(async () => {
  bus = await startPutEventsReceiver(() => isBusUp);
  world = await makeWorld();
  Object.assign(process.env, { AWS_ENDPOINT_URL_EVENTBRIDGE: bus.url, BUS_NAME: 'the-bus' });
  const common = { merchant: String(world.demo.merchant.id), capture: 'automatic' as const };
  const connect = (platform: string, account: string, more: object = {}) =>
    connectPaymentAccount({ ...common, platform, account, ...more }, world.platform);
  await connect('square', 'M1', { signingKey: squareKey, notificationUrl: squareUrl });
  await connect('square', 'M2', { signingKey: squareKey });
  await connect('square', 'keyless');
  await connect('adyen', 'CoffeeECOM', { signingKey: adyenKey });
});
afterAll(() => bus.close());
beforeEach(() => {
  bus.taken.splice(0);
});

interface Sent {
  readonly account?: string;
  readonly platform?: string;
  readonly signature?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const send = (body: string, { platform = 'square', account = 'M1', signature, headers = {} }: Sent = {}) =>
  call(handler, contract, {
    params: { payment_platform: platform, payment_account: account },
    headers: { ...(signature !== undefined && { 'x-square-hmacsha256-signature': signature }), ...headers },
    body,
  });

const signedBy = (key: string, body: string, url = squareUrl) =>
  createHmac('sha256', key)
    .update(url + body)
    .digest('base64');

function squarePayment(account = 'M1', more: object = {}) {
  const usd = { amount: 10_000, currency: 'USD' };
  const created_at = new Date().toISOString();
  const payment = { id: randomUUID(), status: 'COMPLETED', amount_money: usd, total_money: usd, created_at, ...more };
  const heading = { merchant_id: account, type: 'payment.updated', event_id: randomUUID(), created_at };
  return { payment, body: JSON.stringify({ ...heading, data: { object: { payment } } }) };
}

/** An Adyen webhook with one signed item. */
function adyenBody(account: string, shopperReference: string) {
  const item = {
    pspReference: randomUUID(),
    originalReference: '',
    merchantAccountCode: account,
    merchantReference: randomUUID(),
    amount: { value: 10_000, currency: 'USD' },
    eventCode: 'AUTHORISATION',
    success: 'true',
    eventDate: new Date().toISOString(),
  };
  const { pspReference, originalReference, merchantReference, amount, eventCode, success } = item;
  const signed = [pspReference, originalReference, account, merchantReference, amount.value, amount.currency];
  const hmacSignature = createHmac('sha256', Buffer.from(adyenKey, 'hex'))
    .update([...signed, eventCode, success].join(':'))
    .digest('base64');
  const additionalData = { hmacSignature, 'metadata.merchant_external_id': shopperReference };
  const body = { live: 'false', notificationItems: [{ NotificationRequestItem: { ...item, additionalData } }] };
  return { pspReference, body: JSON.stringify(body) };
}

/** The events that the bus received, in the form in which its rule delivers them. */
const delivered = () =>
  bus.taken.map(({ Source, DetailType, Detail }) => {
    const heading = { id: randomUUID(), source: Source, 'detail-type': DetailType, time: new Date().toISOString() };
    return `${JSON.stringify(heading).slice(0, -1)},"detail":${Detail}}`;
  });

async function pointsAfter(userId: number): Promise<number | undefined> {
  for (const text of delivered()) expect(await ingest(world, text)).toEqual([]);
  await settleAnnounced(world);
  return (await world.platform.members.find(userId))?.memberships[0]?.availablePoints;
}

describe('a webhook of Square', () => {
  it('is acknowledged only after its unchanged body is on the bus', async () => {
    const body = squarePayment().body.replace('{', '{ "big": 820982911946154508, ');

    const answer = await send(body, { signature: signedBy(squareKey, body) });

    expect(answer).toMatchObject({ status: 200, body: { notificationResponse: '[accepted]' } });
    const Detail = `{"requestId":"${answer.headers['x-request-id']}","account":"M1","body":${body}}`;
    expect(bus.taken).toMatchObject([{ Source: 'rewards.payments.square', DetailType: 'payment.updated', Detail }]);
  });

  it('is verified with the endpoint’s URL by default', async () => {
    const { body } = squarePayment('M2');
    const url = 'https://base.rewards.test/local/payments/square/M2';

    expect((await send(body, { account: 'M2', signature: signedBy(squareKey, body, url) })).status).toBe(200);
    expect((await send(body, { account: 'M2', signature: signedBy(squareKey, body) })).status).toBe(401);
  });

  it('earns once when Square sends it three times', async () => {
    const { id, externalId } = await newShopper(world);
    const customer_id = `customer-${externalId}`;
    const key = { platform: 'square', account: 'M1', customerId: customer_id };
    const link = { userId: id, linkedBy: 'operator' as const, linkedAt: new Date().toISOString() };
    await world.platform.paymentCustomers.linkNew(key, link);
    const { body } = squarePayment('M1', { customer_id });

    for (let time = 0; time < 3; time += 1) await send(body, { signature: signedBy(squareKey, body) });

    expect(bus.taken).toHaveLength(3);
    expect(await pointsAfter(id)).toBe(200);
  });

  it('gets the reply 500 while the bus accepts no events', async () => {
    const { body } = squarePayment();
    isBusUp = false;
    const answer = await send(body, { signature: signedBy(squareKey, body) });
    isBusUp = true;

    expect(answer).toMatchObject({ status: 500, body: { error: 'unexpected_error' } });
    expect((await send(body, { signature: signedBy(squareKey, body) })).status).toBe(200);
  });

  it('gets the reply 400 when its signed body is no JSON object', async () => {
    for (const body of ['{', '[]', '"text"', '{"type":7}']) {
      const answer = await send(body, { signature: signedBy(squareKey, body) });
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    }
    expect(bus.taken).toEqual([]);
  });

  const nested = (levels: number) =>
    `{"type":"payment.updated","data":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

  it.each([11, 1_000, 2_000, 4_000, 5_000, 100_000])(
    'gets the reply 400 when its signed body has %i levels',
    async (levels) => {
      const body = nested(levels);
      const answer = await send(body, { signature: signedBy(squareKey, body) });
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
      expect(bus.taken).toEqual([]);
    },
  );

  it('is accepted with 10 levels', async () => {
    const body = nested(10);
    expect((await send(body, { signature: signedBy(squareKey, body) })).status).toBe(200);
  });
});

describe('a webhook of Adyen', () => {
  it('is acknowledged as Adyen requires, and earns', async () => {
    const { id, externalId } = await newShopper(world);
    const { pspReference, body } = adyenBody('CoffeeECOM', externalId);

    const answer = await send(body, { platform: 'adyen', account: 'CoffeeECOM' });

    expect(answer).toMatchObject({ status: 200, body: { notificationResponse: '[accepted]' } });
    expect(bus.taken).toMatchObject([{ Source: 'rewards.payments.adyen', DetailType: 'AUTHORISATION' }]);
    expect(await pointsAfter(id)).toBe(200);
    const key = { platform: 'adyen', account: 'CoffeeECOM', paymentId: pspReference };
    expect(await paymentOf(world, key)).toMatchObject({ userId: id });
  });

  it('is recorded as malformed when it names another payment account', async () => {
    const { body } = adyenBody('AnotherECOM', 'cc-1001');

    expect((await send(body, { platform: 'adyen', account: 'CoffeeECOM' })).status).toBe(200);
    const [text = ''] = delivered();
    expect(await ingest(world, text)).toMatchObject([{ reason: expect.stringContaining('AnotherECOM') }]);
  });
});

describe('the endpoint of payment webhooks', () => {
  const { body } = squarePayment();
  const refused: readonly (readonly [string, Sent])[] = [
    ['without a signature', {}],
    ['with an empty signature', { signature: '' }],
    ['with the signature of another body', { signature: signedBy(squareKey, `${body} `) }],
    ['with the signature of another key', { signature: signedBy('another key', body) }],
    ['for an unknown account', { account: 'M9', signature: signedBy(squareKey, body) }],
    ['for an account without a key', { account: 'keyless', signature: signedBy('', body) }],
    [
      'for an unknown account, signed with the key of none',
      { account: 'M9', signature: signedBy('00'.repeat(32), body) },
    ],
    ['for a platform without webhooks', { platform: 'stripe', signature: signedBy(squareKey, body) }],
    ['for the account of another platform', { platform: 'adyen', signature: signedBy(squareKey, body) }],
  ];

  it('returns the same 401 for every invalid signature', async () => {
    for (const [title, sent] of refused) {
      const { status, body: reply } = await send(body, sent);
      expect
        .soft([title, status, reply.error, reply.message])
        .toEqual([
          title,
          401,
          'invalid_signature',
          'The signature is missing or wrong, or the account is not connected',
        ]);
    }
    expect(bus.taken).toEqual([]);
  });

  it('returns 413 for a body over 256 KB, signed or not', async () => {
    const large = JSON.stringify({ type: 'payment.updated', text: 'x'.repeat(256 * 1024) });
    const refused = { status: 413, body: { error: 'request_too_large' } };
    expect(await send(large, { signature: signedBy(squareKey, large) })).toMatchObject(refused);
    expect(await send(large)).toMatchObject(refused);
    expect(bus.taken).toEqual([]);
  });
});
