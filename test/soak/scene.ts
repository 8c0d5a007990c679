import { BatchWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod/mini';
import { Campaign } from '../../shared/domain/campaign/document/campaign.ts';
import type { Membership } from '../../shared/domain/member/member.ts';
import type { ReversalPolicy } from '../../shared/domain/partnership.ts';
import type { Period } from '../../shared/domain/period.ts';
import { issueUserTokens } from '../../shared/operations/member/issue-user-tokens.ts';
import { createMember } from '../../shared/operations/member/manage-members.ts';
import { openProgramAccount } from '../../shared/operations/member/program-accounts.ts';
import { setRule } from '../../shared/operations/organisation/velocity-rules.ts';
import { createTrigger } from '../../shared/operations/partnership/configure-trigger.ts';
import { createPartnership } from '../../shared/operations/partnership/manage-partnership.ts';
import { connectPaymentAccount } from '../../shared/operations/payment/manage-payments.ts';
import type { Platform } from '../../shared/runtime/platform.ts';
import { minuteOf } from '../../shared/store/award/claims.ts';
import { campaignWrites } from '../../shared/store/campaign/campaigns.ts';
import { digestOf, type SecretKind, secretText } from '../../shared/store/credential/credentials.ts';
import { ledgerWrite } from '../../shared/store/ledger/ledger.ts';
import { associationWrites, membershipWrites, users } from '../../shared/store/member/members.ts';
import { organisationWrite } from '../../shared/store/organisation/organisations.ts';
import { expirySweep } from '../../shared/store/organisation/sequences.ts';
import type { Item } from '../../shared/store/table/table-client.ts';
import { provisionOrganisation } from '../support/provision.ts';
import type { Random } from './random.ts';

/** The merchants, programs, campaigns and members of the soak test, with the facts that the simple model needs. */

type FlowInput = z.input<typeof Campaign>['flows'][number];
type Kind = 'earn' | 'pay' | 'transfer' | 'trigger' | 'registration' | 'referral';

/** One reward of an event, as the simple model computes it. */
interface ModelReward {
  readonly points: number;
  readonly cashbackCents: number;
}

interface ModelLimit {
  readonly limitId: number;
  readonly unit: 'EVENTS' | 'POINTS';
  readonly most: number;
  readonly period: Period;
}

/** A campaign in the form that the model uses. */
export interface ModelCampaign {
  readonly id: number;
  readonly name: string;
  readonly kind: Kind;
  readonly merchantId: number;
  readonly partnerId: number;
  readonly policy: ReversalPolicy;
  readonly timeZone: string;
  /** The name of the trigger that the campaign's flow waits for. */
  readonly trigger?: string;
  /**
   * Returns the rewards for an amount, as if the campaign had no limits: one entry for each action, in the order of the
   * actions. A transfer has one entry for each leg.
   */
  readonly rewards: (cents: number) => readonly ModelReward[];
  readonly limits: readonly ModelLimit[];
}

/** A member with tokens for its merchants. */
export interface SceneMember {
  readonly id: number;
  readonly uuid: string;
  /** The member's id at merchants and in programs. */
  readonly externalId: string;
  /** Access tokens by merchant. */
  readonly tokens: ReadonlyMap<number, string>;
  /** The partners in whose programs the member has an account from the beginning. */
  readonly programs: readonly number[];
  /** The points that the member has in each of these programs at the beginning. */
  readonly opening: number;
}

export interface SceneMerchant {
  readonly id: number;
  readonly apiKey: string;
  /** The merchant's partnerships, by partner. */
  readonly partnerships: ReadonlyMap<number, string>;
  /**
   * The merchant's account at Stripe. The merchant reports some payments through this account, and the others through
   * the canonical source.
   */
  readonly stripeAccount: string;
}

/** A program account that is not linked yet. */
interface OpenAccount {
  readonly partnerId: number;
  readonly memberId: string;
  readonly points: number;
}

export interface Scene {
  readonly merchants: readonly SceneMerchant[];
  readonly campaigns: readonly ModelCampaign[];
  readonly members: readonly SceneMember[];
  readonly accounts: readonly OpenAccount[];
  /** The partner that runs its own program. The platform hosts the programs of all other partners. */
  readonly ownProgramOf: number;
  /** In both programs, an account may receive this many rewards in an hour. Further rewards are held for review. */
  readonly rewardsPerHour: number;
  readonly pin: string;
  readonly redirectUri: string;
}

const stage = 'local';
const rewardsPerHour = 2;
const pin = '246813';
const redirectUri = 'https://shop.example/connected';

const points = (amount: number): ModelReward => ({ points: amount, cashbackCents: 0 });
const cashback = (amount: number): ModelReward => ({ points: 0, cashbackCents: amount });

/** @param bp ten-thousandths of a point per dollar */
const earnedPoints = (cents: number, bp: number) => points(Math.floor((cents * bp) / 1_000_000));

/** @param micros millionths of a dollar per point */
const paidPoints = (cents: number, micros: number) => points(Math.ceil((cents * 10_000) / micros));

interface Side {
  readonly merchantId: number;
  readonly partnerId: number;
  readonly partnershipUuid: string;
  readonly policy: ReversalPolicy;
  readonly timeZone: string;
}

/** A campaign before it is written. */
interface Draft extends Pick<ModelCampaign, 'name' | 'kind' | 'rewards' | 'limits' | 'trigger'> {
  readonly type: Campaign['type'];
  readonly on: FlowInput['trigger'];
  readonly actions: FlowInput['actions'];
}

/** Makes the scene in an empty table. The first sweep for expired tokens ran before the first token was issued. */
export async function makeScene(platform: Platform): Promise<Scene> {
  await platform.sequences.setSweptTo(expirySweep, minuteOf(platform.now().toISOString()));
  const coffee = await provisionOrganisation(platform, merchant('Corner Coffee'));
  const books = await provisionOrganisation(platform, merchant('Harbour Books'));
  const miles = await provisionOrganisation(platform, { name: 'Skyline Miles', kind: 'PARTNER' });
  const hotels = await provisionOrganisation(platform, { name: 'Harbour Hotels', kind: 'PARTNER' });
  await runOwnProgram(platform, hotels.id);
  const rule = { unit: 'REWARDS', window: 'HOUR', most: rewardsPerHour } as const;
  for (const { id } of [miles, hotels]) await setRule(String(id), rule, platform);

  const open = (merchantId: number, partnerId: number, policy: ReversalPolicy, timeZone: string) =>
    openSide(platform, { merchantId, partnerId, policy, timeZone });
  const coffeeMiles = await open(coffee.id, miles.id, 'within_balance', 'America/New_York');
  const coffeeHotels = await open(coffee.id, hotels.id, 'within_balance', 'Europe/Berlin');
  const booksMiles = await open(books.id, miles.id, 'only_pending', 'America/New_York');
  const booksHotels = await open(books.id, hotels.id, 'unlimited', 'Asia/Tokyo');

  const signup = await aTrigger(platform, coffeeMiles, 'signup_completed');
  const stay = await aTrigger(platform, coffeeHotels, 'night_stayed');
  const drafts: readonly (readonly [Side, Draft])[] = [
    [coffeeMiles, pointsAndCashback],
    [coffeeMiles, earning('regulars', 2_500, [])],
    [coffeeMiles, earning('sweets', 10_000, [limit(50, 'POINTS', 40, 'DAY')])],
    [coffeeMiles, payment('pay', 10_000, [limit(50, 'POINTS', 700, 'WEEK')])],
    [coffeeMiles, transfer('transfer', miles.id, hotels.id)],
    [coffeeHotels, transfer('transfer back', hotels.id, miles.id)],
    [coffeeHotels, payment('pay by nights', 5_000, [])],
    [coffeeMiles, onTrigger(signup, 50, [limit(50, 'EVENTS', 2, 'LIFETIME')])],
    [coffeeMiles, forLink('welcome', 'REGISTRATION', 100)],
    [coffeeMiles, forLink('friend', 'REFERRAL', 75)],
    [coffeeHotels, earning('nights', 5_700, [limit(50, 'POINTS', 40, 'WEEK'), limit(51, 'EVENTS', 2, 'DAY')])],
    [coffeeHotels, onTrigger(stay, 20, [])],
    [booksMiles, earning('reading', 30_000, [])],
    [booksMiles, payment('books for miles', 20_000, [])],
    [booksHotels, earning('reading in bed', 10_000, [])],
  ];
  const campaigns: ModelCampaign[] = [];
  for (const [side, draft] of drafts) campaigns.push(await launch(platform, side, draft));

  const merchants = [
    { ...coffee, partnerships: partnershipsOf([coffeeMiles, coffeeHotels]) },
    { ...books, partnerships: partnershipsOf([booksMiles, booksHotels]) },
  ].map(({ id, apiKey, partnerships }) => ({ id, apiKey, partnerships, stripeAccount: `ed_soak_${id}` }));
  for (const { id, stripeAccount } of merchants) {
    const common = { merchant: String(id), capture: 'automatic' as const };
    await connectPaymentAccount({ ...common, platform: 'stripe', account: stripeAccount }, platform);
    await connectPaymentAccount({ ...common, platform: 'canonical', account: String(id) }, platform);
  }
  const members = [];
  // Grace has chosen none of her programs: her orders and payments earn nothing, except in the program of a token.
  for (const [name, programs, opening, defaultPartnerId] of [
    ['ada', [miles.id, hotels.id], 300, miles.id],
    ['grace', [miles.id, hotels.id], 150, null],
    ['linus', [miles.id], 60, null],
    ['rosa', [], 0, null],
  ] as const) {
    const merchantIds = [coffee.id, books.id] as const;
    members.push(await addMember(platform, { name, merchants: merchantIds, programs, opening, defaultPartnerId }));
  }
  const accounts = ['open-1', 'open-2'].map((memberId) => ({ partnerId: miles.id, memberId, points: 200 }));
  for (const { partnerId, ...account } of accounts) {
    const holder = { firstName: 'Marie', lastName: 'Meurdrac', email: null, statusTierId: null };
    await openProgramAccount(partnerId, { ...holder, ...account, pin }, platform);
  }
  return { merchants, campaigns, members, accounts, ownProgramOf: hotels.id, rewardsPerHour, pin, redirectUri };
}

/** The URL of the partner's own program before a history begins. Each history starts a server and replaces this URL. */
const noServer = 'http://127.0.0.1:9';

/** Lets a partner run its own program. */
async function runOwnProgram({ organisations, table }: Platform, partnerId: number): Promise<void> {
  const partner = await organisations.find(partnerId);
  if (!partner) throw new Error(`there is no organisation ${partnerId}`);
  await table.write(organisationWrite({ ...partner, program: { kind: 'http', baseUrl: noServer } }));
}

const merchant = (name: string) => ({ name, kind: 'MERCHANT' as const, redirectUris: [redirectUri] });

const partnershipsOf = (sides: readonly Side[]) =>
  new Map(sides.map(({ partnerId, partnershipUuid }) => [partnerId, partnershipUuid]));

async function openSide(platform: Platform, side: Omit<Side, 'partnershipUuid'>): Promise<Side> {
  const { merchantId, partnerId, policy: reversalPolicy, timeZone } = side;
  const name = `${merchantId} × ${partnerId}`;
  const wanted = { name, description: null, merchantId, partnerId, reversalPolicy, timeZone, allowsCashback: true };
  const { uuid } = await createPartnership(wanted, platform);
  return { ...side, partnershipUuid: uuid };
}

async function aTrigger(platform: Platform, { partnershipUuid: uuid }: Side, name: string) {
  const contextSchema = { fields: {}, allowsOtherFields: true };
  const { customTriggerId } = await createTrigger({ uuid }, { name, description: null, contextSchema }, platform);
  return { name, customTriggerId };
}

const limit = (limitId: number, unit: ModelLimit['unit'], most: number, period: Period): ModelLimit => ({
  limitId,
  unit,
  most,
  period,
});

const owned = { ownerId: 1 };
const spend = { type: 'SPEND' } as const;

const earning = (name: string, bp: number, limits: readonly ModelLimit[]): Draft => ({
  name,
  kind: 'earn',
  type: 'EARN',
  on: spend,
  actions: [{ ...owned, id: 2, kind: 'AWARD_POINTS', pointsPerDollarBp: bp }],
  rewards: (cents) => [earnedPoints(cents, bp)],
  limits,
});

/** A point and ten cents for each dollar. A small refund may take away one of the two rewards and leave the other. */
const pointsAndCashback: Draft = {
  name: 'points and cashback',
  kind: 'earn',
  type: 'EARN',
  on: spend,
  actions: [
    { ...owned, id: 2, kind: 'AWARD_POINTS', pointsPerDollarBp: 10_000 },
    { ...owned, id: 3, kind: 'AWARD_CASHBACK', shareBp: 1_000 },
  ],
  rewards: (cents) => [earnedPoints(cents, 10_000), cashback(Math.floor(cents / 10))],
  limits: [limit(50, 'EVENTS', 3, 'DAY')],
};

const payment = (name: string, micros: number, limits: readonly ModelLimit[]): Draft => ({
  name,
  kind: 'pay',
  type: 'REDEEM',
  on: spend,
  actions: [{ ...owned, id: 2, kind: 'REDEEM_POINTS', pointValueMicros: micros }],
  rewards: (cents) => [paidPoints(cents, micros)],
  limits,
});

/**
 * Two points of one program become one point of the other. The amount of the request is the number of points, in
 * hundredths.
 */
const transfer = (name: string, fromPartnerId: number, toPartnerId: number): Draft => ({
  name,
  kind: 'transfer',
  type: 'TRANSFER',
  on: spend,
  actions: [
    { ...owned, id: 2, kind: 'TRANSFER_POINTS', fromPartnerId, toPartnerId, conversionRateBp: 5_000, increment: 10 },
  ],
  rewards: (cents) => [points(cents / 100), points(cents / 200)],
  limits: [limit(50, 'EVENTS', 3, 'MONTH')],
});

const onTrigger = (
  { name: trigger, customTriggerId }: { readonly name: string; readonly customTriggerId: number },
  pointsPerEvent: number,
  limits: readonly ModelLimit[],
): Draft => ({
  name: trigger,
  kind: 'trigger',
  type: 'EARN',
  on: { type: 'CUSTOM', customTriggerId },
  actions: [{ ...owned, id: 2, kind: 'AWARD_POINTS', pointsPerEvent }],
  trigger,
  rewards: () => [points(pointsPerEvent)],
  limits,
});

const forLink = (name: string, type: 'REGISTRATION' | 'REFERRAL', pointsPerEvent: number): Draft => ({
  name,
  kind: type === 'REGISTRATION' ? 'registration' : 'referral',
  type: 'EARN',
  on: { type },
  actions: [{ ...owned, id: 2, kind: 'AWARD_POINTS', pointsPerEvent }],
  rewards: () => [points(pointsPerEvent)],
  limits: [],
});

async function launch(platform: Platform, side: Side, draft: Draft): Promise<ModelCampaign> {
  const { merchantId, partnerId, partnershipUuid } = side;
  const { name, kind, type, on, actions, limits, ...more } = draft;
  const since = '2026-01-01T00:00:00.000Z';
  const campaign = Campaign.parse({
    id: await platform.sequences.lease('campaign', 1),
    version: 1,
    ...{ partnershipUuid, merchantId, partnerId, ownerId: partnerId, name, description: null, logo: null },
    ...{ type, status: 'ACTIVE', startsAt: since, endsAt: null, isDeleted: false, createdAt: since },
    flows: [
      {
        id: 1,
        trigger: on,
        actions,
        limits: limits.map(({ limitId: id, unit, most: amount, period }) => ({
          ...{ id, ...owned, kind: 'USER', unit, amount, period },
        })),
      },
    ],
  });
  await platform.table.transact(campaignWrites(campaign));
  const { policy, timeZone } = side;
  return { id: campaign.id, name, kind, merchantId, partnerId, policy, timeZone, limits, ...more };
}

interface MemberWish {
  readonly name: string;
  readonly merchants: readonly [number, ...number[]];
  readonly programs: readonly number[];
  readonly opening: number;
  /** The program that the member has chosen for purchases. */
  readonly defaultPartnerId: number | null;
}

/** A customer of several merchants, with accounts in several programs. */
async function addMember(platform: Platform, wish: MemberWish): Promise<SceneMember> {
  const { name, merchants, programs, opening, defaultPartnerId } = wish;
  const [first, ...others] = merchants;
  const member = await createMember(
    { firstName: name, lastName: 'Byron', email: `${name}@example.com`, merchant: { id: first, externalId: name } },
    platform,
  );
  const { id: userId, uuid, createdAt } = member.user;
  await platform.table.write({
    kind: 'put',
    item: users.item(users.key(userId), { ...member.user, defaultPartnerId }),
  });
  const totals = { totalEarnedPoints: 0, totalRedeemedPoints: 0, createdAt };
  for (const merchantId of others) {
    const { id } = platform.nextIds();
    await platform.table.transact(associationWrites({ id, userId, merchantId, externalId: name, ...totals }));
  }
  for (const partnerId of programs) {
    const membership: Membership = {
      ...{ id: platform.nextIds().id, userId, partnerId, externalId: name, firstName: name, lastName: 'Byron' },
      ...{ statusTierId: null, availablePoints: opening, heldPoints: 0, owedPoints: 0, cashbackCents: 0, ...totals },
    };
    const entry = ledgerWrite({
      ...{ userId, partnerId, campaign: null, transactionId: userId, transactionUuid: uuid, kind: 'OPENING' },
      ...{ points: opening, cashbackCents: 0, createdAt },
    });
    await platform.table.transact([...membershipWrites(membership), entry]);
  }
  const tokens = new Map<number, string>();
  const found = (await platform.members.find(userId)) ?? member;
  for (const merchantId of merchants) {
    tokens.set(merchantId, (await issueUserTokens({ member: found, merchantId }, platform)).accessToken);
  }
  return { id: userId, uuid, externalId: name, tokens, programs, opening };
}

/** A scene, and the items of its table. */
export interface SceneItems {
  readonly scene: Scene;
  readonly items: readonly Item[];
}

/** Returns the same scene with other keys and tokens, and with another server for the partner's own program. */
export function withNewSecrets({ scene, items }: SceneItems, random: Random, programUrl: string): SceneItems {
  let text = JSON.stringify(items).replaceAll(noServer, programUrl);
  const renew = (kind: SecretKind, secret: string): string => {
    const renewed = secretText(kind, stage, random.bytes(32));
    text = text.replaceAll(digestOf(secret), digestOf(renewed));
    return renewed;
  };
  const merchants = scene.merchants.map((one) => ({ ...one, apiKey: renew('partnerKey', one.apiKey) }));
  const members = scene.members.map((one) => {
    const tokens = [...one.tokens].map(([merchantId, token]) => [merchantId, renew('userToken', token)] as const);
    return { ...one, tokens: new Map(tokens) };
  });
  return { scene: { ...scene, merchants, members }, items: JSON.parse(text) };
}

/** Writes items into an empty table. */
export async function copyInto(documents: DynamoDBDocumentClient, table: string, items: readonly Item[]) {
  for (let first = 0; first < items.length; first += 25) {
    const puts = items.slice(first, first + 25).map((Item) => ({ PutRequest: { Item } }));
    await documents.send(new BatchWriteCommand({ RequestItems: { [table]: puts } }));
  }
}
