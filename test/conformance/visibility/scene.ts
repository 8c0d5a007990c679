import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import type { Member } from '../../../shared/domain/member/member.ts';
import type { Partnership } from '../../../shared/domain/partnership.ts';
import { offerTemplate } from '../../../shared/operations/campaign/manage-templates.ts';
import { launchCampaign } from '../../../shared/operations/campaign/write-campaign.ts';
import { createMember } from '../../../shared/operations/member/manage-members.ts';
import { createTrigger } from '../../../shared/operations/partnership/configure-trigger.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { campaignWrites } from '../../../shared/store/campaign/campaigns.ts';
import { partnershipWrite } from '../../../shared/store/campaign/partnerships.ts';
import { associationWrites } from '../../../shared/store/member/members.ts';
import { registerDemoTiers } from '../../../tools/admin/demo/world.ts';
import { addPartnership } from '../../support/campaigns.ts';
import { anOrderBody, postOrder } from '../../support/order-story.ts';
import { provisionOrganisation, readDocumentFile } from '../../support/provision.ts';
import { createTransaction } from '../../support/story.ts';
import { storedSubscription, webhookStory } from '../../support/webhook-story.ts';
import { makeWorld, type World } from '../../support/world.ts';

/**
 * The sides, in this order: the merchant that owns the entities, its partner, another merchant of this partner, a
 * merchant of another partner, and a merchant without a partner.
 */
export const sides = ['own', 'partner', 'sibling', 'elsewhere', 'unrelated'] as const;
export type Side = (typeof sides)[number];

type Organisation = World['demo']['merchant'];

/** Tenants with every entity that could leak between them. */
export interface Scene {
  readonly world: World;
  readonly organisations: Readonly<Record<Side, Organisation>>;
  /** A customer of each side. */
  readonly members: Readonly<Record<Side, Member>>;
  /** A customer of `own` and of `sibling`. */
  readonly shared: Member;
  readonly partnerships: Readonly<Record<'own' | 'sibling' | 'elsewhere' | 'deleted', Partnership>>;
  readonly campaigns: Readonly<Record<'earn' | 'redeem' | 'sibling' | 'elsewhere' | 'deleted' | 'ofDeleted', number>>;
  readonly transactions: Readonly<Record<'present' | 'ofDeleted', RewardTransaction>>;
  /** The merchant's subscription, its delivery and its replay; and a subscription whose salt is being replaced. */
  readonly webhook: Awaited<ReturnType<typeof webhookStory>> & { readonly rotatingId: string };
  /** An order of the merchant, and one of another merchant. */
  readonly orders: Readonly<Record<'own' | 'elsewhere', string>>;
}

/** Well-formed ids that belong to no entity. */
export const absentIds = { uuid: '0190163d-8694-739b-aea5-966c26f8ad91', id: 2_345_678_901_234, organisation: 987_654 };

/** Creates the tenants. marks.ts recognises the data of a side by its names and ids. */
export async function makeScene(): Promise<Scene> {
  const world = await makeWorld();
  const { platform, demo } = world;
  const sibling = await provisionOrganisation(platform, { name: 'Sibling Bakery', kind: 'MERCHANT' });
  const elsewhere = await provisionOrganisation(platform, { name: 'Elsewhere Toys', kind: 'MERCHANT' });
  const stranger = await provisionOrganisation(platform, { name: 'Elsewhere Points', kind: 'PARTNER' });
  await registerDemoTiers(stranger.id, platform);
  const organisations = { own: demo.merchant, partner: demo.partner, sibling, elsewhere, unrelated: demo.outsider };

  const partnerships = {
    own: await ownPartnership(world),
    sibling: await join(platform, 'Sibling partnership', sibling, demo.partner),
    elsewhere: await join(platform, 'Elsewhere partnership', elsewhere, stranger),
    deleted: await join(platform, 'Deleted partnership', demo.merchant, demo.partner),
  };
  const members = {
    own: await found(platform, demo.members[0]?.id),
    partner: await found(platform, demo.members[1]?.id),
    sibling: await provisionCustomer(platform, 'Sibling', sibling, demo.partner),
    elsewhere: await provisionCustomer(platform, 'Elsewhere', elsewhere, stranger),
    unrelated: await provisionCustomer(platform, 'Unrelated', demo.outsider),
  };
  const campaigns = { ...demo.campaigns, ...(await makeCampaigns(platform, partnerships)) };
  const shared = await makeShared(platform, demo, sibling);
  const transactions = await makeTransactions(world, campaigns.ofDeleted, partnerships.deleted);
  const template = {
    ...(await readDocumentFile('tools/admin/demo/welcome-template.json')),
    name: 'Bakers weeks',
    flows: [],
  };
  await offerTemplate(template, { merchantId: sibling.id }, platform);
  const orders = {
    own: await newOrder(world, demo.merchant.apiKey, members.own),
    elsewhere: await newOrder(world, elsewhere.apiKey, members.elsewhere),
  };
  const webhook = await makeWebhook(world);
  return { world, organisations, members, shared, partnerships, campaigns, transactions, orders, webhook };
}

