import { beforeAll, describe, expect, it } from 'vitest';
import { contract as partnershipContract } from '../../functions/base/get-partnership/contract.ts';
import { handler as getPartnership } from '../../functions/base/get-partnership/handler.ts';
import { contract as byKeyContract } from '../../functions/base/get-transaction/contract.ts';
import { handler as getByKey } from '../../functions/base/get-transaction/handler.ts';
import { contract as userContract } from '../../functions/base/get-user/contract.ts';
import { handler as getUser } from '../../functions/base/get-user/handler.ts';
import { contract as byBearerContract } from '../../functions/reward/get-transaction/contract.ts';
import { handler as getByBearer } from '../../functions/reward/get-transaction/handler.ts';
import { contract as statusContract } from '../../functions/user/get-user-status/contract.ts';
import { handler as getStatus } from '../../functions/user/get-user-status/handler.ts';
import type { RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import type { Member } from '../../shared/domain/member/member.ts';
import { issueUserTokens } from '../../shared/operations/member/issue-user-tokens.ts';
import { createMember } from '../../shared/operations/member/manage-members.ts';
import { createPartnership } from '../../shared/operations/partnership/manage-partnership.ts';
import { partnershipWrite } from '../../shared/store/campaign/partnerships.ts';
import { associationWrites } from '../../shared/store/member/members.ts';
import { call } from '../support/call.ts';
import { addPartnership } from '../support/campaigns.ts';
import { provisionOrganisation } from '../support/provision.ts';
import { bearerOf, createTransaction } from '../support/story.ts';
import { makeWorld, type World } from '../support/world.ts';

let world: World;
let ada: World['demo']['members'][number];
let transaction: RewardTransaction;
let bearers: { merchant: string; partner: string; outsider: string };
beforeAll(async () => {
  world = await makeWorld();
  [ada] = world.demo.members as [typeof ada];
  transaction = await createTransaction(world, { campaignId: world.demo.campaigns.redeem, amount: 7.5 });
  bearers = {
    merchant: await bearerOf(world.demo.merchant),
    partner: await bearerOf(world.demo.partner),
    outsider: await bearerOf(world.demo.outsider),
  };
});

const key = (apiKey: string) => ({ 'x-api-key': apiKey });
const withoutRequestId = ({ request_id: _, ...body }: Record<string, unknown>) => body;

describe('endpoint 7 (transaction by key)', () => {
  const get = (id: string, apiKey = world.demo.merchant.apiKey) =>
    call(getByKey, byKeyContract, { params: { id }, headers: key(apiKey) });

  it('returns the same to both sides, by either id', async () => {
    const byUuid = await get(transaction.uuid);
    const byId = await get(String(transaction.id), world.demo.partner.apiKey);

    expect(byUuid.status).toBe(200);
    expect(byId.body).toEqual(byUuid.body);
    expect(byUuid.body.data.reward_transaction).toEqual({
      id: transaction.id,
      uuid_id: transaction.uuid,
      partner_id: world.demo.partner.id,
      partnership_uuid: world.demo.partnership.uuid,
      campaign_id: world.demo.campaigns.redeem,
      user_uuid: ada.uuid,
      trigger_event_uuid_id: null,
      trigger_event_id: null,
      merchant_id: world.demo.merchant.id,
      transaction_amount: 7.5,
      reward_amount: 750,
      reward_unit: 'points',
      external_order_id: transaction.externalTransactionId,
      external_id: transaction.externalTransactionId,
      external_partner_transaction_id: null,
      transaction_type: 2,
      transaction_status: 2,
      reversed_transaction_id: null,
      created_date: transaction.createdAt,
    });
  });

  it('returns 404 transaction_does_not_exist to another tenant', async () => {
    const foreign = await get(transaction.uuid, world.demo.outsider.apiKey);
    const absent = await get('0190163d-8694-739b-aea5-966c26f8ad91', world.demo.outsider.apiKey);

    expect(foreign).toMatchObject({ status: 404, body: { code: 'transaction_does_not_exist' } });
    expect(withoutRequestId(foreign.body)).toEqual(withoutRequestId(absent.body));
  });

  it.each(['abc', '0', '-1', '1.5', '9007199254740993', '%2e%2e', ''])('returns 404 for the id %j', async (id) => {
    expect(await get(id)).toMatchObject({ status: 404, body: { code: 'transaction_does_not_exist' } });
  });

  it('returns 200 for a UUID in upper case', async () => {
    expect((await get(transaction.uuid.toUpperCase())).body).toEqual((await get(transaction.uuid)).body);
  });

  it('returns 404 for a wrong UUID that leads to the same integer id', async () => {
    const twin = `${transaction.uuid.slice(0, -1)}${transaction.uuid.endsWith('0') ? '1' : '0'}`;
    expect((await get(twin)).status).toBe(404);
  });
});

describe('endpoint 8 (transaction by bearer token)', () => {
  const get = (id: string, token = bearers.merchant) =>
    call(getByBearer, byBearerContract, {
      params: { reward_transaction_id: id },
      headers: { Authorization: `Bearer ${token}` },
    });

  it('returns every specified field at the top level', async () => {
    const answer = await get(String(transaction.id));

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      reward_transaction: {
        id: transaction.id,
        partner_id: world.demo.partner.id,
        user_id: ada.id,
        merchant_id: world.demo.merchant.id,
        campaign_id: world.demo.campaigns.redeem,
        partnership_id: world.demo.partnership.uuid,
        transaction_amount: 7.5,
        reward_amount: 750,
        reward_unit: 'points',
        external_order_id: transaction.externalTransactionId,
        transaction_type: 2,
        transaction_status: 2,
        external_id: transaction.externalTransactionId,
        external_partner_transaction_id: null,
        reversed_transaction_id: null,
        rewards_redeemed: 750,
        trigger_id: null,
        trigger_event_id: null,
        next_attempt_at: null,
        retry_method: null,
        retry_count: 0,
        uuid_id: transaction.uuid,
        campaign_eligibility_snapshot_id: transaction.snapshotId,
        created_date: transaction.createdAt.replace('Z', ''),
      },
    });
  });

  it('returns 200 to the partner, 404 to outsiders', async () => {
    expect((await get(String(transaction.id), bearers.partner)).status).toBe(200);
    expect(await get(String(transaction.id), bearers.outsider)).toMatchObject({
      status: 404,
      body: { error: 'transaction_does_not_exist' },
    });
  });

  it.each(['0', '-1', '00'])('returns 400 invalid_request for the id %s', async (id) => {
    expect(await get(id)).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  it.each(['abc', '1.5', '12345'])('returns 404 for the id %s', async (id) => {
    expect((await get(id)).status).toBe(404);
  });

  it('returns 401 invalid_token without a valid token', async () => {
    const params = { reward_transaction_id: String(transaction.id) };
    for (const headers of [{}, { Authorization: 'Basic abc' }, { Authorization: 'Bearer nonsense' }]) {
      const answer = await call(getByBearer, byBearerContract, { params, headers });
      expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_token' } });
      expect(answer.headers['WWW-Authenticate']).toBe('Bearer error="invalid_token"');
    }
  });

  it('returns 403 insufficient_scope for a token of another scope', async () => {
    const token = await bearerOf(world.demo.merchant, 'templates:read');
    const answer = await get(String(transaction.id), token);
    expect(answer).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } });
    expect(answer.headers['WWW-Authenticate']).toBe('Bearer error="insufficient_scope"');
  });
});

