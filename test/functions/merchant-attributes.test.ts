import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract as triggerContract } from '../../functions/base/send-trigger/contract.ts';
import { handler as sendTrigger } from '../../functions/base/send-trigger/handler.ts';
import { contract as simulateContract } from '../../functions/campaign/simulate-campaigns/contract.ts';
import { handler as simulate } from '../../functions/campaign/simulate-campaigns/handler.ts';
import { contract as authenticateContract } from '../../functions/reward/authenticate-transaction/contract.ts';
import { handler as authenticate } from '../../functions/reward/authenticate-transaction/handler.ts';
import { contract as createContract } from '../../functions/reward/create-transaction/contract.ts';
import { handler as create } from '../../functions/reward/create-transaction/handler.ts';
import { InternalEvent, PlatformEvent } from '../../shared/contracts/events.ts';
import type { Member } from '../../shared/domain/member/member.ts';
import { processRegistration } from '../../shared/operations/award/process-registration.ts';
import { processTrigger } from '../../shared/operations/award/process-trigger.ts';
import { issueUserTokens } from '../../shared/operations/member/issue-user-tokens.ts';
import { openProgramAccount } from '../../shared/operations/member/program-accounts.ts';
import { createTrigger } from '../../shared/operations/partnership/configure-trigger.ts';
import { createPartnership } from '../../shared/operations/partnership/manage-partnership.ts';
import { earning } from '../domain/fixtures.ts';
import { call } from '../support/call.ts';
import { addCampaign, awarding, type FlowInput } from '../support/campaigns.ts';
import { linkCard, pin } from '../support/connect-story.ts';
import { announcementOf, anOrderBody, orderOf, postOrder } from '../support/order-story.ts';
import { outboxEvents } from '../support/outbox.ts';
import { type Provisioned, provisionOrganisation } from '../support/provision.ts';
import { readBooks, reconcile } from '../support/reconcile.ts';
import { settleOrder } from '../support/settle.ts';
import { makeWorld, type World } from '../support/world.ts';

/** A merchant whose campaigns reward only members with the matching attributes. */
interface Shop extends Provisioned {
  readonly partnershipUuid: string;
  readonly campaignId: number;
}

/** A customer of both shops. The card number is also the external id. */
interface Person {
  readonly card: string;
  readonly member: Member;
}

const words = { location: { country: 'US', region: 'TX', city: 'Austin' }, attributes: { plan: ['gold'] } };
const conditionGroups: FlowInput['conditionGroups'] = [
  {
    id: 4,
    logic: 'ALL',
    conditions: [
      { id: 5, ownerId: 1, attribute: 'GEOGRAPHY', operator: 'IS_IN', values: ['Austin, TX'] },
      { id: 6, ownerId: 1, attribute: 'CUSTOM', operator: 'IS_IN', name: 'plan', values: ['gold'] },
    ],
  },
];

let world: World;
let miles: number;
let points: number;
let one: Shop;
let other: Shop;
beforeAll(async () => {
  world = await makeWorld();
  miles = world.demo.partner.id;
  points = (await provisionOrganisation(world.platform, { name: 'Harbour Points', kind: 'PARTNER' })).id;
  [one, other] = [await aShop('One'), await aShop('Other')];
});

// After all tests: balances, ledger, states, claims and events are consistent.
afterAll(async () => {
  const faults = await reconcile(world.table);
  expect(faults.filter((fault) => !fault.startsWith('user_partner_authentication_created'))).toEqual([]);
});

/** Makes a shop. There, registrations earn in the program `points`, and all other events earn in `miles`. */
async function aShop(name: string): Promise<Shop> {
  const { platform } = world;
  const shop = await provisionOrganisation(platform, { name, kind: 'MERCHANT' });
  const partnershipWith = (partnerId: number) =>
    createPartnership({ name: `${name} × ${partnerId}`, description: null, merchantId: shop.id, partnerId }, platform);
  const [daily, welcoming] = [await partnershipWith(miles), await partnershipWith(points)];
  const contextSchema = { fields: {}, allowsOtherFields: true };
  const { customTriggerId } = await createTrigger(
    daily,
    {
      name: 'visited',
      description: null,
      contextSchema,
    },
    platform,
  );
  const campaign = await addCampaign(
    world,
    [
      awarding({ type: 'SPEND' }, 0, { conditionGroups, actions: [earning(20_000, 2)] }),
      awarding({ type: 'CUSTOM', customTriggerId }, 50, { id: 2, conditionGroups }),
      awarding({ type: 'REFERRAL' }, 50, { id: 3, conditionGroups }),
    ],
    { partnershipUuid: daily.uuid, merchantId: shop.id, partnerId: miles },
  );
  await addCampaign(world, [awarding({ type: 'REGISTRATION' }, 50, { conditionGroups })], {
    partnershipUuid: welcoming.uuid,
    merchantId: shop.id,
    partnerId: points,
  });
  return { ...shop, partnershipUuid: daily.uuid, campaignId: campaign.id };
}

async function openAccount(partnerId: number, memberId: string): Promise<void> {
  const holder = { memberId, pin, firstName: 'Linus', lastName: 'P', email: null, statusTierId: 1, points: 0 };
  await openProgramAccount(partnerId, holder, world.platform);
}

/** Links a card at a shop, which reports attributes of the holder. Returns the event of the link. */
async function linkAt(shop: Shop, partnerId: number, card: string, user: object = {}): Promise<PlatformEvent> {
  await linkCard({ apiKey: shop.apiKey, partnerId, memberId: card, user: { external_id: card, ...user } });
  const { user: holder } = await holderOf(partnerId, card);
  const events = (await outboxEvents(world)).filter(({ entityId }) => entityId === holder.uuid);
  return PlatformEvent.parse(events.toSorted((a, b) => a.id.localeCompare(b.id)).at(-1));
}

