import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../functions/contracts.ts';
import type { AnyContract } from '../../shared/contracts/contract.ts';
import { useFlow } from './support/flow.ts';
import { type RawAnswer, type RawRequest, sendRaw } from './support/raw.ts';

/** Malformed requests: every reply has the error shape and a status below 500. */

const flow = useFlow();
const hostNames = ['base', 'reward', 'campaign', 'user', 'order', 'notification'] as const;

const raw = (host: (typeof hostNames)[number], request: RawRequest) => sendRaw(flow.hosts[host], request);

/** Returns the identifier of an error reply. Checks the rest of its shape. */
function refusal({ status, headers, text }: RawAnswer, field: 'error' | 'code' = 'error'): string {
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
  expect(headers['content-type']).toMatch(/^application\/json/);
  const body = JSON.parse(text);
  expect(body).toMatchObject({ [field]: expect.stringMatching(/^[a-z_]+$/), request_id: headers['x-request-id'] });
  expect(body.message ?? body.error_description).toEqual(expect.any(String));
  expect(text).not.toMatch(/\bat .+:\d+:\d+|node_modules|\.[cm]?[jt]s:\d|AWS|Dynamo|Zod/);
  return `${status} ${body[field]}`;
}

const json = { 'content-type': 'application/json' };
const userKey = () => ({ 'x-api-key': flow.member.accessToken });
const merchantKey = () => ({ 'x-api-key': flow.demo.merchant.apiKey });
const purchase = () =>
  JSON.stringify({
    transaction_amount: 10,
    external_transaction_id: randomUUID(),
    campaign_id: flow.demo.campaigns.earn,
  });
const authPath = '/reward_transaction/auth';

describe('unknown routes', () => {
  it.each(hostNames)('return 404 for an unknown path on the %s host', async (host) => {
    expect(refusal(await raw(host, { path: '/no/such/thing?x=1' }))).toBe('404 not_found');
    expect(refusal(await raw(host, { path: '/', headers: merchantKey() }))).toBe('404 not_found');
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'return 404 for the method %s on a route that has only GET',
    async (method) => {
      const path = `/users/${flow.member.uuid}`;
      expect(refusal(await raw('base', { method, path, headers: merchantKey() }))).toBe('404 not_found');
    },
  );

  it('return 404 without a body for the method HEAD', async () => {
    const answer = await raw('base', { method: 'HEAD', path: `/users/${flow.member.uuid}`, headers: merchantKey() });
    expect(answer).toMatchObject({ status: 404, text: '' });
    expect(answer.headers['x-request-id']).toEqual(expect.any(String));
  });

  it.each([
    ['doubled slashes', '//users//1'],
    ['dots', '/users/../../etc/passwd'],
    ['another case', '/USERS/1'],
    ['thousands of characters', `/${'x'.repeat(7_000)}`],
    ['the stage in front', '/local/users/1'],
  ])('return 404 or 400 for a path with %s', async (_, path) => {
    expect(refusal(await raw('base', { path }))).toMatch(/^40[04] /);
  });
});

describe('path parameters', () => {
  it.each([
    ['malformed percent-encoding', '%E0%A4%A'],
    ['a bare percent sign', '%'],
    ['a NUL', '%00'],
    ['an encoded slash', 'a%2Fb'],
    ['letters of another alphabet', '%C3%A9%F0%9F%98%80'],
    ['seven thousand characters', 'x'.repeat(7_000)],
    ['a number beyond all integers', '9'.repeat(400)],
    ['the name of an inherited property', '__proto__'],
  ])('return 404 when the id is %s', async (_, id) => {
    for (const what of ['users', 'transactions', 'partnerships']) {
      const field = what === 'transactions' ? 'code' : 'error';
      const answer = await raw('base', { path: `/${what}/${id}`, headers: merchantKey() });
      expect(refusal(answer, field)).toMatch(/^404 (user|transaction|partnership)_does_not_exist$/);
    }
  });
});

describe('query parameters', () => {
  it('return 400 when a parameter is repeated, with equal or different values', async () => {
    for (const query of ['campaign_types=1&campaign_types=2', 'campaign_types=1&limit=5&limit=5']) {
      const answer = await raw('campaign', { path: `/campaigns?${query}`, headers: merchantKey() });
      expect(refusal(answer)).toBe('400 invalid_request');
      expect(JSON.parse(answer.text).errors).toEqual([expect.objectContaining({ code: 'repeated' })]);
    }
  });
});

describe('request headers', () => {
  it.each(['x-api-key', 'X-API-KEY', 'X-Api-Key'])('may contain the API key under the name %s', async (name) => {
    const headers = { [name]: flow.demo.merchant.apiKey };
    expect((await raw('base', { path: `/users/${flow.member.uuid}`, headers })).status).toBe(200);
  });

  it.each([
    ['empty', ''],
    ['very long', 'k'.repeat(7_000)],
    ['not ASCII', 'cl\u00e9'],
    ['only the prefix of a key', 'rwk_local_'],
  ])('return 400 invalid_token when the API key is %s', async (_, key) => {
    expect(refusal(await raw('base', { path: '/users/1', headers: { 'x-api-key': key } }))).toBe('400 invalid_token');
  });
});

describe('request bodies', () => {
  const post = (more: Partial<RawRequest>) =>
    raw('reward', { method: 'POST', path: authPath, headers: { ...json, ...userKey() }, ...more });

  it('are read completely when they are sent in chunks without Content-Length', async () => {
    const text = purchase();
    const answer = await post({ body: [text.slice(0, 20), text.slice(20, 40), text.slice(40)] });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text).data.authentication_status).toBe(1);
  });

  it('return an error when they are compressed', async () => {
    const headers = { ...json, ...userKey(), 'content-encoding': 'gzip' };
    expect(refusal(await post({ headers, body: gzipSync(purchase()) }))).toBe('400 invalid_request');
  });

  it("over 256 KB return 413 in the endpoint's error format", async () => {
    const body = JSON.stringify({ padding: 'x'.repeat(256 * 1024) });
    expect(refusal(await post({ body }))).toBe('413 request_too_large');
    const notification = { method: 'POST', path: '/webhooks/subscribe', headers: { ...json, ...merchantKey() }, body };
    expect(refusal(await raw('notification', notification))).toBe('413 request_too_large');
    const answer = await raw('base', { path: '/transactions/1', headers: { ...json, ...merchantKey() }, body });
    expect(refusal(answer, 'code')).toBe('413 request_too_large');
  });

  it('are parsed when they are just under 256 KB', async () => {
    const body = JSON.stringify({ ...JSON.parse(purchase()), padding: 'x'.repeat(255 * 1024) });
    expect((await post({ body })).status).toBe(200);
  });

  it('return 413 from the gateway when they are over 10 MB', async () => {
    const body = Buffer.alloc(10 * 1024 * 1024 + 1, 32);
    expect(refusal(await post({ body }))).toBe('413 request_too_large');
  });
});

