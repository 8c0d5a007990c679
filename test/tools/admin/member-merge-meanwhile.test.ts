import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InUseError } from '../../../shared/operations/errors.ts';
import { adjustPoints } from '../../../shared/operations/member/adjust-points.ts';
import { blockMember, unblockMember } from '../../../shared/operations/member/block-member.ts';
import { eraseMember } from '../../../shared/operations/member/erase-member.ts';
import { createMember } from '../../../shared/operations/member/manage-members.ts';
import { mergeMembers } from '../../../shared/operations/member/merge-members.ts';
import { authenticateTransaction } from '../../../shared/operations/token/authenticate-transaction.ts';
import { createTransaction } from '../../../shared/operations/token/create-transaction.ts';
import { composePlatform } from '../../../shared/runtime/platform.ts';
import { readConfig } from '../../../shared/runtime/runtime.ts';
import { mergedUserWrite, mergeEndWrite } from '../../../shared/store/member/members.ts';
import { programAccountWrites } from '../../../shared/store/member/program-accounts.ts';
import { SpendCounter } from '../../../shared/store/member/spend.ts';
import { personalPartitions } from '../../../shared/store/person/personal-items.ts';
import type { TableClient } from '../../../shared/store/table/table-client.ts';
import { sentenceOf } from '../../../tools/admin/cli/text.ts';
import { Random } from '../../soak/random.ts';
import { confirmAll } from '../../support/order-story.ts';
import { provisionOrganisation } from '../../support/provision.ts';
import { reconcile } from '../../support/reconcile.ts';
import { ask, newShopper, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';
import { commandLineOf } from './command-line.ts';

/** Other commands change the members while a merge runs. No point is lost or given twice. */

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(async () => expect(await reconcile(world.table)).toEqual([]));

const readItems = () => world.table.mirror.read(personalPartitions);
const named = ({ id }: Pick<Shopper, 'id'>) => ({ id: String(id) });
const author = { operator: async () => 'grace@desk', actor: null, command: 'merge' };
const operators = (table: TableClient = world.table.client) => ({
  ...composePlatform(readConfig(process.env), { table }),
  author,
});
type Meanwhile = Partial<Pick<Parameters<typeof mergeMembers>[0], 'wait' | 'readItems'>>;

/** Merges two members. Returns when every item names the kept member. */
const merge = (keep: Pick<Shopper, 'id'>, gone: Pick<Shopper, 'id'>, meanwhile: Meanwhile = {}, deps = operators()) =>
  mergeMembers(
    {
      ...{ keep: named(keep), gone: named(gone), reason: 'Request G-30' },
      ...{ readItems, wait: async () => undefined, ...meanwhile },
    },
    deps,
  );
const erase = (who: Pick<Shopper, 'id'>, deps = operators()) =>
  eraseMember({ member: named(who), reason: 'Request G-31', forfeits: true, readItems }, deps);

const adjust = (who: Shopper, points: number, reference: string, deps = operators()) =>
  adjustPoints({ member: named(who), program: 'Skyline Miles', points, reason: 'Goodwill', reference }, deps);

const memberOf = ({ id }: Pick<Shopper, 'id'>) => world.platform.members.find(id);
const accountOf = async (who: Pick<Shopper, 'id'>) => (await memberOf(who))?.memberships[0];

/** A table that calls `event` once, right before the first write that puts an item with this sort key. */
function beforeThePut(sk: string, event: () => Promise<unknown>, table = world.table.client): TableClient {
  let hasHappened = false;
  return new Proxy(table, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (name !== 'transact') return typeof member === 'function' ? member.bind(target) : member;
      return async (...args: Parameters<TableClient['transact']>) => {
        const isIt = args[0].some((write) => write.kind === 'put' && write.item.sk === sk);
        if (isIt && !hasHappened) {
          hasHappened = true;
          await event();
        }
        return target.transact(...args);
      };
    },
  });
}

/** Asks endpoint 1 for a token of a purchase. Endpoint 1 uses the given table. */
async function tokenOn(table: TableClient, { id: userId }: Shopper, externalTransactionId: string, campaignId: number) {
  const purchase = { merchantId: world.demo.merchant.id, partnerId: undefined, amountCents: 10_00 };
  return authenticateTransaction({ userId, campaignId, externalTransactionId, ...purchase }, operators(table));
}

