import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import type { PlatformEvent } from '../../../shared/contracts/events.ts';
import type { AwardClaim } from '../../../shared/domain/award/claim.ts';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { endReview } from '../../../shared/operations/ledger/review-held.ts';
import { blockMember, unblockMember } from '../../../shared/operations/member/block-member.ts';
import { issueUserTokens } from '../../../shared/operations/member/issue-user-tokens.ts';
import { linkCustomer } from '../../../shared/operations/member/link-customers.ts';
import { holdBlocked } from '../../../shared/operations/posting/review-reward.ts';
import { syncWithProgram } from '../../../shared/operations/posting/sync-with-program.ts';
import { authenticateTransaction } from '../../../shared/operations/token/authenticate-transaction.ts';
import { createTransaction } from '../../../shared/operations/token/create-transaction.ts';
import { AwardClaims } from '../../../shared/store/award/claims.ts';
import { Transactions } from '../../../shared/store/ledger/transactions.ts';
import { anOrderBody, orderOf, postOrder, processedOrder } from '../../support/order-story.ts';
import { reconcile } from '../../support/reconcile.ts';
import { aSecondProgram, linkTo } from '../../support/second-program.ts';
import { ask, createBy, newShopper, type Shopper } from '../../support/shoppers.ts';
import { admin, useWorld, world } from './admin-world.ts';

let otherId: number;

useWorld(async () => {
  otherId = (await aSecondProgram(world)).id;
});
afterAll(async () => expect(await reconcile(world.table)).toEqual([]));

const blocking = ({ id }: Shopper, ...more: string[]) => [
  ...['member', 'block', String(id), '--reason', 'Stolen card', ...more],
];
const unblocking = ({ id }: Shopper, ...more: string[]) => [
  ...['member', 'unblock', String(id), '--reason', 'It was found', ...more],
];
const orderFor = ({ id }: Shopper, reason = 'Stolen card') => ({ member: { id: String(id) }, reason });

/** Finds no unspent token. The real search reads hundreds of index partitions, and most tests do not need it. */
class NoTokens extends AwardClaims {
  override async liveOf(): Promise<AwardClaim[]> {
    return [];
  }
}

const blockWithoutTokens = (shopper: Shopper) =>
  blockMember(orderFor(shopper), { ...world.platform, claims: new NoTokens(world.platform.table) });

const buy = (shopper: Shopper, kind: 'earn' | 'redeem' = 'earn', order: string = randomUUID()) =>
  ask(shopper, { campaignId: world.demo.campaigns[kind], amount: 10, order });

/** The shopper connects once more. */
async function withNewTokens(shopper: Shopper): Promise<Shopper> {
  const member = await world.platform.members.find(shopper.id);
  if (!member) throw new Error('there is no member');
  return { ...shopper, ...(await issueUserTokens({ member, merchantId: world.demo.merchant.id }, world.platform)) };
}

async function accountOf({ id }: Shopper) {
  const found = await world.platform.members.findMembership(id, world.demo.partner.id);
  if (!found) throw new Error('there is no account');
  return found;
}

function created({ uuid, merchantId, partnerId }: RewardTransaction): PlatformEvent {
  const occurredAt = world.platform.now().toISOString();
  return { id: `event-of-${uuid}`, name: 'transaction_created', entityId: uuid, occurredAt, merchantId, partnerId };
}

async function transactionOf(id: number): Promise<RewardTransaction> {
  const found = await world.platform.transactions.find(id);
  if (!found) throw new Error(`there is no transaction ${id}`);
  return found;
}

