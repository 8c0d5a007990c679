import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { codeHostOf, contracts } from '../../functions/contracts.ts';
import type { AnyContract } from '../../shared/contracts/contract.ts';
import { issueUserTokens } from '../../shared/operations/member/issue-user-tokens.ts';
import {
  type Credential,
  credentialWrite,
  digestOf,
  type SecretKind,
  secretText,
} from '../../shared/store/credential/credentials.ts';
import { type Answer, call, type Request } from '../support/call.ts';
import { bearerOf } from '../support/story.ts';
import { makeWorld, type World } from '../support/world.ts';

/** Refusals that every endpoint shares, each with the endpoint's own identifiers (docs/gaps.md, "Errors"). */

let world: World;
let secrets: Record<string, string>;
beforeAll(async () => {
  world = await makeWorld();
  const { demo } = world;
  secrets = {
    partnerKey: demo.merchant.apiKey,
    userToken: demo.members[0]?.accessToken ?? '',
    bearer: await bearerOf(demo.merchant),
    refreshToken: demo.members[0]?.refreshToken ?? '',
  };
});

const newSecret = (kind: SecretKind, stage = 'local') => secretText(kind, stage, randomBytes(32));

/** Stores a credential of the contract's kind with some fields changed. */
async function withCredential(contract: AnyContract, change: Partial<Credential>): Promise<string> {
  const kind = contract.credential.kind as 'partnerKey' | 'userToken' | 'bearer';
  const secret = newSecret(kind);
  const own = world.demo.members[0];
  const credential = {
    kind,
    digest: digestOf(secret),
    organisationId: world.demo.merchant.id,
    permissions: [],
    userId: own?.id,
    userUuid: own?.uuid,
    grantId: 'none',
    isRevoked: false,
    expiresAt: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    ...change,
  } as Credential;
  await world.platform.table.write(credentialWrite(credential));
  return secret;
}

function proof(contract: AnyContract, secret: string): Record<string, string> {
  return contract.credential.kind === 'bearer' ? { authorization: `Bearer ${secret}` } : { 'x-api-key': secret };
}

async function ask(contract: AnyContract, request: Request): Promise<Answer> {
  const { handler } = await import(`../../functions/${codeHostOf(contract)}/${contract.name}/handler.ts`);
  const params = Object.fromEntries([...contract.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, '1']));
  return call(handler, contract, { params, ...request });
}

