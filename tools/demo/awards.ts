import { execFileSync } from 'node:child_process';
import { getSilently, send, toKeyHeader, waitFor } from './client.ts';
import { chapter, expect, showOutput } from './narrator.ts';
import type { LocalPlatform, Member } from './platform.ts';
import type { Receiver } from './receiver.ts';

/** The chapters about rewards without a purchase. Their campaigns are the files in tools/admin/demo. */

/** Shows the bonus of a member who has linked an account for the first time. */
export async function showWelcomeBonus(platform: LocalPlatform, member: Member, receiver: Receiver): Promise<void> {
  chapter(
    'Receive a welcome bonus',
    'A campaign of its own rewards the first link of an account, for members of some countries.',
  );
  const { welcome: campaignId } = platform.demo.campaigns;
  const bonus = await waitForAward(
    platform,
    receiver,
    (transaction) => transaction.campaign_id === campaignId && transaction.user_uuid === member.uuid,
  );
  expect(bonus.reward_amount === 250, `${bonus.reward_amount} points without an order: external_order_id is null`);
}

/** Simulates the reward of an event, sends the event, and explains the reward. */
export async function signUp(platform: LocalPlatform, member: Member, receiver: Receiver): Promise<void> {
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
    return;
  }
  expect(rewards[0].points === 500, '500 points: a signup earns 250, and a yearly plan doubles them');

  chapter('Send the signup', "The campaign's conditions read the context of the event.");
  const url = `${hosts.base}/partnerships/${demo.partnership.uuid}/triggers`;
  const { body } = await send(200, 'POST', url, { headers, json: event });
  const eventId: string = body.data.trigger_event_id;
  const reward = await waitForAward(platform, receiver, (transaction) => transaction.trigger_event_uuid_id === eventId);
  expect(reward.reward_amount === 500, 'it earns the simulated points, and its transaction names the event');

  chapter('Ask why', 'The transaction keeps the decision. An operator reads it in words.');
  showOutput(`npm run admin -- member why ${reward.uuid_id}`, explain(reward.uuid_id));
}

/** The members of endpoint 7's transaction that the story reads. */
interface Transaction {
  readonly uuid_id: string;
  readonly campaign_id: number;
  readonly user_uuid: string;
  readonly trigger_event_uuid_id: string | null;
  readonly external_order_id: string | null;
  readonly reward_amount: number;
}

/** Waits for the webhook of a new transaction that matches. Shows the transaction with endpoint 7. */
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
  const shown = await send(200, 'GET', urlOf(id), { headers });
  return shown.body.data.reward_transaction;
}

/** Runs the operator's command line, which finds the platform by its state folder. */
function explain(transactionId: string): string {
  return execFileSync(process.execPath, ['tools/admin/main.ts', 'member', 'why', transactionId], {
    cwd: new URL('../..', import.meta.url),
    encoding: 'utf8',
  });
}
