import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { contract as revokeContract } from '../../../functions/base/revoke-token/contract.ts';
import { handler as revokeHandler } from '../../../functions/base/revoke-token/handler.ts';
import { handler as finishRevocation } from '../../../functions/consumers/finish-revocation/handler.ts';
import { digestOf } from '../../../shared/store/credential/credentials.ts';
import { Grants } from '../../../shared/store/credential/grants.ts';
import { type Answer, aContext, call } from '../../support/call.ts';
import { connectStory, openAccount } from '../../support/connect-story.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { narrowKey } from '../../support/provision.ts';
import { sqsEvent } from '../../support/test-queue.ts';
import { makeWorld, type World } from '../../support/world.ts';

let world: World;
let account: string;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(async () => {
  account = `acc-${randomUUID()}`;
  await openAccount(world, account);
});

const { merchantKey, connectToken, link, exchange, status, connected } = connectStory(() => ({ world, account }));
const revoke = (token: string, headers: Record<string, string> = merchantKey()): Promise<Answer> =>
  call(revokeHandler, revokeContract, { headers, body: new URLSearchParams({ token }).toString() });

const refresh = (refresh_token: string) => exchange({ grant_type: 'refresh_token', refresh_token });

/** Ends the thirty seconds in which a used refresh token returns the same tokens again. */
async function letPass(refreshToken: string): Promise<void> {
  const digest = digestOf(refreshToken);
  const stored = await world.platform.credentials.find(digest);
  if (stored?.kind !== 'refreshToken' || !stored.answer) throw new Error('the refresh token was not used');
  const answer = { ...stored.answer, until: new Date(Date.now() - 1).toISOString() };
  const key = { pk: `CREDENTIAL#${digest}`, sk: 'CREDENTIAL' };
  await world.platform.table.write({ kind: 'update', key, changes: { set: { answer } } });
}

