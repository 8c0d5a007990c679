import { randomUUID } from 'node:crypto';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replayPayments } from '../../../tools/admin/replay/archives.ts';
import { applyRefunds, postRefund, processedOrder } from '../../support/order-story.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { ingest, settleAnnounced } from '../../support/payment-story.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { newShopper } from '../../support/shoppers.ts';
import { admin, useWorld, world } from './admin-world.ts';

useWorld();

const account = ['--platform', 'stripe', '--account', 'acct_1'];
const payments = (...args: string[]) => admin.script('payments', ...args);

/** A Stripe payment of $100 by a customer, and its refunds, as the rule of the bus delivers them. */
function paidBy(customer: string, order_id?: string, accountId = 'acct_1') {
  const id = `pi_${randomUUID()}`;
  const created = Math.floor(Date.now() / 1_000);
  const time = new Date().toISOString();
  const text = (type: string, object: object) => {
    const detail = { id: `evt_${id}`, type, created, account: accountId, livemode: false, data: { object } };
    return JSON.stringify({
      ...{ id: 'e-1', source: 'aws.partner/stripe.com/ed_1', 'detail-type': type },
      time,
      detail,
    });
  };
  const money = { amount: 10_000, amount_received: 10_000, currency: 'usd' };
  const metadata = order_id === undefined ? {} : { order_id };
  const refund = { id: 're_1', payment_intent: id, currency: 'usd', status: 'succeeded' };
  return {
    id,
    paid: text('payment_intent.succeeded', { id, ...money, customer, metadata }),
    refunded: (amount: number) => text('refund.created', { ...refund, amount }),
  };
}