describe('the command member block', () => {
  it('bars a person from rewards and payments, even with earlier tokens', async () => {
    const shopper = await newShopper(world, 5_000);
    const [earning, paying] = [await buy(shopper), await buy(shopper, 'redeem')];
    expect((await accountOf(shopper)).heldPoints).toBeGreaterThan(0);

    const blocked = await admin.script(...blocking(shopper));
    expect(blocked).toMatchObject({
      status: 0,
      json: {
        changed: true,
        heldPoints: 0,
        ended: [{ merchantId: world.demo.merchant.id, grants: 1 }],
        member: { block: { reason: 'Stolen card' } },
      },
    });
    expect(blocked.json.cancelled).toHaveLength(2);
    expect(await accountOf(shopper)).toMatchObject({ availablePoints: 5_000, heldPoints: 0 });

    const again = await withNewTokens(shopper);
    for (const token of [earning, paying]) expect((await createBy(again, token)).status).toBe(400);
    const order = randomUUID();
    for (const kind of ['earn', 'redeem'] as const) {
      expect((await buy(again, kind, order)).body.data).toMatchObject({
        authentication_status: 3,
        reason: 'member_blocked',
      });
    }

    const { out } = await admin.read(`member why ${order} --of "Corner Coffee"`);
    expect(out).toContain('is blocked (member_blocked)');
    expect(out).toContain(`member show ${shopper.id}`);
    expect((await admin.read(`member show ${shopper.id}`)).out).toContain('The whole person is blocked since');
    expect((await admin.read(`member find ${shopper.id}`)).out).toContain('person');
    const { json: audit } = await admin.script('audit list');
    expect(audit.entries.find(({ what }: { what: string }) => what.startsWith('blocked'))).toMatchObject({
      command: 'member block',
      change: { before: { block: null }, after: { block: { reason: 'Stolen card' } } },
    });
  });

  it('rejects orders of the person for good, and prevents new links', async () => {
    const shopper = await newShopper(world);
    await blockWithoutTokens(shopper);
    const order = await processedOrder(world, shopper);
    expect(await world.platform.orders.find(order.uuid)).toMatchObject({
      state: 'REJECTED',
      rejection: 'member_blocked',
    });
    const link = { merchant: 'Corner Coffee', program: 'Skyline Miles', account: shopper.externalId };
    await expect(
      linkCustomer({ ...link, customer: { externalId: shopper.externalId } }, world.platform),
    ).rejects.toThrow('is blocked');

    await unblockMember(orderFor(shopper), world.platform);
    const later = await orderOf(
      world,
      await postOrder(world, anOrderBody({ user: { merchant_external_id: shopper.externalId } })),
    );
    expect(later.state).toBe('PENDING');
    expect(await world.platform.orders.find(order.uuid)).toMatchObject({ state: 'REJECTED' });
  });

  it('blocks one account, and changes neither other programs nor user tokens', async () => {
    const shopper = await newShopper(world, 100);
    await linkTo(world, shopper, otherId, 70);
    const { json } = await admin.script(...blocking(shopper, '--program', 'Skyline Miles'));
    expect(json).toMatchObject({ changed: true, ended: [], member: { block: null } });
    const blocks = json.member.accounts.map((one: { partnerId: number; block: unknown }) => [
      one.partnerId,
      one.block !== null,
    ]);
    expect(Object.fromEntries(blocks)).toEqual({ [world.demo.partner.id]: true, [otherId]: false });
    expect((await buy(shopper)).body.data).toMatchObject({ authentication_status: 3, reason: 'member_blocked' });
    expect((await admin.read(`member show ${shopper.id}`)).out).toContain(
      'The account in Skyline Miles is blocked since',
    );
    const absent = await admin.read(...blocking(await newShopper(world), '--yes', '--program', String(otherId)));
    expect(absent).toMatchObject({ status: 1, err: expect.stringContaining('has no linked account') });
  });

  it('asks first, because a block ends tokens for good', async () => {
    const shopper = await newShopper(world);
    const refused = await admin.read(...blocking(shopper));
    expect(refused).toMatchObject({ status: 1, err: expect.stringContaining('give --yes') });
    expect((await world.platform.members.find(shopper.id))?.user.block).toBeUndefined();
  });

  it('changes nothing when repeated; `unblock` restores everything except tokens', async () => {
    const shopper = await newShopper(world, 5_000);
    await blockWithoutTokens(shopper);
    // The block missed this account, because its link was written at the same moment.
    await linkTo(world, shopper, otherId, 70);
    expect((await admin.read(...blocking(shopper, '--yes'))).out).not.toContain('It was blocked before');
    expect(await blockWithoutTokens(shopper)).toMatchObject({ isChanged: false });
    expect(await world.platform.members.findMembership(shopper.id, otherId)).toMatchObject({ isUserBlocked: true });

    expect((await admin.script(...unblocking(shopper))).json).toMatchObject({
      changed: true,
      member: { block: null },
    });
    expect((await admin.script(...unblocking(shopper))).json).toMatchObject({ changed: false });
    expect(await accountOf(shopper)).not.toHaveProperty('isUserBlocked');
    const { body } = await buy(await withNewTokens(shopper), 'redeem');
    expect(body.data.authentication_status).toBe(1);
  });
});

