import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../../functions/base/update-attributes/contract.ts';
import { handler } from '../../../functions/base/update-attributes/handler.ts';
import { updateAttributes } from '../../../shared/operations/member/update-attributes.ts';
import { setAttribute } from '../../../shared/operations/registry/manage-registry.ts';
import { call } from '../../support/call.ts';
import { addCampaign, aFlowOf, type FlowInput } from '../../support/campaigns.ts';
import { linkCard, openAccount } from '../../support/connect-story.ts';
import { narrowKey } from '../../support/provision.ts';
import { reconcile } from '../../support/reconcile.ts';
import { ask, newShopper, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(async () => expect(await reconcile(world.table)).toEqual([]));

type Customer = Awaited<ReturnType<typeof newShopper>>;

const put = ({ uuid }: Pick<Customer, 'uuid'>, body: object, headers: Record<string, string> = {}) =>
  call(handler, contract, {
    params: { id: uuid },
    headers: { 'x-api-key': world.demo.merchant.apiKey, ...headers },
    body,
  });
const asPartner = () => ({ 'x-api-key': world.demo.partner.apiKey });
const memberOf = async ({ id }: Pick<Shopper, 'id'>) => {
  const member = await world.platform.members.find(id);
  if (!member) throw new Error('there is no member');
  return member;
};
const associationOf = async (customer: Customer) => (await memberOf(customer)).associations[0];

const austin = { country: 'US', region: 'TX', city: 'Austin' };

describe('PUT /users/{id}/attributes', () => {
  it('stores what a merchant reports about its customer, and returns all of it', async () => {
    const customer = await newShopper(world);
    const first = await put(customer, { attributes: { plan: ['yearly'], employer: ['Harbour Books'] } });
    expect(first).toMatchObject({ status: 200, body: { data: { user: { uuid_id: customer.uuid, location: null } } } });

    const second = await put(customer, { attributes: { employer: [] }, location: austin });
    const reported = { attributes: { plan: ['yearly'] }, location: austin };
    expect(second.body.data.user).toEqual({ uuid_id: customer.uuid, id: customer.id, ...reported });
    expect(await associationOf(customer)).toMatchObject(reported);
  });

  it('stores the reported tier, and removes the tier when the number is 0', async () => {
    const customer = await newShopper(world);
    const { body } = await put(customer, { partner_status_tier_id: 2 }, asPartner());
    expect(body.data.user).toEqual({ uuid_id: customer.uuid, id: customer.id, partner_status_tier_id: 2 });
    expect((await memberOf(customer)).memberships).toMatchObject([{ statusTierId: 2 }]);
    await put(customer, { partner_status_tier_id: 0 }, asPartner());
    expect((await memberOf(customer)).memberships).toMatchObject([{ statusTierId: null }]);
  });

  it('writes nothing when nothing changes', async () => {
    const customer = await newShopper(world);
    const body = { attributes: { plan: ['yearly'] }, location: austin };
    await put(customer, body);
    const before = await memberOf(customer);
    expect((await put(customer, body)).status).toBe(200);
    expect((await put(customer, {})).status).toBe(200);
    expect((await put(customer, { attributes: { weather: [] } })).status).toBe(200);
    expect(await memberOf(customer)).toEqual(before);
  });

  it('returns every fault with its place, and stores nothing', async () => {
    const customer = await newShopper(world);
    const before = await memberOf(customer);
    const answer = await put(customer, {
      attributes: { plan: ['yearly', 'daily'], weather: ['sun'] },
      partner_status_tier_id: 1,
    });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect(answer.body.errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`)).toEqual([
      '/attributes/plan/1 unknown_value',
      '/attributes/weather unknown_attribute',
      '/partner_status_tier_id not_the_partner',
    ]);
    const tier = await put(customer, { partner_status_tier_id: 9, location: austin }, asPartner());
    expect(tier.body.errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`)).toEqual([
      '/location not_the_merchant',
      '/partner_status_tier_id unknown_tier',
    ]);
    expect(await memberOf(customer)).toEqual(before);
  });

  it('needs the permission users:write', async () => {
    const customer = await newShopper(world);
    const key = await narrowKey(world.platform, world.demo.merchant.id, ['users:read', 'connect:write']);
    expect((await put(customer, {}, { 'x-api-key': key })).status).toBe(401);
    const writer = await narrowKey(world.platform, world.demo.merchant.id, ['users:write']);
    expect((await put(customer, {}, { 'x-api-key': writer })).status).toBe(200);
  });

  it('returns the same reply for a foreign user as for an absent user', async () => {
    const customer = await newShopper(world);
    const outsider = { 'x-api-key': world.demo.outsider.apiKey };
    const foreign = await put(customer, { attributes: { plan: ['yearly'] } }, outsider);
    const absent = await put({ uuid: randomUUID() }, { attributes: { plan: ['yearly'] } }, outsider);
    expect(foreign.status).toBe(404);
    expect({ ...foreign.body, request_id: '' }).toEqual({ ...absent.body, request_id: '' });
  });

  it('stores every one of several reports that arrive at the same time', async () => {
    const customer = await newShopper(world);
    await setAttribute(String(world.demo.merchant.id), { name: 'club', type: 'text', values: null }, world.platform);
    const answers = await Promise.all([
      put(customer, { attributes: { plan: ['yearly'] } }),
      put(customer, { attributes: { employer: ['Harbour Books'] } }),
      put(customer, { attributes: { club: ['golf'] }, location: austin }),
      put(customer, { partner_status_tier_id: 2 }, asPartner()),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await associationOf(customer)).toMatchObject({
      attributes: { plan: ['yearly'], employer: ['Harbour Books'], club: ['golf'] },
      location: austin,
    });
    expect((await memberOf(customer)).memberships).toMatchObject([{ statusTierId: 2 }]);
  });

  it('keeps attributes that a link stores at the same time', async () => {
    const { platform, demo } = world;
    const card = `card-${randomUUID()}`;
    await openAccount(world, card);
    const linking = { apiKey: demo.merchant.apiKey, partnerId: demo.partner.id, memberId: card };
    await linkCard({ ...linking, user: { external_id: card } });
    const member = await platform.members.findByExternalId(demo.merchant.id, card);
    if (!member) throw new Error('there is no member');

    await Promise.all([
      linkCard({ ...linking, user: { external_id: card, attributes: { employer: ['Corner Coffee'] } } }),
      put(member.user, { attributes: { plan: ['monthly'] } }),
    ]);
    expect((await memberOf(member.user)).associations[0]?.attributes).toEqual({
      employer: ['Corner Coffee'],
      plan: ['monthly'],
    });
  });

  it('affects rewards only from the next purchase on', async () => {
    const conditionGroups: FlowInput['conditionGroups'] = [
      {
        id: 4,
        conditions: [
          { id: 5, ownerId: 2, attribute: 'CUSTOM', operator: 'IS_IN', name: 'plan', values: ['yearly'] },
          { id: 6, ownerId: 2, attribute: 'CUSTOMER_STATUS', operator: 'IS_IN', statusTierIds: [2] },
        ],
      },
    ];
    const campaign = await addCampaign(world, [{ ...aFlowOf({}), conditionGroups }]);
    const customer = await newShopper(world);
    await put(customer, { partner_status_tier_id: 1 }, asPartner());
    const status = async (more: object = {}) =>
      (await ask(customer, { campaignId: campaign.id, amount: 10, order: randomUUID(), ...more })).body.data
        .authentication_status;

    expect(await status()).toBe(4);
    await put(customer, { attributes: { plan: ['yearly'] } });
    expect(await status()).toBe(1);
    await put(customer, { attributes: { plan: ['monthly'] } });
    expect(await status()).toBe(4);
    await put(customer, { partner_status_tier_id: 2 }, asPartner());
    expect(await status()).toBe(1);
  });
});

it('updateAttributes() refuses an organisation that does not know the user, before checking its report', async () => {
  const customer = await newShopper(world);
  const update = { userUuid: customer.uuid, organisationId: world.demo.outsider.id, report: { statusTierId: 77 } };
  await expect(updateAttributes(update, world.platform)).rejects.toThrow('The user does not exist');
});
