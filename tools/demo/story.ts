import { randomUUID } from 'node:crypto';
import { connectAndOrder, signUp } from './awards.ts';
import { completed, getSilently, send, toKeyHeader, waitFor } from './client.ts';
import { chapter, expect, showRequest, tell } from './narrator.ts';
import type { LocalPlatform, Member } from './platform.ts';
import {
  isVerifiedByLibrary,
  isVerifiedBySpecification,
  openReceiver,
  type ReceivedWebhook,
  type Receiver,
} from './receiver.ts';

/** The secrets that verify webhooks. */
interface WebhookSecrets {
  readonly salt: string;
  readonly standard: string;
}

/**
 * Plays the story: a member earns points and pays with points, another member links an account, and a member signs up.
 * Prints each step and its result for a merchant's engineer. The story can be played again and again.
 *
 * @param state the state folder of the platform
 */
export async function playStory(platform: LocalPlatform, state: string): Promise<void> {
  const [member, unlinked] = platform.demo.members;
  if (!member || !unlinked)
    throw new Error('the demonstration needs two members: start the platform without --no-seed');

  const receiver = await openReceiver();
  try {
    const secrets = await subscribe(platform, receiver);
    const before = await readBalance(platform, member);
    const earned = await buy(platform, member, 'earn', 42.5);
    expect(
      earned.type === 1 && earned.points === 127,
      'earned: two points a dollar, times 1.5 for gold members, rounded down',
    );
    await verifyWebhooks(receiver, secrets, earned.uuid);
    const redeemed = await buy(platform, member, 'redeem', 15);
    expect(redeemed.type === 2 && redeemed.points === 1500, 'redeemed: one point pays one cent');
    await verifyWebhooks(receiver, secrets, redeemed.uuid);
    await readOtherViews(platform, member, redeemed.id);
    const after = await readBalance(platform, member);
    expect(
      after === before + earned.points - redeemed.points,
      `balance: ${before} + ${earned.points} − ${redeemed.points} = ${after}`,
    );
    await readBooksOfProgram(platform, [earned, redeemed], after);
    await connectAndOrder(platform, unlinked, receiver);
    await signUp(platform, member, { receiver, state });
  } finally {
    await unsubscribe(platform);
    await receiver.close();
  }
}

/** Ends the subscription to all events, if there is one (endpoint 14). */
async function unsubscribe({ hosts, demo }: LocalPlatform): Promise<void> {
  await fetch(`${hosts.notification}/webhooks/subscribe`, {
    method: 'PUT',
    headers: { ...toKeyHeader(demo.merchant.apiKey), 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint: '' }),
  });
}

/** Calls endpoint 13: subscribes to all events. Ends an earlier subscription to all events first. */
async function subscribe(platform: LocalPlatform, receiver: Receiver): Promise<WebhookSecrets> {
  const { hosts, demo } = platform;
  const url = `${hosts.notification}/webhooks/subscribe`;
  const headers = toKeyHeader(demo.merchant.apiKey);
  await unsubscribe(platform);

  chapter(
    'Subscribe to webhooks',
    'The merchant subscribes to all events. The reply shows the salt once; it verifies every delivery.',
  );
  const { body } = await send(200, 'POST', url, { headers, json: { endpoint: receiver.url } });
  return { salt: body.data.salt, standard: body.data.standard_webhooks_secret };
}

/** Calls endpoint 5 as the member. */
async function readBalance({ hosts }: LocalPlatform, member: Member): Promise<number> {
  chapter("Read the member's balance", 'A user token gives access to its own user only.');
  const { body } = await send(200, 'GET', `${hosts.user}/users/${member.id}`, {
    headers: toKeyHeader(member.accessToken),
  });
  return body.data.user.partner_status_tiers[0].total_rewards;
}

/** Calls endpoints 1 and 2. */
async function buy(platform: LocalPlatform, member: Member, kind: 'earn' | 'redeem', amount: number) {
  const { hosts, demo } = platform;
  const headers = toKeyHeader(member.accessToken);
  chapter(
    `Ask for a transaction token: ${kind} on $${amount}`,
    kind === 'earn'
      ? 'The platform evaluates the campaign now and keeps the decision with its reasons.'
      : 'The points are held from now on, for ten minutes.',
  );
  const asked = await send(200, 'POST', `${hosts.reward}/reward_transaction/auth`, {
    headers,
    json: {
      transaction_amount: amount,
      external_transaction_id: `demo-${randomUUID()}`,
      campaign_id: demo.campaigns[kind],
    },
  });
  expect(asked.body.data.authentication_status === 1, 'authentication_status is 1 AUTHENTICATED');

  chapter('Create the transaction', 'This spends the token. A second attempt is refused.');
  const json = { reward_authentication_token: asked.body.data.authentication_id };
  const created = await send(200, 'POST', `${hosts.reward}/reward_transaction/create`, { headers, json });
  const again = await send(409, 'POST', `${hosts.reward}/reward_transaction/create`, { headers, json });
  expect(again.body.error === 'transaction_already_exists', 'the second attempt returns transaction_already_exists');

  const transactions: readonly CreatedTransaction[] = created.body.data.reward_transactions;
  const [transaction] = transactions;
  if (!transaction) throw new Error('endpoint 2 created no transaction');
  return {
    id: transaction.id,
    type: transaction.transaction_type,
    points: transaction.reward_amount,
    uuid: await waitForCompletion(platform, transaction.id),
  };
}

