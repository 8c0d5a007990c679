import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../../functions/campaign/list-campaigns/contract.ts';
import { handler } from '../../../functions/campaign/list-campaigns/handler.ts';
import type { Campaign } from '../../../shared/domain/campaign/document/campaign.ts';
import type { Partnership } from '../../../shared/domain/partnership.ts';
import { launchCampaign } from '../../../shared/operations/campaign/write-campaign.ts';
import { createPartnership } from '../../../shared/operations/partnership/manage-partnership.ts';
import { campaignWrites } from '../../../shared/store/campaign/campaigns.ts';
import { partnershipWrite } from '../../../shared/store/campaign/partnerships.ts';
import { TotalsCounter } from '../../../shared/store/ledger/totals.ts';
import { registerDemoTiers } from '../../../tools/admin/demo/world.ts';
import { call } from '../../support/call.ts';
import { provisionOrganisation, readDocumentFile } from '../../support/provision.ts';
import { makeWorld, type World } from '../../support/world.ts';

let world: World;
let earn: Awaited<ReturnType<typeof readDocumentFile>>;
beforeAll(async () => {
  world = await makeWorld();
  earn = await readDocumentFile('tools/admin/demo/earn.json');
});

type Query = Record<string, string | readonly string[]>;
const list = (query: Query, apiKey = world.demo.merchant.apiKey) =>
  call(handler, contract, { query, headers: { 'x-api-key': apiKey } });

/** Two organisations of one test, with their partnership. */
async function aPartnership() {
  const { platform } = world;
  const name = randomUUID();
  const merchant = await provisionOrganisation(platform, { name: `Shop ${name}`, kind: 'MERCHANT' });
  const partner = await provisionOrganisation(platform, { name: `Miles ${name}`, kind: 'PARTNER' });
  await registerDemoTiers(partner.id, platform);
  const sides = { merchantId: merchant.id, partnerId: partner.id };
  const partnership = await createPartnership({ name: 'Some', description: null, ...sides }, platform);
  return { merchant, partner, partnership };
}

async function add(partnership: Partnership, changes: Partial<Campaign> = {}): Promise<Campaign> {
  const campaign = await launchCampaign(earn, { partnership, as: { id: partnership.partnerId } }, world.platform);
  await withdraw(campaign);
  const changed = { ...campaign, version: 2, ...changes };
  await write(changed);
  return changed;
}

const write = (campaign: Campaign) => world.platform.table.transact(campaignWrites(campaign));
const withdraw = (campaign: Campaign) => write({ ...campaign, status: 'DRAFT' });
const idsOf = ({ body }: Awaited<ReturnType<typeof list>>): number[] =>
  body.data.campaigns.map(({ id }: { id: number }) => id);

/** Returns every page from the first, in one direction. */
async function pages(query: Query, apiKey: string, onPage = async () => {}): Promise<number[][]> {
  const all: number[][] = [];
  let cursor: string | null = null;
  do {
    const answer: Awaited<ReturnType<typeof list>> = await list({ ...query, ...(cursor && { cursor }) }, apiKey);
    expect(answer.status).toBe(200);
    all.push(idsOf(answer));
    cursor = answer.body.cursor.next;
    await onPage();
  } while (cursor);
  return all;
}

