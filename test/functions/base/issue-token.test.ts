import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../../functions/base/issue-token/contract.ts';
import { handler } from '../../../functions/base/issue-token/handler.ts';
import { digestOf } from '../../../shared/store/credential/credentials.ts';
import { call } from '../../support/call.ts';
import { makeWorld, type World } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const basic = (id: string, secret: string) => ({
  Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});
const ownClient = () => basic(world.demo.merchant.clientId, world.demo.merchant.clientSecret);
const ask = (headers: Record<string, string>, form: Record<string, string>) =>
  call(handler, contract, { headers, body: new URLSearchParams(form).toString() });

describe('the token endpoint, reply 200', () => {
  it('issues a bearer token for one hour', async () => {
    const answer = await ask(ownClient(), { grant_type: 'client_credentials' });

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^rwb_local_/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'transactions:read templates:read',
    });
    expect(answer.headers['Cache-Control']).toBe('no-store');
  });

  it('accepts a form-encoded client id and secret (RFC 6749, 2.3.1)', async () => {
    const encoded = (text: string) => encodeURIComponent(text).replaceAll('_', '%5F').replaceAll('-', '%2D');
    const { clientId, clientSecret } = world.demo.merchant;
    const answer = await ask(basic(encoded(clientId), encoded(clientSecret)), { grant_type: 'client_credentials' });
    expect(answer.status).toBe(200);
  });

  it('accepts a partner key instead of HTTP Basic', async () => {
    const answer = await ask({ 'x-api-key': world.demo.merchant.apiKey }, { grant_type: 'client_credentials' });
    expect(answer.body.scope).toBe('transactions:read templates:read');
  });

  it('ignores parameters without a value (RFC 6749, 3.2)', async () => {
    const empty = { scope: '', code: '', redirect_uri: '', code_verifier: '', refresh_token: '' };
    const answer = await ask(ownClient(), { grant_type: 'client_credentials', ...empty });
    expect(answer.body.scope).toBe('transactions:read templates:read');
  });

  it('limits the token to the requested scope', async () => {
    const answer = await ask(ownClient(), { grant_type: 'client_credentials', scope: 'templates:read' });
    expect(answer.body.scope).toBe('templates:read');
  });

  it('stores only the digest of the token', async () => {
    const { body } = await ask(ownClient(), { grant_type: 'client_credentials' });
    const stored = await world.platform.credentials.find(digestOf(body.access_token));
    expect(JSON.stringify(stored)).not.toContain(body.access_token);
    expect(stored).toMatchObject({ kind: 'bearer', organisationId: world.demo.merchant.id });
  });
});

describe('Idempotency-Key of the token endpoint', () => {
  const form = { grant_type: 'client_credentials' };

  it('returns the same token when the repeated request form-encodes the secret', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const { clientId, clientSecret } = world.demo.merchant;
    const first = await ask({ ...ownClient(), ...headers }, form);
    const second = await ask({ ...basic(clientId, clientSecret.replaceAll('_', '%5F')), ...headers }, form);
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(second.headers['Idempotent-Replayed']).toBe('true');
  });

  it('returns 422 idempotency_key_reused for another body', async () => {
    const headers = { ...ownClient(), 'Idempotency-Key': randomUUID() };
    await ask(headers, form);
    const answer = await ask(headers, { ...form, scope: 'templates:read' });
    expect(answer).toMatchObject({ status: 422, body: { error: 'idempotency_key_reused' } });
    expect(answer.body.error_description).toEqual(expect.any(String));
  });

  it('returns different tokens to two clients', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const other = basic(world.demo.outsider.clientId, world.demo.outsider.clientSecret);
    const answers = [await ask({ ...ownClient(), ...headers }, form), await ask({ ...other, ...headers }, form)];
    expect(new Set(answers.map(({ body }) => body.access_token)).size).toBe(2);
  });
});

describe('the token endpoint, with errors in the shape of RFC 6749,', () => {
  it.each([
    ['an unknown client', () => basic('rwc_local_unknown', 'x')],
    ['a wrong secret', () => basic(world.demo.merchant.clientId, world.demo.partner.clientSecret)],
    ['no client', () => ({})],
    ['a client id with an invalid encoding', () => basic('%', '%zz')],
    ['a user token', () => ({ 'x-api-key': world.demo.members[0]?.accessToken ?? '' })],
  ])('returns 401 invalid_client for %s', async (_, headers) => {
    const answer = await ask(headers(), { grant_type: 'client_credentials' });
    expect(answer).toMatchObject({
      status: 401,
      body: { error: 'invalid_client', error_description: expect.any(String) },
    });
    expect(answer.headers['WWW-Authenticate']).toMatch(/^Basic /);
  });

  it.each([
    ['unsupported_grant_type', { grant_type: 'password' }],
    ['invalid_scope', { grant_type: 'client_credentials', scope: 'everything' }],
    ['invalid_scope', { grant_type: 'client_credentials', scope: 'transactions:read everything' }],
    ['invalid_request', {}],
    ['invalid_request', { grant_type: '' }],
  ])('returns 400 %s for the form %j', async (error, form) => {
    expect(await ask(ownClient(), form)).toMatchObject({ status: 400, body: { error } });
  });
});
