import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract as partnerKeyContract } from '../../../functions/base/get-transaction/contract.ts';
import { handler as getByPartnerKey } from '../../../functions/base/get-transaction/handler.ts';
import { contract } from '../../../functions/base/send-trigger/contract.ts';
import { handler as sendTrigger } from '../../../functions/base/send-trigger/handler.ts';
import { handler } from '../../../functions/consumers/process-trigger/handler.ts';
import { contract as bearerContract } from '../../../functions/reward/get-transaction/contract.ts';
import { handler as getByBearer } from '../../../functions/reward/get-transaction/handler.ts';
import { type InternalEvent, PlatformEvent } from '../../../shared/contracts/events.ts';
import type { Condition } from '../../../shared/domain/campaign/document/campaign.ts';
import { awardRequestForReferral } from '../../../shared/domain/connect/decide-link.ts';
import { integerIdOf } from '../../../shared/domain/ids.ts';
import { ContextSchema, type Trigger } from '../../../shared/domain/trigger/trigger.ts';
import type { TriggerEvent } from '../../../shared/domain/trigger/trigger-event.ts';
import { processTrigger, processTriggers } from '../../../shared/operations/award/process-trigger.ts';
import { createMember } from '../../../shared/operations/member/manage-members.ts';
import { createTrigger } from '../../../shared/operations/partnership/configure-trigger.ts';
import { syncWithProgram } from '../../../shared/operations/posting/sync-with-program.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { partnershipWrite } from '../../../shared/store/campaign/partnerships.ts';
import { call } from '../../support/call.ts';
import { addCampaign, awarding, forLife } from '../../support/campaigns.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { provisionOrganisation } from '../../support/provision.ts';
import { reconcile } from '../../support/reconcile.ts';
import { newShopper } from '../../support/shoppers.ts';
import { bearerOf } from '../../support/story.ts';
import { makeWorld, type World } from '../../support/world.ts';

let world: World;
let platform: Platform;
let demo: World['demo'];
beforeAll(async () => {
  world = await makeWorld();
  ({ platform, demo } = world);
});

// After all tests: balances, ledger, states, claims and events are consistent.
afterAll(async () => expect(await reconcile(world.table)).toEqual([]));

let triggers = 0;
/** Creates a trigger that no campaign rewards. */
const newTrigger = (more: Partial<Pick<Trigger, 'event' | 'friendField' | 'contextSchema'>> = {}): Promise<Trigger> =>
  createTrigger(
    demo.partnership,
    {
      name: `trigger-${++triggers}`,
      description: null,
      contextSchema: { fields: {}, allowsOtherFields: true },
      ...more,
    },
    platform,
  );

const flowOf = ({ customTriggerId }: Trigger, points: number, more: Parameters<typeof awarding>[2] = {}) =>
  awarding({ type: 'CUSTOM', customTriggerId }, points, more);

/** Creates a trigger that a campaign rewards with fifty points. */
async function rewardedTrigger(more: Parameters<typeof awarding>[2] = {}): Promise<Trigger> {
  const trigger = await newTrigger();
  await addCampaign(world, [flowOf(trigger, 50, more)]);
  return trigger;
}

async function received({ name }: Trigger, context: object = {}, userId = 'cc-1001'): Promise<TriggerEvent> {
  const { body } = await call(sendTrigger, contract, {
    params: { id: demo.partnership.uuid },
    headers: { 'x-api-key': demo.merchant.apiKey },
    body: { trigger_name: name, external_user_id: userId, transaction_context: context },
  });
  return asItIs({ uuid: body.data.trigger_event_id });
}

async function asItIs({ uuid }: Pick<TriggerEvent, 'uuid'>): Promise<TriggerEvent> {
  const event = await platform.triggerEvents.find(integerIdOf(uuid) ?? 0);
  if (!event) throw new Error('the event was not recorded');
  return event;
}

async function announcementOf({ uuid }: TriggerEvent): Promise<InternalEvent> {
  const event = (await outboxEvents(world)).find(({ entityId }) => entityId === uuid);
  if (event?.name !== 'trigger_received') throw new Error('the event was not announced');
  return event;
}

const process = async (event: TriggerEvent, deps = platform) => processTrigger(await announcementOf(event), deps);

async function processed(trigger: Trigger, context?: object, userId?: string): Promise<TriggerEvent> {
  const event = await received(trigger, context, userId);
  await process(event);
  return asItIs(event);
}