describe('endpoint 4 (user by partner key)', () => {
  const get = (id: string, apiKey = world.demo.merchant.apiKey) =>
    call(getUser, userContract, { params: { id }, headers: key(apiKey) });

  it('returns 200 with programs, merchants and available points', async () => {
    const answer = await get(ada.uuid);
    const member = await world.platform.members.find(ada.id);

    expect(answer.body.data.user).toMatchObject({
      uuid_id: ada.uuid,
      id: ada.id,
      first_name: 'Ada',
      email: 'ada@example.com',
      phone_number: null,
      external_id: 'cc-1001',
      partner_status_tiers: [
        {
          partner_id: world.demo.partner.id,
          partner_status_tier_id: 2,
          external_id: 'SKY-77001',
          total_rewards: member?.memberships[0]?.availablePoints,
        },
      ],
      merchants: [{ merchant_id: world.demo.merchant.id, external_id: 'cc-1001' }],
    });
  });

  it('shows each side no records outside its partnerships', async () => {
    const { platform, demo } = world;
    const rival = await provisionOrganisation(platform, { name: 'Rival', kind: 'MERCHANT' });
    const other = await provisionOrganisation(platform, { name: 'Other miles', kind: 'PARTNER' });
    await createPartnership(
      {
        name: 'R × O',
        description: null,
        merchantId: rival.id,
        partnerId: other.id,
      },
      platform,
    );
    const member = await createMember(
      {
        firstName: 'Both',
        lastName: 'Sides',
        email: 'both@example.com',
        merchant: { id: demo.merchant.id, externalId: 'b-1' },
        program: { partnerId: other.id, externalId: 'o-1', statusTierId: null, points: 5 },
      },
      platform,
    );

    const toMerchant = (await get(member.user.uuid)).body.data.user;
    const toOther = (await get(member.user.uuid, other.apiKey)).body.data.user;

    expect([toMerchant.merchants.length, toMerchant.partner_status_tiers.length]).toEqual([1, 0]);
    expect([toOther.merchants.length, toOther.partner_status_tiers.length]).toEqual([0, 1]);
    expect((await get(member.user.uuid, demo.partner.apiKey)).status).toBe(404);
    expect((await get(member.user.uuid, rival.apiKey)).status).toBe(404);
  });

  it('shows each side only its own external id', async () => {
    const { demo } = world;
    const idAt = async (apiKey: string) => (await get(ada.uuid, apiKey)).body.data.user.external_id;
    expect([await idAt(demo.merchant.apiKey), await idAt(demo.partner.apiKey)]).toEqual(['cc-1001', 'SKY-77001']);
  });

  it('returns 404 user_does_not_exist for the user of another organisation', async () => {
    const foreign = await get(ada.uuid, world.demo.outsider.apiKey);
    const absent = await get('0190163d-8694-739b-aea5-966c26f8ad91', world.demo.outsider.apiKey);
    expect(foreign).toMatchObject({ status: 404, body: { error: 'user_does_not_exist' } });
    expect(withoutRequestId(foreign.body)).toEqual(withoutRequestId(absent.body));
  });

  it('returns 200 for a UUID in upper case', async () => {
    expect((await get(ada.uuid.toUpperCase())).body).toEqual((await get(ada.uuid)).body);
  });

  it('returns 404 for an integer id', async () => {
    expect((await get(String(ada.id))).status).toBe(404);
  });
});

