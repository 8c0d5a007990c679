import { readFileSync } from 'node:fs';
import { createRewardsClient, type RewardsClientOptions, unwrap, waitForTransaction } from './src/index.ts';

/**
 * A member earns points at a checkout. Then the merchant waits until the loyalty program has confirmed them. To run it
 * against the local platform: `npm start` in one shell, `node clients/typescript/example.ts` in another.
 */

interface PlatformFile {
  readonly hosts: RewardsClientOptions['hosts'];
  readonly demo: {
    readonly merchant: { readonly apiKey: string };
    readonly campaigns: { readonly earn: number };
    readonly members: readonly { readonly accessToken: string }[];
  };
}

const platform: PlatformFile = JSON.parse(readFileSync(process.argv[2] ?? '.local/platform.json', 'utf8'));
const { hosts, demo } = platform;
const [member] = demo.members;
if (!member) throw new Error('the demonstration has no members: start the platform without --no-seed');
const rewards = createRewardsClient({ hosts, partnerKey: demo.merchant.apiKey, userToken: member.accessToken });

// `unwrap` throws an error when the platform refuses the request.
const authenticated = unwrap(
  await rewards.reward.POST('/reward_transaction/auth', {
    body: {
      transaction_amount: 42.5,
      external_transaction_id: `order-${Date.now()}`,
      campaign_id: demo.campaigns.earn,
    },
  }),
);
if (authenticated.data.authentication_status !== 1) throw new Error('the member cannot earn here');

const created = unwrap(
  await rewards.reward.POST('/reward_transaction/create', {
    body: { reward_authentication_token: authenticated.data.authentication_id },
  }),
);
const [transaction] = created.data.reward_transactions;
console.log(`earned ${transaction?.reward_amount} points; the loyalty program has not confirmed them yet`);

const params = { path: { id: String(transaction?.id) } };
const confirmed = await waitForTransaction(() => rewards.base.GET('/transactions/{id}', { params }));
const isCompleted = confirmed.transaction_status === 3;
console.log(isCompleted ? 'the loyalty program has confirmed them' : `status ${confirmed.transaction_status}`);
if (!isCompleted) process.exitCode = 1;