const strange: [name: string, body: string | Buffer | undefined, type?: string][] = [
  ['missing', undefined],
  ['empty, declared as JSON', ''],
  ['an incomplete JSON text', '{"transaction_amount": 1'],
  ['null', 'null'],
  ['a list', '[1, 2]'],
  ['a JSON string', '"text"'],
  ['an object with the keys __proto__ and constructor', '{"__proto__": {"endpoint": "x"}, "constructor": 1}'],
  [
    'an object whose fields have wrong types',
    '{"transaction_amount":"10","external_transaction_id":{},"endpoint":7,"grant_type":[]}',
  ],
  ['fifty thousand opening brackets', '['.repeat(50_000)],
  ['invalid UTF-8', Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28])],
  ['JSON with the content type text/plain', '{}', 'text/plain'],
  ['JSON with an unknown JSON content type', '{}', 'application/vnd.api+json; charset=klingon'],
  ['a form', 'a=1&b=2', 'application/x-www-form-urlencoded'],
  ['JSON with a malformed content type', '{}', ';;;'],
];

/** Returns the credential that an endpoint accepts. */
function credentialOf({ credential }: AnyContract): Record<string, string> {
  switch (credential.kind) {
    case 'userToken':
      return userKey();
    case 'bearer':
      return { authorization: 'Bearer rwb_local_none' };
    default:
      return merchantKey();
  }
}

/** Bodies that an endpoint without required fields accepts: it knows none of the fields in them. */
const empty = new Set(['an object whose fields have wrong types', 'JSON with an unknown JSON content type']);

/**
 * Leaves out the connect page, which replies with HTML, and endpoints with signed bodies, which refuse a strange body
 * unread.
 */
const readsAnyBody = ({ body, envelope, credential }: AnyContract) =>
  body !== undefined && envelope !== 'page' && !credential.kind.endsWith('Signature');

describe.each(contracts.filter(readsAnyBody))('$method $path of the host $host', (contract) => {
  const isOptional = contract.body?.safeParse({}).success === true;
  const refused = strange.filter(([name]) => !(isOptional && empty.has(name)));
  it.each<(typeof strange)[number]>(refused)(
    'returns 400 when the body is %s',
    async (...[_, body, type = 'application/json']) => {
      const headers = { ...credentialOf(contract), ...(body !== undefined && { 'content-type': type }) };
      const { host, method, path } = contract;
      const answer = await raw(host, { method, path, headers, ...(body !== undefined && { body }) });
      expect(refusal(answer, contract.errorField)).toMatch(/^400 /);
    },
  );
});
