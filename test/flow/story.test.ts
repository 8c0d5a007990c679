import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../support/call.ts';
import type { FlowOrganisation } from '../support/flow-demo.ts';
import { cannot, useFlow } from './support/flow.ts';
import { send } from './support/http.ts';
import { account, authenticate, completed, create, ledger, retrieved, transaction } from './support/purchase.ts';
import { quiet } from './support/queues.ts';
import { expectGenuine, heard, lifeOfTransaction, type Subscriber, subscribe } from './support/webhooks.ts';

/** One story, test after test: a member earns and redeems, and both sides can read the transactions. */

const flow = useFlow();
const order = { earn: randomUUID(), redeem: randomUUID() };
const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
const instant = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/);

let before: Answer['body'];
let earned: Answer['body'];
let redeemed: Answer['body'];
let merchant: Subscriber;
let partner: Subscriber;
let outsider: Subscriber;

const get = (host: 'base' | 'reward' | 'user', path: string, who: Parameters<typeof send>[2]) =>
  send('GET', `${flow.hosts[host]}${path}`, who);

async function bearerOf({ clientId, clientSecret }: FlowOrganisation): Promise<string> {
  const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  const form = { grant_type: 'client_credentials' };
  const { body } = await send('POST', `${flow.hosts.base}/oauth/token`, { headers: { authorization }, form });
  return body.access_token;
}

beforeAll(async () => {
  before = await account(flow);
  if (cannot.receiveWebhooks) return;
  merchant = await subscribe(flow, flow.demo.merchant);
  partner = await subscribe(flow, flow.demo.partner);
  outsider = await subscribe(flow, flow.demo.outsider);
});
afterAll(() => Promise.all([merchant, partner, outsider].map((subscriber) => subscriber?.close())));

describe('an earning purchase', () => {
  let token = '';

  it('gets the same token from endpoint 1 for a repeated request', async () => {
    const asked = await authenticate(flow, { what: 'earn', amount: 42.5, order: order.earn });
    expect(asked).toMatchObject({ status: 200, body: { code: 'ok', data: { authentication_status: 1 } } });
    token = asked.body.data.authentication_id;

    const again = await authenticate(flow, { what: 'earn', amount: 42.5, order: order.earn });
    expect(again.body).toEqual(asked.body);
  });

  it('becomes a pending transaction when endpoint 2 receives its token', async () => {
    const { status, body } = await create(flow, token);
    expect(status).toBe(200);
    expect(body.code).toBe('ok');
    expect(body.data.reward_transactions).toEqual([
      {
        id: expect.any(Number),
        partner_id: flow.demo.partner.id,
        campaign_id: flow.demo.campaigns.earn,
        user_id: flow.member.id,
        merchant_id: flow.demo.merchant.id,
        transaction_amount: 42.5,
        // Two points per dollar, times 1.5 for a gold member, rounded down.
        reward_amount: 127,
        reward_unit: 'points',
        external_order_id: order.earn,
        transaction_type: 1,
        status: 1,
        last_updated_date: instant,
        created_date: instant,
      },
    ]);
    earned = body.data.reward_transactions[0];
  });

  it('gets 409 transaction_already_exists when endpoint 2 receives its token again', async () => {
    const again = await create(flow, token);
    expect(again).toMatchObject({ status: 409, body: { error: 'transaction_already_exists' } });
  });

  it('is shown as completed by endpoint 7 after the loyalty program confirmed', async () => {
    const shown = await completed(flow, earned.id);
    expect(shown).toMatchObject({
      id: earned.id,
      uuid_id: uuid,
      partnership_uuid: flow.demo.partnership.uuid,
      user_uuid: flow.member.uuid,
      reward_amount: 127,
      reward_unit: 'points',
      transaction_amount: 42.5,
      external_order_id: order.earn,
      transaction_type: 1,
      transaction_status: retrieved.completed,
    });
    earned = shown;
  });

  it('increases the balance that endpoint 5 shows', async () => {
    const { total_rewards, total_rewards_earned, total_rewards_redeemed } = await account(flow);
    expect(total_rewards).toBe(before.total_rewards + 127);
    expect(total_rewards_earned).toBe(before.total_rewards_earned + 127);
    expect(total_rewards_redeemed).toBe(before.total_rewards_redeemed);
  });
});