describe('endpoint 9, reply 200', () => {
  it('returns the campaigns of the requested types, newest first', async () => {
    const { campaigns, merchant, partner } = world.demo;
    const answer = await list({ campaign_types: '1,2' });

    expect(answer.body).toEqual({
      code: 'ok',
      data: { campaigns: [expect.objectContaining({ id: campaigns.redeem }), expect.anything()] },
      cursor: { next: null, prev: null },
    });
    expect(answer.body.data.campaigns[1]).toEqual({
      id: campaigns.earn,
      name: 'Two points for every dollar',
      description: expect.any(String),
      campaign_logo: null,
      campaign_type: 1,
      trigger_type: 1,
      merchant_id: merchant.id,
      partner_id: partner.id,
      base_reward: 2,
      start_date: expect.any(String),
      end_date: null,
      total_rewards: 0,
      total_cashback_cents: 0,
      total_registrations: 0,
      goals: [],
      is_active: 1,
      is_deleted: 0,
      owner_id: partner.id,
      created_date: expect.any(String),
    });
    expect((await list({ campaign_types: '1,2' }, partner.apiKey)).body).toEqual(answer.body);
  });

  it.each([
    ['1', ['earn']],
    ['2', ['redeem']],
    ['2,1,2,1', ['redeem', 'earn']],
    [' 1 , 2 ,3,4', ['redeem', 'earn']],
  ] as const)('returns only the campaigns of the types %j', async (campaign_types, names) => {
    expect(idsOf(await list({ campaign_types }))).toEqual(names.map((name) => world.demo.campaigns[name]));
  });

  it('accepts campaign_type as another name of the parameter campaign_types', async () => {
    expect(idsOf(await list({ campaign_type: '1' }))).toEqual([world.demo.campaigns.earn]);
    expect(idsOf(await list({ campaign_type: '1', campaign_types: '2' }))).toEqual([world.demo.campaigns.redeem]);
  });

  it('contains the totals of each campaign', async () => {
    const { partnership, merchant, partner } = await aPartnership();
    const [one, two] = [await add(partnership), await add(partnership)];
    const counter = new TotalsCounter(world.platform.table);
    const entries = Array.from({ length: 12 }, (_, index) => ({
      userId: 1,
      partnerId: partner.id,
      campaign: { id: one.id, partnershipUuid: partnership.uuid },
      transactionId: 1_000 + index,
      transactionUuid: `t-${index}`,
      kind: index % 3 === 0 ? ('REDEEM' as const) : ('EARN' as const),
      points: index % 3 === 0 ? -5 : 100,
      cashbackCents: 0,
      createdAt: '2026-11-21T10:00:00.000Z',
    }));
    await counter.count(entries, new Date());

    const { body } = await list({ campaign_types: '1' }, merchant.apiKey);
    expect(body.data.campaigns).toMatchObject([
      { id: two.id, total_rewards: 0 },
      { id: one.id, total_rewards: 8 * 100 + 4 * 5 },
    ]);
  });

  it('contains no draft, no campaign in review and no deleted campaign', async () => {
    const { partnership, merchant } = await aPartnership();
    const shown: number[] = [];
    for (const status of ['SCHEDULED', 'PAUSED', 'ENDED'] as const) shown.push((await add(partnership, { status })).id);
    for (const status of ['DRAFT', 'IN_REVIEW'] as const) await add(partnership, { status });
    await add(partnership, { isDeleted: true });

    expect(idsOf(await list({ campaign_types: '1' }, merchant.apiKey))).toEqual(shown.reverse());
  });

  it('sorts by creation date, then by id', async () => {
    const { partnership, merchant } = await aPartnership();
    const late = await add(partnership, { createdAt: '2026-11-20T10:00:00.000Z' });
    const early = await add(partnership, { createdAt: '2026-11-19T10:00:00.000Z' });
    const twin = await add(partnership, { createdAt: '2026-11-20T10:00:00.000Z', type: 'TRANSFER' });

    expect(idsOf(await list({ campaign_types: '1,4' }, merchant.apiKey))).toEqual([twin.id, late.id, early.id]);
  });

  it('contains no campaigns of deleted partnerships', async () => {
    const { partnership, merchant } = await aPartnership();
    await add(partnership);
    await world.platform.table.write(partnershipWrite({ ...partnership, isDeleted: true }));

    expect((await list({ campaign_types: '1' }, merchant.apiKey)).status).toBe(404);
  });
});