describe('a token written during a merge', () => {
  it('moves to the kept member, spent or unspent', async () => {
    for (const isSpent of [false, true]) {
      const [keep, gone] = [await newShopper(world, 100), await newShopper(world, 100)];
      const [decided, merged] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const table = beforeThePut('CLAIM', () => {
        decided.resolve();
        return merged.promise;
      });
      const order = randomUUID();
      const asking = tokenOn(table, gone, order, world.demo.campaigns.earn);
      await decided.promise;
      const wait = async (ms: number) => {
        // The merge waits so long that every consumer that has read the member before has ended.
        expect(ms).toBeGreaterThan(30_000);
        merged.resolve();
        const { authenticationId: token } = await asking;
        const spender = { userId: gone.id, merchantId: world.demo.merchant.id };
        if (isSpent) await createTransaction({ token, ...spender }, world.platform);
      };
      expect((await merge(keep, gone, { wait })).items).toBeGreaterThan(0);

      const { authenticationId: token } = await asking;
      const claim = await world.platform.claims.findByToken(token);
      expect(claim).toMatchObject({ userId: keep.id, state: isSpent ? 'SPENT' : 'ISSUED' });
      const spender = { userId: keep.id, merchantId: world.demo.merchant.id };
      if (!isSpent) await createTransaction({ token, ...spender }, world.platform);
      await confirmAll(world);
      expect((await accountOf(keep))?.availablePoints).toBeGreaterThan(200);
      expect((await merge(keep, gone)).isRepeated).toBe(true);
    }
  });
});

describe('the erasure of a kept member', () => {
  it('is refused until the merge is finished', async () => {
    const [keep, gone] = [await newShopper(world), await newShopper(world)];
    const killed = merge(keep, gone, {
      wait: async () => {
        throw new Error('killed');
      },
    });
    await expect(killed).rejects.toThrow('killed');
    const { err } = await commandLineOf(world.table).script(
      ...['member', 'erase', String(keep.id), '--reason', 'G-32', '--confirm', String(keep.id)],
    );
    expect(err).toContain(`the merge of member ${gone.id} into it is not finished: give member merge again`);
    expect(err).toContain('nothing was changed');
    await merge(keep, gone);
    expect(await erase(keep)).toMatchObject({ userId: keep.id, isRepeated: false });
  });
});

describe('a purchase streamed after a merge', () => {
  it('counts as spend of the kept member', async () => {
    const [keep, gone] = [await newShopper(world), await newShopper(world)];
    await merge(keep, gone);
    const { merchant } = world.demo;
    const at = world.platform.now().toISOString();
    const spent = {
      userId: gone.id,
      merchantId: merchant.id,
      externalTransactionId: randomUUID(),
      amountCents: 700,
      at,
    };
    await new SpendCounter(world.table.client).count([spent]);
    expect((await memberOf(keep))?.spend).toMatchObject([{ userId: keep.id, spentCents: 700 }]);
  });
});

describe('an adjustment repeated after a merge', () => {
  it('has no effect, whichever of the merged members it names', async () => {
    const [last, keep, gone] = [await newShopper(world), await newShopper(world), await newShopper(world)];
    const reference = randomUUID();
    await adjust(gone, 30, reference);
    await merge(keep, gone);
    for (const who of [gone, keep]) expect(await adjust(who, 30, reference)).toMatchObject({ isRepeated: true });
    await expect(adjust(keep, 31, reference)).rejects.toThrow('30 points');
    await merge(last, keep);
    for (const who of [gone, keep, last]) expect(await adjust(who, 30, reference)).toMatchObject({ isRepeated: true });
    expect(await accountOf(last)).toMatchObject({ availablePoints: 30 });
  });
});

