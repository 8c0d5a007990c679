import { contract as tokenContract } from '../../functions/base/issue-token/contract.ts';
import { handler as issueToken } from '../../functions/base/issue-token/handler.ts';
import { contract as authContract } from '../../functions/reward/authenticate-transaction/contract.ts';
import { handler as authenticate } from '../../functions/reward/authenticate-transaction/handler.ts';
import { contract as createContract } from '../../functions/reward/create-transaction/contract.ts';
import { handler as create } from '../../functions/reward/create-transaction/handler.ts';
import type { RewardTransaction } from '../../shared/domain/transaction/reward-transaction.ts';
import { call } from './call.ts';
import type { World } from './world.ts';

let order = 0;

/** Plays endpoints 1 and 2 for the world's linked member. */
export async function createTransaction(
  { demo, platform }: World,
  { campaignId, amount }: { readonly campaignId: number; readonly amount: number },
): Promise<RewardTransaction> {
  const headers = { 'x-api-key': demo.members[0]?.accessToken ?? '' };
  const asked = await call(authenticate, authContract, {
    headers,
    body: { transaction_amount: amount, external_transaction_id: `story-${++order}`, campaign_id: campaignId },
  });
  const created = await call(create, createContract, {
    headers,
    body: { reward_authentication_token: asked.body.data.authentication_id },
  });
  const transaction = await platform.transactions.find(created.body.data.reward_transactions[0].id);
  if (!transaction) throw new Error('the transaction was not written');
  return transaction;
}

/** A bearer token of an organisation's client. */
export async function bearerOf(
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
  scope?: string,
): Promise<string> {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const answer = await call(issueToken, tokenContract, {
    headers: { Authorization: `Basic ${basic}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope && { scope }) }).toString(),
  });
  return answer.body.access_token;
}
