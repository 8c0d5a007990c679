import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createRewardsClient, type RewardsClient } from '../../clients/typescript/src/index.ts';
import { expectAsDocumented } from './support/documented.ts';
import { useFlow } from './support/flow.ts';

/** Uses the platform through the typed client. */

const flow = useFlow();

/** Creates a client whose replies are checked against the OpenAPI documents. */
function client(): RewardsClient {
  return createRewardsClient({
    hosts: flow.hosts,
    partnerKey: flow.demo.merchant.apiKey,
    userToken: async () => flow.member.accessToken,
    fetch: async (request) => {
      const response = await fetch(request);
      const body = await response.clone().json();
      const headers = Object.fromEntries(response.headers);
      expectAsDocumented(request.method, request.url, { status: response.status, headers, body });
      return response;
    },
  });
}

describe('the typed client', () => {
  it('creates a transaction and reads it', async () => {
    const { reward, base } = client();
    const order = randomUUID();
    const asked = await reward.POST('/reward_transaction/auth', {
      body: { transaction_amount: 10, external_transaction_id: order, campaign_id: flow.demo.campaigns.earn },
    });
    expect(asked.data?.data.authentication_status).toBe(1);

    const created = await reward.POST('/reward_transaction/create', {
      params: { header: { 'Idempotency-Key': order } },
      body: { reward_authentication_token: asked.data?.data.authentication_id ?? '' },
    });
    const [transaction] = created.data?.data.reward_transactions ?? [];
    expect(transaction).toMatchObject({ external_order_id: order, transaction_amount: 10, transaction_type: 1 });

    const found = await base.GET('/transactions/{id}', { params: { path: { id: String(transaction?.id) } } });
    expect(found.data?.data.reward_transaction).toMatchObject({ id: transaction?.id, external_order_id: order });
  });

  it('creates a subscription with endpoint 13, and deletes it with endpoint 14', async () => {
    const { notification } = client();
    const event_name = 'campaign_ended';
    const subscribed = await notification.POST('/webhooks/subscribe', {
      body: { endpoint: 'https://example.com/hooks', event_name },
    });
    expect(subscribed.data?.data).toMatchObject({ subscribed: true, salt: expect.stringMatching(/^[0-9a-f]{64}$/) });

    const deleted = await notification.PUT('/webhooks/subscribe', { body: { endpoint: '', event_name } });
    expect(deleted.data?.data.subscribed).toBe(true);
  });

  it('refunds an order up to its total', async () => {
    const { order } = client();
    const registered = await order.POST('/orders/external', {
      body: {
        user: { user_id: flow.member.id },
        order_external_id: randomUUID(),
        transaction_total: 100,
        transaction_subtotal: 100,
      },
    });
    const params = { path: { order_id: registered.data?.data.order_id ?? '' } };

    const body = { refund_external_id: 'r-1', amount: 100 };
    const refunded = await order.POST('/orders/external/{order_id}/refunds', { params, body });
    expect(refunded.data?.data).toMatchObject({ ...body, order_id: params.path.order_id, status: 'pending' });

    const more = { refund_external_id: 'r-2', amount: 1 };
    const refused = await order.POST('/orders/external/{order_id}/refunds', { params, body: more });
    expect([refused.response.status, refused.error?.error]).toEqual([409, 'refund_exceeds_order']);
  });

  it('returns the identifier of a refusal as `code` or `error`', async () => {
    const { base, reward } = client();
    const nobody = await base.GET('/transactions/{id}', { params: { path: { id: randomUUID() } } });
    // Endpoint 7 calls the identifier `code`; other endpoints call it `error`.
    expect(nobody.response.status).toBe(404);
    expect(nobody.error).toMatchObject({ code: 'transaction_does_not_exist', request_id: expect.any(String) });

    const spent = await reward.POST('/reward_transaction/create', { body: { reward_authentication_token: 'nothing' } });
    expect(spent.error).toMatchObject({ error: 'invalid_token' });
  });
});
