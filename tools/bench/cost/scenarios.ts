import { contract as getPartnership } from '../../../functions/base/get-partnership/contract.ts';
import { contract as getTransactionByKey } from '../../../functions/base/get-transaction/contract.ts';
import { contract as getUser } from '../../../functions/base/get-user/contract.ts';
import { contract as sendTrigger } from '../../../functions/base/send-trigger/contract.ts';
import { contract as updateAttributes } from '../../../functions/base/update-attributes/contract.ts';
import { contract as listCampaigns } from '../../../functions/campaign/list-campaigns/contract.ts';
import { contract as listTemplates } from '../../../functions/campaign/list-templates/contract.ts';
import { contract as simulate } from '../../../functions/campaign/simulate-campaigns/contract.ts';
import { contracts } from '../../../functions/contracts.ts';
import { contract as subscribeWebhook } from '../../../functions/notification/subscribe-webhook/contract.ts';
import { contract as updateWebhook } from '../../../functions/notification/update-webhook/contract.ts';
import { contract as createOrder } from '../../../functions/order/create-order/contract.ts';
import { contract as getOrder } from '../../../functions/order/get-order/contract.ts';
import { contract as refundOrder } from '../../../functions/order/refund-order/contract.ts';
import { contract as authenticate } from '../../../functions/reward/authenticate-transaction/contract.ts';
import { contract as create } from '../../../functions/reward/create-transaction/contract.ts';
import { contract as getTransactionByBearer } from '../../../functions/reward/get-transaction/contract.ts';
import { contract as refundTransaction } from '../../../functions/reward/refund-transaction/contract.ts';
import { contract as getUserStatus } from '../../../functions/user/get-user-status/contract.ts';
import { ttlAttribute } from '../../../shared/contracts/table.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { usageWrite } from '../../../shared/store/member/members.ts';
import type { Write } from '../../../shared/store/table/table-client.ts';
import type { Request } from '../../../test/support/call.ts';
import { folderOf } from '../bundles.ts';
import { connectScenarios } from './connect-scenarios.ts';
import { signedScenarios } from './signed-scenarios.ts';
import { webhookScenarios } from './webhook-scenarios.ts';
import type { CostWorld } from './world.ts';
import {
  authentication,
  bearer,
  creation,
  member,
  otherMember,
  partnerKey,
  reserved,
  type Scenario,
  scenario,
  subscription,
  transactionId,
} from './world.ts';

/** Scenarios of endpoint 1 for an order that already has an unspent token. */
const again = (name: string, amounts: { readonly before: number; readonly now: number }) =>
  scenario(authenticate, name, async (world, nth) => {
    const order = `${name}-${nth}`;
    await world.play(authenticate, authentication(world, { campaign: 'redeem', order, amount: amounts.before }));
    return authentication(world, { campaign: 'redeem', order, amount: amounts.now });
  });

const authenticating = (campaign: 'earn' | 'redeem') =>
  scenario(authenticate, campaign, async (world, nth) => authentication(world, { campaign, order: `new-${nth}` }));

const creating = (campaign: 'earn' | 'redeem') =>
  scenario(create, campaign, async (world, nth) =>
    creation(world, await reserved(world, { campaign, order: `plain-${nth}` })),
  );

const creatingByKey = (campaign: 'earn' | 'redeem') =>
  scenario(create, `${campaign}, Idempotency-Key`, async (world, nth) => {
    const token = await reserved(world, { campaign, order: `keyed-${nth}` });
    return creation(world, token, `${campaign}-${nth}`);
  });

const order = (demo: CostWorld['demo'], externalId: string): Request => ({
  headers: partnerKey(demo),
  body: {
    user: { merchant_external_id: member(demo).externalId },
    transaction_total: 2500,
    transaction_subtotal: 2300,
    order_external_id: externalId,
  },
});

const dayMs = 86_400_000;

/** DynamoDB deletes an item within this time after its expiry. */
const deletedWithinMs = 2 * dayMs;

/**
 * Writes the limit usage of a member who used a daily limit on every day of a year. Leaves out the items that DynamoDB
 * would have deleted by now, because they have expired.
 */
async function useDailyForAYear({ table, now }: Platform, userId: number): Promise<void> {
  const last = now();
  const days = Array.from({ length: 365 }, (_, before) => new Date(last.getTime() - before * dayMs));
  const writes = days.map((day) => {
    const period = day.toISOString().slice(0, 10);
    return usageWrite({ userId, campaignId: 1, limitId: 1, period, amount: 1, most: 1_000 });
  });
  await table.transact(writes.filter((write) => remains(write, last)));
}

function remains(write: Write, now: Date): boolean {
  if (write.kind !== 'update') throw new TypeError('the counter of a limit is written by an update');
  const ttl = Number(write.changes.set?.[ttlAttribute]);
  return now.getTime() < ttl * 1000 + deletedWithinMs;
}

