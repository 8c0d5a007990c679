import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { expect, it, vi } from 'vitest';
import { contract } from '../../../functions/base/send-trigger/contract.ts';
import { handler as sendTrigger } from '../../../functions/base/send-trigger/handler.ts';
import { associationChangeWrites } from '../../../shared/store/member/members.ts';
import { call } from '../../support/call.ts';
import { awardCashback } from '../../support/cashback.ts';
import { anOrderBody, confirmAll, orderOf, postOrder, refundOrder } from '../../support/order-story.ts';
import { ingest, settleAnnounced, stripeAccount, stripeText } from '../../support/payment-story.ts';
import { settleOrder } from '../../support/settle.ts';
import { ask, createBy, newShopper, type Shopper } from '../../support/shoppers.ts';
import { storedDelivery, storedSubscription } from '../../support/webhook-story.ts';
import { admin, useWorld, world } from './admin-world.ts';
import { type Ran, wordsOf } from './command-line.ts';

/**
 * What commands print: output.txt and refusals.txt have commands, one after another, with what each prints. To add a
 * command, add its line and run this file with --update.
 */

// The operator is ada@desk, so that the columns have the same widths on every machine.
vi.mock('node:os', async (original) => ({ ...(await original<typeof import('node:os')>()), hostname: () => 'desk' }));
vi.stubEnv('REWARDS_OPERATOR', 'ada');

/** The ids that commands of the table name in braces. */
const ids = new Map<string, number | string>();

useWorld(async () => {
  const shopper = await newShopper(world, 5_000, 'cc-7');
  ids.set('shopper', shopper.id);
  await report(shopper);
  await buy(shopper);
  await pay(shopper);
  await sendEvent();
  await awardCashback(world, shopper, 1_250);
  const subscription = await storedSubscription(world, world.demo.merchant.id);
  const { event } = await storedDelivery(world, subscription);
  ids.set('subscription', subscription.subscriptionId).set('event', event.id);
});

/** The merchant reports where the shopper lives, and an attribute. */
async function report({ id }: Shopper): Promise<void> {
  const [association] = (await world.platform.members.find(id))?.associations ?? [];
  if (!association) throw new Error('the shopper is a customer');
  const set = { location: { country: 'US', region: null, city: 'Austin' }, attributes: { plan: ['gold', 'blue'] } };
  await world.platform.table.transact(associationChangeWrites({ association, set }));
}

/** The shopper earns and pays with tokens, is refused, and has an order half of which is refunded. */
async function buy(shopper: Shopper): Promise<void> {
  const { earn, redeem } = world.demo.campaigns;
  const earned = await createBy(shopper, await ask(shopper, { campaignId: earn, amount: 42.5, order: 'till-1' }));
  await createBy(shopper, await ask(shopper, { campaignId: redeem, amount: 15, order: 'till-2' }));
  await ask(shopper, { campaignId: redeem, amount: 9_000, order: 'till-3' });
  ids.set('earned', earned.body.data.reward_transactions[0].id);
  const body = anOrderBody({
    ...{ user: { merchant_external_id: 'cc-7' }, order_external_id: 'order-1' },
    line_items: [{ product_id: 'sku-1', product_name: 'Kettle', product_price: 10_000 }],
  });
  const order = await orderOf(world, await postOrder(world, body));
  await settleOrder({ entityId: order.uuid }, world.platform);
  await confirmAll(world);
  await refundOrder(world, order, 5_400);
}

/** A payment by card waits for its customer. */
async function pay({ id }: Shopper): Promise<void> {
  await admin.script('payments connect --merchant 1 --platform stripe --account', stripeAccount);
  const paid = { id: 'pi_3ABC', amount: 5_000, amount_received: 5_000, currency: 'usd', customer: 'cus_7' };
  await ingest(world, stripeText('payment_intent.succeeded', { ...paid, metadata: {} }));
  await settleAnnounced(world);
  ids.set('account', stripeAccount).set('payer', id);
}

/** The merchant sends a trigger event of a stranger. */
async function sendEvent(): Promise<void> {
  const { merchant, partnership, trigger } = world.demo;
  await call(sendTrigger, contract, {
    headers: { 'x-api-key': merchant.apiKey },
    params: { id: partnership.uuid },
    body: { trigger_name: trigger.name, transaction_context: trigger.context, external_user_id: 'a stranger' },
  });
}

/** Each thing that differs from run to run, and a text of the same width. */
const changing: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e05'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '2026-11-20T09:30:00.000Z'],
  [/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '2026-11-20 09:30:00'],
  [/\b\d{4}-\d\d-\d\d\b(?!T)/g, '2026-11-20'],
  [/\b\d{4}-\d\d\b(?!-)/g, '2026-11'],
  [/\bE[SD]T\b/g, 'EST'],
  [/\b\d{16}\b/g, '3764875723649152'],
  [/\b(\d)-[0-9a-f]{12}\b/g, '$1-3f9ac2d41b07'],
  [/\b(rw[a-z]_local_|whsec_)[\w+/=-]+/g, '$1…'],
];
const steady = (text: string) => changing.reduce((read, [found, shown]) => read.replaceAll(found, shown), text);

/** A JSON document with the first element of each list only: the others look the same. */
function firstOfEach(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(firstOfEach);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, firstOfEach(one)]));
}

/** What a command printed. A JSON document fills its lines, like a paragraph. */
function printed({ out, err, json, status }: Ran): string {
  if (json === undefined) return steady(`${out}${err}${status === 0 ? '' : `(status ${status})\n`}`);
  const form = { depth: null, compact: true, breakLength: Number.POSITIVE_INFINITY, sorted: true } as const;
  return steady(inspect(firstOfEach(json), form)).replaceAll(/(.{1,118})( |$)/gs, '$1\n');
}

it.each(['output.txt', 'refusals.txt'])('commands print what %s shows', { timeout: 120_000 }, async (name) => {
  const file = new URL(name, import.meta.url);
  const commands = [...readFileSync(file, 'utf8').matchAll(/^\$ (.*)$/gm)].map(([, command = '']) => command);
  let text = '';
  for (const command of commands) {
    const words = wordsOf(command.replaceAll(/\{(\w+)\}/g, (_, id) => String(ids.get(id))));
    text += `$ ${command}\n${printed(await admin.read('', ...words, '--yes'))}\n`;
  }
  await expect(text).toMatchFileSnapshot(file.pathname);
});
