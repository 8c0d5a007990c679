import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract as partnershipContract } from '../../../functions/base/get-partnership/contract.ts';
import { handler as getPartnership } from '../../../functions/base/get-partnership/handler.ts';
import { contract as simulateContract } from '../../../functions/campaign/simulate-campaigns/contract.ts';
import { handler as simulate } from '../../../functions/campaign/simulate-campaigns/handler.ts';
import { contract as updateContract } from '../../../functions/notification/update-webhook/contract.ts';
import { handler as update } from '../../../functions/notification/update-webhook/handler.ts';
import { permissions } from '../../../shared/contracts/contract.ts';
import { createPartnership } from '../../../shared/operations/partnership/manage-partnership.ts';
import { usageWrite } from '../../../shared/store/member/members.ts';
import type { Subscription } from '../../../shared/webhooks/subscription.ts';
import type { DynamoDbCall } from '../../../tools/local/dynamodb/call.ts';
import { type DynamoDbProxy, startDynamoDbProxy } from '../../../tools/local/dynamodb/proxy.ts';
import { aFlow, earning } from '../../domain/fixtures.ts';
import { call } from '../../support/call.ts';
import { runCampaign } from '../../support/campaigns.ts';
import { narrowKey } from '../../support/provision.ts';
import { makeWorld, type World } from '../../support/world.ts';
import { aSubscription } from '../../webhooks/fixtures.ts';
import { absentIds } from './scene.ts';

/** A key sees only what its permissions include, even in the replies of endpoints that it may call. */

let world: World;
let proxy: DynamoDbProxy;
const calls: DynamoDbCall[] = [];
beforeAll(async () => {
  world = await makeWorld({ onDynamoDb: true });
  proxy = await startDynamoDbProxy({ target: world.table.endpoint, onCall: (made) => void calls.push(made) });
  // Handlers make their clients at the first request, so these clients use the proxy.
  process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.endpoint;
});
afterAll(() => proxy.stop());

/** Returns the headers of a merchant's key with all permissions but one. */
const without = async (missing: (typeof permissions)[number]) => ({
  'x-api-key': await narrowKey(
    world.platform,
    world.demo.merchant.id,
    permissions.filter((permission) => permission !== missing),
  ),
});
const everything = () => ({ 'x-api-key': world.demo.merchant.apiKey });

describe('endpoint 6 (partnership)', () => {
  const get = (headers: Record<string, string>, id = world.demo.partnership.uuid) =>
    call(getPartnership, partnershipContract, { params: { id }, headers });

  it('shows campaigns only to a key with campaigns:read', async () => {
    expect((await get(everything())).body.data.partnership.campaigns).toHaveLength(2);
    const answer = await get(await without('campaigns:read'));
    expect([answer.status, answer.body.data.partnership.campaigns]).toEqual([200, null]);
  });

  it('treats a partnership of other organisations like an unknown partnership', async () => {
    const { demo, platform } = world;
    const sides = { merchantId: demo.outsider.id, partnerId: demo.partner.id };
    const foreign = await createPartnership({ name: 'Foreign', description: null, ...sides }, platform);
    const reads = async (id: string) => {
      calls.length = 0;
      expect((await get(everything(), id)).status).toBe(404);
      return calls.map(({ operation, readUnits }) => [operation, readUnits]);
    };

    const ofForeign = await reads(foreign.uuid);
    expect(ofForeign).toHaveLength(1);
    expect(await reads(absentIds.uuid)).toEqual(ofForeign);
  });
});

describe('a simulation', () => {
  const conditions = [
    { attribute: 'TOTAL_SPEND', operator: 'GREATER_THAN', amountCents: 100 },
    { attribute: 'BASKET_SIZE', operator: 'GREATER_THAN', amountCents: 100 },
    { attribute: 'GEOGRAPHY', operator: 'IS_IN', values: ['CA'] },
    { attribute: 'TIME_ELAPSED', operator: 'GREATER_THAN', days: 1 },
  ] as const;

  /** Simulates a purchase of $10 and returns what is shown of the member. */
  async function shown(headers: Record<string, string>) {
    const [member] = world.demo.members;
    const limits = [{ id: 90, ownerId: 1, kind: 'USER', unit: 'EVENTS', amount: 5, period: 'LIFETIME' }] as const;
    const groups = [
      { id: 50, logic: 'ANY', conditions: conditions.map((part, index) => ({ id: 51 + index, ownerId: 1, ...part })) },
    ];
    const flow = { ...aFlow([earning(10_000)]), conditionGroups: groups, limits };
    const { id: campaignId } = await runCampaign(world, { flows: [flow] as never });
    const usage = { userId: member?.id ?? 0, campaignId, limitId: 90, period: 'LIFETIME', amount: 2, most: 5 };
    await world.platform.table.write(usageWrite(usage));
    const body = { user_id: member?.id, transaction_amount: 10, campaign_id: campaignId };
    const answer = await call(simulate, simulateContract, { headers, body });
    const [simulated] = answer.body.data.campaigns[0].flows;
    return {
      actual: simulated.condition_groups[0].conditions.map((one: { actual: unknown }) => one.actual),
      used: simulated.limits.map((one: { used: unknown }) => one.used),
    };
  }

  it('shows the facts of a member only to a key with users:read', async () => {
    expect(await shown(everything())).toMatchObject({ actual: [10, 10, null, expect.any(Number)], used: [2] });
    expect(await shown(await without('users:read'))).toEqual({ actual: [null, 10, null, null], used: [null] });
  });
});

describe('endpoint 14 (subscription)', () => {
  const subscriptionId = '0190163d-8694-739b-aea5-966c26f8ad91';
  const ofEverything: Partial<Subscription> = { readableEntityTypes: [1, 2, 3], subscriptionId };
  const stored = () => world.platform.subscriptions.of(world.demo.merchant.id);

  it.each([
    ['moves', 'https://thief.example.com/rewards'],
    ['deletes', ''],
  ])('never %s a subscription whose events the key may not read', async (_, endpoint) => {
    const organisationId = world.demo.merchant.id;
    await world.platform.subscriptions.create(aSubscription({ organisationId, ...ofEverything }));
    const before = await stored();

    const answer = await call(update, updateContract, {
      headers: await without('transactions:read'),
      body: { endpoint },
    });
    expect(answer).toMatchObject({ status: 401, body: { error: 'unauthorized_partner' } });
    expect(await stored()).toEqual(before);

    const allowed = await call(update, updateContract, { headers: everything(), body: { endpoint } });
    expect(allowed.status).toBe(200);
  });

  it('changes a subscription whose events the key may read', async () => {
    const organisationId = world.demo.merchant.id;
    await world.platform.subscriptions.create(aSubscription({ organisationId, ...ofEverything, entityType: 1 }));

    const body = { endpoint: 'https://hooks.example.com/moved', entity_type: 1 };
    const answer = await call(update, updateContract, { headers: await without('transactions:read'), body });
    expect(answer.status).toBe(200);
  });
});
