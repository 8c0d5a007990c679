import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { contract as getUserContract } from '../../../functions/base/get-user/contract.ts';
import { handler as getUser } from '../../../functions/base/get-user/handler.ts';
import { contract as unlinkContract } from '../../../functions/base/unlink-account/contract.ts';
import { handler as unlinkHandler } from '../../../functions/base/unlink-account/handler.ts';
import { contract as unlinkOwnContract } from '../../../functions/user/unlink-own-account/contract.ts';
import { handler as unlinkOwnHandler } from '../../../functions/user/unlink-own-account/handler.ts';
import { PlatformEvent } from '../../../shared/contracts/events.ts';
import { minuteMs, validityMs } from '../../../shared/contracts/limits.ts';
import { createdMembership } from '../../../shared/domain/connect/decide-link.ts';
import { type Member, seenAt } from '../../../shared/domain/member/member.ts';
import { createMember } from '../../../shared/operations/member/manage-members.ts';
import { claimPayments } from '../../../shared/operations/payment/claim-payments.ts';
import { linkPaymentCustomer } from '../../../shared/operations/payment/manage-payments.ts';
import { releaseExpired } from '../../../shared/operations/token/release-expired.ts';
import { digestOf } from '../../../shared/store/credential/credentials.ts';
import { Grants } from '../../../shared/store/credential/grants.ts';
import { associationWrites } from '../../../shared/store/member/members.ts';
import { type Answer, call } from '../../support/call.ts';
import { connectStory, openAccount } from '../../support/connect-story.ts';
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
import { outboxEvents } from '../../support/outbox.ts';
import {
  connectAccounts,
  ingest,
  paymentOf,
  settleAnnounced,
  stripeAccount,
  stripeText,
} from '../../support/payment-story.ts';
import { provisionOrganisation } from '../../support/provision.ts';
import { reconcile } from '../../support/reconcile.ts';
import { aSecondProgram, linkTo } from '../../support/second-program.ts';
import { settleOrder } from '../../support/settle.ts';
import { ask, createBy, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World, withSources } from '../../support/world.ts';

let world: World;
let hotels: Awaited<ReturnType<typeof aSecondProgram>>;
let account: string;
let externalId: string;
beforeAll(async () => {
  world = await makeWorld();
  hotels = await aSecondProgram(world);
  await connectAccounts(world);
});
beforeEach(async () => {
  account = `acc-${randomUUID()}`;
  externalId = `cc-${randomUUID()}`;
  await openAccount(world, account);
});

const { merchantKey, connectToken, link, exchange, connected } = connectStory(() => ({ world, account }));

interface Linked extends Shopper {
  readonly uuid: string;
  readonly refreshToken: string;
}

/** Links the account of the test to a customer. */
async function linked(customer: string = externalId): Promise<Linked> {
  const tokens = await connected({ user: { external_id: customer } });
  if (tokens.user_id === undefined) throw new Error(JSON.stringify(tokens));
  const { user } = await memberOf(tokens.user_id);
  return {
    id: user.id,
    uuid: user.uuid,
    externalId: customer,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token,
  };
}

async function memberOf(userId: number): Promise<Member> {
  const member = await world.platform.members.find(userId);
  if (!member) throw new Error('there is no member');
  return member;
}

/** Whether a user token is revoked in the table. Functions that cached the token accept it for some more seconds. */
const isRevoked = async (token: string) => (await world.platform.credentials.find(digestOf(token)))?.isRevoked;

const membershipOf = (userId: number) => world.platform.members.findMembership(userId, world.demo.partner.id);
const associationOf = async (userId: number) => (await memberOf(userId)).associations[0];

const unlink = (uuid: string, headers: Record<string, string> = merchantKey(), partnerId = world.demo.partner.id) =>
  call(unlinkHandler, unlinkContract, { params: { id: uuid }, headers, body: { partner_id: partnerId } });

