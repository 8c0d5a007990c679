import { contract as tokenContract } from '../../functions/base/issue-token/contract.ts';
import { handler as issueBearer } from '../../functions/base/issue-token/handler.ts';
import { contract as authContract } from '../../functions/reward/authenticate-transaction/contract.ts';
import { handler as authenticate } from '../../functions/reward/authenticate-transaction/handler.ts';
import { contract as createContract } from '../../functions/reward/create-transaction/contract.ts';
import { handler as create } from '../../functions/reward/create-transaction/handler.ts';
import type { RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import { type Answer, call } from './call.ts';
import type { World } from './world.ts';

let order = 0;

/** Calls endpoint 1 for the world's linked member and returns the token. */
export async function issueToken(
  { demo }: World,
  externalTransactionId: string,
  { campaignId = demo.campaigns.earn, amount = 100, status = 1 } = {},
): Promise<string> {
  const { body } = await call(authenticate, authContract, {
    headers: { 'x-api-key': demo.members[0]?.accessToken ?? '' },
    body: { transaction_amount: amount, external_transaction_id: externalTransactionId, campaign_id: campaignId },
  });
  if (body.data.authentication_status !== status) throw new Error(`authenticated as ${JSON.stringify(body.data)}`);
  return body.data.authentication_id;
}

/** Calls endpoint 2 for the world's linked member. */
export function createByToken({ demo }: World, token: string): Promise<Answer> {
  const headers = { 'x-api-key': demo.members[0]?.accessToken ?? '' };
  return call(create, createContract, { headers, body: { reward_authentication_token: token } });
}

/** Calls endpoints 1 and 2. */
export async function createTransaction(
  world: World,
  what: { readonly campaignId: number; readonly amount: number },
): Promise<RewardTransaction> {
  const created = await createByToken(world, await issueToken(world, `story-${++order}`, what));
  const transaction = await world.platform.transactions.find(created.body.data.reward_transactions[0].id);
  if (!transaction) throw new Error('the transaction was not written');
  return transaction;
}

/** Requests a bearer token for an organisation's client. */
export async function bearerOf(
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
  scope?: string,
): Promise<string> {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const answer = await call(issueBearer, tokenContract, {
    headers: { Authorization: `Basic ${basic}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope && { scope }) }).toString(),
  });
  return answer.body.access_token;
}
