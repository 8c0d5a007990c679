import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProgramAccount } from '../../shared/operations/member/program-accounts.ts';
import { createTrigger } from '../../shared/operations/partnership/configure-trigger.ts';
import type { Answer } from '../support/call.ts';
import { addCampaign, awarding } from '../support/campaigns.ts';
import type { FlowMember } from '../support/flow-demo.ts';
import { cannot, useFlow } from './support/flow.ts';
import { send } from './support/http.ts';
import { newMember } from './support/members.ts';
import { beginConnect } from './support/page.ts';
import { buy, completed, retrieved, settleLimitMs } from './support/purchase.ts';
import { quiet } from './support/queues.ts';
import { expectGenuine, type Subscriber, subscribe } from './support/webhooks.ts';

/** The rewards for trigger events, registrations and referrals. And the total spend of members. */

const flow = useFlow();
const pin = '864213';
const lifeOfAward = ['transaction_created', 'transaction_status_updated'];
const cannotPlay = cannot.reachTable || cannot.receiveWebhooks;

let merchant: Subscriber;
let trigger: Awaited<ReturnType<typeof createTrigger>>;
let referrer: FlowMember;
beforeAll(async () => {
  if (cannotPlay) return;
  trigger = await createTrigger(
    flow.demo.partnership,
    {
      name: 'visited',
      description: null,
      contextSchema: { fields: { shop: { type: 'string' } } },
    },
    flow.platform,
  );
  await addCampaign(flow, [
    awarding({ type: 'CUSTOM', customTriggerId: trigger.customTriggerId }, 50, { id: 11 }),
    awarding({ type: 'REGISTRATION' }, 250, { id: 12 }),
    awarding({ type: 'REFERRAL' }, 500, { id: 13 }),
  ]);
  referrer = await newMember(flow, 0);
  merchant = await subscribe(flow, flow.demo.merchant);
});
afterAll(() => merchant?.close());

/** Returns a member's transactions that webhooks have announced, as endpoint 7 shows them in their final state. */
async function toldOf(userUuid: string, count: number): Promise<Answer['body'][]> {
  const own: Answer['body'][] = [];
  const seen = new Set<string>();
  const look = async () => {
    const told = merchant.received.map(({ body }) => JSON.parse(body)).filter(({ entity }) => entity === 3);
    for (const { entity_id: id } of told) {
      if (seen.has(id)) continue;
      const shown = await completed(flow, id);
      seen.add(id);
      if (shown.user_uuid === userUuid) own.push(shown);
    }
    return own.length;
  };
  await expect.poll(look, { timeout: settleLimitMs, interval: 50 }).toBe(count);
  await quiet(flow);
  expect(await look()).toBe(count);
  return own;
}

async function expectToldOnce(uuid: string): Promise<void> {
  await expect.poll(() => merchant.namesAbout(uuid), { timeout: settleLimitMs, interval: 50 }).toEqual(lifeOfAward);
  for (const delivery of merchant.about(uuid)) expectGenuine(delivery, merchant);
}

async function balanceOf(member: Pick<FlowMember, 'id' | 'accessToken'>): Promise<number> {
  const url = `${flow.hosts.user}/users/${member.id}`;
  const { body } = await send('GET', url, { key: member.accessToken });
  return body.data.user.partner_status_tiers[0].total_rewards;
}

describe.skipIf(cannotPlay)('a trigger event (endpoint 3)', () => {
  it('earns points once when its message arrives twice', async () => {
    const member = await newMember(flow, 0);
    await flow.inside?.duplicateQueues();
    const sent = await send('POST', `${flow.hosts.base}/partnerships/${flow.demo.partnership.uuid}/triggers`, {
      key: flow.demo.merchant.apiKey,
      json: { trigger_name: 'visited', external_user_id: member.externalId, transaction_context: { shop: 'one' } },
    });

    const [reward] = await toldOf(member.uuid, 1);
    await flow.inside?.clearFaults();

    expect(reward).toMatchObject({
      trigger_event_uuid_id: sent.body.data.trigger_event_id,
      trigger_event_id: expect.any(Number),
      reward_amount: 50,
      transaction_amount: 0,
      external_order_id: null,
      transaction_status: retrieved.completed,
    });
    expect(await balanceOf(member)).toBe(50);
  });
});

describe.skipIf(cannotPlay)('a connect link', () => {
  it('rewards the new member and the referrer', async () => {
    const memberId = `new-${randomUUID()}`;
    const holder = { firstName: 'Linus', lastName: 'Pauling', email: null, statusTierId: 1, points: 700 };
    await openProgramAccount(flow.demo.partner.id, { ...holder, memberId, pin }, flow.platform);
    const { token } = await beginConnect(flow, { user: { referrer_external_id: referrer.externalId } });
    const json = { partner_id: flow.demo.partner.id, member_id: memberId, proof: pin };

    const linked = await send('POST', `${flow.hosts.base}/connect/${token}/link`, { json });

    const form = { grant_type: 'authorization_code', code: linked.body.data.code };
    const key = flow.demo.merchant.apiKey;
    expect((await send('POST', `${flow.hosts.base}/oauth/token`, { key, form })).status).toBe(200);
    const member = await flow.platform.members.findByExternalId(flow.demo.partner.id, memberId);
    const [registration] = await toldOf(member?.user.uuid ?? '', 1);
    const [referral] = await toldOf(referrer.uuid, 1);
    expect(registration).toMatchObject({ reward_amount: 250, trigger_event_id: null, external_order_id: null });
    expect(referral).toMatchObject({ reward_amount: 500 });
    for (const { uuid_id: uuid } of [registration, referral]) await expectToldOnce(uuid);
    expect(await balanceOf(referrer)).toBe(500);
    const after = await flow.platform.members.find(member?.user.id ?? 0);
    expect(after?.memberships[0]?.availablePoints).toBe(950);
  });
});

describe.skipIf(cannotPlay)('a purchase that is also sent as an order', () => {
  it("is counted once in the member's total spend", async () => {
    const member = await newMember(flow, 0);
    const order = randomUUID();
    await buy(flow, { what: 'earn', amount: 42.5, order, member });
    const post = (order_external_id: string) =>
      send('POST', `${flow.hosts.order}/orders/external`, {
        key: flow.demo.merchant.apiKey,
        json: {
          user: { merchant_external_id: member.externalId },
          transaction_total: 10_800,
          transaction_subtotal: 10_000,
          order_external_id,
        },
      });
    expect([(await post(order)).status, (await post(randomUUID())).status]).toEqual([200, 200]);

    const spent = async () => (await flow.platform.members.find(member.id))?.spend;
    const expected = { merchantId: flow.demo.merchant.id, partnerId: flow.demo.partner.id, spentCents: 14_250 };
    await expect.poll(spent, { timeout: settleLimitMs, interval: 50 }).toMatchObject([expected]);
    await quiet(flow);
    expect(await spent()).toMatchObject([expected]);
  });
});
