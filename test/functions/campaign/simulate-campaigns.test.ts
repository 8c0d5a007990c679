import { randomUUID } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../../functions/campaign/simulate-campaigns/contract.ts';
import { handler } from '../../../functions/campaign/simulate-campaigns/handler.ts';
import type { Campaign } from '../../../shared/domain/campaign/document/campaign.ts';
import type { Partnership } from '../../../shared/domain/partnership.ts';
import { launchCampaign } from '../../../shared/operations/campaign/write-campaign.ts';
import { createMember } from '../../../shared/operations/member/manage-members.ts';
import { createTrigger } from '../../../shared/operations/partnership/configure-trigger.ts';
import { createPartnership } from '../../../shared/operations/partnership/manage-partnership.ts';
import { campaignWrites } from '../../../shared/store/campaign/campaigns.ts';
import { partnershipWrite } from '../../../shared/store/campaign/partnerships.ts';
import { usageWrite } from '../../../shared/store/member/members.ts';
import { registerDemoTiers } from '../../../tools/admin/demo/world.ts';
import { aFlow, earning, redeeming } from '../../domain/fixtures.ts';
import { call } from '../../support/call.ts';
import { provisionOrganisation, readDocumentFile } from '../../support/provision.ts';
import { makeWorld, type World } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

/** Returns every item of the table. */
async function items() {
  const { documents, name } = world.table;
  return (await documents.send(new ScanCommand({ TableName: name, ConsistentRead: true }))).Items;
}

let lastName = 0;

/** A merchant with a partner, a linked customer with 500 points, and an earn campaign of two points per dollar. */
async function aShop(changes: Partial<Campaign> = {}) {
  const { platform } = world;
  lastName += 1;
  const merchant = await provisionOrganisation(platform, { name: `Shop ${lastName}`, kind: 'MERCHANT' });
  const partner = await provisionOrganisation(platform, { name: `Miles ${lastName}`, kind: 'PARTNER' });
  await registerDemoTiers(partner.id, platform);
  const sides = { merchantId: merchant.id, partnerId: partner.id };
  const partnership = await createPartnership({ name: 'Some', description: null, ...sides }, platform);
  const campaign = await add(partnership, changes);
  const member = await createMember(
    {
      firstName: 'Ada',
      lastName: 'Byron',
      email: `ada-${lastName}@example.com`,
      merchant: { id: merchant.id, externalId: 'cc-1' },
      program: { partnerId: partner.id, externalId: `SKY-${lastName}`, statusTierId: 2, points: 500 },
    },
    platform,
  );
  return { merchant, partner, partnership, campaign, member };
}

async function add(partnership: Partnership, changes: Partial<Campaign>): Promise<Campaign> {
  const file = await readDocumentFile('tools/admin/demo/earn.json');
  const campaign = {
    ...(await launchCampaign(file, { partnership, as: { id: partnership.partnerId } }, world.platform)),
    ...changes,
  };
  await world.platform.table.transact(campaignWrites(campaign));
  return campaign;
}

const simulate = (apiKey: string, body: object) => call(handler, contract, { body, headers: { 'x-api-key': apiKey } });
const ada = { external_user_id: 'cc-1' };