describe('a redemption', () => {
  it('takes exactly the reserved points', async () => {
    const asked = await authenticate(flow, { what: 'redeem', amount: 15, order: order.redeem });
    // Held points count in the balance, but cannot be spent.
    expect((await account(flow)).total_rewards).toBe(before.total_rewards + 127);
    const seen = await get('base', `/users/${flow.member.uuid}`, { key: flow.demo.partner.apiKey });
    expect(seen.body.data.user.partner_status_tiers[0].total_rewards).toBe(before.total_rewards + 127 - 1500);

    const created = await create(flow, asked.body.data.authentication_id);
    const [view] = created.body.data.reward_transactions;
    expect(view).toMatchObject({ transaction_type: 2, status: 1, reward_amount: 1500, transaction_amount: 15 });
    redeemed = await completed(flow, view.id);
    expect(redeemed).toMatchObject({ transaction_type: 2, transaction_status: retrieved.completed });
  });

  it('decreases the balance that endpoint 5 shows', async () => {
    const { total_rewards, total_rewards_redeemed } = await account(flow);
    expect(total_rewards).toBe(before.total_rewards + 127 - 1500);
    expect(total_rewards_redeemed).toBe(before.total_rewards_redeemed + 1500);
  });

  it('gets status 2 from endpoint 1 for an insufficient balance', async () => {
    const tooMuch = await authenticate(flow, { what: 'redeem', amount: 1_000_000 });
    expect(tooMuch).toMatchObject({ status: 200, body: { data: { authentication_status: 2 } } });
    const created = await create(flow, tooMuch.body.data.authentication_id);
    expect(created).toMatchObject({ status: 400, body: { error: 'invalid_token' } });

    const [, unlinked] = flow.demo.members;
    if (!unlinked) throw new Error('the demo has only one member');
    const noAccount = await authenticate(flow, { what: 'earn', amount: 10, member: unlinked });
    expect(noAccount).toMatchObject({ status: 200, body: { data: { authentication_status: 3 } } });
  });

  it.skipIf(cannot.reachTable)('has one ledger entry for each movement', async () => {
    const entries = await ledger(flow);
    expect(entries.map(({ kind, points }) => ({ kind, points }))).toEqual([
      { kind: 'OPENING', points: before.total_rewards },
      { kind: 'EARN', points: 127 },
      { kind: 'REDEEM', points: -1500 },
    ]);
  });
});

describe('both sides of a partnership, but no outsider,', () => {
  it('see the transaction at endpoint 7', async () => {
    for (const id of [earned.id, earned.uuid_id]) {
      for (const { apiKey: key } of [flow.demo.merchant, flow.demo.partner]) {
        const seen = await get('base', `/transactions/${id}`, { key });
        expect(seen).toMatchObject({ status: 200, body: { code: 'ok', data: { reward_transaction: earned } } });
      }
      const foreign = await get('base', `/transactions/${id}`, { key: flow.demo.outsider.apiKey });
      expect(foreign).toMatchObject({ status: 404, body: { code: 'transaction_does_not_exist' } });
    }
  });

  it('see the transaction at endpoint 8', async () => {
    for (const side of [flow.demo.merchant, flow.demo.partner]) {
      const seen = await get('reward', `/transactions/${redeemed.id}`, { bearer: await bearerOf(side) });
      expect(seen).toMatchObject({
        status: 200,
        body: {
          reward_transaction: {
            id: redeemed.id,
            uuid_id: redeemed.uuid_id,
            user_id: flow.member.id,
            partnership_id: flow.demo.partnership.uuid,
            transaction_status: retrieved.completed,
            rewards_redeemed: 1500,
            created_date: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+$/),
          },
        },
      });
    }
    const bearer = await bearerOf(flow.demo.outsider);
    const foreign = await get('reward', `/transactions/${redeemed.id}`, { bearer });
    expect(foreign).toMatchObject({ status: 404, body: { error: 'transaction_does_not_exist' } });
  });

  it('see the member at endpoint 4', async () => {
    for (const { apiKey: key } of [flow.demo.merchant, flow.demo.partner]) {
      const seen = await get('base', `/users/${flow.member.uuid}`, { key });
      expect(seen).toMatchObject({ status: 200, body: { data: { user: { id: flow.member.id } } } });
    }
    const foreign = await get('base', `/users/${flow.member.uuid}`, { key: flow.demo.outsider.apiKey });
    expect(foreign).toMatchObject({ status: 404, body: { error: 'user_does_not_exist' } });

    const own = await get('user', `/users/${flow.member.id}`, { key: flow.member.accessToken });
    expect(own.body.data.user).toMatchObject({
      id: flow.member.id,
      merchants: [{ merchant_id: flow.demo.merchant.id }],
    });
    const other = await get('user', `/users/${flow.demo.members[1]?.id}`, { key: flow.member.accessToken });
    expect(other).toMatchObject({ status: 404, body: { error: 'user_does_not_exist' } });
  });

  it('see the partnership at endpoint 6', async () => {
    const path = `/partnerships/${flow.demo.partnership.uuid}`;
    const campaigns = Object.values(flow.demo.campaigns).toSorted();
    for (const { apiKey: key } of [flow.demo.merchant, flow.demo.partner]) {
      const { status, body } = await get('base', path, { key });
      expect(status).toBe(200);
      expect(body.data.partnership).toMatchObject({ uuid_id: flow.demo.partnership.uuid, is_active: 1, is_deleted: 0 });
      expect(body.data.partnership.campaigns.map(({ id }: { id: number }) => id).toSorted()).toEqual(campaigns);
    }
    const foreign = await get('base', path, { key: flow.demo.outsider.apiKey });
    expect(foreign).toMatchObject({ status: 404, body: { error: 'partnership_does_not_exist' } });
  });
});

