import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { contract as createContract } from '../../../functions/base/create-connect-token/contract.ts';
import { handler as createHandler } from '../../../functions/base/create-connect-token/handler.ts';
import { contract as getContract } from '../../../functions/base/get-connect/contract.ts';
import { handler as getHandler } from '../../../functions/base/get-connect/handler.ts';
import { contract as tokenContract } from '../../../functions/base/issue-token/contract.ts';
import { handler as tokenHandler } from '../../../functions/base/issue-token/handler.ts';
import { contract as linkContract } from '../../../functions/base/link-account/contract.ts';
import { handler as linkHandler } from '../../../functions/base/link-account/handler.ts';
import { contract as statusContract } from '../../../functions/user/get-user-status/contract.ts';
import { handler as statusHandler } from '../../../functions/user/get-user-status/handler.ts';
import { newSecret } from '../../../shared/operations/connect/user-tokens.ts';
import { openProgramAccount } from '../../../shared/operations/member/program-accounts.ts';
import { digestOf } from '../../../shared/store/credential/credentials.ts';
import type { Key } from '../../../shared/store/table/table-client.ts';
import { type Answer, call } from '../../support/call.ts';
import { bearerOf } from '../../support/story.ts';
import { makeWorld, type World } from '../../support/world.ts';

/** Lifetimes of issued tokens and codes, and the reply after they end. */

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const headers = () => ({ 'x-api-key': world.demo.merchant.apiKey });
const exchange = (form: Record<string, string>): Promise<Answer> =>
  call(tokenHandler, tokenContract, { headers: headers(), body: new URLSearchParams(form).toString() });
const byCode = (code: string) => exchange({ grant_type: 'authorization_code', code });
const byRefreshToken = (token: string) => exchange({ grant_type: 'refresh_token', refresh_token: token });

async function connectToken(): Promise<string> {
  return (await call(createHandler, createContract, { headers: headers(), body: {} })).body.data.connect_token;
}
const look = (token: string) => call(getHandler, getContract, { params: { connect_token: token } });

/** Links a new account. */
async function link(token: string): Promise<Answer> {
  const memberId = `acc-${randomUUID()}`;
  const holder = { firstName: 'Linus', lastName: 'Pauling', email: `${memberId}@example.com`, statusTierId: 1 };
  const partnerId = world.demo.partner.id;
  await openProgramAccount(partnerId, { ...holder, memberId, pin: '246802', points: 0 }, world.platform);
  const body = { partner_id: partnerId, member_id: memberId, proof: '246802' };
  return call(linkHandler, linkContract, { params: { connect_token: token }, body });
}
const newCode = async (): Promise<string> => (await link(await connectToken())).body.data.code;

const sessionKey = (token: string): Key => ({ pk: `CONNECT#${digestOf(token)}`, sk: 'CONNECT' });
const credentialKey = (secret: string): Key => ({ pk: `CREDENTIAL#${digestOf(secret)}`, sk: 'CREDENTIAL' });

/** Sets the expiry of an item one millisecond into the past. */
async function end(key: Key): Promise<void> {
  const expiresAt = new Date(Date.now() - 1).toISOString();
  await world.platform.table.write({ kind: 'update', key, changes: { set: { expiresAt } } });
}

/** Returns the remaining lifetime in seconds: the lifetime less the time that the test has taken. */
async function secondsLeft(key: Key): Promise<number> {
  const item = await world.platform.table.get(key);
  return (Date.parse(String(item?.expiresAt)) - Date.now()) / 1000;
}

const [minute, hour, day] = [60, 60 * 60, 24 * 60 * 60];

describe('the lifetime', () => {
  it.each<[string, number, () => Promise<Key>]>([
    ['a connect token is half an hour', 30 * minute, async () => sessionKey(await connectToken())],
    ['a code is a minute', minute, async () => credentialKey(await newCode())],
    [
      'a user access token is 90 days',
      90 * day,
      async () => credentialKey((await byCode(await newCode())).body.access_token),
    ],
    [
      'a refresh token is a year',
      365 * day,
      async () => credentialKey((await byCode(await newCode())).body.refresh_token),
    ],
    ['a bearer token is an hour', hour, async () => credentialKey(await bearerOf(world.demo.merchant))],
  ])('of %s', async (_, seconds, given) => {
    const left = await secondsLeft(await given());
    expect(left).toBeLessThanOrEqual(seconds);
    expect(left).toBeGreaterThan(seconds - 30);
  });
});

describe('the reply', () => {
  it('to an expired connect token is 400 invalid_token with a message', async () => {
    const token = await connectToken();
    expect((await look(token)).status).toBe(200);
    await end(sessionKey(token));

    for (const answer of [await look(token), await link(token)]) {
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_token' } });
      expect(answer.body.message).toMatch(/expired/);
    }
  });

  it('to an expired code is 400 invalid_grant', async () => {
    const code = await newCode();
    await end(credentialKey(code));
    expect(await byCode(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  it('to an expired refresh token is 400 invalid_grant, but the token’s family stays valid', async () => {
    const { refresh_token } = (await byCode(await newCode())).body;
    const next = (await byRefreshToken(refresh_token)).body.refresh_token;
    await end(credentialKey(next));
    expect(await byRefreshToken(next)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });

    const key = credentialKey(next);
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    await world.platform.table.write({ kind: 'update', key, changes: { set: { expiresAt } } });
    expect((await byRefreshToken(next)).status).toBe(200);
  });

  describe('to an unknown user token', () => {
    const status = (id: number, token: string) =>
      call(statusHandler, statusContract, { params: { id: String(id) }, headers: { 'x-api-key': token } });

    async function forgotten() {
      const tokens = (await byCode(await newCode())).body;
      const key = credentialKey(tokens.access_token);
      const grantId = String((await world.platform.table.get(key))?.grantId);
      await world.platform.table.write({ kind: 'delete', key });
      return { tokens, grantId };
    }

    it('is 401 while the token’s family can be refreshed', async () => {
      const { tokens, grantId } = await forgotten();
      const expired = await status(tokens.user_id, tokens.access_token);
      expect(expired).toMatchObject({ status: 401, body: { error: 'unauthorized_request' } });
      expect(expired.body.message).toMatch(/expired/);

      const before = await world.platform.grants.find(grantId);
      expect((await byRefreshToken(tokens.refresh_token)).status).toBe(200);
      const after = await world.platform.grants.find(grantId);
      expect(after && before && after.refreshableUntil > before.refreshableUntil).toBe(true);
    });

    it('is 400 when the token’s family is revoked or expired', async () => {
      const [revoked, ended] = [await forgotten(), await forgotten()];
      const { grants, now, nextUuid, table } = world.platform;
      await grants.revoke(revoked.grantId, { now: now(), nextUuid });
      const key = { pk: `GRANT#${ended.grantId}`, sk: 'GRANT' };
      const refreshableUntil = new Date(Date.now() - 1).toISOString();
      await table.write({ kind: 'update', key, changes: { set: { refreshableUntil } } });
      for (const { tokens } of [revoked, ended]) {
        const answer = await status(tokens.user_id, tokens.access_token);
        expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_token' } });
      }
    });

    it('is 400 when the token was never issued', async () => {
      const invented = newSecret(world.platform, 'userToken');
      expect(await status(1, invented)).toMatchObject({ status: 400, body: { error: 'invalid_token' } });
    });
  });
});