describe('a simulated reward', () => {
  it('is returned to the merchant and to the partner', async () => {
    const { merchant, partner, campaign, member } = await aShop();
    const expected = {
      simulated_at: expect.any(String),
      campaigns: [
        {
          campaign_id: campaign.id,
          campaign_version: 1,
          is_rewarded: 1,
          reason: null,
          rewards: [{ transaction_type: 1, partner_id: partner.id, points: 60, cashback_cents: 0 }],
          flows: [{ result: 'rewarded', multipliers: [{ matched: 1, multiplier_amount: 1.5 }] }],
        },
      ],
    };

    const asMerchant = await simulate(merchant.apiKey, { ...ada, transaction_amount: 20 });
    const asPartner = await simulate(partner.apiKey, { user_uuid: member.user.uuid, transaction_amount: 20 });

    expect(asMerchant).toMatchObject({ status: 200, body: { code: 'ok', data: expected } });
    expect(asPartner).toMatchObject({ status: 200, body: { data: expected } });
  });

  it('is computed from the eligible amount when the request describes an order', async () => {
    const { merchant } = await aShop();
    const { body } = await simulate(merchant.apiKey, {
      ...ada,
      transaction_subtotal: 3_000,
      transaction_discount: 1_000,
    });
    expect(body.data.campaigns[0]).toMatchObject({ is_rewarded: 1, rewards: [{ points: 60 }] });
  });

  it('is computed from an order’s total if the subtotal is higher', async () => {
    const { merchant } = await aShop();
    const { body } = await simulate(merchant.apiKey, {
      ...ada,
      transaction_total: 2_000,
      transaction_subtotal: 1_000_000_000,
    });
    expect(body.data.campaigns[0]).toMatchObject({ is_rewarded: 1, rewards: [{ points: 60 }] });
  });

  it('uses the context as facts when the request describes a trigger event', async () => {
    const { merchant, partnership } = await aShop();
    const contextSchema = { fields: { plan: { type: 'string' as const } }, allowsOtherFields: false };
    const trigger = await createTrigger(
      partnership,
      {
        name: 'signup',
        description: null,
        contextSchema,
      },
      world.platform,
    );
    await add(partnership, {
      flows: [
        {
          ...aFlow([{ id: 2, ownerId: 1, kind: 'AWARD_POINTS', pointsPerEvent: 250 }]),
          trigger: { type: 'CUSTOM', customTriggerId: trigger.customTriggerId },
          conditionGroups: [
            {
              id: 3,
              logic: 'ANY',
              conditions: [
                { id: 4, ownerId: 1, attribute: 'CUSTOM', operator: 'IS_IN', name: 'plan', values: ['gold'] },
              ],
            },
          ],
        },
      ],
    });
    const send = (plan: unknown) =>
      simulate(merchant.apiKey, {
        ...ada,
        trigger_name: 'signup',
        partnership_id: partnership.uuid,
        transaction_context: { plan },
      });

    expect((await send('gold')).body.data.campaigns).toMatchObject([
      { is_rewarded: 0, flows: [{ result: 'other_trigger' }] },
      { is_rewarded: 1, rewards: [{ points: 250 }] },
    ]);
    expect((await send('iron')).body.data.campaigns[1]).toMatchObject({
      is_rewarded: 0,
      flows: [
        {
          condition_groups: [
            {
              holds: 0,
              conditions: [
                { actual: ['iron'], needed: ['gold'], campaign_condition_type: 5, condition_attribute: 'plan' },
              ],
            },
          ],
        },
      ],
    });
    expect(await send(7)).toMatchObject({ status: 400, body: { errors: [{ pointer: '/transaction_context/plan' }] } });
  });
});

