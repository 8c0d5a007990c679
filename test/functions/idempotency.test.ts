import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { codeHostOf, contracts } from '../../functions/contracts.ts';
import { type AnyContract, defineContract, isIdempotent, partnerKey } from '../../shared/contracts/contract.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { rotateClientSecret } from '../../shared/operations/organisation/manage-clients.ts';
import { orderKey } from '../../shared/store/order/orders.ts';
import { type Answer, call, eventOf, type Request } from '../support/call.ts';
import { send } from '../support/endpoint-requests.ts';
import { anOrderBody, orderOf, postOrder, postRefund } from '../support/order-story.ts';
import { makeWorld, type World } from '../support/world.ts';

/** `Idempotency-Key` on every POST and PUT, for every reply. */

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const nameOf = ({ method, host, path }: AnyContract) => `${method} ${host}${path}`;
const writing = contracts.filter(({ method }) => method !== 'GET');
const named = writing.filter(isIdempotent).map((contract) => [nameOf(contract), contract] as const);

/**
 * Fields that replace those of a contract's example. The example's fields are invalid in this world, and an invalid
 * request stores no reply.
 */
const instead: Readonly<Record<string, object>> = { 'create-connect-token': { redirect_uri: null } };

function bodyOf({ name, example, bodyType }: AnyContract, more: Record<string, string> = {}): unknown {
  const body = { ...Object(example?.request), ...instead[name], ...more };
  return bodyType === 'form' ? new URLSearchParams(body).toString() : body;
}

async function ask(contract: AnyContract, body: unknown, headers: Record<string, string>): Promise<Answer> {
  const { handler } = await import(`../../functions/${codeHostOf(contract)}/${contract.name}/handler.ts`);
  const params = Object.fromEntries([...contract.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, '1']));
  const { merchant, members } = world.demo;
  const key = contract.credential.kind === 'userToken' ? members[0]?.accessToken : merchant.apiKey;
  const request: Request = { params, body, headers: { 'x-api-key': key ?? '', ...headers } };
  return call(handler, contract, request);
}

it('Idempotency-Key works on every POST and PUT whose caller has a secret of its own', () => {
  expect(writing.filter((contract) => !isIdempotent(contract)).map(nameOf)).toEqual([
    'POST base/connect/{connect_token}/link',
    'POST base/connect/{connect_token}/page',
    'POST base/programs/{partner_id}/reports',
    'POST base/payments/{payment_platform}/{payment_account}',
  ]);
});

describe.each(named)('an Idempotency-Key of %s', (_, contract) => {
  it('returns the first reply again, byte for byte', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await ask(contract, bodyOf(contract), headers);
    const second = await ask(contract, bodyOf(contract), headers);

    expect(first.headers).not.toHaveProperty('Idempotent-Replayed');
    expect(second.headers['Idempotent-Replayed']).toBe('true');
    expect([second.status, second.body]).toEqual([first.status, first.body]);
  });

  it('executes only one of several parallel requests', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask(contract, bodyOf(contract), headers)));

    const isRunning = ({ body }: Answer) => body[contract.errorField] === 'request_in_progress';
    const worked = answers.filter((each) => !isRunning(each) && !each.headers['Idempotent-Replayed']);
    expect(worked).toHaveLength(1);
    for (const { status, headers: sent } of answers.filter(isRunning)) {
      expect([status, sent['Retry-After']]).toEqual([409, expect.stringMatching(/^1[45]$/)]);
    }
  });

  it('returns 422 idempotency_key_reused for another body', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    await ask(contract, bodyOf(contract), headers);
    const answer = await ask(contract, bodyOf(contract, { unknown: 'field' }), headers);
    expect([answer.status, answer.body[contract.errorField]]).toEqual([422, 'idempotency_key_reused']);
  });

  it.skipIf(!contract.body)('stores no reply to an invalid request', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    expect((await ask(contract, '', headers)).status).toBe(400);
    expect((await ask(contract, bodyOf(contract), headers)).body[contract.errorField]).not.toBe(
      'idempotency_key_reused',
    );
  });
});

