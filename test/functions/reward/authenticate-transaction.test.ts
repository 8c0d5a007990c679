import { beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../../functions/reward/authenticate-transaction/contract.ts';
import { handler } from '../../../functions/reward/authenticate-transaction/handler.ts';
import { contract as createContract } from '../../../functions/reward/create-transaction/contract.ts';
import { handler as createHandler } from '../../../functions/reward/create-transaction/handler.ts';
import { type RefusalReason, refusalReasons } from '../../../shared/domain/award/refusal.ts';
import { type Answer, call } from '../../support/call.ts';
import { makeWorld, type World } from '../../support/world.ts';

let world: World;
let ada: World['demo']['members'][number];
let grace: World['demo']['members'][number];
let order = 0;
beforeAll(async () => {
  world = await makeWorld();
  [ada, grace] = world.demo.members as [typeof ada, typeof grace];
});

const nextOrder = () => `order-${++order}`;

function authenticate(body: object, token = ada.accessToken, headers = {}): Promise<Answer> {
  return call(handler, contract, { headers: { 'x-api-key': token, ...headers }, body });
}

function create(authenticationId: string): Promise<Answer> {
  const body = { reward_authentication_token: authenticationId };
  return call(createHandler, createContract, { headers: { 'x-api-key': ada.accessToken }, body });
}

async function balance() {
  const member = await world.platform.members.find(ada.id);
  const [membership] = member?.memberships ?? [];
  return { available: membership?.availablePoints, held: membership?.heldPoints };
}

const claim = (more: object) => ({ transaction_amount: 10, external_transaction_id: nextOrder(), ...more });

describe('endpoint 1, reply 200 AUTHENTICATED', () => {
  it('issues a token for an earning purchase', async () => {
    const before = await balance();
    const answer = await authenticate(claim({ campaign_id: world.demo.campaigns.earn }));

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      code: 'ok',
      data: { authentication_id: expect.stringMatching(/^rwa_local_/), authentication_status: 1 },
    });
    expect(answer.headers['x-request-id']).toBeTruthy();
    expect(await balance()).toEqual(before);
  });

  it('holds the points of a redemption', async () => {
    const before = await balance();
    const answer = await authenticate(claim({ transaction_amount: 12.5, campaign_id: world.demo.campaigns.redeem }));

    expect(answer.body.data.authentication_status).toBe(1);
    expect(await balance()).toEqual({ available: (before.available ?? 0) - 1250, held: (before.held ?? 0) + 1250 });
  });

  it('returns the same token for the same order and amount', async () => {
    const body = claim({ campaign_id: world.demo.campaigns.redeem });
    const first = await authenticate(body);
    const after = await balance();
    const second = await authenticate(body);

    expect(second.body.data).toEqual(first.body.data);
    expect(await balance()).toEqual(after);
  });

  it('replaces the reservation when the amount changes', async () => {
    const body = claim({ transaction_amount: 5, campaign_id: world.demo.campaigns.redeem });
    const before = await balance();
    const first = await authenticate(body);
    const second = await authenticate({ ...body, transaction_amount: 8 });

    expect(second.body.data.authentication_id).not.toBe(first.body.data.authentication_id);
    expect(await balance()).toEqual({ available: (before.available ?? 0) - 800, held: (before.held ?? 0) + 800 });
    expect((await create(first.body.data.authentication_id)).body.error).toBe('invalid_token');
    expect((await create(second.body.data.authentication_id)).status).toBe(200);
  });

  it('lowers a reservation when the amount becomes smaller', async () => {
    const body = claim({ transaction_amount: 20, campaign_id: world.demo.campaigns.redeem });
    const before = await balance();
    await authenticate(body);
    await authenticate({ ...body, transaction_amount: 1 });

    expect(await balance()).toEqual({ available: (before.available ?? 0) - 100, held: (before.held ?? 0) + 100 });
  });

  it('returns one token to parallel requests for the same order', async () => {
    const body = claim({ campaign_id: world.demo.campaigns.redeem });
    const before = await balance();
    const answers = await Promise.all(Array.from({ length: 10 }, () => authenticate(body)));

    expect(new Set(answers.map(({ body: { data } }) => data.authentication_id)).size).toBe(1);
    expect(await balance()).toEqual({ available: (before.available ?? 0) - 1000, held: (before.held ?? 0) + 1000 });
  });

  it.each([0.01, 0.29, 19.99, 1.1, 4.35, 10_000_000])('accepts an amount of %d dollars', async (amount) => {
    const answer = await authenticate(claim({ transaction_amount: amount, campaign_id: world.demo.campaigns.earn }));
    expect(answer.status).toBe(200);
  });
});