describe.skipIf(cannot.receiveWebhooks)('webhooks of a transaction', () => {
  it('reach both sides once for each event, with a signature', async () => {
    for (const { uuid_id: id } of [earned, redeemed]) {
      for (const subscriber of [merchant, partner]) await heard(subscriber, id);
    }
    await quiet(flow);
    for (const { uuid_id: id } of [earned, redeemed]) {
      for (const subscriber of [merchant, partner]) {
        expect(subscriber.namesAbout(id)).toEqual(lifeOfTransaction);
        for (const delivery of subscriber.about(id)) {
          expect(JSON.parse(delivery.body).entity).toBe(3);
          expectGenuine(delivery, subscriber);
        }
      }
    }
  });

  it('carry the same events to both sides, with different salts', () => {
    const ids = ({ received }: Subscriber) => received.map(({ headers }) => headers['webhook-id']).toSorted();
    expect(ids(partner)).toEqual(ids(merchant));
    expect(merchant.salt).not.toBe(partner.salt);
  });

  it('do not reach an outsider', () => {
    expect(outsider.received).toEqual([]);
  });

  it('contain the id with which endpoint 7 returns the transaction', async () => {
    const { entity_id } = JSON.parse(merchant.received[0]?.body ?? '{}');
    expect([earned.id, redeemed.id]).toContain((await transaction(flow, entity_id)).id);
  });
});

describe.skipIf(cannot.receiveWebhooks)('a subscription to all events', () => {
  const update = (endpoint: string) =>
    send('PUT', `${flow.hosts.notification}/webhooks/subscribe`, {
      key: flow.demo.merchant.apiKey,
      json: { endpoint },
    });

  it('cannot be created twice', async () => {
    const again = await send('POST', `${flow.hosts.notification}/webhooks/subscribe`, {
      key: flow.demo.merchant.apiKey,
      json: { endpoint: merchant.url },
    });
    expect(again).toMatchObject({ status: 400, body: { error: 'subscription_already_exists' } });
  });

  it('delivers later events to the URL that endpoint 14 sets', async () => {
    const heardBefore = merchant.received.length;
    expect(await update(`${partner.url}/moved`)).toMatchObject({ status: 200, body: { data: { subscribed: true } } });

    const asked = await authenticate(flow, { what: 'earn', amount: 5 });
    const created = await create(flow, asked.body.data.authentication_id);
    const { uuid_id: id } = await completed(flow, created.body.data.reward_transactions[0].id);

    const moved = () => partner.about(id).filter(({ path }) => path === '/hooks/moved');
    await expect.poll(() => moved().length, { timeout: 10_000 }).toBe(3);
    for (const delivery of moved()) expectGenuine(delivery, merchant);
    expect(merchant.received).toHaveLength(heardBefore);
  });

  it('is deleted when endpoint 14 receives an empty URL', async () => {
    expect(await update('')).toMatchObject({ status: 200, body: { code: 'ok', data: { subscribed: true } } });
    expect(await update('')).toMatchObject({ status: 404, body: { error: 'event_not_exists' } });

    const asked = await authenticate(flow, { what: 'earn', amount: 6 });
    const created = await create(flow, asked.body.data.authentication_id);
    const { uuid_id: id } = await completed(flow, created.body.data.reward_transactions[0].id);
    await heard(partner, id);
    await quiet(flow);
    expect(merchant.about(id)).toEqual([]);
    expect(partner.about(id).filter(({ path }) => path === '/hooks/moved')).toEqual([]);
  });
});
