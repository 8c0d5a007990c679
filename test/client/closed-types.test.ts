import { expect, it } from 'vitest';
import { createRewardsClient, type RewardsClient } from '../../clients/typescript/src/index.ts';

/** The compiler checks this file: without an error below an `@ts-expect-error`, `npm run lint` fails. */

const { order, reward, base }: RewardsClient = createRewardsClient({
  hosts: Object.fromEntries(
    ['base', 'reward', 'campaign', 'user', 'order', 'notification'].map((n) => [n, `https://${n}.example`]),
  ) as never,
  retries: false,
  fetch: async () => Response.json({ code: 'ok', data: { trigger_event_id: 'x' } }),
});
const required = {
  user: { merchant_external_id: 'c' },
  transaction_total: 1,
  transaction_subtotal: 1,
  order_external_id: 'o',
};

/** Calls that the compiler has to refuse. They are never sent. */
const refused = [
  // @ts-expect-error a misspelt field
  () => order.POST('/orders/external', { body: { ...required, transaction_discont: 500 } }),
  // @ts-expect-error a misspelt field of an item
  () => order.POST('/orders/external', { body: { ...required, line_items: [{ product_ids: 'x' }] } }),
  // @ts-expect-error an unknown option of the call
  () => order.POST('/orders/external', { body: required, idempotencyKey: 'x' }),
  // @ts-expect-error a misspelt parameter
  () => reward.GET('/transactions/{reward_transaction_id}', { params: { path: { reward_transaction_ids: 1 } } }),
  // @ts-expect-error a currency of no partnership
  () => order.POST('/orders/external', { body: { ...required, currency: 'EUR' } }),
  // @ts-expect-error no body
  () => order.POST('/orders/external'),
];

it('a call with the documented fields compiles, and its reply has the types of the document', async () => {
  const { data } = await base.POST('/partnerships/{id}/triggers', {
    params: { path: { id: 'x' } },
    body: { trigger_name: 'signup', transaction_context: { any: ['field'] } },
  });
  const id: string | undefined = data?.data.trigger_event_id;
  // @ts-expect-error it is a text
  const wrong: number | undefined = data?.data.trigger_event_id;
  expect([id, wrong]).toEqual(['x', 'x']);
});

it('every other call is a compile error', () => {
  expect(refused).toHaveLength(6);
});