describe('endpoint 5 (status data)', () => {
  const get = (id: string) => call(getStatus, statusContract, { params: { id }, headers: key(ada.accessToken) });

  it('returns a balance that includes held points', async () => {
    const answer = await get(String(ada.id));
    const [membership] = (await world.platform.members.find(ada.id))?.memberships ?? [];

    expect(answer.body.data.user).toMatchObject({ id: ada.id, last_name: 'Byron' });
    expect(answer.body.data.user.partner_status_tiers[0].total_rewards).toBe(25_000);
    expect(membership?.heldPoints).toBe(750);
    expect(answer.body.data.user.partner_status_tiers[0]).not.toHaveProperty('first_name');
  });

  it('shows nothing of other merchants and their partners', async () => {
    const { platform, demo } = world;
    const rival = await provisionOrganisation(platform, { name: 'Rival tokens', kind: 'MERCHANT' });
    const other = await provisionOrganisation(platform, { name: 'Rival miles', kind: 'PARTNER' });
    const sides = { merchantId: rival.id, partnerId: other.id };
    await createPartnership({ name: 'R × M', description: null, ...sides }, platform);
    const { user } = await createMember(
      {
        firstName: 'Both',
        lastName: 'Stores',
        email: 'both-stores@example.com',
        merchant: { id: demo.merchant.id, externalId: 's-1' },
        program: { partnerId: other.id, externalId: 'm-1', statusTierId: null, points: 5 },
      },
      platform,
    );
    const totals = { totalEarnedPoints: 0, totalRedeemedPoints: 0, createdAt: user.createdAt };
    const association = { ...totals, id: platform.nextIds().id, userId: user.id, merchantId: rival.id };
    await platform.table.transact(associationWrites({ ...association, externalId: 'r-1' }));
    const member = await platform.members.find(user.id);

    const shown = async (merchantId: number) => {
      const { accessToken } = await issueUserTokens({ member: member as Member, merchantId }, platform);
      const answer = await call(getStatus, statusContract, {
        params: { id: String(user.id) },
        headers: key(accessToken),
      });
      const { merchants, partner_status_tiers: tiers } = answer.body.data.user;
      return [merchants, tiers].map((list) => list.map((each: { external_id: string }) => each.external_id));
    };

    expect(await shown(demo.merchant.id)).toEqual([['s-1'], []]);
    expect(await shown(rival.id)).toEqual([['r-1'], ['m-1']]);
  });

  it('returns 404 for the id of any other user', async () => {
    for (const id of [String(world.demo.members[1]?.id), ada.uuid, '0', 'x', `0${ada.id}`]) {
      expect(await get(id)).toMatchObject({ status: 404, body: { error: 'user_does_not_exist' } });
    }
  });
});

