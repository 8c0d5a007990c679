import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { handler } from '../../../functions/consumers/process-registration/handler.ts';
import { PlatformEvent } from '../../../shared/contracts/events.ts';
import type { Campaign } from '../../../shared/domain/campaign/document/campaign.ts';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import type { Member } from '../../../shared/domain/member/member.ts';
import { processRegistration } from '../../../shared/operations/award/process-registration.ts';
import { createMember } from '../../../shared/operations/member/manage-members.ts';
import { openProgramAccount } from '../../../shared/operations/member/program-accounts.ts';
import { createPartnership } from '../../../shared/operations/partnership/manage-partnership.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { campaignWrites } from '../../../shared/store/campaign/campaigns.ts';
import { addCampaign, awarding } from '../../support/campaigns.ts';
import { linkCard, pin } from '../../support/connect-story.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { provisionOrganisation } from '../../support/provision.ts';
import { readBooks, reconcile } from '../../support/reconcile.ts';
import { makeWorld, type World } from '../../support/world.ts';

let world: World;
let platform: Platform;
let demo: World['demo'];
let ada: Member;
beforeAll(async () => {
  world = await makeWorld();
  ({ platform, demo } = world);
  ada = await memberOf(demo.members[0]?.id ?? 0);
});

// After all tests: balances, ledger, states, claims and events are consistent.
afterAll(async () => {
  const faults = await reconcile(world.table);
  expect(faults.filter((fault) => !fault.startsWith('user_partner_authentication_created'))).toEqual([]);
});

/** The campaigns of the running test. The campaigns of earlier tests have ended. */
let campaigns: Campaign[] = [];
beforeEach(async () => {
  for (const campaign of campaigns) await platform.table.transact(campaignWrites({ ...campaign, status: 'ENDED' }));
  campaigns = [];
});

async function campaign(...parts: Parameters<typeof addCampaign> extends [unknown, ...infer Rest] ? Rest : never) {
  const added = await addCampaign(world, ...parts);
  campaigns.push(added);
  return added;
}

const welcome = (more: Parameters<typeof awarding>[2] = {}) => awarding({ type: 'REGISTRATION' }, 250, more);
const thanks = (more: Parameters<typeof awarding>[2] = {}) => awarding({ type: 'REFERRAL' }, 500, { id: 3, ...more });

async function memberOf(userId: number): Promise<Member> {
  const member = await platform.members.find(userId);
  if (!member) throw new Error('there is no member');
  return member;
}

/** Links an account of a new user and returns the event. */
async function joined(user: object = {}, account = `acc-${randomUUID()}`): Promise<PlatformEvent> {
  const holder = { memberId: account, pin, firstName: 'Linus', lastName: 'P', email: null, statusTierId: 1, points: 0 };
  await openProgramAccount(demo.partner.id, holder, platform);
  return linked(account, user);
}

async function linked(account: string, user: object, apiKey = demo.merchant.apiKey): Promise<PlatformEvent> {
  await linkCard({ apiKey, partnerId: demo.partner.id, memberId: account, user });
  const member = await platform.members.findByExternalId(demo.partner.id, account);
  const events = (await outboxEvents(world)).filter(({ entityId }) => entityId === member?.user.uuid);
  const [last] = events.toSorted((one, other) => other.id.localeCompare(one.id));
  return PlatformEvent.parse(last);
}

/** Returns a user's rewards under this test's campaigns. */
async function rewardsOf(uuid: string): Promise<RewardTransaction[]> {
  const { transactions } = await readBooks(world.table);
  const own = new Set(campaigns.map(({ id }) => id));
  return transactions.filter(({ userUuid, campaignId }) => userUuid === uuid && own.has(campaignId));
}

const pointsOf = async (uuid: string) => (await rewardsOf(uuid)).map(({ points }) => points);

describe('a registration', () => {
  it('is rewarded, and both sides receive an event', async () => {
    await campaign([welcome()]);
    const event = await joined();

    await processRegistration(event, platform);

    const [reward, ...more] = await rewardsOf(event.entityId);
    expect(more).toEqual([]);
    expect(reward).toMatchObject({ state: 'PENDING', type: 'EARN', points: 250, amountCents: 0 });
    expect(reward).toMatchObject({ externalTransactionId: null });
    expect(await platform.transactions.findSnapshot(reward?.snapshotId ?? 0)).toMatchObject({
      facts: { trigger: { type: 'REGISTRATION' }, occurredAt: event.occurredAt, connectedAt: event.occurredAt },
    });
    const told = (await outboxEvents(world)).filter(({ entityId }) => entityId === reward?.uuid);
    expect(told.map(({ name }) => name)).toEqual(['transaction_created']);
  });

  it('is rewarded when the message comes from the queue', async () => {
    await campaign([welcome()]);
    const event = await joined();
    const record = { messageId: '1', body: JSON.stringify({ detail: event }) };

    const reply = await handler({ Records: [record] } as Parameters<typeof handler>[0]);

    expect(reply).toEqual({ batchItemFailures: [] });
    expect(await pointsOf(event.entityId)).toEqual([250]);
  });

  it('is rewarded once by each campaign when its message is repeated', async () => {
    await campaign([welcome()]);
    await campaign([welcome()]);
    const event = await joined();

    await Promise.all(Array.from({ length: 8 }, () => processRegistration(event, platform)));
    await processRegistration(event, platform);

    expect(await pointsOf(event.entityId)).toEqual([250, 250]);
  });

  it('is not rewarded by a campaign that starts later, or by a CONNECT_ONLY campaign', async () => {
    const event = await joined();
    await campaign([welcome()], { startsAt: new Date(Date.parse(event.occurredAt) + 1).toISOString() });
    await campaign([welcome()], { type: 'CONNECT_ONLY' });

    await processRegistration(event, platform);

    expect(await pointsOf(event.entityId)).toEqual([]);
  });

  it('is not rewarded by campaigns of another program', async () => {
    const partner = await provisionOrganisation(platform, { name: 'Harbour Points', kind: 'PARTNER' });
    const sides = { merchantId: demo.merchant.id, partnerId: partner.id };
    const partnership = await createPartnership({ name: 'Other', description: null, ...sides }, platform);
    await campaign([welcome()], { partnershipUuid: partnership.uuid, partnerId: partner.id });
    const event = await joined();

    await processRegistration(event, platform);

    expect(await pointsOf(event.entityId)).toEqual([]);
  });
});

