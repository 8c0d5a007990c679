import { beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../../functions/campaign/list-templates/contract.ts';
import { handler } from '../../../functions/campaign/list-templates/handler.ts';
import { offerTemplate } from '../../../shared/operations/campaign/manage-templates.ts';
import { Templates } from '../../../shared/store/campaign/templates.ts';
import { call } from '../../support/call.ts';
import { provisionOrganisation, readDocumentFile } from '../../support/provision.ts';
import { bearerOf } from '../../support/story.ts';
import { makeTestTable } from '../../support/test-table.ts';
import { makeWorld, type World } from '../../support/world.ts';

let world: World;
let file: Awaited<ReturnType<typeof readDocumentFile>>;
let bearers: { merchant: string; partner: string };
beforeAll(async () => {
  world = await makeWorld();
  file = await readDocumentFile('tools/admin/demo/welcome-template.json');
  bearers = { merchant: await bearerOf(world.demo.merchant), partner: await bearerOf(world.demo.partner) };
});

const list = (token: string, query: Record<string, string> = {}) =>
  call(handler, contract, { query, headers: { Authorization: `Bearer ${token}` } });
const namesOf = ({ body }: Awaited<ReturnType<typeof list>>): string[] =>
  body.campaigns.map(({ name }: { name: string }) => name);

describe('endpoint 10, reply 200', () => {
  it("lists the caller's own and the published templates, newest first", async () => {
    expect(namesOf(await list(bearers.merchant))).toEqual(['Welcome weeks', 'Two points for every dollar']);
  });

  it('hides templates of other organisations', async () => {
    expect(namesOf(await list(bearers.partner))).toEqual(['Two points for every dollar']);
  });

  it('returns every field of the specification', async () => {
    const answer = await list(bearers.merchant);
    const merchantId = world.demo.merchant.id;
    const [template] = answer.body.campaigns;
    const part = { id: expect.any(Number), partner_id: merchantId };

    expect(Object.keys(answer.body)).toEqual(['campaigns', 'cursor']);
    expect(template).toEqual({
      id: expect.any(Number),
      name: 'Welcome weeks',
      campaign_type: 1,
      created_date: expect.any(String),
      description: expect.any(String),
      campaign_logo: null,
      merchant_id: merchantId,
      partner_id: null,
      partnership_id: null,
      is_active: 0,
      is_deleted: 0,
      start_date: null,
      end_date: null,
      activation_date: null,
      owner_id: merchantId,
      is_template: 1,
      template_id: null,
      total_rewards: 0,
      campaign_flows: [
        {
          id: expect.any(Number),
          campaign_id: template.id,
          trigger_type: 1,
          is_active: 1,
          is_deleted: 0,
          created_date: template.created_date,
          custom_trigger_id: null,
          amount_field: null,
          actions: [{ ...part, action_type: 1, base_reward: 3, extra_data: {} }],
          conditions: [
            condition(part, { type: 1, operator: 1, logic: 1, value: ['US', 'CA'] }),
            condition(part, { type: 5, operator: 1, logic: 1, attribute: 'employer', value: ['Corner Coffee'] }),
            condition(part, { type: 3, operator: 3, logic: 2, value: 25.5 }),
            condition(part, { type: 4, operator: 4, logic: 2, value: 30 }),
          ],
          multipliers: [
            {
              ...part,
              multiplier_attribute_type: 1,
              multiplier_attribute: null,
              multiplier_operator: 1,
              multiplier_amount: 1.5,
              multiplier_value: [2],
            },
          ],
          limits: [
            limit(part, { type: 1, value: 500.5, unit: 3, period: null }),
            limit(part, { type: 2, value: 5_000, unit: 2, period: 3 }),
          ],
        },
      ],
      goals: [{ ...part, goal_type: 2, goal_value: 1_000_000, goal_operator: 3 }],
    });
    const [first, second, third, fourth] = template.campaign_flows[0].conditions;
    expect(first.condition_group_id).toBe(second.condition_group_id);
    expect(third.condition_group_id).toBe(fourth.condition_group_id);
    expect(first.condition_group_id).not.toBe(third.condition_group_id);
  });

  it('names the platform as owner of published templates', async () => {
    const { body } = await list(bearers.partner);
    expect(body.campaigns).toMatchObject([
      { owner_id: 0, merchant_id: null, partner_id: null, campaign_flows: [{ actions: [{ partner_id: 0 }] }] },
    ]);
  });

  it('returns the id of the custom trigger that starts a flow', async () => {
    const custom = { ...file, name: 'Custom', goals: [] };
    const partner = { partnerId: world.demo.partner.id };
    const action = { kind: 'AWARD_POINTS', pointsPerEvent: 250 };
    const flows = [{ trigger: { type: 'CUSTOM', customTriggerId: 9 }, actions: [action] }];
    await offerTemplate({ ...custom, flows }, partner, world.platform);

    const [template] = (await list(bearers.partner)).body.campaigns;
    expect(template).toMatchObject({
      name: 'Custom',
      partner_id: partner.partnerId,
      campaign_flows: [{ trigger_type: 4, custom_trigger_id: 9 }],
    });
  });

  it('returns an empty list when there are no templates', async () => {
    const table = await makeTestTable();
    expect(table.name).not.toBe(world.table.name);
    const page = await new Templates(table.client).offeredTo(1, { limit: 25 });
    expect(page).toEqual({ items: [], next: null, prev: null });
  });

  it("returns the caller's own and the published templates in pages", async () => {
    const shop = await provisionOrganisation(world.platform, { name: 'Some Shop', kind: 'MERCHANT' });
    const token = await bearerOf(shop);
    const names = Array.from({ length: 7 }, (_, index) => `Template ${index}`);
    for (const [index, name] of names.entries()) {
      const owner = index % 2 === 0 ? { merchantId: shop.id } : 'platform';
      await offerTemplate({ ...file, name }, owner, world.platform);
    }

    const read: string[][] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const answer: Awaited<ReturnType<typeof list>> = await list(token, { limit: '3', ...(cursor && { cursor }) });
      read.push(namesOf(answer));
      cursor = answer.body.cursor.next;
    }

    expect(read.flat()).toEqual([...names.reverse(), 'Two points for every dollar']);
    expect(read.map(({ length }) => length)).toEqual([3, 3, 2]);
  });
});

