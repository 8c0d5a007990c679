import { execFileSync } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { completed, getSilently, send, toKeyHeader, waitFor } from './client.ts';
import { chapter, expect, leaveOut, showOutput, showRequest } from './narrator.ts';
import type { LocalPlatform, Member } from './platform.ts';
import type { Receiver } from './receiver.ts';

/** The chapters about rewards without a purchase. Their campaigns are the files in tools/admin/demo. */

const welcomeStep = 'Receive a welcome bonus';
const signupSteps = { send: 'Send the signup', why: 'Ask why' } as const;

/** Shows the bonus of a member who has linked an account for the first time. */
async function showWelcomeBonus(platform: LocalPlatform, member: Member, receiver: Receiver): Promise<void> {
  chapter(welcomeStep, 'A campaign of its own rewards the first link of an account, for members of some countries.');
  const { welcome: campaignId } = platform.demo.campaigns;
  const bonus = await waitForAward(
    platform,
    receiver,
    (transaction) => transaction.campaign_id === campaignId && transaction.user_uuid === member.uuid,
  );
  expect(bonus.reward_amount === 250, `${bonus.reward_amount} points without an order: external_order_id is null`);
}

/** Simulates the reward of an event, sends the event, and explains the reward. */
export async function signUp(
  platform: LocalPlatform,
  member: Member,
  { receiver, state }: { readonly receiver: Receiver; readonly state: string },
): Promise<void> {
  const { hosts, demo } = platform;
  const headers = toKeyHeader(demo.merchant.apiKey);
  const event = {
    trigger_name: 'signup_completed',
    external_user_id: member.externalId,
    transaction_context: { plan: 'yearly', seats: 1 },
  };

  chapter(
    'Simulate a signup',
    'The platform evaluates the campaign and returns the reward with every reason. It writes nothing.',
  );
  const simulated = await send(200, 'POST', `${hosts.campaign}/campaigns/simulate`, {
    headers,
    json: { ...event, partnership_id: demo.partnership.uuid, campaign_id: demo.campaigns.signup },
  });
  const [{ reason, rewards, flows }] = simulated.body.data.campaigns;
  if (reason !== null) {
    expect(
      flows[0].result === 'limit_reached',
      'no reward: the limit is once a year, and an earlier run of this story has used it',
    );
    leaveOut(signupSteps.send, 'a signup is rewarded once a year, and an earlier run sent it');
    leaveOut(signupSteps.why, 'there is no new reward to explain; member why explains any transaction');
    return;
  }
  expect(rewards[0].points === 500, '500 points: a signup earns 250, and a yearly plan doubles them');

  chapter(signupSteps.send, "The campaign's conditions read the context of the event.");
  const url = `${hosts.base}/partnerships/${demo.partnership.uuid}/triggers`;
  const { body } = await send(200, 'POST', url, { headers, json: event });
  const eventId: string = body.data.trigger_event_id;
  const reward = await waitForAward(platform, receiver, (transaction) => transaction.trigger_event_uuid_id === eventId);
  expect(reward.reward_amount === 500, 'it earns the simulated points, and its transaction names the event');

  chapter(signupSteps.why, 'The transaction keeps the decision. An operator reads it in words.');
  showOutput(`npm run admin -- member why ${reward.uuid_id}`, explain(reward.uuid_id, state));
}

/** The fields of endpoint 7's transaction that the story reads. */
interface Transaction {
  readonly uuid_id: string;
  readonly campaign_id: number;
  readonly user_uuid: string;
  readonly trigger_event_uuid_id: string | null;
  readonly external_order_id: string | null;
  readonly reward_amount: number;
}

/**
 * Waits until a webhook reports a new transaction for which `matches` holds, and until this transaction is completed.
 * Shows the transaction with endpoint 7.
 */
async function waitForAward(
  { hosts, demo }: LocalPlatform,
  receiver: Receiver,
  matches: (transaction: Transaction) => boolean,
): Promise<Transaction> {
  const headers = toKeyHeader(demo.merchant.apiKey);
  const urlOf = (id: string): string => `${hosts.base}/transactions/${id}`;
  const seen = new Set<string>();
  const id = await waitFor(async () => {
    for (const candidate of receiver.entitiesOf('transaction_created').filter((entity) => !seen.has(entity))) {
      seen.add(candidate);
      const { body } = await getSilently(urlOf(candidate), headers);
      if (matches(body.data.reward_transaction)) return candidate;
    }
    return undefined;
  }, 'no webhook announced the award');
  await waitFor(async () => {
    const { body } = await getSilently(urlOf(id), headers);
    return body.data.reward_transaction.transaction_status === completed ? true : undefined;
  }, 'the loyalty program did not confirm the award');
  const shown = await send(200, 'GET', urlOf(id), { headers });
  return shown.body.data.reward_transaction;
}

/** Runs the operator's command line, which finds the platform by its state folder. */
function explain(transactionId: string, state: string): string {
  return execFileSync(process.execPath, ['tools/admin/main.ts', 'member', 'why', transactionId, '--state-dir', state], {
    cwd: new URL('../..', import.meta.url),
    encoding: 'utf8',
  });
}

/** The member's account in the loyalty program: card number and PIN (tools/admin/demo/world.ts). */
const card = { memberNumber: 'SKY-77002', pin: '246802' };
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

  // An earlier run of this story may have linked the account.
  if (isLinked) leaveOut(welcomeStep, 'only the first link of an account is rewarded, and an earlier run linked it');
  else await showWelcomeBonus(platform, member, receiver);
  await registerOrder(platform, member, tokens.body.access_token);
}

/** Calls endpoint 12 and fills in the connect page. Returns the code that the browser brings to the merchant. */
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

/** Calls endpoint 11 with an order whose eligible amount is $45. Each dollar earns two points. */
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
