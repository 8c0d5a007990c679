import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { useFlow } from './support/flow.ts';
import { send } from './support/http.ts';
import { completed } from './support/purchase.ts';

/*
 * The test of every deployment (npm run smoke): one purchase through all parts. It needs only the keys of its tenant,
 * uses no webhook, and leaves the tenant's points as they were.
 */

const flow = useFlow();

/** Links `unlinkedAccount`, which every run of this test links again. Returns the member's access token. */
async function connect(): Promise<string> {
  const { hosts, demo } = flow;
  const key = demo.merchant.apiKey;
  const json = { user: { external_id: 'smoke' } };
  const begun = await send('POST', `${hosts.base}/auth/connect`, { key, json });
  expect(begun.status).toBe(200);

  const { partnerId, memberId, pin } = demo.unlinkedAccount;
  const proof = { partner_id: partnerId, member_id: memberId, proof: pin };
  const linked = await send('POST', `${hosts.base}/connect/${begun.body.data.connect_token}/link`, { json: proof });
  expect(linked.status).toBe(200);

  const form = { grant_type: 'authorization_code', code: linked.body.data.code };
  const exchanged = await send('POST', `${hosts.base}/oauth/token`, { key, form });
  expect(exchanged.status).toBe(200);
  return exchanged.body.access_token;
}

it('a member connects, buys and earns, and the merchant refunds the purchase', async () => {
  const { hosts, demo } = flow;
  const key = await connect();

  const purchase = { transaction_amount: 10, external_transaction_id: randomUUID(), campaign_id: demo.campaigns.earn };
  const asked = await send('POST', `${hosts.reward}/reward_transaction/auth`, { key, json: purchase });
  expect(asked.body).toMatchObject({ code: 'ok', data: { authentication_status: 1 } });
  const token = { reward_authentication_token: asked.body.data.authentication_id };
  const created = await send('POST', `${hosts.reward}/reward_transaction/create`, { key, json: token });
  expect(created.status).toBe(200);
  const { id } = created.body.data.reward_transactions[0];
  expect(await completed(flow, id)).toMatchObject({ reward_amount: 20 });

  const refund = { refund_external_id: randomUUID(), amount: 1_000 };
  const path = `${hosts.reward}/transactions/${id}/refunds`;
  expect(await send('POST', path, { key: demo.merchant.apiKey, json: refund })).toMatchObject({ status: 200 });
});
