import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { welcome } from './awards.ts';
import { send } from './client.ts';
import { chapter, expect, showRequest } from './narrator.ts';
import type { LocalPlatform, Member } from './platform.ts';
import type { Receiver } from './receiver.ts';

/** What the member knows of its account in the program: the card, and the PIN (tools/admin/demo/world.ts). */
const card = { memberNumber: 'SKY-77002', pin: '2468' };
const redirectUri = 'http://127.0.0.1:8080/connected';
const settleLimitMs = 15_000;

const key = (secret: string) => ({ 'x-api-key': secret });

/** A member who belongs to no program links its account, and an order from elsewhere earns for it. */
export async function connectAndOrder(platform: LocalPlatform, member: Member, receiver: Receiver): Promise<void> {
  const isLinked = (await balance(platform.hosts.user, member, member.accessToken)) !== undefined;
  const verifier = randomBytes(32).toString('base64url');
  const code = await connect(platform, member, createHash('sha256').update(verifier).digest('base64url'));

  chapter('Exchange the code', 'On the server, within a minute, with the verifier that nobody else has.');
  const { clientId, clientSecret } = platform.demo.merchant;
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const tokens = await send(200, 'POST', `${platform.hosts.base}/oauth/token`, {
    headers: { authorization: `Basic ${basic}` },
    form: { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri },
  });
  expect(tokens.body.user_id === member.id, 'the token speaks for the customer whom the merchant named');
  const about = ({ event }: { event: { event: string; entity_id: string } }) =>
    event.event === 'user_partner_authentication_created' && event.entity_id === member.uuid;
  await receiver.waitFor('user_partner_authentication_created', about);
  expect(true, 'the webhook user_partner_authentication_created tells both sides');

  // It is the first link that is rewarded, and another run of this story may have made it.
  if (!isLinked) await welcome(platform, member, receiver);
  await order(platform, member, tokens.body.access_token);
}

/** Endpoint 12 and the page: gives the code that the person brings back. */
async function connect({ hosts, demo }: LocalPlatform, member: Member, challenge: string): Promise<string> {
  chapter('Connect a member', 'The merchant begins with a connect token; the member goes to its page.');
  const state = randomUUID();
  const json = {
    user: { external_id: member.externalId, location: { country: 'US', region: 'TX', city: 'Austin' } },
    redirect_uri: redirectUri,
    state,
    code_challenge: challenge,
  };
  const begun = await send(200, 'POST', `${hosts.base}/auth/connect`, { headers: key(demo.merchant.apiKey), json });
  const url: string = begun.body.data.connect_url;

  chapter('Prove to hold the account', 'The page asks for card number and PIN; it needs no script.');
  showRequest('GET', url, {});
  const page = await fetch(url);
  const action = /<form method="post" action="([^"]+)"/.exec(await page.text())?.[1];
  expect(page.status === 200 && action === url, 'the page is a form');

  const form = { partner_id: String(demo.partner.id), member_id: card.memberNumber, proof: card.pin };
  showRequest('POST', url, {}, new URLSearchParams({ ...form, proof: '****' }).toString());
  const sent = await fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });
  const target = new URL(sent.headers.get('location') ?? 'about:blank');
  expect(sent.status === 303 && target.href.startsWith(redirectUri), 'it leads back to the merchant');
  expect(target.searchParams.get('state') === state, 'with the state that the merchant sent along');
  return target.searchParams.get('code') ?? '';
}

/** Endpoint 11: $45 of the order count, two points each. */
async function order({ hosts, demo }: LocalPlatform, member: Member, accessToken: string): Promise<void> {
  const before = (await balance(hosts.user, member, accessToken)) ?? 0;
  chapter('Register an order from elsewhere', 'No token of the member is at hand: the merchant names its customer.');
  const { body } = await send(200, 'POST', `${hosts.order}/orders/external`, {
    headers: key(demo.merchant.apiKey),
    json: {
      user: { merchant_external_id: member.externalId },
      order_external_id: `demo-${randomUUID()}`,
      transaction_total: 5_400,
      transaction_subtotal: 5_000,
      transaction_discount: 500,
    },
  });
  expect(body.data.status === 'pending', 'the order is pending: it is rewarded after the reply');

  const deadline = performance.now() + settleLimitMs;
  while ((await balance(hosts.user, member, accessToken)) !== before + 90) {
    if (performance.now() > deadline) throw new Error(`the order earned nothing in ${settleLimitMs / 1000} seconds`);
    await sleep(100);
  }
  expect(true, `$50.00 less $5.00 earned 90 points: ${before} + 90 = ${before + 90}`);
}

/** Endpoint 5, unseen: the points in the first program of the member; undefined when it belongs to none. */
async function balance(host: string, { id }: Member, accessToken: string): Promise<number | undefined> {
  const response = await fetch(`${host}/users/${id}`, { headers: key(accessToken) });
  if (!response.ok) throw new Error(`endpoint 5 answered ${response.status}`);
  const body = (await response.json()) as {
    data: { user: { partner_status_tiers: { total_rewards: number }[] } };
  };
  return body.data.user.partner_status_tiers[0]?.total_rewards;
}
