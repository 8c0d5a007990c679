import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { issueUserTokens } from '../../shared/operations/member/issue-user-tokens.ts';
import { createMember } from '../../shared/operations/member/manage-members.ts';
import { openProgramAccount } from '../../shared/operations/member/program-accounts.ts';
import { cannot, useFlow } from './support/flow.ts';
import { send } from './support/http.ts';
import { newMember } from './support/members.ts';
import { beginConnect, openPage, submit } from './support/page.ts';

/** Attempts to take over another member's account. */

const flow = useFlow();
const pin = '975310';
const redirectUri = 'https://corner-coffee.example/connected';
let account: string;
beforeEach(async () => {
  account = await openAccount();
});

async function openAccount(email: string | null = null): Promise<string> {
  const memberId = `thief-${randomUUID()}`;
  const holder = { firstName: 'Eve', lastName: 'Moriarty', email, statusTierId: 1, points: 1 };
  await openProgramAccount(flow.demo.partner.id, { ...holder, memberId, pin }, flow.platform);
  return memberId;
}

/** Links by the API, whose replies are more detailed than the page. */
function link(token: string, more: object = {}) {
  const json = { partner_id: flow.demo.partner.id, member_id: account, proof: pin, ...more };
  return send('POST', `${flow.hosts.base}/connect/${token}/link`, { json });
}

/** Returns the code of a completed connect page. */
async function codeOf(body: object = {}): Promise<string> {
  const { url } = await beginConnect(flow, { redirect_uri: redirectUri, ...body });
  const { location } = await submit(await openPage(url), { memberId: account, pin });
  return new URL(location ?? '').searchParams.get('code') ?? '';
}

const exchange = (form: Record<string, string>, key = flow.demo.merchant.apiKey) =>
  send('POST', `${flow.hosts.base}/oauth/token`, { key, form: { grant_type: 'authorization_code', ...form } });

describe.skipIf(cannot.reachTable)('the owner of an account', () => {
  it("cannot be changed with the owner's e-mail address", async () => {
    const victim = flow.member;
    account = await openAccount('ada@example.com');
    const code = await codeOf({ user: { email: 'ada@example.com' } });
    const { body } = await exchange({ code });
    expect(body.user_id).not.toBe(victim.id);
    const url = `${flow.hosts.user}/users/${victim.id}`;
    expect((await send('GET', url, { key: body.access_token })).status).toBe(404);
  });

  it('cannot be changed by a session that names another customer', async () => {
    const { token } = await beginConnect(flow, { user: { external_id: flow.member.externalId } });
    expect(await link(token)).toMatchObject({ status: 409, body: { error: 'account_already_linked' } });
    const { url } = await beginConnect(flow, {
      user: { external_id: flow.member.externalId },
      redirect_uri: redirectUri,
    });
    const page = await submit(await openPage(url), { memberId: account, pin });
    expect(page.status).toBe(400);
    expect(page.html).toContain('linked to another one already');
  });

  it('cannot be changed by another customer with the PIN', async () => {
    const first = (await exchange({ code: await codeOf() })).body;
    const other = await newMember(flow, 0);
    const { token } = await beginConnect(flow, { user: { external_id: other.externalId } });
    expect(await link(token)).toMatchObject({ status: 409, body: { error: 'account_already_linked' } });
    const { body } = await send('GET', `${flow.hosts.user}/users/${first.user_id}`, { key: first.access_token });
    expect(body.data.user.partner_status_tiers[0].external_id).toBe(account);
  });
});