describe('the grant authorization_code', () => {
  it("returns 200 with working tokens and the user's id", async () => {
    const tokens = await connected();
    expect(tokens).toEqual({
      access_token: expect.stringMatching(/^rwu_local_/),
      refresh_token: expect.stringMatching(/^rwr_local_/),
      token_type: 'Bearer',
      expires_in: 90 * 24 * 60 * 60,
      user_id: expect.any(Number),
    });
    expect((await status(tokens.user_id, tokens.access_token)).status).toBe(200);
  });

  it('returns 400 when only one of challenge and verifier is given', async () => {
    const verifier = randomBytes(32).toString('base64url');
    const code_challenge = createHash('sha256').update(verifier).digest('base64url');
    const withChallenge = async (more: Record<string, string>) => {
      const { code } = (await link(await connectToken({ code_challenge }))).body.data;
      return exchange({ grant_type: 'authorization_code', code, ...more });
    };
    expect((await withChallenge({ code_verifier: verifier })).status).toBe(200);
    expect((await withChallenge({})).body.error).toBe('invalid_grant');
    expect((await withChallenge({ code_verifier: 'x'.repeat(43) })).body.error).toBe('invalid_grant');

    const { code } = (await link(await connectToken())).body.data;
    expect((await exchange({ grant_type: 'authorization_code', code, code_verifier: verifier })).body.error).toBe(
      'invalid_grant',
    );
  });

  it('returns 400 invalid_grant unless code, redirect URI and client match', async () => {
    const { code } = (await link(await connectToken())).body.data;
    const form = { grant_type: 'authorization_code', code };
    const outsider = { 'x-api-key': world.demo.outsider.apiKey };
    for (const answer of [
      await exchange({ ...form, code: 'x' }),
      await exchange({ ...form, redirect_uri: 'https://evil.example/' }),
      await exchange(form, outsider),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    }
    expect((await exchange(form)).status).toBe(200);
  });

  it('revokes the tokens of a code that is used twice', async () => {
    const { code } = (await link(await connectToken())).body.data;
    const form = { grant_type: 'authorization_code', code };
    const { refresh_token } = (await exchange(form)).body;
    expect((await exchange(form)).body.error).toBe('invalid_grant');
    expect((await exchange({ grant_type: 'refresh_token', refresh_token })).body.error).toBe('invalid_grant');
  });

  it.each([{}, { code: '' }])('returns 400 invalid_request when the request has no code: %j', async (more) => {
    expect((await exchange({ grant_type: 'authorization_code', ...more })).body.error).toBe('invalid_request');
  });
});

describe('the grant refresh_token', () => {
  it('returns new tokens and keeps the old access token valid', async () => {
    const first = await connected();
    const second = (await refresh(first.refresh_token)).body;
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect((await status(first.user_id, first.access_token)).status).toBe(200);
    expect((await status(first.user_id, second.access_token)).status).toBe(200);
  });

  it('returns the same tokens again for thirty seconds', async () => {
    const first = await connected();
    const second = (await refresh(first.refresh_token)).body;
    const again = await refresh(first.refresh_token);
    expect([again.status, again.body]).toEqual([200, second]);

    const third = await refresh(second.refresh_token);
    expect(third.status).toBe(200);
    expect((await refresh(first.refresh_token)).body).toEqual(second);
    expect((await refresh(second.refresh_token)).body).toEqual(third.body);
  });

  it('revokes the family when a token is reused after thirty seconds', async () => {
    const first = await connected();
    const second = (await refresh(first.refresh_token)).body;
    await letPass(first.refresh_token);
    const thief = await refresh(first.refresh_token);
    expect(thief).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await refresh(second.refresh_token)).body.error).toBe('invalid_grant');
    for (const token of [first.access_token, second.access_token]) {
      expect(await world.platform.credentials.find(digestOf(token))).toMatchObject({ isRevoked: true });
    }
  });

  it('no longer returns the same tokens after the family was revoked', async () => {
    const first = await connected();
    const second = (await refresh(first.refresh_token)).body;
    await revoke(second.refresh_token);
    expect((await refresh(first.refresh_token)).body.error).toBe('invalid_grant');
  });

  it('stores the reply without the text of any token', async () => {
    const first = await connected();
    const second = (await refresh(first.refresh_token)).body;
    const stored = await world.platform.credentials.find(digestOf(first.refresh_token));
    if (stored?.kind !== 'refreshToken' || !stored.answer) throw new Error('there is no answer');
    const text = JSON.stringify(stored);
    for (const secret of [first.refresh_token, second.refresh_token, second.access_token]) {
      expect(text).not.toContain(secret);
    }
    expect(Date.parse(stored.answer.until) - Date.now()).toBeLessThanOrEqual(30_000);
  });

  it('returns the same tokens to a repeated request with the same Idempotency-Key', async () => {
    const { refresh_token } = await connected();
    const form = { grant_type: 'refresh_token', refresh_token };
    const headers = { ...merchantKey(), 'Idempotency-Key': randomUUID() };
    const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(form, headers)));
    const again = await exchange(form, headers);

    expect(again).toMatchObject({ status: 200, headers: { 'Idempotent-Replayed': 'true' } });
    for (const { status: code, body } of answers) {
      if (code === 200) expect(body).toEqual(again.body);
      else expect([code, body.error]).toEqual([409, 'request_in_progress']);
    }
    const next = await refresh(again.body.refresh_token);
    expect(next.status).toBe(200);
    // A late repetition without the Idempotency-Key counts as reuse, which revokes the family.
    await letPass(refresh_token);
    expect((await refresh(refresh_token)).body.error).toBe('invalid_grant');
    expect((await refresh(next.body.refresh_token)).body.error).toBe('invalid_grant');
  });

  it('returns the same tokens to all of several parallel requests', async () => {
    const first = await connected();
    const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(first.refresh_token)));
    const [one] = answers;
    for (const { status: code, body } of answers) expect([code, body]).toEqual([200, one?.body]);
    expect((await refresh(one?.body.refresh_token)).status).toBe(200);
  });

  it('returns 400 to another organisation and keeps the token valid', async () => {
    const { refresh_token } = await connected();
    const outsider = { 'x-api-key': world.demo.outsider.apiKey };
    const byOutsider = () => exchange({ grant_type: 'refresh_token', refresh_token }, outsider);
    expect((await byOutsider()).body.error).toBe('invalid_grant');
    expect((await refresh(refresh_token)).status).toBe(200);
    // Only the client of the token may repeat the exchange. A request of another client does not revoke the family.
    expect((await byOutsider()).body.error).toBe('invalid_grant');
    expect((await refresh(refresh_token)).status).toBe(200);
  });
});