/** The fields of endpoint 2's transaction that the story reads. */
interface CreatedTransaction {
  readonly id: number;
  readonly transaction_type: number;
  readonly reward_amount: number;
}

/** Reads endpoint 7 until the loyalty program has confirmed the transaction. Returns its UUID. */
async function waitForCompletion({ hosts, demo }: LocalPlatform, id: number): Promise<string> {
  chapter(
    'Read the transaction with a partner key',
    'The loyalty program confirms it in the background. Then the status is 3 COMPLETED.',
  );
  const url = `${hosts.base}/transactions/${id}`;
  const headers = toKeyHeader(demo.partner.apiKey);
  await waitFor(async () => {
    const { body } = await getSilently(url, headers);
    return body.data?.reward_transaction.transaction_status === completed ? true : undefined;
  }, `transaction ${id} was not completed`);
  const { body } = await send(200, 'GET', url, { headers });
  return body.data.reward_transaction.uuid_id;
}

/** The fields of the loyalty program's books that the story reads. */
interface ProgramBooks {
  readonly accounts: Readonly<Record<string, { readonly balance: number }>>;
  readonly movements: readonly Movement[];
}

/** One movement of points. */
interface Movement {
  readonly member_id: string;
  readonly transaction_uuid: string | null;
  readonly points: number;
}

/**
 * Reads the books of the partner's loyalty program, which runs in a process of its own.
 *
 * @param balance the member's points that the platform shows
 */
async function readBooksOfProgram(
  { demo: { program } }: LocalPlatform,
  transactions: readonly { readonly uuid: string; readonly type: number; readonly points: number }[],
  balance: number,
): Promise<void> {
  if (!program) return;
  chapter(
    "Look into the program's own books",
    'The partner runs its loyalty program itself, as a server of its own. The platform posted both transactions to it.',
  );
  const url = `${program.url}/control/books`;
  showRequest('GET', url, { headers: {} });
  const { body } = await getSilently(url, {});
  const { accounts, movements }: ProgramBooks = body;
  for (const { uuid, type, points } of transactions) {
    const own = movements.filter(({ transaction_uuid }) => transaction_uuid === uuid);
    const expected = type === 1 ? points : -points;
    for (const movement of own) tell(JSON.stringify(movement));
    expect(own.length === 1 && own[0]?.points === expected, `${expected} points arrived, once`);
  }
  const memberId =
    movements.find(({ transaction_uuid }) => transaction_uuid === transactions[0]?.uuid)?.member_id ?? '';
  expect(accounts[memberId]?.balance === balance, `program and platform agree: ${memberId} has ${balance} points`);
}

/** Verifies the three webhooks of a transaction, each in two ways. */
async function verifyWebhooks(receiver: Receiver, secrets: WebhookSecrets, uuid: string): Promise<void> {
  chapter('Receive the webhooks', 'Three signed webhooks arrive: authenticated, created, status updated.');
  for (const name of ['transaction_authenticated', 'transaction_created', 'transaction_status_updated']) {
    const webhook = await receiver.waitFor(name, ({ event }) => event.event === name && event.entity_id === uuid);
    showWebhook(webhook);
    expect(isVerifiedBySpecification(webhook, secrets.salt), 'verified by the steps of the specification');
    expect(isVerifiedByLibrary(webhook, secrets.standard), 'verified with a Standard Webhooks library');
  }
}

function showWebhook({ headers, rawBody }: ReceivedWebhook): void {
  tell(`⇠ ${rawBody}`);
  for (const name of ['x-platform-timestamp', 'x-platform-signature', 'x-platform-event-id', 'webhook-id']) {
    tell(`  ${name}: ${headers[name]}`);
  }
}

/** Calls endpoints 4, 6 and 8. */
async function readOtherViews({ hosts, demo }: LocalPlatform, member: Member, transactionId: number): Promise<void> {
  chapter('Get a bearer token', 'OAuth 2.0 client credentials, for the endpoints that require a bearer token.');
  const basic = Buffer.from(`${demo.merchant.clientId}:${demo.merchant.clientSecret}`).toString('base64');
  const { body } = await send(200, 'POST', `${hosts.base}/oauth/token`, {
    headers: { authorization: `Basic ${basic}` },
    form: { grant_type: 'client_credentials' },
  });

  chapter('Read the transaction with the bearer token', 'Another host shows the same transaction in more detail.');
  await send(200, 'GET', `${hosts.reward}/transactions/${transactionId}`, {
    headers: { authorization: `Bearer ${body.access_token}` },
  });

  chapter(
    'Read the member as the merchant',
    'A request with a partner key names the user by UUID and returns the view of that partner.',
  );
  await send(200, 'GET', `${hosts.base}/users/${member.uuid}`, { headers: toKeyHeader(demo.merchant.apiKey) });

  chapter('Read the partnership', 'The reply contains the running campaigns of the partnership.');
  await send(200, 'GET', `${hosts.base}/partnerships/${demo.partnership.uuid}`, {
    headers: toKeyHeader(demo.partner.apiKey),
  });
}