describe('a request that failed with a 5xx', () => {
  it('is executed again with the same key', async () => {
    const order = await orderOf(world, await postOrder(world, anOrderBody()));
    const headers = { 'Idempotency-Key': randomUUID() };
    const again = () => postRefund(world, order.uuid, { refund_external_id: 'r', amount: 1 }, headers);
    const state = (name: string) =>
      world.platform.table.write({ kind: 'update', key: orderKey(order), changes: { set: { state: name } } });

    await state('damaged');
    expect(await again()).toMatchObject({ status: 500, body: { error: 'unexpected_error' } });
    await state(order.state);

    const answer = await again();
    expect(answer.status).toBe(200);
    expect(answer.headers).not.toHaveProperty('Idempotent-Replayed');
  });
});

describe('one idempotency key', () => {
  it('stands for two requests when it is sent to two resources', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const refund = async () => {
      const order = await orderOf(world, await postOrder(world, anOrderBody()));
      return postRefund(world, order.uuid, { refund_external_id: 'r', amount: 1 }, headers);
    };
    const answers = [await refund(), await refund()];

    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[1]?.headers).not.toHaveProperty('Idempotent-Replayed');
    expect(answers[1]?.body.data.order_id).not.toBe(answers[0]?.body.data.order_id);
  });

  it('stands for two requests when it is sent to two endpoints', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const ordered = await postOrder(world, anOrderBody(), headers);
    const connect = contracts.find(({ name }) => name === 'create-connect-token') as AnyContract;
    const begun = await ask(connect, {}, headers);

    expect([ordered.status, begun.status]).toEqual([200, 200]);
    expect(begun.body.data.connect_token).toEqual(expect.any(String));
  });
});

describe('an OAuth client’s idempotency key', () => {
  it('stands for a new request after the client got a new secret', async () => {
    const { platform, demo } = world;
    const { clientId } = demo.merchant;
    const issue = (secret: string, headers: Record<string, string>) => {
      const basic = Buffer.from(`${clientId}:${secret}`).toString('base64');
      const body = 'grant_type=client_credentials';
      return send('base/issue-token', { headers: { Authorization: `Basic ${basic}`, ...headers }, body });
    };
    const headers = { 'Idempotency-Key': randomUUID() };
    const before = await issue(demo.merchant.clientSecret, headers);
    const { secret } = await rotateClientSecret({ clientId }, platform);
    const after = await issue(secret, headers);

    expect([before.status, after.status]).toEqual([200, 200]);
    expect(after.headers).not.toHaveProperty('Idempotent-Replayed');
    expect((await issue(secret, headers)).headers).toMatchObject({ 'Idempotent-Replayed': 'true' });
  });
});

describe('a reply that is too large for an item', () => {
  const contract = defineContract({
    host: 'base',
    name: 'simulate',
    method: 'POST',
    path: '/simulate',
    summary: 'A request that writes nothing.',
    credential: partnerKey,
    data: z.object({ text: z.string() }),
    errorField: 'error',
    refusals: {},
    access: { table: {} },
  });

  it('is sent and not stored', async () => {
    let runs = 0;
    const handler = endpoint(contract, {}, async () => {
      runs += 1;
      return { text: 'x'.repeat(500_000) };
    });
    const headers = { 'x-api-key': world.demo.merchant.apiKey, 'Idempotency-Key': randomUUID() };
    const statuses = [];
    for (let nth = 0; nth < 2; nth += 1) {
      const event = eventOf(contract, { headers });
      statuses.push((await handler(event, { awsRequestId: randomUUID() } as never)).statusCode);
    }

    expect(statuses).toEqual([200, 200]);
    expect(runs).toBe(2);
  });
});