describe.skipIf(cannot.reachTable)('the link of an account', () => {
  const linkAs = async (externalId: string) =>
    (await exchange({ code: await codeOf({ user: { external_id: externalId } }) })).body;
  const refresh = (token: string) =>
    send('POST', `${flow.hosts.base}/oauth/token`, {
      key: flow.demo.merchant.apiKey,
      form: { grant_type: 'refresh_token', refresh_token: token },
    });

  it('can be ended by the merchant and by the owner', async () => {
    const json = { partner_id: flow.demo.partner.id };
    const thief = await linkAs(`eve-${randomUUID()}`);
    const { uuid = '' } = (await flow.platform.members.find(thief.user_id))?.user ?? {};
    const url = `${flow.hosts.base}/users/${uuid}/unlink`;
    expect(await send('POST', url, { key: flow.demo.merchant.apiKey, json })).toMatchObject({ status: 200 });
    expect(await refresh(thief.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });

    const owner = await linkAs(`ada-${randomUUID()}`);
    expect(owner.user_id).toBe(thief.user_id);
    const own = `${flow.hosts.user}/users/${owner.user_id}`;
    expect((await send('GET', own, { key: owner.access_token })).body.data.user.partner_status_tiers).toMatchObject([
      { external_id: account, total_rewards: 1 },
    ]);
    expect(await send('POST', `${own}/unlink`, { key: owner.access_token, json })).toMatchObject({ status: 200 });
    expect(await refresh(owner.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  it('can move to another customer after an unlink', async () => {
    const json = { partner_id: flow.demo.partner.id };
    const thief = await linkAs(`eve-${randomUUID()}`);
    const [merchantId, externalId] = [flow.demo.merchant.id, `ada-${randomUUID()}`];
    const names = { firstName: 'Ada', lastName: 'Byron', email: 'ada@example.com' };
    await createMember({ ...names, merchant: { id: merchantId, externalId } }, flow.platform);
    const own = `${flow.hosts.user}/users/${thief.user_id}`;
    expect(await send('POST', `${own}/unlink`, { key: thief.access_token, json })).toMatchObject({ status: 200 });
    expect((await linkAs(externalId)).user_id).toBe(thief.user_id);
  });
});

describe.skipIf(cannot.reachTable)("a stranger's connect page", () => {
  /**
   * The attacker is an ordinary customer of the merchant, and gets a connect page and a user token like every customer.
   */
  async function lure() {
    const [merchantId, externalId] = [flow.demo.merchant.id, `eve-${randomUUID()}`];
    const names = { firstName: 'Eve', lastName: 'Moriarty', email: 'eve@example.com' };
    const member = await createMember({ ...names, merchant: { id: merchantId, externalId } }, flow.platform);
    const { accessToken } = await issueUserTokens({ member, merchantId }, flow.platform);
    const attacker = { id: member.user.id, externalId, accessToken };
    const verifier = randomBytes(32).toString('base64url');
    const code_challenge = createHash('sha256').update(verifier).digest('base64url');
    const user = { external_id: attacker.externalId, first_name: 'Eve', email: 'eve@example.com' };
    const { url } = await beginConnect(flow, { user, redirect_uri: redirectUri, state: 'of-eve', code_challenge });
    return { attacker, url };
  }

  it('names the merchant and the stranger', async () => {
    const { attacker, url } = await lure();
    const { html } = await openPage(url);
    for (const text of ['Corner Coffee', 'Eve', 'eve@example.com', attacker.externalId]) expect(html).toContain(text);
  });

  it('gives the stranger no points when a victim uses it', async () => {
    const { attacker, url } = await lure();
    const { status, location } = await submit(await openPage(url), { memberId: account, pin });
    expect(status).toBe(303);
    // The victim's browser returns to the merchant. The victim's session at the merchant has another state and
    // verifier.
    const callback = new URL(location ?? '');
    expect(callback.searchParams.get('state')).toBe('of-eve');
    const code = callback.searchParams.get('code') ?? '';
    expect(await exchange({ code })).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });

    const seen = await send('GET', `${flow.hosts.user}/users/${attacker.id}`, { key: attacker.accessToken });
    expect(
      seen.body.data.user.partner_status_tiers.map((tier: { external_id: string }) => tier.external_id),
    ).not.toContain(account);
    const json = {
      transaction_amount: 1,
      external_transaction_id: randomUUID(),
      campaign_id: flow.demo.campaigns.redeem,
    };
    const spent = await send('POST', `${flow.hosts.reward}/reward_transaction/auth`, {
      key: attacker.accessToken,
      json,
    });
    expect(spent.body.data.authentication_status).not.toBe(1);
    const { body } = await exchange({ code: await codeOf() });
    expect(body.user_id).not.toBe(attacker.id);
  });
});

describe.skipIf(cannot.reachTable)('guessing a PIN', () => {
  it('ends the session after five wrong PINs', async () => {
    const { token } = await beginConnect(flow);
    for (let guess = 0; guess < 5; guess += 1) {
      expect(await link(token, { proof: `00000${guess}` })).toMatchObject({ body: { error: 'verification_failed' } });
    }
    expect(await link(token)).toMatchObject({ status: 400, body: { error: 'invalid_token' } });
  });

  it('locks the account after five wrong PINs in parallel sessions', async () => {
    const sessions = await Promise.all(Array.from({ length: 8 }, () => beginConnect(flow)));
    await Promise.all(sessions.map(({ token }, guess) => link(token, { proof: `10000${guess}` })));
    const { token } = await beginConnect(flow);
    expect(await link(token)).toMatchObject({ status: 400, body: { error: 'verification_failed' } });
  });

  it('gets one reply for wrong PINs and unknown accounts', async () => {
    const { token } = await beginConnect(flow);
    const [wrong, absent] = [await link(token, { proof: '000000' }), await link(token, { member_id: 'SKY-0' })];
    const { request_id: _, ...said } = wrong.body;
    expect(absent.body).toMatchObject(said);
  });
});

describe.skipIf(cannot.reachTable)('an authorization code', () => {
  it('is sent only to registered redirect URIs', async () => {
    for (const uri of ['https://evil.example/', `${redirectUri}/`, `${redirectUri}?x`, `${redirectUri}.evil.example`]) {
      const json = { redirect_uri: uri };
      const answer = await send('POST', `${flow.hosts.base}/auth/connect`, { key: flow.demo.merchant.apiKey, json });
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    }
  });

  it('is refused with 400 unless verifier, organisation and redirect URI are right', async () => {
    const verifier = randomBytes(32).toString('base64url');
    const code = await codeOf({ code_challenge: createHash('sha256').update(verifier).digest('base64url') });
    for (const answer of [
      await exchange({ code }),
      await exchange({ code, code_verifier: 'x'.repeat(43) }),
      await exchange({ code, code_verifier: verifier }, flow.demo.outsider.apiKey),
      await exchange({ code, code_verifier: verifier, redirect_uri: 'https://evil.example/' }),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    }
    expect((await exchange({ code, code_verifier: verifier, redirect_uri: redirectUri })).status).toBe(200);
  });

  it('is issued once for parallel submissions of the form', async () => {
    const { url } = await beginConnect(flow, { redirect_uri: redirectUri });
    const page = await openPage(url);
    const pages = await Promise.all(Array.from({ length: 5 }, () => submit(page, { memberId: account, pin })));
    expect(pages.filter(({ status }) => status === 303)).toHaveLength(1);
  });

  it("is issued only for programs of the merchant's partnerships", async () => {
    const { token } = await beginConnect(flow);
    const answer = await link(token, { partner_id: flow.demo.outsider.id });
    expect(answer).toMatchObject({ status: 404, body: { error: 'partner_not_linkable' } });
  });
});
