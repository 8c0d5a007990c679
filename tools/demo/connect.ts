import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { showWelcomeBonus } from './awards.ts';
import { getSilently, send, toKeyHeader, waitFor } from './client.ts';
import { chapter, expect, showRequest } from './narrator.ts';
import type { LocalPlatform, Member } from './platform.ts';
import type { Receiver } from './receiver.ts';

/** The member's account in the loyalty program: card number and PIN (tools/admin/demo/world.ts). */
const card = { memberNumber: 'SKY-77002', pin: '2468' };
const redirectUri = 'http://127.0.0.1:8080/connected';

/** A member without a loyalty program links an account. Then an order from another system earns points. */
export async function connectAndOrder(platform: LocalPlatform, member: Member, receiver: Receiver): Promise<void> {
  const isLinked = (await readBalance(platform.hosts.user, member, member.accessToken)) !== undefined;
  const verifier = randomBytes(32).toString('base64url');
  const code = await connect(platform, member, createHash('sha256').update(verifier).digest('base64url'));

  chapter('Exchange the code', "The merchant's server sends the code within a minute, with its secret verifier.");
  const { clientId, clientSecret } = platform.demo.merchant;
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const tokens = await send(200, 'POST', `${platform.hosts.base}/oauth/token`, {
    headers: { authorization: `Basic ${basic}` },
    form: { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri },
  });
  expect(tokens.body.user_id === member.id, "the token belongs to the merchant's customer");
  await receiver.waitFor(
    'user_partner_authentication_created',
    ({ event }) => event.event === 'user_partner_authentication_created' && event.entity_id === member.uuid,
  );
  expect(true, 'the webhook user_partner_authentication_created reports the link to both sides');

  // Only the first link is rewarded. An earlier run of this story may have made it.
  if (!isLinked) await showWelcomeBonus(platform, member, receiver);
  await registerOrder(platform, member, tokens.body.access_token);
}

/** Plays endpoint 12 and the page. Returns the code that the member's browser brings back to the merchant. */
async function connect({ hosts, demo }: LocalPlatform, member: Member, challenge: string): Promise<string> {
  chapter('Connect a member', 'The merchant creates a connect token and sends the member to its page.');
  const state = randomUUID();
  const json = {
    user: { external_id: member.externalId, location: { country: 'US', region: 'TX', city: 'Austin' } },
    redirect_uri: redirectUri,
    state,
    code_challenge: challenge,
  };
  const headers = toKeyHeader(demo.merchant.apiKey);
  const created = await send(200, 'POST', `${hosts.base}/auth/connect`, { headers, json });
  const url: string = created.body.data.connect_url;

  chapter('Prove to own the account', 'The page asks for card number and PIN. It works without scripts.');
  showRequest('GET', url, { headers: {} });
  const page = await fetch(url);
  const action = /<form method="post" action="([^"]+)"/.exec(await page.text())?.[1];
  expect(page.status === 200 && action === url, 'the page is a form');

  const form = { partner_id: String(demo.partner.id), member_id: card.memberNumber, proof: card.pin };
  showRequest('POST', url, { headers: {}, body: new URLSearchParams({ ...form, proof: '****' }).toString() });
  const sent = await fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });
  const target = new URL(sent.headers.get('location') ?? 'about:blank');
  expect(sent.status === 303 && target.href.startsWith(redirectUri), 'it redirects to the merchant');
  expect(target.searchParams.get('state') === state, 'with the state that the merchant sent');
  return target.searchParams.get('code') ?? '';
}

/** Plays endpoint 11: $45 of the order count, and a dollar earns two points. */
async function registerOrder({ hosts, demo }: LocalPlatform, member: Member, accessToken: string): Promise<void> {
  const before = (await readBalance(hosts.user, member, accessToken)) ?? 0;
  chapter(
    'Register an order from another system',
    'The merchant has no token of the member, so it sends its own id of the customer.',
  );
  const { body } = await send(200, 'POST', `${hosts.order}/orders/external`, {
    headers: toKeyHeader(demo.merchant.apiKey),
    json: {
      user: { merchant_external_id: member.externalId },
      order_external_id: `demo-${randomUUID()}`,
      transaction_total: 5_400,
      transaction_subtotal: 5_000,
      transaction_discount: 500,
    },
  });
  expect(body.data.status === 'pending', 'the order is pending: it is rewarded after the reply');

  await waitFor(async () => {
    const isRewarded = (await readBalance(hosts.user, member, accessToken)) === before + 90;
    return isRewarded ? true : undefined;
  }, 'the order earned nothing');
  expect(true, `$50.00 less $5.00 earned 90 points: ${before} + 90 = ${before + 90}`);
}

/**
 * Reads endpoint 5 without printing it. Returns the points in the member's first program, or undefined when the member
 * belongs to no program.
 */
async function readBalance(host: string, { id }: Member, accessToken: string): Promise<number | undefined> {
  const { status, body } = await getSilently(`${host}/users/${id}`, toKeyHeader(accessToken));
  if (status !== 200) throw new Error(`endpoint 5 returned ${status}`);
  return body.data.user.partner_status_tiers[0]?.total_rewards;
}