const transactionsOf = ({ transactionIds }: TriggerEvent) =>
  Promise.all(transactionIds.map((id) => platform.transactions.find(id)));

async function eventsOf(uuid: string | undefined): Promise<string[]> {
  return (await outboxEvents(world)).filter(({ entityId }) => entityId === uuid).map(({ name }) => name);
}

describe('a trigger event with an amount', () => {
  it('earns points for each dollar of the amount', async () => {
    const trigger = await newTrigger();
    const { customTriggerId } = trigger;
    const flow = awarding({ type: 'CUSTOM', customTriggerId, amountField: 'fare' }, 0, {
      actions: [{ id: 2, ownerId: 1, kind: 'AWARD_POINTS', pointsPerDollarBp: 15_000 }],
    });
    await addCampaign(world, [flow]);
    const event = await processed(trigger, { fare: 42.5 });
    await process(event);

    const [transaction, ...others] = await transactionsOf(event);
    expect(transaction).toMatchObject({ points: 63, amountCents: 0, triggerEvent: { customTriggerId } });
    expect(others).toEqual([]);
    const snapshot = await platform.transactions.findSnapshot(transaction?.snapshotId ?? 0);
    expect(snapshot?.flows[0]).toMatchObject({ result: 'REWARDED', countedCents: 4_250 });
  });

  it.each([[{}], [{ fare: '42.50' }], [{ fare: -1 }]])('earns nothing with the context %j', async (context) => {
    const trigger = await newTrigger();
    const { customTriggerId } = trigger;
    await addCampaign(world, [
      awarding({ type: 'CUSTOM', customTriggerId, amountField: 'fare' }, 0, {
        actions: [{ id: 2, ownerId: 1, kind: 'AWARD_POINTS', pointsPerDollarBp: 15_000 }],
      }),
    ]);
    expect(await processed(trigger, context)).toMatchObject({ state: 'REJECTED', rejection: 'no_amount' });
  });
});

describe('a trigger event that earns', () => {
  it('is PROCESSED and has a PENDING transaction', async () => {
    const trigger = await rewardedTrigger();

    const event = await processed(trigger, { plan: 'gold' });

    expect(event).toMatchObject({ state: 'PROCESSED', transactionIds: [expect.any(Number)] });
    const [transaction] = await transactionsOf(event);
    expect(transaction).toMatchObject({
      state: 'PENDING',
      type: 'EARN',
      points: 50,
      amountCents: 0,
      externalTransactionId: null,
      userId: demo.members[0]?.id,
      triggerEvent: { id: event.id, uuid: event.uuid, customTriggerId: trigger.customTriggerId },
    });
    expect(await platform.transactions.findSnapshot(transaction?.snapshotId ?? 0)).toMatchObject({
      facts: { amountCents: null, occurredAt: event.receivedAt, attributes: { plan: ['gold'] } },
    });
    expect(await eventsOf(transaction?.uuid)).toEqual(['transaction_created']);
  });

  it('is named in the replies of endpoints 7 and 8', async () => {
    const trigger = await rewardedTrigger();
    const event = await processed(trigger);
    const [transaction] = await transactionsOf(event);
    const created = (await outboxEvents(world)).find(({ entityId }) => entityId === transaction?.uuid);
    await syncWithProgram(PlatformEvent.parse(created), platform);

    const params = { id: String(transaction?.id) };
    const byKey = await call(getByPartnerKey, partnerKeyContract, {
      params,
      headers: { 'x-api-key': demo.partner.apiKey },
    });
    expect(byKey.body.data.reward_transaction).toMatchObject({
      trigger_event_id: event.id,
      trigger_event_uuid_id: event.uuid,
      transaction_status: 3,
      reward_amount: 50,
      transaction_amount: 0,
      external_order_id: null,
    });
    const bearer = { Authorization: `Bearer ${await bearerOf(demo.partner)}` };
    const byBearer = await call(getByBearer, bearerContract, {
      params: { reward_transaction_id: params.id },
      headers: bearer,
    });
    expect(byBearer.body.reward_transaction).toMatchObject({
      trigger_event_id: event.id,
      trigger_id: trigger.customTriggerId,
    });
  });

  it('is processed from the queue', async () => {
    const event = await received(await rewardedTrigger());
    const record = { messageId: '1', body: JSON.stringify({ detail: await announcementOf(event) }) };

    const reply = await handler({ Records: [record] } as Parameters<typeof handler>[0]);

    expect(reply).toEqual({ batchItemFailures: [] });
    expect(await asItIs(event)).toMatchObject({ state: 'PROCESSED' });
  });

  it('is rewarded twice when it is sent twice', async () => {
    const trigger = await rewardedTrigger();
    const [first, second] = [await processed(trigger), await processed(trigger)];
    expect(first.transactionIds).not.toEqual(second.transactionIds);
  });

  it('is rewarded when its context fulfils a condition', async () => {
    const isGold: Condition = {
      id: 5,
      ownerId: 1,
      attribute: 'CUSTOM',
      operator: 'IS_IN',
      name: 'plan',
      values: ['gold'],
    };
    const trigger = await rewardedTrigger({ conditionGroups: [{ id: 4, conditions: [isGold] }] });

    expect(await processed(trigger, { plan: 'gold' })).toMatchObject({ state: 'PROCESSED' });
    expect(await processed(trigger, { plan: ['free', 'gold'] })).toMatchObject({ state: 'PROCESSED' });
    expect(await processed(trigger, { plan: 'free' })).toMatchObject({ state: 'REJECTED' });
  });

  it('may have names and values in its context that DynamoDB would reject', async () => {
    const trigger = await rewardedTrigger();
    const context = { constructor: 'x', __proto__x: 'y', '': 1, tiny: 1e-200, half: '\ud83d', deep: { list: [null] } };
    expect(await processed(trigger, context)).toMatchObject({ state: 'PROCESSED' });
  });

  it('is rewarded as a referral when its trigger reports referrals', async () => {
    const trigger = await newTrigger({ event: 'REFERRAL' });
    const custom = await newTrigger();
    const campaign = await addCampaign(world, [awarding({ type: 'REFERRAL' }, 500), flowOf(trigger, 7, { id: 3 })]);

    const [transaction, ...more] = await transactionsOf(await processed(trigger));

    expect([transaction?.points, more]).toEqual([500, []]);
    expect(transaction?.triggerEvent).toMatchObject({ customTriggerId: trigger.customTriggerId });
    expect(await processed(custom)).toMatchObject({ state: 'REJECTED' });
    await addCampaign(world, campaign.flows, { id: campaign.id, status: 'ENDED' });
  });
});

