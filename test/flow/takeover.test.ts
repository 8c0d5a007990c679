import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { provisionProgramAccount } from '../../tools/admin/provision.ts';
import { cannot, useFlow } from './support/flow.ts';
import { send } from './support/http.ts';
import { newMember } from './support/members.ts';
import { beginConnect, openPage, submit } from './support/page.ts';

/** Attempts at account takeover; each fails as docs/architecture/connect.md describes. */

const flow = useFlow();
const pin = '9753';
const redirectUri = 'https://corner-coffee.example/connected';
let account: string;
beforeEach(async () => {
  account = await openAccount();
});

async function openAccount(email: string | null = null): Promise<string> {
  const memberId = `thief-${randomUUID()}`;
  const holder = { firstName: 'Eve', lastName: 'Moriarty', email, statusTierId: 1, points: 1 };
  await provisionProgramAccount(flow.platform, flow.demo.partner.id, { ...holder, memberId, pin });
  return memberId;
}

/** A link with the proof of one's own account: over the API, which says more than the page. */
function link(token: string, more: object = {}) {
  const json = { partner_id: flow.demo.partner.id, member_id: account, proof: pin, ...more };
  return send('POST', `${flow.hosts.base}/connect/${token}/link`, { json });
}

/** The code that a person brings back from the page. */
async function codeOf(body: object = {}): Promise<string> {
  const { url } = await beginConnect(flow, { redirect_uri: redirectUri, ...body });
  const { location } = await submit(await openPage(url), { memberId: account, pin });
  return new URL(location ?? '').searchParams.get('code') ?? '';
}

const exchange = (form: Record<string, string>, key = flow.demo.merchant.apiKey) =>
  send('POST', `${flow.hosts.base}/oauth/token`, { key, form: { grant_type: 'authorization_code', ...form } });

describe.skipIf(cannot.reachTable)('whose account it is', () => {
  it('is not told by the e-mail of a member, whoever names it or vouches for it', async () => {
    const victim = flow.member;
    account = await openAccount('ada@example.com');
    const code = await codeOf({ user: { email: 'ada@example.com' } });
    const { body } = await exchange({ code });
    expect(body.user_id).not.toBe(victim.id);
    const url = `${flow.hosts.user}/users/${victim.id}`;
    expect((await send('GET', url, { key: body.access_token })).status).toBe(404);
  });

  it("is not changed by naming another customer's id: 409 account_already_linked", async () => {
    const { token } = await beginConnect(flow, { user: { external_id: flow.member.externalId } });
    expect(await link(token)).toMatchObject({ status: 409, body: { error: 'account_already_linked' } });
    const { url } = await beginConnect(flow, { user: { external_id: flow.member.externalId } });
    const page = await submit(await openPage(url), { memberId: account, pin });
    expect(page.status).toBe(400);
    expect(page.html).toContain('linked to another one already');
  });

  it('stays as it was for an account that is linked: no other customer gets it', async () => {
    const first = (await exchange({ code: await codeOf() })).body;
    const other = await newMember(flow, 0);
    const { token } = await beginConnect(flow, { user: { external_id: other.externalId } });
    expect(await link(token)).toMatchObject({ status: 409, body: { error: 'account_already_linked' } });
    const { body } = await send('GET', `${flow.hosts.user}/users/${first.user_id}`, { key: first.access_token });
    expect(body.data.user.partner_status_tiers[0].external_id).toBe(account);
  });
});

describe.skipIf(cannot.reachTable)('guessing a PIN', () => {
  it('ends a session after five, and the right one comes too late', async () => {
    const { token } = await beginConnect(flow);
    for (let guess = 0; guess < 5; guess += 1) {
      expect(await link(token, { proof: `000${guess}` })).toMatchObject({ body: { error: 'verification_failed' } });
    }
    expect(await link(token)).toMatchObject({ status: 400, body: { error: 'invalid_token' } });
  });

  it('locks the account after five, whatever the sessions and however many at once', async () => {
    const sessions = await Promise.all(Array.from({ length: 8 }, () => beginConnect(flow)));
    await Promise.all(sessions.map(({ token }, guess) => link(token, { proof: `100${guess}` })));
    const { token } = await beginConnect(flow);
    expect(await link(token)).toMatchObject({ status: 400, body: { error: 'verification_failed' } });
  });

  it('does not tell an account that is there from one that is not', async () => {
    const { token } = await beginConnect(flow);
    const [wrong, absent] = [await link(token, { proof: '0000' }), await link(token, { member_id: 'SKY-0' })];
    const { request_id: _, ...said } = wrong.body;
    expect(absent.body).toMatchObject(said);
  });
});

describe.skipIf(cannot.reachTable)('what the person brings back', () => {
  it('goes to registered addresses only', async () => {
    for (const uri of ['https://evil.example/', `${redirectUri}/`, `${redirectUri}?x`, `${redirectUri}.evil.example`]) {
      const json = { redirect_uri: uri };
      const answer = await send('POST', `${flow.hosts.base}/auth/connect`, { key: flow.demo.merchant.apiKey, json });
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    }
  });

  it('is worth nothing without the verifier, nor to another organisation', async () => {
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

  it('is one code, of many forms that are sent at once', async () => {
    const { url } = await beginConnect(flow, { redirect_uri: redirectUri });
    const page = await openPage(url);
    const pages = await Promise.all(Array.from({ length: 5 }, () => submit(page, { memberId: account, pin })));
    expect(pages.filter(({ status }) => status === 303)).toHaveLength(1);
  });

  it('is of the programs that the merchant works with, whatever the form was made to say', async () => {
    const { token } = await beginConnect(flow);
    const answer = await link(token, { partner_id: flow.demo.outsider.id });
    expect(answer).toMatchObject({ status: 404, body: { error: 'partner_not_linkable' } });
  });
});
