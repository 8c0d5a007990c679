import { describe, expect, it } from 'vitest';
import { contract } from '../../../functions/base/send-trigger/contract.ts';
import { handler as sendTrigger } from '../../../functions/base/send-trigger/handler.ts';
import type { Order } from '../../../shared/domain/order/order.ts';
import { processTrigger } from '../../../shared/operations/award/process-trigger.ts';
import { newCampaignWrite } from '../../../shared/store/campaign/campaign-records.ts';
import { drafted } from '../../domain/campaign-fixtures.ts';
import { call } from '../../support/call.ts';
import { addCampaign, awarding, forLife } from '../../support/campaigns.ts';
import { countStream } from '../../support/count-stream.ts';
import { announcementOf, anOrderBody, orderOf, postOrder } from '../../support/order-story.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { settleOrder } from '../../support/settle.ts';
import { newShopper } from '../../support/shoppers.ts';
import { admin, useWorld, world } from './admin-world.ts';

/** `member why` for orders and trigger events. Reward transactions are in members.test.ts. */

let large: number;

useWorld(async () => {
  const conditions = [
    { id: 91, ownerId: 2, attribute: 'BASKET_SIZE', operator: 'GREATER_THAN', amountCents: 50_000 } as const,
  ];
  const flow = awarding({ type: 'SPEND' }, 0, { conditionGroups: [{ id: 90, logic: 'ALL', conditions }] });
  const actions = [{ id: 92, ownerId: 2, kind: 'AWARD_POINTS', pointsPerDollarBp: 10_000 } as const];
  ({ id: large } = await addCampaign(world, [{ ...flow, actions }]));
});

async function processed(more: object = {}): Promise<Order> {
  const order = await orderOf(world, await postOrder(world, anOrderBody(more)));
  await settleOrder(await announcementOf(world, order), world.platform);
  return order;
}

const tiny = { transaction_total: 10, transaction_subtotal: 10 };

describe('`member why` for an order', () => {
  it('explains each campaign when none gave a reward', async () => {
    const { externalOrderId, uuid } = await processed(tiny);
    const { out } = await admin.read(`member why ${externalOrderId} --of "Corner Coffee"`);

    expect(out).toMatch(/state +REJECTED: The reward is less than one point or cent \(worth_nothing\)\n/);
    expect(out).toMatch(/Rewards\n +nothing\n/);
    expect(out).toContain('Decisions that gave nothing are not stored.');
    expect(out).toContain(
      'Flow 1 (the program gives 2 points per $1) rewarded nothing, because it came to less than one point or cent:',
    );
    expect(out).toContain('condition 91, that the purchase is more than $500.00, did not hold: it was $0.10');
    // The text leaves out redeem campaigns, because they never reward an order.
    expect(out).not.toContain('Pay with points');

    const { json } = await admin.script('member why', uuid.toUpperCase());
    expect(json).toMatchObject({
      order: { uuid, state: 'REJECTED', rejection: 'worth_nothing', totalCents: 10, eligibleCents: 10 },
      transactions: [],
    });
    expect(json.evaluations.map(({ campaignId }: { campaignId: number }) => campaignId).toSorted()).toEqual(
      [world.demo.campaigns.earn, large].toSorted(),
    );
  });

  it('lists rewards, and explains each campaign without one', async () => {
    const { uuid } = await processed();
    const { json } = await admin.script(`member why ${uuid}`);
    const { out } = await admin.read(`member why ${uuid}`);

    expect(json.transactions).toMatchObject([{ campaignId: world.demo.campaigns.earn, points: 300 }]);
    expect(json.evaluations).toMatchObject([{ campaignId: large }]);
    expect(out).toMatch(/paid +\$108\.00; \$100\.00 of it can earn\n/);
    expect(out).toMatch(
      new RegExp(`${json.transactions[0].id} +${world.demo.campaigns.earn} +1 +is to earn 300 points +PENDING`),
    );
  });

  it('contains the purchase once in the spend of the member', async () => {
    const { externalId } = await newShopper(world);
    const { uuid } = await processed({ user: { merchant_external_id: externalId } });
    const spent = 'had spent $100.00 at the merchant since then';

    expect((await admin.read(`member why ${uuid}`)).out).toContain(spent);
    await countStream(world);
    expect((await admin.read(`member why ${uuid}`)).out).toContain(spent);
  });

  it('explains that the member has no account', async () => {
    const { uuid } = await processed({ user: { merchant_external_id: 'cc-1002' } });
    const { out } = await admin.read(`member why ${uuid}`);

    expect(out).toContain('REJECTED: The member has no account in a program of the campaigns (user_not_linked)');
    expect(out).toContain('Nothing could be decided: the member has no account in the program.');
  });
});

describe('`member why` for a trigger event', () => {
  const received = async (userId: string): Promise<string> => {
    const { body } = await call(sendTrigger, contract, {
      params: { id: world.demo.partnership.uuid },
      headers: { 'x-api-key': world.demo.merchant.apiKey },
      body: { trigger_name: 'signup_completed', external_user_id: userId, transaction_context: { plan: 'weekly' } },
    });
    return body.data.trigger_event_id;
  };

  const announced = async (uuid: string) => {
    const event = (await outboxEvents(world)).find(({ entityId }) => entityId === uuid);
    if (event?.name !== 'trigger_received') throw new Error('the event was not announced');
    return event;
  };

  it('lists no campaign when none has the trigger', async () => {
    const uuid = await received('cc-1001');
    await processTrigger(await announced(uuid), world.platform);
    const { json } = await admin.script(`member why ${uuid}`);

    expect(json).toMatchObject({
      event: { uuid, state: 'REJECTED', triggerName: 'signup_completed', context: { plan: 'weekly' } },
      transactions: [],
      evaluations: [],
    });
    expect((await admin.read(`member why ${json.event.id}`)).out).toMatch(/trigger +signup_completed\n/);
  });

  it('names the trigger and the campaign', async () => {
    const { platform, demo } = world;
    const trigger = await platform.triggers.find(demo.partnership.uuid, 'signup_completed');
    const { customTriggerId = 0 } = trigger ?? {};
    const flow = awarding({ type: 'CUSTOM', customTriggerId }, 100, { limits: [forLife('EVENTS', 1)] });
    const campaign = await addCampaign(world, [flow], { name: 'Welcome' });
    await platform.table.write(newCampaignWrite(drafted(campaign)));
    const uuid = await received('cc-1001');
    await processTrigger(await announced(uuid), platform);
    const { json } = await admin.script(`member why ${uuid}`);

    const ofTransaction = await admin.read(`member why ${json.transactions[0].id}`);
    expect(ofTransaction.out).toContain(`Event: an event of trigger ${customTriggerId} (signup_completed).`);
    const { out } = await admin.read('member show cc-1001 --of "Corner Coffee"');
    expect(out).toMatch(new RegExp(`Limits used\n.*\n.*\n +Welcome \\(${campaign.id}\\) +9 +LIFETIME +1`));
  });

  it('shows that the member is unknown', async () => {
    const { out } = await admin.read('member why', await received('cc-unknown'));

    expect(out).toMatch(/member +unknown to the platform\nstate +UNMATCHED\n/);
  });
});