/** Blocks the member right before a token is written. */
class BlockedMeanwhile extends Transactions {
  readonly #shopper: Shopper;

  constructor(shopper: Shopper) {
    super(world.platform.table);
    this.#shopper = shopper;
  }

  override async reserve(...parts: Parameters<Transactions['reserve']>): Promise<void> {
    await blockWithoutTokens(this.#shopper);
    return super.reserve(...parts);
  }
}

describe('a block during a purchase', () => {
  const requestOf = (shopper: Shopper, kind: 'earn' | 'redeem') => ({
    userId: shopper.id,
    merchantId: world.demo.merchant.id,
    campaignId: world.demo.campaigns[kind],
    partnerId: undefined,
    externalTransactionId: randomUUID(),
    amountCents: 1_000,
  });

  it('prevents a token that would hold points', async () => {
    const shopper = await newShopper(world, 5_000);
    const deps = { ...world.platform, transactions: new BlockedMeanwhile(shopper) };
    expect(await authenticateTransaction(requestOf(shopper, 'redeem'), deps)).toMatchObject({
      status: 'MEMBER_NOT_EXISTS',
      refusal: { reason: 'member_blocked' },
    });
    expect(await accountOf(shopper)).toMatchObject({ availablePoints: 5_000, heldPoints: 0 });
  });

  it('allows an earning token, but its reward needs a review', async () => {
    const shopper = await newShopper(world, 0);
    const deps = { ...world.platform, transactions: new BlockedMeanwhile(shopper) };
    const { status, authenticationId: token } = await authenticateTransaction(requestOf(shopper, 'earn'), deps);
    expect(status).toBe('AUTHENTICATED');
    const owner = { userId: shopper.id, merchantId: world.demo.merchant.id };
    const { claim } = await createTransaction({ token, ...owner }, world.platform);
    const transaction = await transactionOf(claim.rewards[0]?.id ?? 0);

    await syncWithProgram(created(transaction), world.platform);
    expect(await transactionOf(transaction.id)).toMatchObject({ state: 'HELD', review: { breaches: [] } });
    expect(await accountOf(shopper)).toMatchObject({ availablePoints: 0 });
    const order = { id: String(transaction.id), reason: 'looked at it' };
    await expect(endReview({ ...order, outcome: 'RELEASED' }, world.platform)).rejects.toThrow('is blocked');
    expect((await admin.read(`member why ${transaction.id}`)).out).toContain('was blocked');
    await endReview({ ...order, outcome: 'REFUSED' }, world.platform);
    expect((await transactionOf(transaction.id)).state).toBe('FAILED');
  });

  it('sets the reward to HELD before its posting begins', async () => {
    const shopper = await newShopper(world, 0);
    const { body } = await createBy(shopper, await buy(shopper));
    const transaction = await transactionOf(body.data.reward_transactions[0].id);
    await blockWithoutTokens(shopper);
    const now = world.platform.now();
    const posting = { attempts: 1, startedAt: now.toISOString(), dueAt: now.toISOString() };
    const context = { now, nextUuid: world.platform.nextUuid };
    expect(await world.platform.postings.begin([{ before: transaction, posting }], context)).toBe(false);
    expect(await holdBlocked([transaction], world.platform)).toBe(true);
    expect((await transactionOf(transaction.id)).state).toBe('HELD');
  });

  it('leaves the reward PENDING when its posting has begun', async () => {
    const shopper = await newShopper(world, 0);
    const { body } = await createBy(shopper, await buy(shopper));
    const transaction = await transactionOf(body.data.reward_transactions[0].id);
    const now = world.platform.now();
    const posting = { attempts: 1, startedAt: now.toISOString(), dueAt: now.toISOString() };
    await world.platform.postings.begin([{ before: transaction, posting }], {
      now,
      nextUuid: world.platform.nextUuid,
    });
    await blockWithoutTokens(shopper);
    expect(await holdBlocked([await transactionOf(transaction.id)], world.platform)).toBe(false);
    expect((await transactionOf(transaction.id)).state).toBe('PENDING');
  });
});
