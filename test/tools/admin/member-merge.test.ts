import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { contract as getUserContract } from '../../../functions/base/get-user/contract.ts';
import { handler as getUser } from '../../../functions/base/get-user/handler.ts';
import { isPartition, partitions } from '../../../shared/contracts/table.ts';
import { ChangedMeanwhileError } from '../../../shared/operations/errors.ts';
import { blockMember, unblockMember } from '../../../shared/operations/member/block-member.ts';
import { issueUserTokens } from '../../../shared/operations/member/issue-user-tokens.ts';
import { mergeMembers } from '../../../shared/operations/member/merge-members.ts';
import { removeRule, setRule } from '../../../shared/operations/organisation/velocity-rules.ts';
import { partitionOf } from '../../../shared/operations/reconcile/book-builder.ts';
import { composePlatform } from '../../../shared/runtime/platform.ts';
import { readConfig } from '../../../shared/runtime/runtime.ts';
import { LinkConflictError } from '../../../shared/store/connect/connect.ts';
import { personalPartitions } from '../../../shared/store/person/personal-items.ts';
import type { Item, TableClient } from '../../../shared/store/table/table-client.ts';
import { call } from '../../support/call.ts';
import { addCampaign, forLife } from '../../support/campaigns.ts';
import { awardCashback } from '../../support/cashback.ts';
import { runUntilDone } from '../../support/dying-table.ts';
import {
  announcementOf,
  anOrderBody,
  applyRefunds,
  confirmAll,
  orderOf,
  postOrder,
  postRefund,
  processedOrder,
} from '../../support/order-story.ts';
import { connectAccounts } from '../../support/payment-story.ts';
import { livePerson, type Person } from '../../support/person-story.ts';
import { reconcile } from '../../support/reconcile.ts';
import { settleOrder } from '../../support/settle.ts';
import { ask, createBy, newShopper, type Shopper } from '../../support/shoppers.ts';
import { admin, useWorld, world } from './admin-world.ts';

// A merge waits until requests that began before it have ended. In these tests all have ended, so it need not wait.
vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof import('node:timers/promises')>();
  return { ...real, setTimeout: (ms: number) => (ms > 5_000 ? Promise.resolve() : real.setTimeout(ms)) };
});

useWorld(async () => {
  await connectAccounts(world);
});
// After all stories: balances, ledger, states, claims and events are consistent.
afterAll(async () => expect(await reconcile(world.table)).toEqual([]));

const merge = (keep: Pick<Shopper, 'id'>, gone: Pick<Shopper, 'id'>) =>
  admin.script(`member merge ${keep.id} ${gone.id} --reason "Request G-13" --confirm ${gone.id}`);
const memberOf = async ({ id }: Pick<Shopper, 'id'>) => {
  const member = await world.platform.members.find(id);
  if (!member) throw new Error(`there is no member ${id}`);
  return member;
};
const accountOf = async (who: Pick<Shopper, 'id'>) => (await memberOf(who)).memberships[0];

/** The kinds of items that still contain a member's id as the id of their user. */
async function naming({ id }: Pick<Shopper, 'id'>): Promise<string[]> {
  const found = new Set<string>();
  for await (const item of world.table.mirror.read(Object.keys(partitions).filter(isPartition))) {
    if (isNaming(item, id)) found.add(partitionOf(item) ?? '');
  }
  return [...found].sort();
}

const isNaming = (item: Item, id: number) =>
  JSON.stringify(item).includes(`"userId":${id}`) || item.pk.endsWith(`#${id}`) || item.pk.includes(`#${id}#`);

/** A table that calls `event` right before each write that puts an item with this sort key. */
function beforeThePut(sk: string, event: () => Promise<unknown>): TableClient {
  return new Proxy(world.table.client, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (name !== 'transact') return typeof member === 'function' ? member.bind(target) : member;
      return async (...args: Parameters<TableClient['transact']>) => {
        if (args[0].some((write) => write.kind === 'put' && write.item.sk === sk)) await event();
        return target.transact(...args);
      };
    },
  });
}