/** The scenarios: for each endpoint its typical success, and other cases that are promised or frequent. */
export const scenarios: readonly Scenario[] = [
  authenticating('earn'),
  authenticating('redeem'),
  scenario(authenticate, 'refused', async (world, nth) =>
    authentication(world, { campaign: 'redeem', order: `refused-${nth}`, amount: 1_000_000 }),
  ),
  again('repeated', { before: 7.5, now: 7.5 }),
  again('replaced', { before: 7.5, now: 8.5 }),
  creating('earn'),
  creating('redeem'),
  creatingByKey('earn'),
  creatingByKey('redeem'),
  scenario(getUser, '', async ({ demo }) => ({ params: { id: member(demo).uuid }, headers: partnerKey(demo) })),
  scenario(getUser, 'a year of a daily limit', async (world) => {
    const { id, uuid } = otherMember(world.demo);
    await useDailyForAYear(world.platform, id);
    return { params: { id: uuid }, headers: partnerKey(world.demo) };
  }),
  scenario(updateAttributes, '', async ({ demo }, nth) => ({
    params: { id: member(demo).uuid },
    headers: partnerKey(demo),
    body: { attributes: { employer: [`Employer ${nth}`] } },
  })),
  scenario(getUserStatus, '', async ({ demo }) => ({
    params: { id: String(member(demo).id) },
    headers: { 'x-api-key': member(demo).accessToken },
  })),
  scenario(getPartnership, '', async ({ demo }) => ({
    params: { id: demo.partnership.uuid },
    headers: partnerKey(demo),
  })),
  scenario(getTransactionByKey, '', async (world, nth) => ({
    params: { id: await transactionId(world, `by-key-${nth}`) },
    headers: partnerKey(world.demo),
  })),
  scenario(getTransactionByBearer, '', async (world, nth) => ({
    params: { reward_transaction_id: await transactionId(world, `by-bearer-${nth}`) },
    headers: await bearer(world),
  })),
  scenario(sendTrigger, '', async ({ demo }) => ({
    params: { id: demo.partnership.uuid },
    headers: partnerKey(demo),
    body: {
      trigger_name: demo.trigger.name,
      external_user_id: member(demo).externalId,
      transaction_context: demo.trigger.context,
    },
  })),
  scenario(listCampaigns, '', async ({ demo }) => ({ query: { campaign_types: '1,2' }, headers: partnerKey(demo) })),
  scenario(listTemplates, '', async (world) => ({ headers: await bearer(world) })),
  scenario(simulate, '', async ({ demo }) => ({
    headers: partnerKey(demo),
    body: { user_uuid: member(demo).uuid, transaction_amount: 20 },
  })),
  scenario(simulate, 'trigger', async ({ demo }) => ({
    headers: partnerKey(demo),
    body: {
      user_uuid: member(demo).uuid,
      trigger_name: demo.trigger.name,
      partnership_id: demo.partnership.uuid,
      transaction_context: demo.trigger.context,
    },
  })),
  scenario(simulate, 'external id', async ({ demo }) => ({
    headers: partnerKey(demo),
    body: { external_user_id: member(demo).externalId, transaction_amount: 20 },
  })),
  scenario(createOrder, '', async ({ demo }, nth) => order(demo, `bench-${nth}`)),
  scenario(getOrder, '', async (world, nth) => {
    const { body } = await world.play(createOrder, order(world.demo, `read-${nth}`));
    return { params: { order_id: body.data.external_order_id }, headers: partnerKey(world.demo) };
  }),
  scenario(refundOrder, '', async (world, nth) => {
    const { body } = await world.play(createOrder, order(world.demo, `refunded-${nth}`));
    return {
      params: { order_id: body.data.order_id },
      headers: partnerKey(world.demo),
      body: { refund_external_id: 'first', amount: 1000 },
    };
  }),
  scenario(refundTransaction, '', async (world, nth) => ({
    params: { reward_transaction_id: await transactionId(world, `refunded-by-id-${nth}`) },
    headers: partnerKey(world.demo),
    body: { refund_external_id: 'first', amount: 100 },
  })),
  ...connectScenarios,
  ...signedScenarios,
  ...webhookScenarios,
  // The endpoint of each host that returns its OpenAPI document. It reads no items.
  ...contracts.filter(({ name }) => name === 'get-openapi').map((contract) => scenario(contract, '', async () => ({}))),
  scenario(subscribeWebhook, '', async ({ demo }, nth) => subscription(demo.merchant, nth)),
  scenario(updateWebhook, '', async (world, nth) => {
    await world.play(subscribeWebhook, subscription(world.demo.partner, nth));
    return subscription(world.demo.partner, nth, '/moved');
  }),
];

/** One line for each endpoint without a scenario. */
export function unmeasuredEndpoints(): string[] {
  const measured = new Set(scenarios.map(({ contract }) => contract));
  const missing = contracts.filter((contract) => !measured.has(contract));
  return missing.map(
    (contract) => `${folderOf(contract)}: not measured; add a scenario to tools/bench/cost/scenarios.ts`,
  );
}