describe('a simulation without a reward returns the reason', () => {
  it('when conditions do not hold', async () => {
    const flow = aFlow([earning(20_000, 2)]);
    const { merchant } = await aShop({
      flows: [
        {
          ...flow,
          conditionGroups: [
            {
              id: 3,
              logic: 'ALL',
              conditions: [
                { id: 4, ownerId: 1, attribute: 'BASKET_SIZE', operator: 'GREATER_THAN', amountCents: 2_550 },
                { id: 5, ownerId: 1, attribute: 'TIME_ELAPSED', operator: 'LESS_THAN', days: 30 },
              ],
            },
          ],
        },
      ],
    });

    const { body } = await simulate(merchant.apiKey, { ...ada, transaction_amount: 20 });

    expect(body.data.campaigns[0]).toMatchObject({
      is_rewarded: 0,
      reason: 'not_qualified',
      flows: [
        {
          result: 'not_qualified',
          condition_groups: [
            {
              or_and_operator: 2,
              holds: 0,
              conditions: [
                { id: 4, condition_attribute: null, holds: 0, actual: 20, needed: 25.5 },
                { id: 5, holds: 1 },
              ],
            },
          ],
        },
      ],
    });
  });

  it('when a limit is used up', async () => {
    const limit = {
      id: 9,
      ownerId: 1,
      kind: 'USER',
      bound: 'MAXIMUM',
      unit: 'EVENTS',
      amount: 1,
      period: 'LIFETIME',
    } as const;
    const { merchant, campaign, member } = await aShop({
      flows: [{ ...aFlow([earning(20_000, 2)]), limits: [limit] }],
    });
    const owner = { userId: member.user.id, campaignId: campaign.id };
    await world.platform.table.write(usageWrite({ ...owner, limitId: 9, period: 'LIFETIME', amount: 1, most: 1 }));

    const { body } = await simulate(merchant.apiKey, { ...ada, transaction_amount: 20 });

    expect(body.data.campaigns[0].flows).toMatchObject([
      {
        result: 'limit_reached',
        limits: [{ id: 9, used: 1, campaign_limit_value: 1, period: 'LIFETIME', effect: 'refused' }],
      },
    ]);
  });

  it('when the campaign is not running', async () => {
    const { merchant } = await aShop({ startsAt: '2026-03-01T00:00:00.000Z', endsAt: '2026-04-01T00:00:00.000Z' });
    const at = async (now: string) => {
      const { body } = await simulate(merchant.apiKey, { ...ada, transaction_amount: 20, now });
      return body.data.campaigns[0].reason;
    };

    expect(await at('2026-02-28T18:59:59.999-05:00')).toBe('campaign_not_running');
    expect(await at('2026-02-28T19:00:00.000-05:00')).toBeNull();
    expect(await at('2026-04-01T00:00:00Z')).toBe('campaign_not_running');
  });

  it('when the member has too few points', async () => {
    const { merchant } = await aShop({ type: 'REDEEM', flows: [aFlow([redeeming(10_000, 2)])] });
    const { body } = await simulate(merchant.apiKey, { ...ada, transaction_amount: 5.01 });
    expect(body.data.campaigns[0]).toMatchObject({ reason: 'insufficient_points', rewards: [{ points: 501 }] });
  });

  it('when the partnership is inactive', async () => {
    const { merchant, partnership } = await aShop();
    await world.platform.table.write(partnershipWrite({ ...partnership, isActive: false }));
    const { body } = await simulate(merchant.apiKey, { ...ada, transaction_amount: 20 });
    expect(body.data.campaigns[0].reason).toBe('partnership_not_active');
  });

  it('when the user has no account', async () => {
    const { merchant } = await aShop();
    const unlinked = { firstName: 'Grace', lastName: 'Murray', email: `grace-${lastName}@example.com` };
    await createMember({ ...unlinked, merchant: { id: merchant.id, externalId: 'cc-2' } }, world.platform);
    const { body } = await simulate(merchant.apiKey, { external_user_id: 'cc-2', transaction_amount: 20 });
    expect(body.data.campaigns[0]).toMatchObject({ reason: 'user_not_linked', flows: [] });
  });
});

describe('a simulated transfer', () => {
  it('returns is_rewarded 0 without an account in the other program', async () => {
    const { merchant, partner, partnership } = await aShop({ isDeleted: true });
    const hotels = await provisionOrganisation(world.platform, { name: 'Harbour Hotels', kind: 'PARTNER' });
    const action = {
      id: 1,
      ownerId: partner.id,
      kind: 'TRANSFER_POINTS',
      fromPartnerId: partner.id,
      toPartnerId: hotels.id,
      conversionRateBp: 10_000,
      increment: 100,
    } as const;
    const sides = { merchantId: merchant.id, partnerId: hotels.id };
    await createPartnership({ name: 'Nights', description: null, ...sides }, world.platform);
    await add(partnership, { type: 'TRANSFER', flows: [aFlow([action], [], 2)] });

    const { body } = await simulate(merchant.apiKey, { ...ada, transaction_amount: 200 });
    expect(body.data.campaigns).toMatchObject([
      { is_rewarded: 0, reason: 'user_not_linked', flows: [{ result: 'rewarded' }] },
    ]);
  });
});

