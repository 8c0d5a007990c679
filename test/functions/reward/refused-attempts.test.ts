import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { dayMs, toSeconds } from '../../../shared/contracts/limits.ts';
import { ttlAttribute } from '../../../shared/contracts/table.ts';
import { authenticateTransaction } from '../../../shared/operations/token/authenticate-transaction.ts';
import { halvesOfToken } from '../../../shared/store/award/claims.ts';
import { addCampaign, awarding, forLife } from '../../support/campaigns.ts';
import { ask, createBy, newShopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';

/** The platform stores the refused requests of endpoint 1. Of the member, a record has only ids and numbers. */

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const attemptsOf = (externalTransactionId: string) =>
  world.platform.refusedAttempts.of({ merchantId: world.demo.merchant.id, externalTransactionId });

describe('a refused request of endpoint 1', () => {
  it('is found by order and by authentication id', async () => {
    const shopper = await newShopper(world);
    const order = randomUUID();
    const { body } = await ask(shopper, { campaignId: world.demo.campaigns.redeem, amount: 5, order });

    expect(body.data).toMatchObject({ authentication_status: 2, reason: 'insufficient_points' });
    const [attempt, ...more] = await attemptsOf(order);
    expect(more).toEqual([]);
    expect(attempt).toEqual({
      authenticationId: body.data.authentication_id,
      merchantId: world.demo.merchant.id,
      externalTransactionId: order,
      userId: shopper.id,
      amountCents: 500,
      campaignId: world.demo.campaigns.redeem,
      campaignVersion: 1,
      reason: 'insufficient_points',
      cost: { points: 500, balance: 0 },
      flows: [expect.objectContaining({ result: 'REWARDED', conditions: [], limits: [] })],
      refusedAt: expect.any(String),
    });
    expect(await world.platform.refusedAttempts.findByToken(body.data.authentication_id)).toEqual(attempt);
  });

  it('keeps the conditions and limits that prevented the reward', async () => {
    const shopper = await newShopper(world);
    const conditions = [
      { id: 91, ownerId: 2, attribute: 'BASKET_SIZE', operator: 'GREATER_THAN', amountCents: 50_000 } as const,
    ];
    const actions = [{ id: 2, ownerId: 2, kind: 'AWARD_POINTS', pointsPerDollarBp: 10_000 } as const];
    const conditionGroups = [{ id: 90, logic: 'ALL', conditions } as const];
    const strict = await addCampaign(world, [{ ...awarding({ type: 'SPEND' }, 0, { conditionGroups }), actions }]);
    const limited = await addCampaign(world, [
      { ...awarding({ type: 'SPEND' }, 0, { limits: [forLife('EVENTS', 1)] }), actions },
    ]);
    const first = await ask(shopper, { campaignId: limited.id, amount: 10 });
    await createBy(shopper, first);
    const [unqualified, used] = [randomUUID(), randomUUID()];
    const refused = await ask(shopper, { campaignId: strict.id, amount: 10, order: unqualified });
    const second = await ask(shopper, { campaignId: limited.id, amount: 10, order: used });

    expect([refused.body.data.reason, second.body.data.reason]).toEqual(['not_qualified', 'limit_reached']);
    expect((await attemptsOf(unqualified))[0]?.flows).toEqual([
      {
        ...{ flowId: 1, result: 'NOT_QUALIFIED', limits: [] },
        conditions: [expect.objectContaining({ conditionId: 91, actual: 1_000, needed: 50_000 })],
      },
    ]);
    expect((await attemptsOf(used))[0]?.flows).toEqual([
      {
        ...{ flowId: 1, result: 'LIMIT_REACHED', conditions: [] },
        limits: [expect.objectContaining({ limitId: 9, amount: 1, used: 1, effect: 'REFUSED' })],
      },
    ]);
  });

  it('is stored once for each amount', async () => {
    const shopper = await newShopper(world);
    const order = randomUUID();
    const asked = { campaignId: world.demo.campaigns.redeem, order };
    const answers = await Promise.all([5, 5, 5, 6].map((amount) => ask(shopper, { ...asked, amount })));

    const ids = new Set(answers.map(({ body }) => body.data.authentication_id));
    expect(ids.size).toBe(2);
    expect(new Set((await attemptsOf(order)).map(({ authenticationId }) => authenticationId))).toEqual(ids);
  });

  it('is stored when another member has the order’s token', async () => {
    const [one, other] = [await newShopper(world), await newShopper(world)];
    const order = randomUUID();
    const asked = { campaignId: world.demo.campaigns.earn, amount: 10, order };
    await ask(one, asked);
    const { body } = await ask(other, asked);

    expect(body.data).toMatchObject({ authentication_status: 4, reason: 'transaction_already_exists' });
    expect(await attemptsOf(order)).toMatchObject([{ userId: other.id, reason: 'transaction_already_exists' }]);
  });

  it('is deleted after 30 days', async () => {
    const shopper = await newShopper(world);
    const order = randomUUID();
    const { body } = await ask(shopper, { campaignId: world.demo.campaigns.redeem, amount: 5, order });
    const { digest, rest } = halvesOfToken(body.data.authentication_id) ?? {};
    const item = await world.platform.table.get({ pk: `REFUSED_ATTEMPT#${digest}`, sk: `ATTEMPT#${rest}` });

    const [attempt] = await attemptsOf(order);
    expect(item?.[ttlAttribute]).toBe(toSeconds(Date.parse(attempt?.refusedAt ?? '') + 30 * dayMs));
  });

  it('is stored even when the user does not exist', async () => {
    const order = randomUUID();
    const request = {
      ...{ merchantId: world.demo.merchant.id, userId: 4_711, externalTransactionId: order, amountCents: 100 },
      ...{ campaignId: undefined, partnerId: undefined },
    };
    const outcome = await authenticateTransaction(request, world.platform);

    expect(outcome).toMatchObject({ status: 'MEMBER_NOT_EXISTS', refusal: { reason: 'user_does_not_exist' } });
    expect(await attemptsOf(order)).toMatchObject([{ userId: 4_711, flows: [] }]);
  });

  it('gets the stored reply again for the same Idempotency-Key', async () => {
    const shopper = await newShopper(world);
    const order = randomUUID();
    const asked = { campaignId: world.demo.campaigns.redeem, amount: 5, order };
    const key = { 'Idempotency-Key': randomUUID() };
    const first = await ask(shopper, asked, key);
    const again = await ask(shopper, asked, key);

    expect(again.headers['Idempotent-Replayed']).toBe('true');
    expect(again.body).toEqual(first.body);
    expect(await attemptsOf(order)).toHaveLength(1);
  });
});

describe('a successful token request', () => {
  it('stores no refused attempt when it is repeated after the token was spent', async () => {
    const shopper = await newShopper(world);
    const order = randomUUID();
    const asked = { campaignId: world.demo.campaigns.earn, amount: 10, order };
    const first = await ask(shopper, asked);
    await createBy(shopper, first);
    const repeated = await ask(shopper, asked);

    expect(first.body.data).not.toHaveProperty('reason');
    expect(repeated.body.data).toMatchObject({ authentication_status: 4, reason: 'transaction_already_exists' });
    expect(repeated.body.data.authentication_id).toBe(first.body.data.authentication_id);
    expect(await attemptsOf(order)).toEqual([]);
  });
});