describe('the command payments', () => {
  it('`connect` connects a payment account to one merchant and refuses another merchant', async () => {
    const connected = await payments('connect', '--merchant', 'Corner Coffee', ...account);
    expect(connected).toMatchObject({ status: 0, json: { account: { platform: 'stripe', account: 'acct_1' } } });

    const merchant = String(world.demo.outsider.id);
    expect(await payments('connect', '--merchant', merchant, ...account)).toMatchObject({ status: 1 });
  });

  it('`list` explains an unawarded payment, and `link-customer` awards it', async () => {
    const shopper = await newShopper(world);
    const customer = `cus_${shopper.externalId}`;
    const { id, paid } = paidBy(customer);
    await ingest(world, paid);
    await settleAnnounced(world);

    const { json: list } = await payments('list', '--merchant', 'Corner Coffee');
    expect(list.events).toContainEqual(
      expect.objectContaining({ outcome: 'applied', payment: expect.objectContaining({ reason: 'no_member' }) }),
    );

    const { out } = await admin.read('payments list --merchant "Corner Coffee"');
    expect(out).toMatch(/^\d{4}-\d\d-\d\d [\d:]{8} E[SD]T +stripe +acct_1 +payment.* applied +unclaimed /m);
    expect(out).toMatch(/^ +stripe +\S+ +.* E[SD]T$/m);
    expect(out).toMatch(/\n\nTimes are in America\/New_York\.\n$/);

    const linked = await payments('link-customer', customer, String(shopper.id), ...account);
    expect(linked.json).toMatchObject({ customerId: customer, memberId: shopper.id, claimedPayments: 1 });
    await settleAnnounced(world);
    const { json: shown } = await payments('show', id, ...account);
    expect(shown.payment).toMatchObject({ status: 'awarded', userId: shopper.id });
  });

  it('`list` without a merchant shows the events of all merchants, and of accounts that are not connected', async () => {
    const [known, unknown] = [paidBy('cus_known'), paidBy('cus_unknown', undefined, 'acct_unknown')];
    await ingest(world, known.paid);
    await ingest(world, unknown.paid.replace('ed_1', 'ed_unknown'));

    const { out } = await admin.read('payments list');
    expect(out).toMatch(
      new RegExp(`UTC +Corner Coffee +stripe +acct_1 +payment\\.completed +${known.id} +applied`, 'm'),
    );
    expect(out).toMatch(/UTC +- +stripe +acct_unknown .* unknown_account /m);
  });

  it('`list` counts the day of an event in the time zone of the merchant', async () => {
    const { platform, demo } = world;
    const receipt = {
      ...{ platform: 'stripe', account: 'acct_1', merchantId: demo.merchant.id, type: 'any', envelopeId: 'e-1' },
      ...{ receivedAt: '2026-01-03T02:00:00.000Z', outcome: 'ignored' as const },
    };
    await platform.paymentReceipts.add(receipt);
    const countOn = async (...options: string[]) => (await payments('list', '--day', ...options)).json.events.length;

    const merchant = ['--merchant', 'Corner Coffee'];
    expect([await countOn('2026-01-02', ...merchant), await countOn('2026-01-03', ...merchant)]).toEqual([1, 0]);
    expect([await countOn('2026-01-02'), await countOn('2026-01-03')]).toEqual([0, 1]);
  });

  it('`show` and `member why` find a payment by the id that `list` prints', async () => {
    const shopper = await newShopper(world);
    const customer = `cus_${shopper.externalId}`;
    const { id, paid } = paidBy(customer);
    await ingest(world, paid);
    await settleAnnounced(world);
    await payments('link-customer', customer, String(shopper.id), ...account);
    await settleAnnounced(world);

    const { json } = await payments('show', id);
    expect(json.payment).toMatchObject({ paymentId: id, account: 'acct_1', status: 'awarded' });
    for (const options of [[id], [id, '--of', 'Corner Coffee'], [json.payment.uuid]]) {
      expect((await admin.script('member why', ...options)).json).toEqual(json);
    }
    const { status, err } = await admin.read(`member why ${id} --of ${world.demo.outsider.id}`);
    expect([status, err]).toEqual([1, expect.stringContaining(`has sent no order ${id}`)]);
  });

  it('`show` asks for the UUID when two accounts have a payment with the same id', async () => {
    await payments('connect', '--merchant', 'Corner Coffee', '--platform', 'stripe', '--account', 'acct_2');
    const paid = paidBy('cus_twice');
    await ingest(world, paid.paid);
    await ingest(world, paid.paid.replace('acct_1', 'acct_2'));

    const { status, err } = await payments('show', paid.id);
    expect([status, err]).toEqual([1, expect.stringMatching(/several payments .* give one of the ids \S{36}, \S{36}/)]);
  });

  it('`link-customer` refuses an account in which the customer has no payments when another account has some', async () => {
    const shopper = await newShopper(world);
    const customer = `cus_${shopper.externalId}`;
    await ingest(world, paidBy(customer).paid);
    await settleAnnounced(world);
    await payments('connect', '--merchant', 'Corner Coffee', '--platform', 'stripe', '--account', 'acct_2');
    const other = ['--platform', 'stripe', '--account', 'acct_2'];
    const link = (...options: string[]) => admin.read(`payments link-customer "${customer}"`, ...options);

    const wrong = await link(String(shopper.id), ...other);
    expect([wrong.status, wrong.err]).toEqual([
      1,
      expect.stringContaining('nothing was changed: give payments link-customer with --account acct_1'),
    ]);
    expect((await link(String(shopper.id), ...account)).out).toContain('1 payment of this customer waited');
    await settleAnnounced(world);
    expect((await link(String(shopper.id), ...other)).out).toContain('No payment of this customer waited');
  });

  it('`show` explains that the merchant reported more refunds than Stripe', async () => {
    const shopper = await newShopper(world);
    const order = await processedOrder(world, shopper);
    const { id, paid, refunded } = paidBy('cus_refunded', order.externalOrderId);
    await ingest(world, paid);
    await ingest(world, refunded(1_000));
    await settleAnnounced(world);
    await postRefund(world, order.uuid, { refund_external_id: 'return-1', amount: 5_400 });
    await applyRefunds(world, order);
    await settleAnnounced(world);

    const { json } = await payments('show', id, ...account);
    expect(json.explanation).toContain('The merchant reported more refunds than stripe: 50.00 USD is left to earn on.');
  });

  it('`replay` processes a payment again, with an audit entry', async () => {
    const { id, paid } = paidBy('cus_unknown');
    await ingest(world, paid);
    const announced = async () => (await outboxEvents(world)).filter(({ name }) => name === 'payment_changed').length;
    const before = await announced();

    const { status, json } = await payments('replay', id, ...account);

    expect([status, await announced()]).toEqual([0, before + 1]);
    const { json: audit } = await admin.script('audit list');
    expect(audit.entries[0]).toMatchObject({ command: 'payments replay', what: expect.stringContaining(json.payment) });
  });
});