describe('a refused attempt at endpoint 1', () => {
  const refusedWith = async (status: number, reason: RefusalReason, body: object, token?: string) => {
    const answer = await authenticate(body, token);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({
      authentication_status: status,
      reason,
      message: refusalReasons[reason],
    });
    expect((await create(answer.body.data.authentication_id)).body).toMatchObject({ error: 'invalid_token' });
  };

  it('gets INSUFFICIENT_REWARDS_AMOUNT when the balance is too low', () =>
    refusedWith(
      2,
      'insufficient_points',
      claim({ transaction_amount: 1_000_000, campaign_id: world.demo.campaigns.redeem }),
    ));

  it('gets MEMBER_NOT_EXISTS without a link to the partner', () =>
    refusedWith(3, 'user_not_linked', claim({ campaign_id: world.demo.campaigns.earn }), grace.accessToken));

  it('gets MEMBER_NOT_EXISTS without a link to any partner', () =>
    refusedWith(3, 'user_not_linked', claim({}), grace.accessToken));

  it('gets ERROR without a campaign when several run', () => refusedWith(4, 'several_campaigns', claim({})));

  it('gets ERROR for an unknown campaign', () =>
    refusedWith(4, 'no_running_campaign', claim({ campaign_id: 999_999 })));

  it('gets ERROR for a campaign of another partner', () =>
    refusedWith(
      4,
      'no_running_campaign',
      claim({ campaign_id: world.demo.campaigns.earn, partner_id: world.demo.outsider.id }),
    ));

  it('gets ERROR when the purchase is worth no points', () =>
    refusedWith(4, 'worth_nothing', claim({ transaction_amount: 0.01, campaign_id: world.demo.campaigns.earn })));
});

describe('endpoint 1, reply 400 invalid_request', () => {
  it.each([
    ['a missing amount', { external_transaction_id: 'x' }, '/transaction_amount', 'required'],
    ['a missing order id', { transaction_amount: 1 }, '/external_transaction_id', 'required'],
    [
      'an amount as a string',
      { transaction_amount: '10', external_transaction_id: 'x' },
      '/transaction_amount',
      'invalid_type',
    ],
    ['an amount of zero', { transaction_amount: 0, external_transaction_id: 'x' }, '/transaction_amount', 'too_small'],
    ['a negative amount', { transaction_amount: -1, external_transaction_id: 'x' }, '/transaction_amount', 'too_small'],
    [
      'an amount with three decimals',
      { transaction_amount: 1.005, external_transaction_id: 'x' },
      '/transaction_amount',
      'too_precise',
    ],
    [
      'an amount above the maximum',
      { transaction_amount: 10_000_000.01, external_transaction_id: 'x' },
      '/transaction_amount',
      'too_big',
    ],
    [
      'an order id of blanks',
      { transaction_amount: 1, external_transaction_id: '  ' },
      '/external_transaction_id',
      'too_small',
    ],
    [
      'an order id of 256 characters',
      { transaction_amount: 1, external_transaction_id: 'x'.repeat(256) },
      '/external_transaction_id',
      'too_big',
    ],
    [
      'an order id with control characters',
      { transaction_amount: 1, external_transaction_id: 'a\u0000b' },
      '/external_transaction_id',
      'invalid_characters',
    ],
    [
      'a campaign id as a string',
      { transaction_amount: 1, external_transaction_id: 'x', campaign_id: '1' },
      '/campaign_id',
      'invalid_type',
    ],
  ])('is returned with the fault "$3" at $2 for $0', async (_, body, pointer, code) => {
    const answer = await authenticate(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: 'invalid_request', message: expect.any(String) });
    expect(answer.body.errors).toEqual([{ pointer, code, message: expect.any(String) }]);
  });

  it('is returned with all faults of the request', async () => {
    const answer = await authenticate({ transaction_amount: 'x', partner_id: 0 });
    expect(answer.body.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual([
      '/external_transaction_id',
      '/partner_id',
      '/transaction_amount',
    ]);
  });
});

describe('endpoint 1, reply 401 unauthorized_user', () => {
  it('is returned for a partner key', async () => {
    const answer = await authenticate(claim({}), world.demo.merchant.apiKey);
    expect(answer).toMatchObject({ status: 401, body: { error: 'unauthorized_user' } });
  });

  it('is returned without a key', async () => {
    const answer = await call(handler, contract, { body: claim({}) });
    expect(answer).toMatchObject({ status: 401, body: { error: 'unauthorized_user' } });
  });
});
