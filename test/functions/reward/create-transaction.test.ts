import { randomUUID } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { contract as authContract } from '../../../functions/reward/authenticate-transaction/contract.ts';
import { handler as authHandler } from '../../../functions/reward/authenticate-transaction/handler.ts';
import { contract } from '../../../functions/reward/create-transaction/contract.ts';
import { handler } from '../../../functions/reward/create-transaction/handler.ts';
import { claimKey } from '../../../shared/store/award/claims.ts';
import { type Answer, call } from '../../support/call.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { makeWorld, type World } from '../../support/world.ts';

let world: World;
let ada: World['demo']['members'][number];
let order = 0;
beforeAll(async () => {
  world = await makeWorld();
  [ada] = world.demo.members as [typeof ada];
});

async function token(more: object = {}, amount = 10): Promise<string> {
  const body = {
    transaction_amount: amount,
    external_transaction_id: `order-${++order}`,
    campaign_id: world.demo.campaigns.earn,
    ...more,
  };
  const answer = await call(authHandler, authContract, { headers: { 'x-api-key': ada.accessToken }, body });
  return answer.body.data.authentication_id;
}

function create(authenticationId: unknown, headers = {}): Promise<Answer> {
  const body = { reward_authentication_token: authenticationId };
  return call(handler, contract, { headers: { 'x-api-key': ada.accessToken, ...headers }, body });
}

describe('endpoint 2, reply 200', () => {
  it('returns the created transaction', async () => {
    const authenticationId = await token({ external_transaction_id: 'shown' }, 100);

    const answer = await create(authenticationId);

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      code: 'ok',
      data: {
        reward_transactions: [
          {
            id: expect.any(Number),
            partner_id: world.demo.partner.id,
            campaign_id: world.demo.campaigns.earn,
            user_id: ada.id,
            merchant_id: world.demo.merchant.id,
            transaction_amount: 100,
            // Two points per dollar, times 1.5 for gold.
            reward_amount: 300,
            reward_unit: 'points',
            external_order_id: 'shown',
            transaction_type: 1,
            status: 1,
            last_updated_date: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
            created_date: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
          },
        ],
      },
    });
    const [{ id }] = answer.body.data.reward_transactions;
    expect(await world.platform.transactions.find(id)).toMatchObject({ state: 'PENDING', points: 300 });
  });

  it('sends one event in addition to the event of endpoint 1', async () => {
    const answer = await create(await token());
    const [{ id }] = answer.body.data.reward_transactions;
    const transaction = await world.platform.transactions.find(id);

    const events = (await outboxEvents(world)).filter(({ entityId }) => entityId === transaction?.uuid);

    expect(events.map(({ name }) => name).sort()).toEqual(['transaction_authenticated', 'transaction_created']);
  });
});

describe('endpoint 2, reply 400 invalid_token', () => {
  it.each([
    ['an unknown token', `rwa_local_${'A'.repeat(43)}`],
    ['a malformed token', 'not-a-token'],
  ])('is returned for %s', async (_, text) => {
    expect(await create(text)).toMatchObject({ status: 400, body: { error: 'invalid_token' } });
  });

  it('is returned for an expired token', async () => {
    const authenticationId = await token();
    const claim = await world.platform.claims.findByToken(authenticationId);
    await ageToken(world, claim?.externalTransactionId ?? '');

    expect(await create(authenticationId)).toMatchObject({ status: 400, body: { error: 'invalid_token' } });
  });

  it('is returned for a token whose last characters were changed', async () => {
    const authenticationId = await token();
    const forged = `${authenticationId.slice(0, -4)}AAAA`;
    expect(await create(forged)).toMatchObject({ status: 400, body: { error: 'invalid_token' } });
    expect((await create(authenticationId)).status).toBe(200);
  });

  it('is returned for a token of another user', async () => {
    const authenticationId = await token();
    const grace = world.demo.members[1];
    const answer = await call(handler, contract, {
      headers: { 'x-api-key': grace?.accessToken ?? '' },
      body: { reward_authentication_token: authenticationId },
    });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_token' } });
  });
});

/** Expires the token of a claim. */
async function ageToken({ platform, demo }: World, externalTransactionId: string): Promise<void> {
  const key = claimKey({ merchantId: demo.merchant.id, campaignId: demo.campaigns.earn, externalTransactionId });
  await platform.table.write({ kind: 'update', key, changes: { set: { expiresAt: '2020-01-01T00:00:00.000Z' } } });
}