describe('revocation of a token', () => {
  it('revokes the whole family when the token is a refresh token', async () => {
    const tokens = await connected();
    expect((await revoke(tokens.refresh_token)).status).toBe(200);
    expect((await status(tokens.user_id, tokens.access_token)).body.error).toBe('invalid_token');
  });

  it('revokes only the given token when it is an access token', async () => {
    const tokens = await connected();
    await revoke(tokens.access_token);
    expect((await status(tokens.user_id, tokens.access_token)).body.error).toBe('invalid_token');
    expect((await exchange({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token })).status).toBe(200);
  });

  it('returns 200 and changes nothing for an unknown or foreign token', async () => {
    const tokens = await connected();
    const outsider = { 'x-api-key': world.demo.outsider.apiKey };
    expect((await revoke('nonsense')).status).toBe(200);
    expect((await revoke(tokens.refresh_token, outsider)).status).toBe(200);
    expect((await status(tokens.user_id, tokens.access_token)).status).toBe(200);
  });

  it('also works for an authorization code that was not exchanged yet', async () => {
    const { code } = (await link(await connectToken())).body.data;
    expect((await revoke(code)).status).toBe(200);
    expect((await exchange({ grant_type: 'authorization_code', code })).body.error).toBe('invalid_grant');
    expect(await world.platform.members.findByExternalId(world.demo.partner.id, account)).toBeUndefined();
  });

  it('is completed by the event grant_revoked when the function dies', async () => {
    const tokens = await connected();
    await refresh(tokens.refresh_token);
    const stored = await world.platform.credentials.find(digestOf(tokens.access_token));
    const grantId = stored?.kind === 'userToken' ? stored.grantId : '';
    const { grants, now, nextUuid } = world.platform;
    const ended = vi.spyOn(Grants.prototype, 'revokeFamily').mockRejectedValueOnce(new Error('the function ended'));
    await expect(grants.revoke(grantId, { now: now(), nextUuid })).rejects.toThrow('the function ended');
    ended.mockRestore();
    expect((await status(tokens.user_id, tokens.access_token)).status).toBe(200);

    const events = (await outboxEvents(world)).filter(({ entityId }) => entityId === grantId);
    expect(events).toMatchObject([{ name: 'grant_revoked' }]);
    const finished = await finishRevocation(sqsEvent(...events.map((detail) => ({ detail }))), aContext);
    expect(finished.batchItemFailures).toEqual([]);
    const left = await world.platform.credentials.find(digestOf(tokens.access_token));
    expect(left?.isRevoked).toBe(true);
  });
});

describe('a partner key without the permission connect:write', () => {
  const narrowed = async (...permissions: string[]) => ({
    'x-api-key': await narrowKey(world.platform, world.demo.merchant.id, permissions),
  });
  const refused = { status: 400, body: { error: 'unauthorized_client', error_description: expect.any(String) } };

  it('exchanges no code, and the code stays valid', async () => {
    const { code } = (await link(await connectToken())).body.data;
    const form = { grant_type: 'authorization_code', code };
    const answer = await exchange(form, await narrowed('users:read', 'transactions:read'));
    expect(answer).toMatchObject(refused);
    expect(answer.headers).not.toHaveProperty('WWW-Authenticate');
    expect((await exchange(form, await narrowed('connect:write'))).status).toBe(200);
  });

  it('refreshes and revokes no token', async () => {
    const { refresh_token, access_token, user_id } = await connected();
    const key = await narrowed('transactions:read');
    expect(await exchange({ grant_type: 'refresh_token', refresh_token }, key)).toMatchObject(refused);
    expect(await revoke(refresh_token, key)).toMatchObject(refused);
    expect((await status(user_id, access_token)).status).toBe(200);
    expect((await revoke(refresh_token, await narrowed('connect:write'))).status).toBe(200);
  });

  it('still obtains a bearer token with its scopes', async () => {
    const answer = await exchange({ grant_type: 'client_credentials' }, await narrowed('transactions:read'));
    expect(answer).toMatchObject({ status: 200, body: { scope: 'transactions:read' } });
  });

  it('is not needed by an OAuth client', async () => {
    const { clientId, clientSecret } = world.demo.merchant;
    const { refresh_token } = await connected();
    const headers = { Authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` };
    expect((await exchange({ grant_type: 'refresh_token', refresh_token }, headers)).status).toBe(200);
  });
});