describe('a merge', () => {
  it('that writes first makes a parallel erasure of the kept member fail', async () => {
    const merchant = await provisionOrganisation(world.platform, { name: 'Elsewhere', kind: 'MERCHANT' });
    const names = { firstName: 'Hedy', lastName: 'Lamarr', email: 'hedy@example.com' };
    const customer = { ...names, merchant: { id: merchant.id, externalId: 'e-1' } };
    const { user: keep } = await createMember(customer, world.platform);
    const gone = await newShopper(world, 50);
    const table = beforeThePut('ERASED', () => merge(keep, gone));
    await expect(erase(keep, operators(table))).rejects.toMatchObject({ isBegun: true });
    expect(await accountOf(gone)).toMatchObject({ userId: keep.id, availablePoints: 50 });
    expect(await erase(keep)).toMatchObject({ isRepeated: false, pointsLeft: [] });
    expect(await memberOf(gone)).toBeUndefined();
  });

  it('is refused after a parallel erasure of the kept member wrote first', async () => {
    const [keep, gone] = [await newShopper(world), await newShopper(world, 50)];
    const table = beforeThePut('MERGED', () => erase(keep));
    await expect(merge(keep, gone, {}, operators(table))).rejects.toMatchObject({ isBegun: true });
    expect(await accountOf(gone)).toMatchObject({ userId: gone.id, availablePoints: 50 });
    await expect(merge(keep, gone)).rejects.toThrow('was erased');
  });

  it('loses no points when its kept member is merged in parallel', async () => {
    const [last, middle, first] = [await newShopper(world), await newShopper(world), await newShopper(world, 70)];
    const table = beforeThePut('MERGED', () => merge(middle, first));
    await expect(merge(last, middle, {}, operators(table))).rejects.toMatchObject({ isBegun: true });
    await merge(last, middle);
    expect(await accountOf(last)).toMatchObject({ availablePoints: 70 });
  });
});

describe('a merge whose kept account is closed meanwhile', () => {
  it('fails before any points move', async () => {
    const [keep, gone] = [await newShopper(world, 10), await newShopper(world, 50)];
    const account = await accountOf(keep);
    if (!account) throw new Error('a shopper has an account');
    const { partnerId, externalId: memberId, firstName, lastName, statusTierId } = account;
    const holder = { firstName, lastName, email: null, statusTierId };
    const closed = { partnerId, memberId, ...holder, openingPoints: 0, closedAt: '2026-11-21T09:30:00.000Z' };
    const table = beforeThePut('MERGED', () => world.table.client.transact(programAccountWrites(closed)));
    await expect(merge(keep, gone, {}, operators(table))).rejects.toMatchObject({ isBegun: true });
    expect(await accountOf(gone)).toMatchObject({ userId: gone.id, availablePoints: 50 });
    await expect(merge(keep, gone)).rejects.toBeInstanceOf(InUseError);
  });
});

describe('an erasure that is refused halfway', () => {
  it('continues when the command is repeated', async () => {
    const [who, other] = [await newShopper(world), world.platform.nextIds()];
    const merged = { userId: other.id, userUuid: other.uuid, mergedInto: who.id, mergedAt: '2026-11-21T09:30:00.000Z' };
    let readings = 0;
    // The first check reads all items twice. The merge appears in the third reading, after the erasure has begun.
    const readLater = async function* () {
      readings += 1;
      if (readings === 3) await world.table.client.transact([mergedUserWrite({ ...merged, isMoving: true })]);
      yield* readItems();
    };
    const order = { member: named(who), reason: 'Request G-33', forfeits: true, readItems: readLater };
    const refused = await eraseMember(order, operators()).catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: 'InUseError', isBegun: true });
    expect(sentenceOf(refused)).toContain('the command has begun; finish this, then give it again');
    await world.table.client.transact([mergeEndWrite({ ...merged, isMoving: true })]);
    expect(await erase(who)).toMatchObject({ isRepeated: false, pointsLeft: [] });
  });

  it('asks the operator to repeat the command after a conflicting write', async () => {
    const who = await newShopper(world, 10);
    const table = beforeThePut('ERASED', () => adjust(who, 5, randomUUID()));
    const refused = await erase(who, operators(table)).catch((error: unknown) => error);
    expect(sentenceOf(refused)).toContain('give the same command again, which continues');
    expect(await erase(who)).toMatchObject({ isRepeated: false, pointsLeft: [] });
  });
});