describe('a known member', () => {
  it('is not rewarded for linking the same account again', async () => {
    await campaign([welcome()]);
    const account = `acc-${randomUUID()}`;
    await processRegistration(await joined({}, account), platform);
    const again = await linked(account, {});

    await processRegistration(again, platform);

    expect(await pointsOf(again.entityId)).toEqual([250]);
  });

  it('is rewarded once for registering at another merchant, even after another link there', async () => {
    const account = `acc-${randomUUID()}`;
    await joined({}, account);
    const sides = { merchantId: demo.outsider.id, partnerId: demo.partner.id };
    const partnership = await createPartnership({ name: 'Books', description: null, ...sides }, platform);
    await campaign([welcome()], { partnershipUuid: partnership.uuid, merchantId: demo.outsider.id });
    const event = await linked(account, {}, demo.outsider.apiKey);
    expect(event).toMatchObject({ merchantId: demo.outsider.id });

    await processRegistration(event, platform);
    await processRegistration(event, platform);
    expect(await pointsOf(event.entityId)).toEqual([250]);

    const again = await linked(account, {}, demo.outsider.apiKey);
    await processRegistration(again, platform);
    expect(await pointsOf(event.entityId)).toEqual([250]);
  });

  it('is rewarded for linking an account for the first time', async () => {
    await campaign([welcome()]);
    const grace = demo.members[1];
    const event = await joined({ external_id: grace?.externalId });
    expect(event.entityId).toBe(grace?.uuid);

    await processRegistration(event, platform);

    expect(await pointsOf(event.entityId)).toEqual([250]);
  });
});

describe('a referrer', () => {
  const broughtByAda = { referrer_external_id: 'cc-1001' };

  it('is rewarded once for each new member', async () => {
    await campaign([welcome(), thanks()]);
    const event = await joined(broughtByAda);

    await Promise.all(Array.from({ length: 5 }, () => processRegistration(event, platform)));
    await processRegistration(await joined(broughtByAda), platform);

    expect(await pointsOf(event.entityId)).toEqual([250]);
    const rewards = await rewardsOf(ada.user.uuid);
    expect(rewards.map(({ points }) => points)).toEqual([500, 500]);
    expect(await platform.transactions.findSnapshot(rewards[0]?.snapshotId ?? 0)).toMatchObject({
      facts: { trigger: { type: 'REFERRAL' } },
    });
  });

  it('with an unknown id does not prevent the friend’s reward', async () => {
    await campaign([welcome(), thanks()]);
    const event = await joined({ referrer_external_id: 'nobody' });

    await processRegistration(event, platform);

    expect(await pointsOf(event.entityId)).toEqual([250]);
  });

  it('is not rewarded for a self-referral', async () => {
    await campaign([thanks()]);
    const externalId = `self-${randomUUID()}`;
    const event = await joined({ external_id: externalId, referrer_external_id: externalId });

    await processRegistration(event, platform);

    expect(await pointsOf(event.entityId)).toEqual([]);
  });

  it('is not rewarded for referring an existing customer', async () => {
    await campaign([thanks()]);
    const account = `acc-${randomUUID()}`;
    await joined({}, account);
    await processRegistration(await linked(account, broughtByAda), platform);

    expect(await pointsOf(ada.user.uuid)).toEqual([]);
  });

  it('is not rewarded without an account in the program', async () => {
    await campaign([thanks()]);
    const outside = `customer-${randomUUID()}`;
    const merchant = { id: demo.merchant.id, externalId: outside };
    const names = { firstName: 'P', lastName: 'C', email: `${outside}@example.com` };
    const customer = await createMember({ ...names, merchant }, platform);

    await processRegistration(await joined({ referrer_external_id: outside }), platform);

    expect(await pointsOf(customer.user.uuid)).toEqual([]);
  });
});

it('process-registration fails for an unknown user, so the queue retries the message', async () => {
  const event = await joined();
  for (const entityId of [platform.nextUuid(), 'nonsense']) {
    await expect(processRegistration({ ...event, entityId }, platform)).rejects.toThrow('no user');
  }
});
