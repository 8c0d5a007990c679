import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { signUp } from './awards.ts';
import { type Reply, send } from './client.ts';
import { connectAndOrder } from './connect.ts';
import { chapter, expect } from './narrator.ts';
import type { LocalPlatform, Member } from './platform.ts';
import { openReceiver, type Received, type Receiver, verifiesByLibrary, verifiesBySpecification } from './receiver.ts';

/** How a partner's endpoint verifies what it gets. */
interface Secrets {
  readonly salt: string;
  readonly standard: string;
}

const completed = 3;
const settleLimitMs = 15_000;

/** The story: a member earns and pays with points, another one joins, one signs up; a merchant's engineer watches. */
export async function play(platform: LocalPlatform): Promise<void> {
  const [member, unlinked] = platform.demo.members;
  if (!member || !unlinked) throw new Error('the demo has no members');

  const receiver = await openReceiver();
  try {
    const secrets = await subscribe(platform, receiver);
    const before = await balance(platform, member);
    const earned = await buy(platform, member, 'earn', 42.5);
    expect(
      earned.type === 1 && earned.points === 127,
      'earned: two points a dollar, half as much again for gold, rounded down',
    );
    await hear(receiver, secrets, earned.uuid);
    const redeemed = await buy(platform, member, 'redeem', 15);
    expect(redeemed.type === 2 && redeemed.points === 1500, 'redeemed: a point pays one cent');
    await hear(receiver, secrets, redeemed.uuid);
    await lookAround(platform, member, redeemed.id);
    const after = await balance(platform, member);
    expect(
      after === before + earned.points - redeemed.points,
      `balance: ${before} + ${earned.points} − ${redeemed.points} = ${after}`,
    );
    await connectAndOrder(platform, unlinked, receiver);
    await signUp(platform, member, receiver);
  } finally {
    await receiver.close();
  }
}

const key = (secret: string) => ({ 'x-api-key': secret });

/** Endpoint 13, for all events, in place of what an earlier run may have left (endpoint 14). */
async function subscribe({ hosts, demo }: LocalPlatform, receiver: Receiver): Promise<Secrets> {
  const url = `${hosts.notification}/webhooks/subscribe`;
  const headers = key(demo.merchant.apiKey);
  await fetch(url, {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint: '' }),
  });

  chapter(
    'Subscribe to webhooks',
    'The merchant wants to hear of everything. The salt is shown once; it verifies every delivery.',
  );
  const { body } = await send(200, 'POST', url, { headers, json: { endpoint: receiver.url } });
  return { salt: body.data.salt, standard: body.data.standard_webhooks_secret };
}

/** Endpoint 5, as the member. */
async function balance({ hosts }: LocalPlatform, member: Member): Promise<number> {
  chapter("Look at the member's balance", 'A user token shows its own user, and nobody else.');
  const { body } = await send(200, 'GET', `${hosts.user}/users/${member.id}`, { headers: key(member.accessToken) });
  return body.data.user.partner_status_tiers[0].total_rewards;
}

/** Endpoints 1 and 2. */
async function buy(platform: LocalPlatform, member: Member, what: 'earn' | 'redeem', amount: number) {
  const { hosts, demo } = platform;
  const headers = key(member.accessToken);
  chapter(
    `Ask for a transaction token: ${what} on $${amount}`,
    what === 'earn'
      ? 'The campaign is evaluated now; the decision is kept for whoever asks later why.'
      : 'The points are reserved from this moment on, for ten minutes.',
  );
  const asked = await send(200, 'POST', `${hosts.reward}/reward_transaction/auth`, {
    headers,
    json: {
      transaction_amount: amount,
      external_transaction_id: `demo-${randomUUID()}`,
      campaign_id: demo.campaigns[what],
    },
  });
  expect(asked.body.data.authentication_status === 1, 'authentication_status is 1 AUTHENTICATED');

  chapter('Create the transaction', 'The token is consumed: a second try is refused, whatever happens on the way.');
  const json = { reward_authentication_token: asked.body.data.authentication_id };
  const created = await send(200, 'POST', `${hosts.reward}/reward_transaction/create`, { headers, json });
  const again = await send(409, 'POST', `${hosts.reward}/reward_transaction/create`, { headers, json });
  expect(again.body.error === 'transaction_already_exists', 'the same token a second time: transaction_already_exists');

  const [transaction] = created.body.data.reward_transactions;
  return {
    id: transaction.id as number,
    type: transaction.transaction_type as number,
    points: transaction.reward_amount as number,
    uuid: await settled(platform, transaction.id),
  };
}

