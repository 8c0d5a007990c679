import { readFileSync } from 'node:fs';
import { createRewardsClient, type RewardsClientOptions } from './src/index.ts';

/**
 * A member earns at a checkout, and the merchant looks the transaction up. Against the local platform:
 * `npm start` in one shell, `node clients/typescript/example.ts` in another.
 */

interface Running {
  readonly hosts: RewardsClientOptions['hosts'];
  readonly demo: {
    readonly merchant: { readonly apiKey: string };
    readonly campaigns: { readonly earn: number };
    readonly members: readonly { readonly accessToken: string }[];
  };
}

const { hosts, demo } = JSON.parse(readFileSync(process.argv[2] ?? '.local/platform.json', 'utf8')) as Running;
const [member] = demo.members;
if (!member) throw new Error('the demonstration has no members');
const rewards = createRewardsClient({ hosts, partnerKey: demo.merchant.apiKey, userToken: member.accessToken });

const asked = await rewards.reward.POST('/reward_transaction/auth', {
  body: {
    transaction_amount: 42.5,
    external_transaction_id: `order-${Date.now()}`,
    campaign_id: demo.campaigns.earn,
  },
});
if (asked.error) throw new Error(asked.error.message);
if (asked.data.data.authentication_status !== 1) throw new Error('the member cannot earn here');

const created = await rewards.reward.POST('/reward_transaction/create', {
  body: { reward_authentication_token: asked.data.data.authentication_id },
});
if (created.error) throw new Error(created.error.message);
const [transaction] = created.data.data.reward_transactions;
console.log(`earned ${transaction?.reward_amount} points, waiting for the loyalty program`);

const found = await rewards.base.GET('/transactions/{id}', { params: { path: { id: String(transaction?.id) } } });
if (found.error) throw new Error(found.error.message);
console.log('transaction_status', found.data.data.reward_transaction.transaction_status);
