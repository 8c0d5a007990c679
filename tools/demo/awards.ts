import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Reply, send } from './client.ts';
import { chapter, expect, showOutput } from './narrator.ts';
import type { LocalPlatform, Member } from './platform.ts';
import type { Receiver } from './receiver.ts';

/** What is rewarded without a purchase. The campaigns are in tools/admin/demo, a file each. */

const settleLimitMs = 15_000;
const key = (secret: string) => ({ 'x-api-key': secret });

/** The bonus of a member who linked an account for the first time. */
export async function welcome(platform: LocalPlatform, member: Member, receiver: Receiver): Promise<void> {
  chapter(
    'Be welcomed',
    'The first link of an account is rewarded by a campaign of its own, for members of some countries.',
  );
  const { welcome: campaignId } = platform.demo.campaigns;
  const bonus = await award(
    platform,
    receiver,
    (one) => one.campaign_id === campaignId && one.user_uuid === member.uuid,
  );
  expect(bonus.reward_amount === 250, `${bonus.reward_amount} points, and no order: external_order_id is null`);
}

/** The reward of an event that the merchant tells of, tried out before and explained afterwards. */
export async function signUp(platform: LocalPlatform, member: Member, receiver: Receiver): Promise<void> {
  const { hosts, demo } = platform;
  const headers = key(demo.merchant.apiKey);
  const event = {
    trigger_name: 'signup_completed',
    external_user_id: member.externalId,
    transaction_context: { plan: 'yearly', seats: 1 },
  };

  chapter(
    'Ask what a signup would earn',
    'Campaigns are evaluated as they would be, with every reason; nothing is written.',
  );
  const asked = await send(200, 'POST', `${hosts.campaign}/campaigns/simulate`, {
    headers,
    json: { ...event, partnership_id: demo.partnership.uuid, campaign_id: demo.campaigns.signup },
  });
  const [{ reason, rewards, flows }] = asked.body.data.campaigns;
  if (reason !== null) {
    expect(
      flows[0].result === 'limit_reached',
      'nothing any more: once a year, and an earlier run of this story was first',
    );
    return;
  }
  expect(rewards[0].points === 500, '500 points: a signup earns 250, and a yearly plan twice as many');

  chapter('Tell that a member signed up', 'What the event tells about itself is what the campaign asks for.');
  const url = `${hosts.base}/partnerships/${demo.partnership.uuid}/triggers`;
  const { body } = await send(200, 'POST', url, { headers, json: event });
  const eventId: string = body.data.trigger_event_id;
  const reward = await award(platform, receiver, (one) => one.trigger_event_uuid_id === eventId);
  expect(reward.reward_amount === 500, 'it earned what was said before, and its transaction names the event');

  chapter('Ask why', 'The decision is kept with the transaction; an operator reads it in words.');
  showOutput(`npm run admin -- member why ${reward.uuid_id}`, why(reward.uuid_id));
}

/** A transaction as endpoint 7 shows it, as far as it is needed here. */
interface Transaction {
  readonly uuid_id: string;
  readonly campaign_id: number;
  readonly user_uuid: string;
  readonly trigger_event_uuid_id: string | null;
  readonly external_order_id: string | null;
  readonly reward_amount: number;
}

/** The transaction that fits, by the webhooks that tell of new ones. */
async function award(
  platform: LocalPlatform,
  receiver: Receiver,
  fits: (transaction: Transaction) => boolean,
): Promise<Transaction> {
  const seen = new Set<string>();
  const deadline = performance.now() + settleLimitMs;
  while (performance.now() < deadline) {
    for (const id of receiver.entitiesOf('transaction_created').filter((one) => !seen.has(one))) {
      seen.add(id);
      const { url, headers } = retrieval(platform, id);
      const response = await fetch(url, { headers });
      const body = (await response.json()) as Reply['body'];
      if (!fits(body.data.reward_transaction)) continue;
      const shown = await send(200, 'GET', url, { headers });
      return shown.body.data.reward_transaction;
    }
    await sleep(100);
  }
  throw new Error(`no webhook told of the award within ${settleLimitMs / 1000} seconds`);
}

/** Endpoint 7. */
function retrieval({ hosts, demo }: LocalPlatform, id: string) {
  return { url: `${hosts.base}/transactions/${id}`, headers: key(demo.merchant.apiKey) };
}

/** What the operator's command line says; it finds the platform as this story did. */
function why(transactionId: string): string {
  return execFileSync(process.execPath, ['tools/admin/main.ts', 'member', 'why', transactionId], {
    cwd: new URL('../..', import.meta.url),
    encoding: 'utf8',
  });
}