/** Creates a campaign under each partnership, and a deleted campaign of the merchant. */
async function makeCampaigns(platform: Platform, { own, sibling, elsewhere, deleted }: Scene['partnerships']) {
  const file = await readDocumentFile('tools/admin/demo/earn.json');
  const add = async (partnership: Partnership, name: string) =>
    launchCampaign({ ...file, name: `${name} campaign` }, { partnership, as: { id: partnership.partnerId } }, platform);
  const gone = await add(own, 'Deleted');
  await platform.table.transact(campaignWrites({ ...gone, version: 2, isDeleted: true }));
  return {
    sibling: (await add(sibling, 'Sibling')).id,
    elsewhere: (await add(elsewhere, 'Elsewhere')).id,
    deleted: gone.id,
    ofDeleted: (await add(deleted, 'Orphaned')).id,
  };
}

/** Creates a customer of `own` and of `sibling`. */
async function makeShared(platform: Platform, { merchant, partner }: World['demo'], sibling: Organisation) {
  const member = await provisionCustomer(platform, 'Shared', merchant, partner);
  const at = member.user.createdAt;
  const totals = { totalEarnedPoints: 0, totalRedeemedPoints: 0, createdAt: at };
  const { id } = platform.nextIds();
  const association = { ...totals, id, userId: member.user.id, merchantId: sibling.id, externalId: 'Sibling-2002' };
  await platform.table.transact(associationWrites(association));
  return found(platform, member.user.id);
}

/** Creates two transactions. The partnership of the second transaction is deleted afterwards. */
async function makeTransactions(world: World, campaignId: number, partnership: Partnership) {
  const present = await createTransaction(world, { campaignId: world.demo.campaigns.redeem, amount: 7.5 });
  const ofDeleted = await createTransaction(world, { campaignId, amount: 7.5 });
  await world.platform.table.write(partnershipWrite({ ...partnership, isDeleted: true }));
  return { present, ofDeleted };
}

async function makeWebhook(world: World): Promise<Scene['webhook']> {
  const { id } = world.demo.merchant;
  const nextSalt = { salt: 'next', activatesAt: '2126-01-01T00:00:00.000Z' };
  const rotating = await storedSubscription(world, id, { eventName: 'campaign_activated', nextSalt });
  const story = await webhookStory(world, id, { eventName: 'transaction_authenticated' });
  return { ...story, rotatingId: rotating.subscriptionId };
}

async function newOrder(world: World, apiKey: string, { user }: Member): Promise<string> {
  const body = anOrderBody({ user: { user_id: user.id } });
  return (await postOrder(world, body, { 'x-api-key': apiKey })).body.data.order_id;
}

async function found(platform: Platform, id = 0): Promise<Member> {
  const member = await platform.members.find(id);
  if (!member) throw new Error('the demo world has no such member');
  return member;
}

async function ownPartnership({ platform, demo }: World): Promise<Partnership> {
  const partnership = await platform.partnerships.find(demo.partnership.uuid);
  if (!partnership) throw new Error('the demo world has no partnership');
  return partnership;
}

async function join(platform: Platform, name: string, merchant: Organisation, partner: Organisation) {
  const sides = { merchantId: merchant.id, partnerId: partner.id };
  const partnership = await addPartnership(platform, { name, ...sides });
  const contextSchema = { fields: {}, allowsOtherFields: true };
  await createTrigger(partnership, { name: 'signup_completed', description: null, contextSchema }, platform);
  return partnership;
}

function provisionCustomer(
  platform: Platform,
  name: string,
  merchant: Organisation,
  partner?: Organisation,
): Promise<Member> {
  return createMember(
    {
      firstName: name,
      lastName: 'Customer',
      email: `${name.toLowerCase()}@example.com`,
      merchant: { id: merchant.id, externalId: `${name}-1001` },
      ...(partner && { program: { partnerId: partner.id, externalId: `${name}-SKY`, statusTierId: 1, points: 50 } }),
    },
    platform,
  );
}