describe('the replay of archived events', () => {
  const busArn = (name: string) => `arn:aws:events:us-east-1:123456789012:event-bus/${name}`;
  const rule = (name: string, pattern: object) => ({
    Name: name,
    Arn: `arn:${name}`,
    EventPattern: JSON.stringify(pattern),
  });
  /** The archives and rules of a stage. On the main bus, the rule about payments is on the second page only. */
  const archives = [
    { ArchiveName: 'rewards-sandbox-data-Bus', EventSourceArn: busArn('main') },
    { ArchiveName: 'rewards-sandbox-data-Stripe', EventSourceArn: busArn('aws.partner/stripe.com/ed_1') },
    { ArchiveName: 'rewards-sandbox-data-Other', EventSourceArn: busArn('other') },
  ];
  const rules: Record<string, object> = {
    [busArn('main')]: { Rules: [rule('orders', { source: ['rewards.platform'] })], NextToken: 'more' },
    more: { Rules: [rule('payments', { source: ['rewards.payments'] })] },
    [busArn('aws.partner/stripe.com/ed_1')]: {
      Rules: [rule('stripe', { source: [{ prefix: 'aws.partner/stripe.com/' }] })],
    },
    [busArn('other')]: { Rules: [] },
  };
  let service: Receiver;
  let client: EventBridgeClient;
  const started: object[] = [];
  beforeAll(async () => {
    service = await startReceiver((response, { headers }, { body }) => {
      const asked = JSON.parse(body);
      const operation = String(headers['x-amz-target']).split('.')[1];
      if (operation === 'StartReplay') started.push(asked);
      const isOurs = asked.NamePrefix === 'rewards-sandbox-';
      const replies: Record<string, object | undefined> = {
        ListArchives: { Archives: isOurs ? archives : [] },
        ListRules: rules[asked.NextToken ?? asked.EventBusName],
        StartReplay: { State: 'STARTING' },
      };
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' });
      response.end(JSON.stringify(replies[operation ?? '']));
    });
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    client = new EventBridgeClient({ endpoint: service.url, region: 'us-east-1', credentials });
  });
  afterAll(async () => {
    client.destroy();
    await service.close();
  });

  const period = { from: new Date('2026-11-20T09:00:00Z'), to: new Date('2026-11-20T12:00:00Z') };
  const now = new Date(1_795_000_000_000);

  it('sends the events of each bus only to its payment rules', async () => {
    const replays = await replayPayments({ client, namePrefix: 'rewards-sandbox-' }, period, now);

    expect(replays.map(({ name }) => name)).toEqual(['payments-1795000000000-1', 'payments-1795000000000-2']);
    const common = { EventStartTime: period.from.getTime() / 1_000, EventEndTime: period.to.getTime() / 1_000 };
    const archiveArn = (name: string) => `arn:aws:events:us-east-1:123456789012:archive/rewards-sandbox-data-${name}`;
    const stripe = busArn('aws.partner/stripe.com/ed_1');
    expect(started).toMatchObject([
      {
        ...common,
        EventSourceArn: archiveArn('Bus'),
        Destination: { Arn: busArn('main'), FilterArns: ['arn:payments'] },
      },
      { ...common, EventSourceArn: archiveArn('Stripe'), Destination: { Arn: stripe, FilterArns: ['arn:stripe'] } },
    ]);
  });

  it('starts nothing when the stage has no archive', async () => {
    expect(await replayPayments({ client, namePrefix: 'rewards-production-' }, period, now)).toEqual([]);
  });
});