describe('endpoint 6 (partnership)', () => {
  const get = (id: string, apiKey = world.demo.merchant.apiKey) =>
    call(getPartnership, partnershipContract, { params: { id }, headers: key(apiKey) });

  it('returns 200 with its campaigns in the list view', async () => {
    const answer = await get(world.demo.partnership.uuid, world.demo.partner.apiKey);

    expect(answer.body.data.partnership).toMatchObject({
      uuid_id: world.demo.partnership.uuid,
      merchant_id: world.demo.merchant.id,
      partner_id: world.demo.partner.id,
      is_active: 1,
      is_deleted: 0,
      is_demo: 1,
      partner_approval: 'needed',
    });
    expect(answer.body.data.partnership.campaigns).toEqual([
      expect.objectContaining({ id: world.demo.campaigns.earn, campaign_type: 1, base_reward: 2, is_active: 1 }),
      expect.objectContaining({ id: world.demo.campaigns.redeem, campaign_type: 2, base_reward: 0.01 }),
    ]);
  });

  it('returns 200 for a UUID in upper case', async () => {
    const { uuid } = world.demo.partnership;
    expect((await get(uuid.toUpperCase())).body).toEqual((await get(uuid)).body);
  });

  it('returns null instead of campaigns when the partnership has no campaign', async () => {
    const { platform, demo } = world;
    const sides = { merchantId: demo.merchant.id, partnerId: demo.outsider.id };
    const empty = await createPartnership({ name: 'Empty', description: null, ...sides }, platform);
    expect((await get(empty.uuid)).body.data.partnership.campaigns).toBeNull();
  });

  it('returns 404 for a deleted, a foreign and an unknown partnership', async () => {
    const { platform, demo } = world;
    const sides = { merchantId: demo.merchant.id, partnerId: demo.outsider.id };
    const deleted = await addPartnership(platform, { name: 'Gone', ...sides });
    await platform.table.write(partnershipWrite({ ...deleted, isDeleted: true }));

    const answers = await Promise.all([
      get(deleted.uuid),
      get(demo.partnership.uuid, demo.outsider.apiKey),
      get('0190163d-8694-739b-aea5-966c26f8ad91'),
      get('not-a-uuid'),
    ]);

    for (const { status, body } of answers) {
      expect(status).toBe(404);
      expect(withoutRequestId(body)).toEqual({
        error: 'partnership_does_not_exist',
        message: 'The partnership does not exist',
      });
    }
  });
});