const unlinkOwn = ({ id, accessToken }: Linked, headers: Record<string, string> = {}): Promise<Answer> =>
  call(unlinkOwnHandler, unlinkOwnContract, {
    params: { id: String(id) },
    headers: { 'x-api-key': accessToken, ...headers },
    body: { partner_id: world.demo.partner.id },
  });

const shown = async (uuid: string) =>
  (await call(getUser, getUserContract, { params: { id: uuid }, headers: merchantKey() })).body.data.user;

const earnIn = (order: string = randomUUID()) => ({ campaignId: world.demo.campaigns.earn, amount: 100, order });

describe('unlinking an account', () => {
  it('hides the account from the merchant and revokes the user’s tokens', async () => {
    const first = await linked();
    const second = await linked();
    expect(await unlink(first.uuid)).toMatchObject({ status: 200, body: { data: { unlinked: true } } });

    expect(await shown(first.uuid)).toMatchObject({ external_id: null, partner_status_tiers: [] });
    for (const { accessToken, refreshToken } of [first, second]) {
      expect(await isRevoked(accessToken)).toBe(true);
      const refreshed = await exchange({ grant_type: 'refresh_token', refresh_token: refreshToken });
      expect(refreshed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    }
  });

  it('is possible with the user token of the member', async () => {
    const member = await linked();
    expect(await unlinkOwn(member)).toMatchObject({ status: 200, body: { data: { unlinked: true } } });
    expect((await membershipOf(member.id))?.availablePoints).toBe(700);
    expect(await shown(member.uuid)).toMatchObject({ partner_status_tiers: [] });

    const other = await linked(`cc-${randomUUID()}`);
    const key = { ...merchantKey(), 'Idempotency-Key': randomUUID() };
    const answers = [await unlink(other.uuid, key), await unlink(other.uuid, key)];
    expect(answers.map(({ status: code }) => code)).toEqual([200, 200]);
    expect(await unlink(other.uuid)).toMatchObject({ status: 404, body: { error: 'link_does_not_exist' } });
  });

  it('returns 404 for an unknown user and for a foreign user', async () => {
    const member = await linked();
    account = `acc-${randomUUID()}`;
    await openAccount(world, account);
    const other = { ...(await linked(`cc-${randomUUID()}`)), accessToken: member.accessToken };
    expect(await unlinkOwn(other)).toMatchObject({ status: 404, body: { error: 'user_does_not_exist' } });
    expect((await unlink(randomUUID())).status).toBe(404);
    const outsider = { 'x-api-key': world.demo.outsider.apiKey };
    expect(await unlink(member.uuid, outsider)).toMatchObject({ status: 404, body: { error: 'user_does_not_exist' } });
    const stranger = await provisionOrganisation(world.platform, { name: `Strange ${randomUUID()}`, kind: 'PARTNER' });
    await linkTo(world, member, stranger.id);
    const absent = await unlink(member.uuid, merchantKey(), stranger.id);
    expect(absent).toMatchObject({ status: 404, body: { error: 'link_does_not_exist' } });
    expect(await isRevoked(member.accessToken)).toBe(false);
  });

  it('revokes no token while the merchant may use another account', async () => {
    const member = await linked();
    await linkTo(world, member, hotels.id, 50);
    await unlink(member.uuid);

    expect(await isRevoked(member.accessToken)).toBe(false);
    const seen = await shown(member.uuid);
    expect(seen.external_id).toBe(externalId);
    expect(seen.partner_status_tiers).toMatchObject([{ partner_id: hotels.id, total_rewards: 50 }]);

    expect((await unlink(member.uuid, merchantKey(), hotels.id)).status).toBe(200);
    expect(await isRevoked(member.accessToken)).toBe(true);
  });

  it('detaches a customer whose two accounts are unlinked at the same time', async () => {
    const member = await linked();
    await linkTo(world, member, hotels.id);
    const answers = await Promise.all([unlink(member.uuid), unlink(member.uuid, merchantKey(), hotels.id)]);
    expect(answers.map(({ status: code }) => code)).toEqual([200, 200]);
    expect((await associationOf(member.id))?.detachedAt).toEqual(expect.any(String));
    expect(await isRevoked(member.accessToken)).toBe(true);
  });

  it('leaves no valid token despite a simultaneous link', async () => {
    const member = await linked();
    const { code } = (await link(await connectToken({ user: { external_id: externalId } }))).body.data;
    const [, exchanged] = await Promise.all([
      unlink(member.uuid),
      exchange({ grant_type: 'authorization_code', code }),
    ]);
    const { detachedAt } = (await associationOf(member.id)) ?? {};
    const grants = await world.platform.grants.activeOf(member.id, world.demo.merchant.id);
    expect(detachedAt).toEqual(expect.any(String));
    expect(grants).toEqual([]);
    if (exchanged.status === 200) expect(await isRevoked(exchanged.body.access_token)).toBe(true);
  });

  it('revokes tokens by the event grant_revoked if the process dies', async () => {
    const member = await linked();
    const original = Grants.prototype.revokeFamily;
    Grants.prototype.revokeFamily = () => Promise.resolve();
    await unlink(member.uuid).finally(() => {
      Grants.prototype.revokeFamily = original;
    });
    expect(await isRevoked(member.accessToken)).toBe(false);

    const revoked = (await outboxEvents(world))
      .filter(({ name }) => name === 'grant_revoked')
      .map((one) => one.entityId);
    await Promise.all(revoked.map((grantId) => world.platform.grants.revokeFamily(grantId)));
    expect(await isRevoked(member.accessToken)).toBe(true);
  });
});

describe('an account at two merchants', () => {
  it('stays linked at one merchant when the other merchant unlinks it', async () => {
    const member = await linked();
    const { id } = world.platform.nextIds();
    const [own] = (await memberOf(member.id)).associations;
    if (!own) throw new Error('there is no association');
    await world.platform.table.transact(associationWrites({ ...own, id, merchantId: 777_001 }));
    await unlink(member.uuid);
    const there = seenAt(await memberOf(member.id), 777_001, new Date());
    expect(there.memberships).toMatchObject([{ externalId: account, availablePoints: 700 }]);
    const atOther = (await memberOf(member.id)).associations.find(({ merchantId }) => merchantId === 777_001);
    expect(atOther?.detachedAt).toBeUndefined();
    expect(atOther?.unlinked).toBeUndefined();
  });
});

describe('points of an unlinked account', () => {
  it('are unchanged when the same customer links the account again', async () => {
    const member = await linked();
    await processedOrder(world, member);
    await confirmAll(world);
    const before = await memberOf(member.id);
    await unlink(member.uuid);
    expect((await linked()).id).toBe(member.id);

    const after = await memberOf(member.id);
    expect({ ...after, associations: [] }).toEqual({ ...before, associations: [] });
    const links = (await outboxEvents(world))
      .filter(({ name, entityId }) => name === 'user_partner_authentication_created' && entityId === member.uuid)
      .map((event) => createdMembership(after, PlatformEvent.parse(event)));
    expect(links.filter((one) => one !== undefined)).toHaveLength(1);
    expect(links).toHaveLength(2);
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('follow the account to a new customer, without personal data', async () => {
    const thief = await linked('cc-thief');
    await unlink(thief.uuid);
    const owner = await linked(`cc-owner-${randomUUID()}`);

    expect(owner.id).toBe(thief.id);
    expect((await shown(owner.uuid)).external_id).toBe(owner.externalId);
    expect(await isRevoked(thief.accessToken)).toBe(true);
    expect(await world.platform.members.findUserId(world.demo.merchant.id, 'cc-thief')).toBeUndefined();
    expect(await associationOf(owner.id)).toMatchObject({ attributes: {}, customerSince: expect.any(String) });
  });

  it('go with the account when another known customer links it', async () => {
    const thief = await linked();
    const merchant = { id: world.demo.merchant.id, externalId: `cc-${randomUUID()}` };
    const names = { firstName: 'Ada', lastName: 'Byron', email: 'ada@example.com' };
    const { user } = await createMember({ ...names, merchant }, world.platform);
    expect((await link(await connectToken({ user: { external_id: merchant.externalId } }))).body.error).toBe(
      'account_already_linked',
    );
    await unlink(thief.uuid);

    const owner = await linked(merchant.externalId);
    expect(owner.id).toBe(thief.id);
    expect((await associationOf(user.id))?.externalId).toBeNull();
    expect(await world.platform.members.findUserId(merchant.id, merchant.externalId)).toBe(owner.id);
  });

  it('do not follow the customer to another account', async () => {
    const member = await linked();
    await unlink(member.uuid);
    const former = account;
    account = `acc-${randomUUID()}`;
    await openAccount(world, account);
    const next = await linked();

    expect(next.id).not.toBe(member.id);
    expect(await membershipOf(next.id)).toMatchObject({ externalId: account, availablePoints: 700 });
    expect(await membershipOf(member.id)).toMatchObject({ externalId: former, availablePoints: 700 });
    account = former;
    const refused = await link(await connectToken({ user: { external_id: externalId } }));
    expect(refused).toMatchObject({ status: 409, body: { error: 'account_already_linked' } });
  });

  it('are reversed by the refund of an earlier order', async () => {
    const member = await linked();
    const order = await processedOrder(world, member);
    await confirmAll(world);
    const earned = ((await membershipOf(member.id))?.availablePoints ?? 0) - 700;
    expect(earned).toBeGreaterThan(0);
    await unlink(member.uuid);
    await postRefund(world, order.uuid, { refund_external_id: randomUUID(), amount: 10_800 });
    await applyRefunds(world, order);
    await confirmAll(world);

    expect(await membershipOf(member.id)).toMatchObject({ availablePoints: 700, owedPoints: 0 });
    expect((await linked(`cc-${randomUUID()}`)).id).toBe(member.id);
    expect((await membershipOf(member.id))?.availablePoints).toBe(700);
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('are still owed by the next customer who links the account', async () => {
    const member = await linked();
    await world.platform.table.write({
      kind: 'update',
      key: { pk: `USER#${member.id}`, sk: `PROGRAM#${world.demo.partner.id}` },
      changes: { set: { owedPoints: 40 } },
    });
    await unlink(member.uuid);
    expect((await linked(`cc-${randomUUID()}`)).id).toBe(member.id);
    expect((await membershipOf(member.id))?.owedPoints).toBe(40);
    await world.platform.table.write({
      kind: 'update',
      key: { pk: `USER#${member.id}`, sk: `PROGRAM#${world.demo.partner.id}` },
      changes: { set: { owedPoints: 0 } },
    });
  });

  it('become available when the token that holds them expires', async () => {
    const member = await linked();
    expect((await ask(member, { campaignId: world.demo.campaigns.redeem, amount: 1 })).status).toBe(200);
    const held = (await membershipOf(member.id))?.heldPoints;
    expect(held).toBeGreaterThan(0);
    await unlink(member.uuid);
    expect(await membershipOf(member.id)).toMatchObject({ heldPoints: held });

    const later = new Date(Date.now() + validityMs.transactionToken + 2 * minuteMs);
    await releaseExpired(withSources(world, { now: () => later }));
    expect(await membershipOf(member.id)).toMatchObject({ availablePoints: 700, heldPoints: 0 });
  });

  it('are added when the program confirms a transaction after the unlink', async () => {
    const member = await linked();
    const created = await createBy(member, await ask(member, earnIn()));
    expect(created.status).toBe(200);
    await unlink(member.uuid);
    await confirmAll(world);
    expect((await membershipOf(member.id))?.availablePoints).toBeGreaterThan(700);
    expect(await reconcile(world.table)).toEqual([]);
  });
});

describe('an order from before the unlink', () => {
  it('is rewarded although it is processed after the unlink', async () => {
    const member = await linked();
    const body = anOrderBody({ user: { merchant_external_id: externalId }, order_external_id: randomUUID() });
    const order = await orderOf(world, await postOrder(world, body));
    // An order of the same millisecond counts as one from after the unlink.
    while (Date.now() <= Date.parse(order.createdAt)) await nextTurn();
    await unlink(member.uuid);
    await settleOrder(await announcementOf(world, order), world.platform);
    await confirmAll(world);
    expect((await membershipOf(member.id))?.availablePoints).toBeGreaterThan(700);
    expect(await reconcile(world.table)).toEqual([]);
  });
});

describe('purchases', () => {
  it('earn nothing after an unlink', async () => {
    const member = await linked();
    await unlink(member.uuid);
    const body = anOrderBody({ user: { user_id: member.id }, order_external_id: randomUUID() });
    const order = await orderOf(world, await postOrder(world, body));
    await settleOrder(await announcementOf(world, order), world.platform);
    await confirmAll(world);
    expect((await membershipOf(member.id))?.availablePoints).toBe(700);
    const byExternalId = anOrderBody({ user: { merchant_external_id: externalId }, order_external_id: randomUUID() });
    expect((await postOrder(world, byExternalId)).status).toBe(404);
  });
});

describe('a connect session', () => {
  it('does not link an account that was unlinked after its offer', async () => {
    const member = await linked();
    const { code } = (await link(await connectToken({ user: { external_id: externalId } }))).body.data;
    await unlink(member.uuid);
    const late = await exchange({ grant_type: 'authorization_code', code });
    expect(late).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await associationOf(member.id))?.detachedAt).toEqual(expect.any(String));
  });
});

describe('payments of a customer', () => {
  const payment = (customer: string) => {
    const id = `pi_${randomUUID()}`;
    const object = { id, amount: 10_000, amount_received: 10_000, currency: 'usd', customer, metadata: {} };
    return { id, text: stripeText('payment_intent.succeeded', object) };
  };
  const pay = async (customer: string) => {
    const { id, text } = payment(customer);
    expect(await ingest(world, text)).toEqual([]);
    await settleAnnounced(world);
    return paymentOf(world, { paymentId: id });
  };
  const linkedPayer = async () => {
    const member = await linked();
    const customerId = `cus_${randomUUID()}`;
    const key = { platform: 'stripe', account: stripeAccount, customerId };
    await linkPaymentCustomer({ ...key, member: { id: String(member.id) } }, world.platform);
    await pay(customerId);
    return { member, customerId };
  };
  const pointsOf = async ({ id }: Linked) => (await membershipOf(id))?.availablePoints ?? 0;

  it('wait after an unlink until the customer links the account again', async () => {
    const { member, customerId } = await linkedPayer();
    expect(await pointsOf(member)).toBe(900);
    await unlink(member.uuid);
    await pay(customerId);
    expect(await pointsOf(member)).toBe(900);

    await linked();
    const event = (await outboxEvents(world)).findLast(({ entityId }) => entityId === member.uuid);
    await claimPayments(PlatformEvent.parse(event), world.platform);
    await settleAnnounced(world);
    expect(await pointsOf(member)).toBe(1_100);
  });

  it('earn nothing for another customer who links the account', async () => {
    const { member, customerId } = await linkedPayer();
    await unlink(member.uuid);
    const waiting = await pay(customerId);
    expect((await linked(`cc-${randomUUID()}`)).id).toBe(member.id);
    const event = (await outboxEvents(world)).findLast(({ entityId }) => entityId === member.uuid);
    await claimPayments(PlatformEvent.parse(event), world.platform);
    await settleAnnounced(world);
    await pay(customerId);

    expect(await pointsOf(member)).toBe(900);
    expect((await paymentOf(world, { paymentId: waiting.paymentId })).reason).toBe('no_member');
  });
});
