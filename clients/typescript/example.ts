import { readFileSync } from 'node:fs';
import { createRewardsClient, type RewardsClientOptions } from './src/index.ts';

/**
 * A member earns points at a checkout. Then the merchant reads the transaction. To run it against the local platform:
 * `npm start` in one shell, `node clients/typescript/example.ts` in another.
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

const authenticated = await rewards.reward.POST('/reward_transaction/auth', {
  body: {
    transaction_amount: 42.5,
    external_transaction_id: `order-${Date.now()}`,
    campaign_id: demo.campaigns.earn,
  },
});
if (authenticated.error) throw new Error(authenticated.error.message);
if (authenticated.data.data.authentication_status !== 1) throw new Error('the member cannot earn here');

const created = await rewards.reward.POST('/reward_transaction/create', {
  body: { reward_authentication_token: authenticated.data.data.authentication_id },
});
if (created.error) throw new Error(created.error.message);
const [transaction] = created.data.data.reward_transactions;
console.log(`earned ${transaction?.reward_amount} points; the loyalty program has not confirmed them yet`);

const found = await rewards.base.GET('/transactions/{id}', { params: { path: { id: String(transaction?.id) } } });
if (found.error) throw new Error(found.error.message);
console.log('transaction_status', found.data.data.reward_transaction.transaction_status);