describe('a block during a merge', () => {
  it('makes the merge cancel each token that it has not moved yet', async () => {
    const [keep, gone] = [await newShopper(world, 100), await newShopper(world, 100)];
    const earn = { campaignId: world.demo.campaigns.earn, amount: 10 };
    let token: Awaited<ReturnType<typeof ask>> | undefined;
    const table = beforeThePut('MERGED', async () => {
      token = await ask(gone, earn);
    });
    let isBlocked = false;
    const readLater = async function* () {
      if (!isBlocked && (await world.platform.members.findMerged(gone.id))) {
        isBlocked = true;
        const blocked = await blockMember({ member: named(keep), reason: 'Stolen card' }, operators());
        expect(blocked.cancelledIds).toEqual([]);
      }
      yield* readItems();
    };
    await merge(keep, gone, { readItems: readLater }, operators(table));
    expect(isBlocked).toBe(true);
    if (!token) throw new Error('the token was asked for');
    expect(await world.platform.claims.findByToken(token.body.data.authentication_id)).toBeUndefined();
    await unblockMember({ member: named(keep), reason: 'Found' }, operators());
    expect(await accountOf(keep)).toMatchObject({ availablePoints: 200, heldPoints: 0 });
  });
});

describe('parallel merges, purchases, adjustments and blocks', () => {
  /** A table that delays each call by a random time. The seed alone decides the sequence of the calls. */
  function shuffled(random: Random): TableClient {
    return new Proxy(world.table.client, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return async (...args: unknown[]) => {
          const turns = random.between(0, 6);
          for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
          return member.apply(target, args);
        };
      },
    });
  }

  it.each([1, 2, 3])('lose no points with seed %d', async (seed) => {
    const random = new Random(seed);
    const [last, keep, gone] = [
      await newShopper(world, 300),
      await newShopper(world, 200),
      await newShopper(world, 100),
    ];
    const people = [last, keep, gone];
    const { earn, redeem } = world.demo.campaigns;
    const reference = randomUUID();
    const buy = async (who: Shopper, campaignId: number) => {
      const table = shuffled(random);
      const { authenticationId: token } = await tokenOn(table, who, randomUUID(), campaignId);
      const spender = { userId: who.id, merchantId: world.demo.merchant.id };
      await createTransaction({ token, ...spender }, operators(table));
    };
    const work = [
      () => merge(keep, gone, {}, operators(shuffled(random))),
      () => merge(last, keep, {}, operators(shuffled(random))),
      () => merge(keep, gone, {}, operators(shuffled(random))),
      ...people.flatMap((who) => [() => buy(who, earn), () => buy(who, redeem)]),
      () => adjust(gone, 7, reference, operators(shuffled(random))),
      () => adjust(gone, 7, reference, operators(shuffled(random))),
      () => blockMember({ member: named(gone), reason: 'Stolen card' }, operators(shuffled(random))),
      () => unblockMember({ member: named(gone), reason: 'Found' }, operators(shuffled(random))),
    ];
    const inOrder = work.map((step) => ({ step, at: random.next() })).toSorted((one, other) => one.at - other.at);
    await Promise.allSettled(inOrder.map(({ step }) => step()));
    expect(await reconcile(world.table)).toEqual([]);

    // Repeats, one after the other, the commands that a conflict may have refused.
    for (const who of people) {
      await unblockMember({ member: named(who), reason: 'Found' }, operators());
    }
    await adjust(gone, 7, reference);
    await confirmAll(world);
    await merge(keep, gone).catch((error: unknown) => {
      if (error instanceof InUseError) throw error;
    });
    await merge(last, keep);
    await merge(last, gone);
    await confirmAll(world);
    const entries = await Promise.all(
      people.map(({ id }) => world.platform.ledger.entriesOf(id, world.demo.partner.id)),
    );
    const sums = entries.map((own) => own.reduce((sum, { points }) => sum + points, 0));
    const account = await accountOf(last);
    expect(sums).toEqual([(account?.availablePoints ?? 0) + (account?.heldPoints ?? 0), 0, 0]);
    const adjusted = entries.flat().filter(({ kind }) => kind === 'MANUAL_ADJUSTMENT');
    expect(adjusted).toHaveLength(1);
    const opened = entries.flat().filter(({ kind }) => kind === 'OPENING');
    expect(opened.reduce((sum, { points }) => sum + points, 0)).toBe(600);
    expect(await reconcile(world.table)).toEqual([]);
  });
});