interface Numbers {
  readonly type: number;
  readonly operator: number;
  readonly logic: number;
  readonly attribute?: string;
  readonly value: unknown;
}

function condition(part: object, { type, operator, logic, attribute = undefined, value }: Numbers) {
  return {
    ...part,
    campaign_condition_type: type,
    condition_operator: operator,
    or_and_operator: logic,
    condition_group_id: expect.any(Number),
    condition_attribute: attribute ?? null,
    condition_value: value,
  };
}

interface LimitNumbers {
  readonly type: number;
  readonly value: number;
  readonly unit: number;
  readonly period: number | null;
}

function limit(part: object, { type, value, unit, period }: LimitNumbers) {
  return {
    ...part,
    limit_type: type,
    min_max: 2,
    campaign_limit_value: value,
    campaign_limit_trigger_type: unit,
    campaign_limit_trigger_time_range: period,
  };
}

describe('endpoint 10, reply 400 invalid_request', () => {
  it.each([
    [{ limit: '0' }, '/limit'],
    [{ limit: 'all' }, '/limit'],
    [{ cursor: 'first' }, '/cursor'],
  ])('is returned for the query %j', async (query, pointer) => {
    expect(await list(bearers.merchant, query)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', errors: [{ pointer }] },
    });
  });

  it('is returned for a cursor of another organisation', async () => {
    const { cursor } = (await list(bearers.merchant, { limit: '1' })).body;
    expect((await list(bearers.merchant, { limit: '1', cursor: cursor.next })).status).toBe(200);
    expect(await list(bearers.partner, { limit: '1', cursor: cursor.next })).toMatchObject({ status: 400 });
  });
});

describe('endpoint 10, reply 401 and 403', () => {
  it('returns 401 invalid_token for a partner key', async () => {
    const answer = await call(handler, contract, { headers: { 'x-api-key': world.demo.merchant.apiKey } });
    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_token' } });
    expect(answer.headers['WWW-Authenticate']).toBe('Bearer error="invalid_token"');
  });

  it('returns 403 insufficient_scope for a token of another scope', async () => {
    const token = await bearerOf(world.demo.merchant, 'transactions:read');
    expect(await list(token)).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } });
  });
});