describe('a referral', () => {
  let trigger: Trigger;
  let campaign: Awaited<ReturnType<typeof addCampaign>>;
  beforeAll(async () => {
    trigger = await newTrigger({
      event: 'REFERRAL',
      friendField: 'friend_id',
      contextSchema: ContextSchema.parse({ fields: { friend_id: { type: 'string' } }, allowsOtherFields: true }),
    });
    campaign = await addCampaign(world, [awarding({ type: 'REFERRAL' }, 500)]);
  });
  afterAll(() => addCampaign(world, campaign.flows, { id: campaign.id, status: 'ENDED' }));

  const refer = (friend: string, more: object = {}, userId?: string) =>
    processed(trigger, { friend_id: friend, ...more }, userId);
  const isRewarded = { state: 'PROCESSED', transactionIds: [expect.any(Number)] };
  const isRepeated = { state: 'REJECTED', rejection: 'referral_rewarded_before', transactionIds: [] };

  it('is rewarded once for each friend, whichever id or referrer its events name', async () => {
    const [friend, referrer] = [await newShopper(world), await newShopper(world)];
    expect(await refer(friend.externalId)).toMatchObject(isRewarded);
    expect(await refer(friend.externalId)).toMatchObject(isRepeated);
    expect(await refer(friend.externalId, { place: 'till' })).toMatchObject(isRepeated);
    expect(await refer(friend.uuid)).toMatchObject(isRepeated);
    expect(await refer(friend.externalId, {}, referrer.externalId)).toMatchObject(isRepeated);
    expect(await refer((await newShopper(world)).externalId)).toMatchObject(isRewarded);
  });

  it('is rewarded once when several events about the friend arrive in one batch', async () => {
    const friend = await newShopper(world);
    const events = [];
    for (let sent = 0; sent < 4; sent += 1)
      events.push(await received(trigger, { friend_id: friend.externalId, sent }));
    const announced = await Promise.all(events.map(announcementOf));
    const errors = await processTriggers(announced, platform);
    expect(errors).toEqual(events.map(() => undefined));
    const states = (await Promise.all(events.map(asItIs))).map(({ state }) => state);
    expect(states.toSorted()).toEqual(['PROCESSED', 'REJECTED', 'REJECTED', 'REJECTED']);
  });

  it('is not rewarded again for the friend’s connect link', async () => {
    const friend = await newShopper(world);
    const member = await platform.members.find(friend.id);
    const [membership] = member?.memberships ?? [];
    if (!member || !membership) throw new Error('the friend has an account');
    const { merchantId, partnerId } = { merchantId: demo.merchant.id, partnerId: demo.partner.id };
    const link = { merchantId, partnerId, occurredAt: membership.createdAt };
    const byLink = awardRequestForReferral(link, membership);
    expect(await refer(friend.externalId)).toMatchObject(isRewarded);
    const claim = await platform.claims.find({ ...byLink.basis, campaignId: campaign.id });
    expect(claim).toMatchObject({ state: 'SPENT', userId: expect.any(Number) });
  });

  it('is never rewarded when the friend is unknown or is the referrer', async () => {
    const isNobody = { state: 'REJECTED', rejection: 'friend_not_member', transactionIds: [] };
    expect(await refer('nobody')).toMatchObject(isNobody);
    expect(await refer('cc-1001')).toMatchObject(isNobody);
  });

  it('is rewarded once for each context when its trigger has no friendField', async () => {
    const nameless = await newTrigger({ event: 'REFERRAL' });
    expect(await processed(nameless, { friend: 'x' })).toMatchObject(isRewarded);
    expect(await processed(nameless, { friend: 'x' })).toMatchObject(isRepeated);
    expect(await processed(nameless, { friend: 'y' })).toMatchObject(isRewarded);
  });
});