describe('every simulation', () => {
  it('writes nothing and counts nothing', async () => {
    const { merchant } = await aShop();
    const before = await items();
    await simulate(merchant.apiKey, { ...ada, transaction_amount: 20 });
    expect(await items()).toEqual(before);
  });

  it('evaluates only the named campaign or the campaigns of the named partner', async () => {
    const { merchant, partner, partnership, campaign } = await aShop();
    const other = await add(partnership, {});
    const ids = async (more: object) => {
      const { body } = await simulate(merchant.apiKey, { ...ada, transaction_amount: 20, ...more });
      return body.data?.campaigns.map((one: { campaign_id: number }) => one.campaign_id) ?? body.error;
    };

    expect(await ids({})).toEqual([campaign.id, other.id]);
    expect(await ids({ campaign_id: other.id })).toEqual([other.id]);
    expect(await ids({ partner_id: partner.id })).toEqual([campaign.id, other.id]);
    expect(await ids({ partner_id: partner.id + 1_000 })).toBe('campaign_does_not_exist');
  });
});

describe('a simulated purchase with items', () => {
  it('is rewarded for the matching items only', async () => {
    const condition = { id: 71, ownerId: 2, attribute: 'ITEM', operator: 'IS_IN' } as const;
    const ofCoffee = { ...condition, name: 'CATEGORY' as const, values: ['coffee'] };
    const conditionGroups = [{ id: 70, logic: 'ANY' as const, conditions: [ofCoffee] }];
    const { merchant } = await aShop({ flows: [{ ...aFlow([earning(10_000)]), conditionGroups }] });
    const bought = {
      line_items: [
        { product_price: 700, quantity: 2, category: 'coffee' },
        { product_price: 600, category: 'tea' },
      ],
    };
    for (const event of [{ transaction_amount: 20 }, { transaction_subtotal: 2_000 }]) {
      const { body } = await simulate(merchant.apiKey, { ...ada, ...event, ...bought });
      expect(body.data.campaigns).toMatchObject([
        {
          rewards: [{ points: 14 }],
          flows: [
            {
              counted_cents: 1_400,
              condition_groups: [{ conditions: [{ condition_attribute: 'CATEGORY', actual: ['coffee', 'tea'] }] }],
            },
          ],
        },
      ]);
    }
    const { body } = await simulate(merchant.apiKey, { ...ada, transaction_amount: 20 });
    expect(body.data.campaigns).toMatchObject([{ is_rewarded: 0, reason: 'not_qualified' }]);
  });
});

describe('endpoint simulate-campaigns returns 400', () => {
  it.each<[string, object, string]>([
    ['without a user', { transaction_amount: 20 }, '/user_uuid'],
    ['with two users', { ...ada, user_id: 7, transaction_amount: 20 }, '/external_user_id'],
    ['without an event', ada, '/transaction_amount'],
    ['with two events', { ...ada, transaction_amount: 20, transaction_subtotal: 2_000 }, '/transaction_subtotal'],
    ['with a trigger without a partnership', { ...ada, trigger_name: 'signup' }, '/partnership_id'],
    [
      'with a discount above the total',
      { ...ada, transaction_subtotal: 1, transaction_discount: 2 },
      '/transaction_discount',
    ],
    [
      'with items of a trigger event',
      { ...ada, trigger_name: 'signup', partnership_id: randomUUID(), line_items: [] },
      '/line_items',
    ],
    ['with a total without an order', { ...ada, transaction_amount: 20, transaction_total: 2 }, '/transaction_total'],
    [
      'with a discount without an order',
      { ...ada, transaction_amount: 20, transaction_discount: 2 },
      '/transaction_discount',
    ],
    ['with a third of a cent', { ...ada, transaction_amount: 0.333 }, '/transaction_amount'],
    ['with a time without an offset', { ...ada, transaction_amount: 20, now: '2026-03-01T00:00:00' }, '/now'],
  ])('for a body %s', async (_case, body, pointer) => {
    expect(await simulate(world.demo.merchant.apiKey, body)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', errors: [{ pointer }] },
    });
  });
});