async function holderOf(organisationId: number, externalId: string): Promise<Member> {
  const member = await world.platform.members.findByExternalId(organisationId, externalId);
  if (!member) throw new Error(`nobody holds ${externalId}`);
  return member;
}

/** A customer of both shops. Only one of the shops reported attributes. */
async function customerToldBy(teller: Shop): Promise<Person> {
  const card = `card-${randomUUID()}`;
  await openAccount(miles, card);
  for (const shop of [one, other]) await linkAt(shop, miles, card, shop === teller ? words : {});
  return { card, member: await holderOf(miles, card) };
}

async function announced(entityId: string): Promise<InternalEvent> {
  return InternalEvent.parse((await outboxEvents(world)).find((event) => event.entityId === entityId));
}

async function isRewarded({ user }: Member, at: Shop): Promise<boolean> {
  const { transactions } = await readBooks(world.table);
  return transactions.some(({ userId, merchantId }) => userId === user.id && merchantId === at.id);
}

/** Whether a shop rewards a member, by each kind of evaluation. */
const ways: Readonly<Record<string, (shop: Shop, person: Person) => Promise<boolean>>> = {
  async 'a simulation'({ apiKey, campaignId }, { member }) {
    const { body } = await call(simulate, simulateContract, {
      headers: { 'x-api-key': apiKey },
      body: { user_uuid: member.user.uuid, campaign_id: campaignId, transaction_amount: 20 },
    });
    const [{ is_rewarded, flows }] = body.data.campaigns;
    // The other shop must not see the values that this shop reported.
    const [group] = flows[0].condition_groups;
    const told = [['US', 'Austin, TX'], ['gold']];
    expect(group.conditions.map(({ actual }: { actual: unknown }) => actual)).toEqual(is_rewarded ? told : [null, []]);
    return is_rewarded === 1;
  },

  async 'a purchase'({ id, campaignId }, { member, card }) {
    const { accessToken } = await issueUserTokens({ member, merchantId: id }, world.platform);
    const headers = { 'x-api-key': accessToken };
    const asked = await call(authenticate, authenticateContract, {
      headers,
      body: { transaction_amount: 20, external_transaction_id: card, campaign_id: campaignId },
    });
    const { authentication_status: status, authentication_id: token } = asked.body.data;
    if (status !== 1) return false;
    const made = await call(create, createContract, { headers, body: { reward_authentication_token: token } });
    expect(made.status).toBe(200);
    return true;
  },

  async 'an order'({ apiKey }, { card }) {
    const body = anOrderBody({ user: { merchant_external_id: card } });
    const order = await orderOf(world, await postOrder(world, body, { 'x-api-key': apiKey }));
    await settleOrder(await announcementOf(world, order), world.platform);
    return (await world.platform.orders.find(order.uuid))?.state === 'PROCESSED';
  },

  async 'a trigger'(shop, { card, member }) {
    const { body } = await call(sendTrigger, triggerContract, {
      params: { id: shop.partnershipUuid },
      headers: { 'x-api-key': shop.apiKey },
      body: { trigger_name: 'visited', external_user_id: card },
    });
    await processTrigger(await announced(body.data.trigger_event_id), world.platform);
    return isRewarded(member, shop);
  },

  async 'a registration'(shop, { card, member }) {
    await openAccount(points, card);
    await processRegistration(await linkAt(shop, points, card), world.platform);
    return isRewarded(member, shop);
  },

  async 'a referral'(shop, { card, member }) {
    const brought = `card-${randomUUID()}`;
    await openAccount(miles, brought);
    const event = await linkAt(shop, miles, brought, { referrer_external_id: card });
    await processRegistration(event, world.platform);
    return isRewarded(member, shop);
  },
};

describe('attributes from a merchant', () => {
  it.each(Object.entries(ways))(
    'fulfil conditions only in campaigns of the same merchant, for %s',
    async (_name, rewards) => {
      expect(await rewards(one, await customerToldBy(one))).toBe(true);
      expect(await rewards(other, await customerToldBy(other))).toBe(true);
      expect(await rewards(other, await customerToldBy(one))).toBe(false);
      expect(await rewards(one, await customerToldBy(other))).toBe(false);
    },
  );

  it('stay unchanged when another merchant sends other attributes', async () => {
    const { card } = await customerToldBy(one);
    const others = { location: { country: 'CA' }, attributes: { plan: ['free'], club: ['golf'] } };
    await linkAt(other, miles, card, others);

    const { associations } = await holderOf(miles, card);

    const toldBy = ({ id }: Shop) => associations.find(({ merchantId }) => merchantId === id);
    expect(toldBy(one)).toMatchObject(words);
    expect(toldBy(other)).toMatchObject({ ...others, location: { country: 'CA', region: null, city: null } });
  });

  it('are updated by a later link that adds the customer’s external id', async () => {
    const card = `card-${randomUUID()}`;
    await openAccount(miles, card);
    await linkAt(one, miles, card, { external_id: undefined, attributes: { plan: ['free'], club: ['golf'] } });
    await linkAt(one, miles, card, words);

    const { associations, user } = await holderOf(one.id, card);

    expect(user.id).toBe((await holderOf(miles, card)).user.id);
    expect(associations).toMatchObject([
      { externalId: card, location: words.location, attributes: { plan: ['gold'], club: ['golf'] } },
    ]);
  });
});