/** Endpoint 7, until the loyalty program has confirmed. */
async function settled({ hosts, demo }: LocalPlatform, id: number): Promise<string> {
  chapter(
    'Read it back by partner key',
    'The loyalty program confirms in the background; soon the status is 3 COMPLETED.',
  );
  const url = `${hosts.base}/transactions/${id}`;
  const deadline = performance.now() + settleLimitMs;
  for (;;) {
    const response = await fetch(url, { headers: key(demo.partner.apiKey) });
    const body = (await response.json()) as Reply['body'];
    if (body.data?.reward_transaction.transaction_status === completed) break;
    if (performance.now() > deadline)
      throw new Error(`transaction ${id} is not completed after ${settleLimitMs / 1000} seconds`);
    await sleep(100);
  }
  const { body } = await send(200, 'GET', url, { headers: key(demo.partner.apiKey) });
  return body.data.reward_transaction.uuid_id;
}

/** The three webhooks of a transaction, each verified in two ways. */
async function hear(receiver: Receiver, secrets: Secrets, uuid: string): Promise<void> {
  chapter('Hear of it', 'Signed webhooks arrive: authenticated, created, status updated.');
  for (const name of ['transaction_authenticated', 'transaction_created', 'transaction_status_updated']) {
    const webhook = await receiver.waitFor(name, ({ event }) => event.event === name && event.entity_id === uuid);
    showWebhook(webhook);
    expect(verifiesBySpecification(webhook, secrets.salt), 'verified as the specification says');
    expect(verifiesByLibrary(webhook, secrets.standard), 'verified with a Standard Webhooks library');
  }
}

function showWebhook({ headers, rawBody }: Received): void {
  console.log(`   ⇠ ${rawBody}`);
  for (const name of ['x-platform-timestamp', 'x-platform-signature', 'x-platform-event-id', 'webhook-id']) {
    console.log(`     ${name}: ${headers[name]}`);
  }
}

/** Endpoints 4, 6 and 8. */
async function lookAround({ hosts, demo }: LocalPlatform, member: Member, transactionId: number): Promise<void> {
  chapter('Get a bearer token', 'OAuth 2.0 client credentials, for the endpoints that want one.');
  const basic = Buffer.from(`${demo.merchant.clientId}:${demo.merchant.clientSecret}`).toString('base64');
  const { body } = await send(200, 'POST', `${hosts.base}/oauth/token`, {
    headers: { authorization: `Basic ${basic}` },
    form: { grant_type: 'client_credentials' },
  });

  chapter('Read the transaction by bearer token', 'Another host shows the same transaction in more detail.');
  await send(200, 'GET', `${hosts.reward}/transactions/${transactionId}`, {
    headers: { authorization: `Bearer ${body.access_token}` },
  });

  chapter('Read the member as the merchant', 'A partner key names the user by UUID and sees its own side.');
  await send(200, 'GET', `${hosts.base}/users/${member.uuid}`, { headers: key(demo.merchant.apiKey) });

  chapter('Read the partnership', 'With the campaigns that run under it.');
  await send(200, 'GET', `${hosts.base}/partnerships/${demo.partnership.uuid}`, { headers: key(demo.partner.apiKey) });
}