describe('the pages of endpoint 9', () => {
  let scene: Awaited<ReturnType<typeof aPartnership>>;
  let newestFirst: number[];
  beforeAll(async () => {
    scene = await aPartnership();
    const types = ['EARN', 'REDEEM', 'CONNECT_ONLY'] as const;
    const ids: number[] = [];
    for (let index = 0; index < 60; index += 1) {
      ids.push((await add(scene.partnership, { type: types[index % 3] ?? 'EARN' })).id);
    }
    newestFirst = ids.reverse();
  });

  it('contain 25 campaigns by default and at most 100', async () => {
    const query = { campaign_types: '1,2,3' };
    expect(idsOf(await list(query, scene.partner.apiKey))).toEqual(newestFirst.slice(0, 25));
    expect(idsOf(await list({ ...query, limit: '1' }, scene.partner.apiKey))).toEqual(newestFirst.slice(0, 1));
    expect(idsOf(await list({ ...query, limit: '100' }, scene.partner.apiKey))).toEqual(newestFirst);
  });

  it('contain every earlier campaign once while new campaigns are created', async () => {
    const { merchant, partnership } = scene;
    const added: Campaign[] = [];
    const onPage = async () => void added.push(await add(partnership));

    const read = await pages({ campaign_types: '1,2,3', limit: '7' }, merchant.apiKey, onPage);

    expect(read.flat()).toEqual(newestFirst);
    expect(read.map(({ length }) => length)).toEqual([7, 7, 7, 7, 7, 7, 7, 7, 4]);
    for (const campaign of added) await withdraw(campaign);
  });

  it('have no next cursor when no campaign follows', async () => {
    const read = await pages({ campaign_types: '2', limit: '10' }, scene.merchant.apiKey);
    expect(read.map(({ length }) => length)).toEqual([10, 10]);
  });

  it('are the same in the opposite direction', async () => {
    const query = { campaign_types: '1,3', limit: '9' };
    const ask = (cursor?: string) => list({ ...query, ...(cursor && { cursor }) }, scene.merchant.apiKey);
    const first = await ask();
    const second = await ask(first.body.cursor.next);
    const third = await ask(second.body.cursor.next);
    const backToSecond = await ask(third.body.cursor.prev);
    const backToFirst = await ask(backToSecond.body.cursor.prev);
    const secondAgain = await ask(backToFirst.body.cursor.next);

    expect(first.body.cursor.prev).toBeNull();
    expect([backToSecond, backToFirst, secondAgain].map(idsOf)).toEqual([second, first, second].map(idsOf));
    expect(backToFirst.body.cursor.prev).toBeNull();
  });

  it('include an empty page when all following campaigns were deleted meanwhile', async () => {
    const { partnership, merchant } = await aPartnership();
    const old = await add(partnership);
    await add(partnership);
    const first = await list({ campaign_types: '1', limit: '1' }, merchant.apiKey);
    await withdraw(old);

    const query = { campaign_types: '1', limit: '1', cursor: first.body.cursor.next };
    expect(await list(query, merchant.apiKey)).toMatchObject({
      status: 200,
      body: { data: { campaigns: [] }, cursor: { next: null, prev: null } },
    });
  });

  it('are refused with 400 for a changed, expired or foreign cursor', async () => {
    const query = { campaign_types: '1,2', limit: '5' };
    const { next: cursor } = (await list(query, scene.merchant.apiKey)).body.cursor;
    const refused = {
      status: 400,
      body: { error: 'invalid_request', errors: [{ pointer: '/cursor', code: 'invalid_cursor' }] },
    };

    expect((await list({ ...query, campaign_types: '2, 1', cursor }, scene.merchant.apiKey)).status).toBe(200);
    for (const changes of [
      { campaign_types: '1' },
      { campaign_types: '1,2,3' },
      { limit: '6' },
      { cursor: cursor.slice(0, -1) },
      { cursor: `${cursor}=` },
      { cursor: '' },
      { cursor: 'first' },
    ]) {
      expect(await list({ ...query, cursor, ...changes }, scene.merchant.apiKey)).toMatchObject(refused);
    }
    expect(await list({ ...query, cursor }, scene.partner.apiKey)).toMatchObject(refused);
    expect(await list({ ...query, cursor }, world.demo.outsider.apiKey)).toMatchObject(refused);
  });
});

describe('endpoint 9, reply 400 invalid_request', () => {
  it.each([
    [{}, '/campaign_types', 'required'],
    [{ campaign_types: '' }, '/campaign_types', 'invalid_format'],
    [{ campaign_types: '0' }, '/campaign_types', 'invalid_format'],
    [{ campaign_types: '5' }, '/campaign_types', 'invalid_format'],
    [{ campaign_types: '1,' }, '/campaign_types', 'invalid_format'],
    [{ campaign_types: 'EARN' }, '/campaign_types', 'invalid_format'],
    [{ campaign_types: '1;2' }, '/campaign_types', 'invalid_format'],
    [{ campaign_type: '12' }, '/campaign_type', 'invalid_format'],
    [{ campaign_types: '1', limit: '0' }, '/limit', 'invalid_format'],
    [{ campaign_types: '1', limit: '101' }, '/limit', 'invalid_format'],
    [{ campaign_types: '1', limit: '1.0' }, '/limit', 'invalid_format'],
    [{ campaign_types: '1', limit: '-1' }, '/limit', 'invalid_format'],
    [{ campaign_types: '1', cursor: 'x'.repeat(1025) }, '/cursor', 'too_big'],
  ])('is returned for the query $0 with the fault "$1 $2"', async (query: Query, pointer: string, code: string) => {
    const answer = await list(query);
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect(answer.body.errors).toEqual([{ pointer, code, message: expect.any(String) }]);
  });

  it('lists every fault when parameters are repeated', async () => {
    const errorsOf = async (query: Query) =>
      (await list(query)).body.errors?.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`);

    expect(await errorsOf({ campaign_types: ['1', '2'], limit: ['1', '1'] })).toEqual([
      '/campaign_types repeated',
      '/limit repeated',
    ]);
    expect(await errorsOf({ campaign_types: ['1', '2'], limit: '0' })).toEqual([
      '/campaign_types repeated',
      '/limit invalid_format',
    ]);
    expect(await errorsOf({ campaign_types: '1', constructor: ['1', '2'] })).toBeUndefined();
  });
});

describe('endpoint 9, reply 404 campaign_does_not_exist', () => {
  it('is returned when no campaign has the requested types', async () => {
    const { merchant, outsider } = world.demo;
    for (const answer of [
      await list({ campaign_types: '3' }, merchant.apiKey),
      await list({ campaign_types: '1,2,3,4' }, outsider.apiKey),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { error: 'campaign_does_not_exist' } });
    }
  });
});