function expectRefusal(contract: AnyContract, answer: Answer, status: number, identifier: string): void {
  expect([answer.status, answer.body[contract.errorField]]).toEqual([status, identifier]);
  const text = contract.errorShape === 'oauth' ? answer.body.error_description : answer.body.message;
  expect(text).toEqual(expect.any(String));
  expect(answer.headers['x-request-id']).toBe(answer.body.request_id);
  expect(JSON.stringify(answer.body)).not.toMatch(/node_modules|\.ts|at \w+ \(/);
}

const body = { any: 'body' };
const named = contracts.map((contract) => [`${contract.host} ${contract.method} ${contract.path}`, contract] as const);
const keyKinds = new Set(['partnerKey', 'userToken', 'bearer']);
const keyed = named.filter(([, { credential }]) => keyKinds.has(credential.kind));
const connecting = named.filter(([, { credential }]) => credential.kind === 'connectToken');

describe.each(keyed)('endpoint %s', (_, contract) => {
  const { invalid, expired, forbidden } = contract.credential;
  const withSecret = (secret: string, more: Request = {}) =>
    ask(contract, { headers: proof(contract, secret), body, ...more });

  it(`returns ${invalid.status} ${invalid.identifier} for a request without a credential`, async () => {
    expectRefusal(contract, await ask(contract, { body }), invalid.status, invalid.identifier);
  });

  it(`returns ${invalid.status} ${invalid.identifier} for a credential that this stage did not issue`, async () => {
    const right = secrets[contract.credential.kind] ?? '';
    const mistyped = right.slice(0, -1) + (right.endsWith('A') ? 'B' : 'A');
    const kind = contract.credential.kind as SecretKind;
    for (const secret of [
      newSecret(kind),
      newSecret(kind, 'production'),
      'x',
      mistyped,
      `${right} `.repeat(50).trim(),
    ]) {
      expectRefusal(contract, await withSecret(secret), invalid.status, invalid.identifier);
    }
  });

  it(`returns ${invalid.status} ${invalid.identifier} for a revoked credential`, async () => {
    const secret = await withCredential(contract, { isRevoked: true });
    expectRefusal(contract, await withSecret(secret), invalid.status, invalid.identifier);
  });

  it(`returns ${expired.status} ${expired.identifier} and the word “expired” for an expired credential`, async () => {
    const secret = await withCredential(contract, { expiresAt: '2026-01-02T00:00:00.000Z' });
    const answer = await withSecret(secret);
    expectRefusal(contract, answer, expired.status, expired.identifier);
    expect(answer.body.message).toMatch(/expired/);
  });

  it(`returns ${forbidden.status} ${forbidden.identifier} for a credential of another kind`, async () => {
    for (const [kind, secret] of Object.entries(secrets).filter(([kind]) => kind !== contract.credential.kind)) {
      const answer = await withSecret(secret);
      expect.soft(`${kind} ${answer.status}`).toBe(`${kind} ${forbidden.status}`);
      expectRefusal(contract, answer, forbidden.status, forbidden.identifier);
    }
  });

  if (contract.permission) {
    it(`returns ${forbidden.status} ${forbidden.identifier} if a credential lacks ${contract.permission}`, async () => {
      expectRefusal(
        contract,
        await withSecret(await withCredential(contract, {})),
        forbidden.status,
        forbidden.identifier,
      );
    });
  }

  if (contract.body) {
    const identifier = contract.invalidRequest ?? 'invalid_request';
    const right = () => secrets[contract.credential.kind] ?? '';

    it(`returns 400 ${identifier} for a malformed body and for another content type`, async () => {
      for (const malformed of ['{', '', '[]', '"text"', 'null', '{"a":1}}']) {
        expectRefusal(contract, await withSecret(right(), { body: malformed }), 400, identifier);
      }
      const headers = { ...proof(contract, right()), 'Content-Type': 'text/plain' };
      const answer = await ask(contract, { headers, body: '{}' });
      expectRefusal(contract, answer, 400, identifier);
      expect(answer.body.message).toBe('Content-Type must be application/json');
    });

    it.each([
      ['__proto__', '{"__proto__": {"a": 1}}'],
      ['__proto__', '{"deep": [{"__proto__": 1}]}'],
      ['constructor', '{"constructor": {"prototype": {}}}'],
    ])(`returns 400 ${identifier} and names the forbidden field %s when the body is %s`, async (name, text) => {
      const answer = await withSecret(right(), { body: text });
      expectRefusal(contract, answer, 400, identifier);
      const message = `no field may have the name ${name}`;
      expect(answer.body.errors).toEqual([{ pointer: '', code: 'forbidden_name', message }]);
    });

    it('returns 413 request_too_large for a body over 256 KB', async () => {
      const answer = await withSecret(right(), { body: { text: 'x'.repeat(256 * 1024) } });
      expectRefusal(contract, answer, 413, 'request_too_large');
    });

    it('returns the refusal for a missing credential when the body is malformed too', async () => {
      expectRefusal(contract, await ask(contract, { body: '{' }), invalid.status, invalid.identifier);
    });
  }
});

describe.each(connecting)('endpoint %s', (_, contract) => {
  it('returns 400 for the invalid connect token when the body is invalid too', async () => {
    for (const token of [newSecret('connectToken'), newSecret('connectToken', 'production'), 'x', secrets.partnerKey]) {
      const answer = await ask(contract, { params: { connect_token: token ?? '' }, body: '{' });
      expect(answer.status).toBe(400);
      if (contract.envelope === 'page') expect(answer.headers['Content-Type']).toMatch(/^text\/html/);
      else expectRefusal(contract, answer, 400, 'invalid_token');
    }
  });
});

describe('endpoint 1 with a user token', () => {
  it('returns authentication_status 4 for a campaign of another merchant', async () => {
    const { platform, demo } = world;
    const member = await platform.members.find(demo.members[0]?.id ?? 0);
    if (!member) throw new Error('the demo world has no member');
    const { accessToken } = await issueUserTokens({ member, merchantId: demo.outsider.id }, platform);
    const contract = contracts.find(({ name }) => name === 'authenticate-transaction') as AnyContract;

    const answer = await ask(contract, {
      headers: { 'x-api-key': accessToken },
      body: { transaction_amount: 1, external_transaction_id: 'x', campaign_id: demo.campaigns.earn },
    });

    expect(answer.body.data.authentication_status).toBe(4);
  });
});