describe('endpoint 2, reply 400 invalid_request', () => {
  it.each([[undefined], [5], [''], [null]])('is returned for the token %o', async (value) => {
    const answer = await create(value);
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect(answer.body.errors[0].pointer).toBe('/reward_authentication_token');
  });
});

describe('endpoint 2, reply 409 transaction_already_exists', () => {
  it('is returned for a second request with the same token', async () => {
    const authenticationId = await token();
    await create(authenticationId);
    expect(await create(authenticationId)).toMatchObject({
      status: 409,
      body: { error: 'transaction_already_exists' },
    });
  });

  it('is returned for a second token of the same order', async () => {
    const body = { external_transaction_id: 'twice' };
    const first = await token(body, 10);
    const second = await token(body, 11);
    await create(second);

    expect(await create(first)).toMatchObject({ status: 409, body: { error: 'transaction_already_exists' } });
    expect(await create(await token(body, 12))).toMatchObject({ status: 409 });
  });

  it('is returned to nineteen of twenty parallel requests', async () => {
    const authenticationId = await token({ campaign_id: world.demo.campaigns.redeem }, 3);

    const answers = await Promise.all(Array.from({ length: 20 }, () => create(authenticationId)));

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
    const claim = await world.platform.claims.findByToken(authenticationId);
    const events = (await outboxEvents(world)).filter(({ entityId }) => entityId === claim?.rewards[0]?.uuid);
    expect(events.filter(({ name }) => name === 'transaction_created')).toHaveLength(1);
  });
});

describe('Idempotency-Key of endpoint 2', () => {
  it('returns the same reply to the same request', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const authenticationId = await token();
    const first = await create(authenticationId, headers);
    const second = await create(authenticationId, headers);

    expect(second.status).toBe(200);
    expect(second.body).toEqual(first.body);
    expect(second.headers['Idempotent-Replayed']).toBe('true');
    expect(first.headers['Idempotent-Replayed']).toBeUndefined();
  });

  it("returns a stored refusal with the first request's id", async () => {
    const authenticationId = await token();
    await create(authenticationId);
    const headers = { 'idempotency-key': randomUUID() };
    const first = await create(authenticationId, headers);
    const second = await create(authenticationId, headers);

    expect([first.status, second.status]).toEqual([409, 409]);
    expect(second.headers['Idempotent-Replayed']).toBe('true');
    expect(second.body).toEqual(first.body);
    expect(second.body.request_id).toBe(first.headers['x-request-id']);
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
  });

  it('returns 422 idempotency_key_reused for another body', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    await create(await token(), headers);
    expect(await create(await token(), headers)).toMatchObject({
      status: 422,
      body: { error: 'idempotency_key_reused' },
    });
  });

  it('stores no reply to an invalid request', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    await create(undefined, headers);
    expect((await create(await token(), headers)).status).toBe(200);
  });

  it.each(['', 'x'.repeat(256), 'snow\u2603'])('returns 400 invalid_request for the key %j', async (key) => {
    expect(await create('x', { 'Idempotency-Key': key })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
  });

  it('executes only one of several parallel requests', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const authenticationId = await token();
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(authenticationId, headers)));

    const fresh = answers.filter(({ status, headers: sent }) => status === 200 && !sent['Idempotent-Replayed']);
    expect(fresh).toHaveLength(1);
    for (const { status, body, headers: sent } of answers.filter((answer) => answer.status !== 200)) {
      expect([status, body.error, sent['Retry-After']]).toEqual([
        409,
        'request_in_progress',
        expect.stringMatching(/^1[45]$/),
      ]);
    }
  });

  it('is separate for each caller', async () => {
    const headers = { 'Idempotency-Key': 'shared-by-chance' };
    await create(await token(), headers);
    const grace = world.demo.members[1];
    const answer = await call(handler, contract, {
      headers: { 'x-api-key': grace?.accessToken ?? '', ...headers },
      body: { reward_authentication_token: await token() },
    });
    expect(answer.body.error).toBe('invalid_token');
  });
});

describe('the stored reply of an idempotency key', () => {
  it('is encrypted in the table', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const { body } = await create(await token(), headers);
    const [{ id }] = body.data.reward_transactions;

    const kept = await world.table.documents.send(
      new ScanCommand({
        TableName: world.table.name,
        FilterExpression: 'begins_with(pk, :kept)',
        ExpressionAttributeValues: { ':kept': 'IDEMPOTENCY#' },
      }),
    );

    expect(kept.Items?.length).toBeGreaterThan(0);
    expect(JSON.stringify(kept.Items)).not.toContain(String(id));
  });
});
