import { randomUUID } from 'node:crypto';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replayPayments } from '../../../tools/admin/replay/archives.ts';
import { applyRefunds, postRefund, processedOrder } from '../../support/order-story.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { ingest, settleAnnounced } from '../../support/payment-story.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { newShopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';
import { commandLineOf } from './command-line.ts';

let world: World;
let admin: ReturnType<typeof commandLineOf>;
beforeAll(async () => {
  world = await makeWorld();
  admin = commandLineOf(world.table);
});

const account = ['--platform', 'stripe', '--account', 'acct_1'];
const payments = (...args: string[]) => admin.script('payments', ...args);

/** A Stripe payment of $100 by a customer, and its refunds, as the rule of the bus delivers them. */
function paidBy(customer: string, order_id?: string) {
  const id = `pi_${randomUUID()}`;
  const created = Math.floor(Date.now() / 1_000);
  const time = new Date().toISOString();
  const text = (type: string, object: object) => {
    const detail = { id: `evt_${id}`, type, created, account: 'acct_1', livemode: false, data: { object } };
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

    const { out } = await admin.read('payments', 'list', '--merchant', 'Corner Coffee');
    expect(out).toMatch(
      /^\d{4}-\d\d-\d\d [\d:]{8} E[SD]T \(America\/New_York\) +stripe +payment.* applied +unclaimed /m,
    );
    expect(out).toMatch(/^ +stripe +\S+ +.* E[SD]T \(America\/New_York\)$/m);

    const linked = await payments('link-customer', customer, String(shopper.id), ...account);
    expect(linked.json).toMatchObject({ customerId: customer, memberId: shopper.id, claimedPayments: 1 });
    await settleAnnounced(world);
    const { json: shown } = await payments('show', id, ...account);
    expect(shown.payment).toMatchObject({ status: 'awarded', userId: shopper.id });
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
    const { json: audit } = await admin.script('audit', 'list');
    expect(audit.entries[0]).toMatchObject({ command: 'payments replay', what: expect.stringContaining(json.payment) });
  });

  it.each([
    [2, 'name a payment', ['replay']],
    [2, 'leave the payment out', ['replay', 'pi_1', ...account, '--from', '2026-11-20T09:00:00Z']],
    [2, 'has to be before', ['replay', '--from', '2026-11-20T09:00:00Z', '--to', '2026-11-20T08:00:00Z']],
    [2, 'with its offset', ['replay', '--from', '2026-11-20']],
    [1, 'archives no events', ['replay', '--from', '2026-11-20T09:00:00Z']],
  ])('ends with status %i and prints "%s" for the arguments %j', async (status, text, args) => {
    const ran = await payments(...args);
    expect(ran.status).toBe(status);
    expect(ran.err).toContain(text);
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