describe('the command member merge', () => {
  let mina: Person;
  let keep: Shopper;
  beforeAll(async () => {
    mina = await livePerson(world);
    keep = await newShopper(world, 100);
    await awardCashback(world, mina, 300);
    const { json } = await admin.script('cashback export "Corner Coffee × Skyline Miles"');
    expect((await merge(keep, mina)).err).toContain(`payout batch ${json.batch.uuid} will pay it`);
    await admin.script(`cashback mark-paid ${json.batch.uuid} --reference SEPA-8`);
    await awardCashback(world, mina, 250);
    // No function has cached these new tokens. For some seconds after a merge, a cached token names the former member.
    const issued = { member: await memberOf(mina), merchantId: world.demo.merchant.id };
    mina = { ...mina, ...(await issueUserTokens(issued, world.platform)) };
  });

  it('moves points, cashback and totals to the kept member', async () => {
    const [one, other] = [await accountOf(keep), await accountOf(mina)];
    const before = (await admin.script('statement program "Skyline Miles"')).json;
    const { status, json, err } = await merge(keep, mina);

    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(json.merged).toMatchObject({ keptId: keep.id, goneId: mina.id, isRepeated: false });
    expect(await accountOf(keep)).toMatchObject({
      externalId: keep.externalId,
      availablePoints: (one?.availablePoints ?? 0) + (other?.availablePoints ?? 0),
      totalEarnedPoints: (one?.totalEarnedPoints ?? 0) + (other?.totalEarnedPoints ?? 0),
      totalRedeemedPoints: other?.totalRedeemedPoints,
      ...{ cashbackCents: 550, paidOutCents: 300 },
    });
    expect((await admin.script('statement program "Skyline Miles"')).json).toEqual(before);
    expect(await reconcile(world.table)).toEqual([]);
    expect(await naming(mina)).toEqual(['ledger', 'payout', 'user']);
  });

  it('lets former ids and tokens lead to the kept member', async () => {
    const show = (id: string, ...of: string[]) => admin.script(`member show ${id}`, ...of);
    const references = [
      [String(mina.id)],
      [mina.uuid],
      [mina.externalId, '--of', 'Corner Coffee'],
      [mina.account, '--of', 'Skyline Miles'],
    ] as const;
    for (const [id, ...of] of references) expect((await show(id, ...of)).json.member.id).toBe(keep.id);
    expect((await admin.script(`member find ${mina.id}`)).json.members).toMatchObject([{ id: keep.id }]);
    expect((await admin.read(`member show ${mina.uuid}`)).out).toContain('was merged into this one');
    const account = (number: string) => admin.read(`program account show "Skyline Miles" ${number}`);
    expect((await account(mina.account)).out).toContain(
      `Its member was merged into member ${keep.id}. What follows is account ${keep.externalId}, which has the points.`,
    );
    expect((await account(keep.externalId)).out).not.toContain('merged');
    const seen = await call(getUser, getUserContract, {
      params: { id: mina.uuid },
      headers: { 'x-api-key': world.demo.merchant.apiKey },
    });
    expect({ status: seen.status, id: seen.body.data.user.id }).toEqual({ status: 200, id: keep.id });
    const bought = await createBy(mina, await ask(mina, { campaignId: world.demo.campaigns.earn, amount: 10 }));
    expect(bought.body.data.reward_transactions).toMatchObject([{ user_id: keep.id }]);
    const order = await processedOrder(world, mina);
    expect(order.userId).toBe(keep.id);
    await confirmAll(world);
  });

  it('applies an old order’s refund to the kept member’s account', async () => {
    const before = (await accountOf(keep))?.availablePoints ?? 0;
    await postRefund(world, mina.order.uuid, { refund_external_id: randomUUID(), amount: 8_100 });
    await applyRefunds(world, mina.order);
    await confirmAll(world);

    const { availablePoints = 0, owedPoints } = (await accountOf(keep)) ?? {};
    expect(before - availablePoints).toBeGreaterThan(0);
    expect(owedPoints).toBe(0);
    expect(await world.platform.orders.find(mina.order.uuid)).toMatchObject({ state: 'REFUNDED' });
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('awards no purchase twice', async () => {
    const order = mina.order.externalOrderId;
    const { body } = await ask(keep, { campaignId: world.demo.campaigns.earn, amount: 100, order });
    expect(body.data).toMatchObject({ authentication_status: 4, reason: 'transaction_already_exists' });
    expect((await memberOf(keep)).spend).toMatchObject([{ userId: keep.id }]);
  });

  it('merges a member only once', async () => {
    const again = await merge(keep, mina);
    expect(again.json.merged).toMatchObject({ isRepeated: true, items: 0 });
    const third = await newShopper(world);
    expect((await merge(third, mina)).err).toContain(`was merged into member ${keep.id}`);
    expect((await merge(third, third)).err).toContain('name two members');
  });

  it('lets `export` and `erase` include the merged member’s data', async () => {
    const { json } = await admin.script(`member export ${keep.id}`);
    const titled = (title: string) =>
      json.sections.find((section: { title: string }) => section.title === title).entries;
    expect(titled('Your former numbers')).toMatchObject([{ userId: mina.id }]);
    const users = titled('Your ledger').map(({ userId }: { userId: number }) => userId);
    expect(new Set(users)).toEqual(new Set([mina.id, keep.id]));
    const { json: exported } = await admin.script('cashback export "Corner Coffee × Skyline Miles"');
    await admin.script(`cashback mark-paid ${exported.batch.uuid} --reference SEPA-9`);
    const { err } = await admin.script(`member erase ${mina.id} --reason G-14 --confirm ${keep.id} --forfeit`);
    expect(err).toBe('');
    for (const { id } of [keep, mina]) {
      expect((await admin.script(`member show ${id}`)).err).toContain(`member ${keep.id} was erased`);
    }
    for await (const item of world.table.mirror.read(personalPartitions)) {
      for (const secret of mina.secrets) expect(JSON.stringify(item)).not.toContain(secret);
    }
  });
});

describe('a merge', () => {
  it('moves a whole account to a kept member who has no account', async () => {
    const gone = await newShopper(world, 300);
    const platform = world.platform;
    const order = anOrderBody({ user: { merchant_external_id: gone.externalId } });
    await settleOrder(await announcementOf(world, await orderOf(world, await postOrder(world, order))), platform);
    await confirmAll(world);
    const points = (await accountOf(gone))?.availablePoints;
    const keep = world.demo.members[1];
    if (!keep) throw new Error('the world has a member without an account');
    expect((await merge(keep, gone)).err).toBe('');

    expect(await accountOf(keep)).toMatchObject({ externalId: gone.externalId, availablePoints: points });
    expect((await memberOf(keep)).associations).toMatchObject([{ externalId: keep.externalId }]);
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('adds up what both members used of a limit', async () => {
    const flow = {
      ...{ id: 1, trigger: { type: 'SPEND' as const }, limits: [forLife('EVENTS', 2)] },
      actions: [{ id: 2, ownerId: 1, kind: 'AWARD_POINTS' as const, pointsPerDollarBp: 10_000 }],
    };
    const campaign = await addCampaign(world, [flow]);
    const [keep, gone] = [await newShopper(world), await newShopper(world)];
    for (const who of [keep, gone]) {
      const bought = await createBy(who, await ask(who, { campaignId: campaign.id, amount: 10 }));
      expect(bought.body.data.reward_transactions).toMatchObject([{ reward_amount: 10 }]);
    }
    await confirmAll(world);
    expect((await merge(keep, gone)).err).toBe('');

    const { body } = await ask(keep, { campaignId: campaign.id, amount: 10 });
    expect(body.data).toMatchObject({ authentication_status: 4, reason: 'limit_reached' });
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('adds up what both members used of a velocity rule', async () => {
    const [keep, gone] = [await newShopper(world), await newShopper(world)];
    await setRule('Skyline Miles', { unit: 'REWARDS', window: 'WEEK', most: 2 }, world.platform);
    const buy = async (who: Shopper) => {
      const { body } = await createBy(who, await ask(who, { campaignId: world.demo.campaigns.earn, amount: 10 }));
      await confirmAll(world);
      return world.platform.transactions.find(body.data.reward_transactions[0].id);
    };
    for (const who of [keep, gone]) expect(await buy(who)).toMatchObject({ state: 'COMPLETED' });
    expect((await merge(keep, gone)).err).toBe('');

    expect(await naming(gone)).toEqual(['ledger', 'user']);
    expect(await buy(keep)).toMatchObject({ state: 'HELD', review: { breaches: [{ used: 2 }] } });
    expect(await reconcile(world.table)).toEqual([]);
    await removeRule('Skyline Miles', { unit: 'REWARDS', window: 'WEEK' }, world.platform);
  });

  it('is refused while a transaction of the merged member is pending', async () => {
    const [keep, gone] = [await newShopper(world, 100), await newShopper(world, 9_000)];
    await createBy(gone, await ask(gone, { campaignId: world.demo.campaigns.earn, amount: 10 }));
    expect((await merge(keep, gone)).err).toContain('(PENDING) is in progress');
    await confirmAll(world);
    const token = await ask(gone, { campaignId: world.demo.campaigns.redeem, amount: 1 });
    expect((await merge(keep, gone)).err).toBe('');

    expect(await accountOf(keep)).toMatchObject({ heldPoints: 0 });
    expect((await createBy(gone, token)).status).toBe(400);
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('keeps the books consistent while the merged member buys', async () => {
    const [keep, gone] = [await newShopper(world, 100), await newShopper(world, 9_000)];
    const buy = async () => {
      const asked = await ask(gone, { campaignId: world.demo.campaigns.redeem, amount: 1 });
      await createBy(gone, asked);
    };
    await Promise.all([merge(keep, gone), buy(), buy(), buy()]);
    await confirmAll(world);
    const { err } = await merge(keep, gone);

    expect(err).toBe('');
    expect(await reconcile(world.table)).toEqual([]);
    expect((await merge(keep, gone)).json.merged).toMatchObject({ isRepeated: true });
  });

  it('fails and keeps the block when a member is blocked meanwhile', async () => {
    const [keep, gone] = [await newShopper(world, 100), await newShopper(world, 200)];
    const author = { operator: async () => 'grace@desk', actor: null, command: 'merge' };
    const block = (who: Shopper, program?: string) =>
      blockMember({ member: { id: String(who.id) }, program, reason: 'Stolen card' }, { ...world.platform, author });
    const order = {
      ...{ keep: { id: String(keep.id) }, gone: { id: String(gone.id) }, reason: 'Request G-16' },
      ...{ readItems: () => world.table.mirror.read(personalPartitions), wait: async () => undefined },
    };
    const deps = { ...world.platform, author };
    const asked = mergeMembers({ ...order, confirm: async () => void (await block(gone)) }, deps);
    await expect(asked).rejects.toThrow(ChangedMeanwhileError);
    expect((await memberOf(gone)).user).toMatchObject({ id: gone.id, block: { reason: 'Stolen card' } });
    await unblockMember({ member: { id: String(gone.id) }, reason: 'It was found' }, deps);

    for (const who of [gone, keep]) {
      const table = beforeThePut('MERGED', () => block(who, 'Skyline Miles'));
      const written = mergeMembers(order, { ...composePlatform(readConfig(process.env), { table }), author });
      await expect(written).rejects.toThrow(ChangedMeanwhileError);
      expect(await accountOf(who)).toMatchObject({ block: { reason: 'Stolen card' } });
      await unblockMember({ member: { id: String(who.id) }, program: 'Skyline Miles', reason: 'Found' }, deps);
    }
    expect((await merge(keep, gone)).err).toBe('');
  });

  it('gives the kept member the award of an order processed meanwhile', async () => {
    const [keep, gone] = [await newShopper(world, 100), await newShopper(world, 100)];
    const [decided, merged] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const table = beforeThePut('CLAIM', () => {
      decided.resolve();
      return merged.promise;
    });
    const late = composePlatform(readConfig(process.env), { table });
    let announced: Awaited<ReturnType<typeof announcementOf>> | undefined;
    let processing: Promise<unknown> | undefined;
    await mergeMembers(
      {
        ...{ keep: { id: String(keep.id) }, gone: { id: String(gone.id) }, reason: 'Request G-20' },
        wait: async () => undefined,
        readItems: () => world.table.mirror.read(personalPartitions),
        confirm: async () => {
          const order = anOrderBody({ user: { merchant_external_id: gone.externalId } });
          announced = await announcementOf(world, await orderOf(world, await postOrder(world, order)));
          processing = settleOrder(announced, late).catch((error: unknown) => error);
          await decided.promise;
        },
      },
      world.platform,
    );
    merged.resolve();
    // The first write names the merged member, so it fails. The run reads the order again.
    expect(await processing).toBeUndefined();
    if (announced) await settleOrder(announced, world.platform);
    await confirmAll(world);

    expect(await naming(gone)).toEqual(['ledger', 'user']);
    expect((await accountOf(keep))?.availablePoints).toBeGreaterThan(200);
  });

  it('keeps a link written meanwhile, and refuses a later link of the merged member', async () => {
    const [keep, gone] = [await newShopper(world), await newShopper(world)];
    const { user, memberships, associations } = await memberOf(gone);
    const [account, customer] = [memberships[0], associations[0]];
    if (!account || !customer) throw new Error('the member has an account and a merchant');
    const link = (merchantId: number) =>
      world.platform.links.write({
        offer: { user: {}, partnershipUuid: null, account: { ...account, email: null, points: 0 } },
        link: {
          ...{ user, isNewUser: false, membership: undefined, changed: undefined },
          association: { ...customer, merchantId, externalId: null },
        },
        registrations: [],
        event: {
          ...{ id: randomUUID(), name: 'user_partner_authentication_created', entityId: user.uuid },
          ...{ occurredAt: '2026-11-21T09:30:00.000Z', merchantId, partnerId: account.partnerId },
        },
        extraWrites: undefined,
      });
    const order = {
      ...{ keep: { id: String(keep.id) }, gone: { id: String(gone.id) }, reason: 'Request G-22' },
      ...{ readItems: () => world.table.mirror.read(personalPartitions), wait: async () => undefined },
    };
    const table = beforeThePut('MERGED', () => link(771));
    const meanwhile = mergeMembers(order, composePlatform(readConfig(process.env), { table }));
    await expect(meanwhile).rejects.toThrow(ChangedMeanwhileError);
    expect((await merge(keep, gone)).err).toBe('');

    await expect(link(772)).rejects.toThrow(LinkConflictError);
    expect((await memberOf(keep)).associations).toContainEqual(expect.objectContaining({ merchantId: 771 }));
    expect(await naming(gone)).toEqual(['ledger', 'user']);
    expect((await merge(keep, gone)).json.merged).toMatchObject({ isRepeated: true, items: 0 });
  });

  /** Makes three members and a reward of the first. Tests merge the first into the middle one, that into the last. */
  async function threeMembers() {
    const [last, middle, first] = [
      await newShopper(world, 10),
      await newShopper(world, 10),
      await newShopper(world, 10),
    ];
    const bought = await createBy(first, await ask(first, { campaignId: world.demo.campaigns.earn, amount: 10 }));
    await confirmAll(world);
    const [{ id: boughtId }] = bought.body.data.reward_transactions;
    return { last, middle, first, boughtId };
  }

  it('finishes after it was killed and its kept member was merged', async () => {
    const { last, middle, first, boughtId } = await threeMembers();
    const died = mergeMembers(
      {
        ...{ keep: { id: String(middle.id) }, gone: { id: String(first.id) }, reason: 'Request G-21' },
        wait: async () => undefined,
        readItems: async function* () {
          if (await world.platform.members.findMerged(first.id)) throw new Error('killed');
          yield* world.table.mirror.read(personalPartitions);
        },
      },
      world.platform,
    );
    await expect(died).rejects.toThrow('killed');
    expect((await merge(last, middle)).err).toBe('');
    expect((await merge(middle, first)).err).toBe('');

    for (const who of [first, middle]) expect(await naming(who)).toEqual(['ledger', 'user']);
    expect(await world.platform.transactions.find(boughtId)).toMatchObject({ userId: last.id });
  });

  it('moves everything to a third member when the kept member is merged meanwhile', async () => {
    const { last, middle, first, boughtId } = await threeMembers();
    let isMerged = false;
    const readItems = async function* () {
      const mark = await world.platform.members.findMerged(first.id);
      yield* world.table.mirror.read(personalPartitions);
      if (!mark || isMerged) return;
      isMerged = true;
      expect((await merge(last, middle)).err).toBe('');
    };
    await mergeMembers(
      {
        ...{ keep: { id: String(middle.id) }, gone: { id: String(first.id) }, reason: 'Request G-22' },
        ...{ wait: async () => undefined, readItems },
      },
      world.platform,
    );
    expect(isMerged).toBe(true);
    for (const who of [first, middle]) expect(await naming(who)).toEqual(['ledger', 'user']);
    expect(await world.platform.transactions.find(boughtId)).toMatchObject({ userId: last.id });
  });

  it('finishes when it is killed before each write and run again', async () => {
    const [keep, gone] = [await newShopper(world, 100), await livePerson(world)];
    const order = {
      ...{ keep: { id: String(keep.id) }, gone: { id: String(gone.id) }, reason: 'Request G-15' },
      ...{ readItems: () => world.table.mirror.read(personalPartitions), wait: async () => undefined },
    };
    const { runs, faults } = await runUntilDone(world, (deps) => mergeMembers(order, deps));

    expect(faults).toEqual([]);
    expect(runs).toBeGreaterThan(15);
    expect(await naming(gone)).toEqual(['ledger', 'user']);
    expect((await merge(keep, gone)).json.merged).toMatchObject({ isRepeated: true, items: 0 });
  });
});