describe('a trigger event', () => {
  it('is rejected with other_trigger when no flow has its trigger', async () => {
    const trigger = await newTrigger();
    expect(await processed(trigger)).toMatchObject({ state: 'REJECTED', rejection: 'other_trigger' });
  });

  it('is rejected with user_not_linked when its user has no account', async () => {
    const trigger = await rewardedTrigger();
    const event = await processed(trigger, {}, 'cc-1002');
    expect(event).toMatchObject({ state: 'REJECTED', rejection: 'user_not_linked', transactionIds: [] });
  });

  it('is rejected with user_not_customer when its user is no customer', async () => {
    const trigger = await rewardedTrigger();
    const rival = await provisionOrganisation(platform, { name: 'Rival', kind: 'MERCHANT' });
    await createMember(
      {
        firstName: 'Some',
        lastName: 'Body',
        email: 'some@example.com',
        merchant: { id: rival.id, externalId: 'r-1' },
        program: { partnerId: demo.partner.id, externalId: 'SKY-9', statusTierId: 1, points: 0 },
      },
      platform,
    );
    const { body } = await call(sendTrigger, contract, {
      params: { id: demo.partnership.uuid },
      headers: { 'x-api-key': demo.partner.apiKey },
      body: { trigger_name: trigger.name, external_user_id: 'SKY-9' },
    });
    const event = await asItIs({ uuid: body.data.trigger_event_id });
    expect(event.state).toBe('RECEIVED');

    await process(event);

    expect(await asItIs(event)).toMatchObject({ state: 'REJECTED', rejection: 'user_not_customer' });
  });

  it('is rejected with no_running_campaign when its partnership is inactive', async () => {
    const trigger = await rewardedTrigger();
    const partnership = await platform.partnerships.find(demo.partnership.uuid);
    if (!partnership) throw new Error('there is no partnership');
    await platform.table.write(partnershipWrite({ ...partnership, isActive: false }));
    const event = await processed(trigger);
    await platform.table.write(partnershipWrite(partnership));
    expect(event).toMatchObject({ state: 'REJECTED', rejection: 'no_running_campaign' });
  });

  it('is rejected with limit_reached when the member used up the limit', async () => {
    const trigger = await rewardedTrigger({ limits: [forLife('EVENTS', 1)] });
    expect(await processed(trigger)).toMatchObject({ state: 'PROCESSED' });
    expect(await processed(trigger)).toMatchObject({ state: 'REJECTED', rejection: 'limit_reached' });
  });
});

describe('a repeated trigger message', () => {
  it('changes nothing when the event is already final', async () => {
    const event = await processed(await rewardedTrigger());
    await process(event);
    expect(await asItIs(event)).toEqual(event);
  });

  it('fails for an unknown event, so the queue retries it', async () => {
    const event = await announcementOf(await received(await newTrigger()));
    for (const entityId of [platform.nextUuid(), 'nonsense']) {
      await expect(processTrigger({ ...event, entityId }, platform)).rejects.toThrow('no trigger event');
    }
  });
});
