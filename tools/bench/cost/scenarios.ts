import { contract as getPartnership } from '../../../functions/base/get-partnership/contract.ts';
import { contract as getTransactionByKey } from '../../../functions/base/get-transaction/contract.ts';
import { contract as getUser } from '../../../functions/base/get-user/contract.ts';
import { contract as sendTrigger } from '../../../functions/base/send-trigger/contract.ts';
import { contract as listCampaigns } from '../../../functions/campaign/list-campaigns/contract.ts';
import { contract as listTemplates } from '../../../functions/campaign/list-templates/contract.ts';
import { contract as simulate } from '../../../functions/campaign/simulate-campaigns/contract.ts';
import { contracts } from '../../../functions/contracts.ts';
import { contract as subscribeWebhook } from '../../../functions/notification/subscribe-webhook/contract.ts';
import { contract as updateWebhook } from '../../../functions/notification/update-webhook/contract.ts';
import { contract as createOrder } from '../../../functions/order/create-order/contract.ts';
import { contract as refundOrder } from '../../../functions/order/refund-order/contract.ts';
import { contract as authenticate } from '../../../functions/reward/authenticate-transaction/contract.ts';
import { contract as create } from '../../../functions/reward/create-transaction/contract.ts';
import { contract as getTransactionByBearer } from '../../../functions/reward/get-transaction/contract.ts';
import { contract as getUserStatus } from '../../../functions/user/get-user-status/contract.ts';
import type { Request } from '../../../test/support/call.ts';
import { folderOf } from '../bundles.ts';
import { connectScenarios } from './connect-scenarios.ts';
import {
  authentication,
  bearer,
  creation,
  member,
  otherMember,
  partnerKey,
  reserved,
  subscription,
  transactionId,
} from './requests.ts';
import { type Scenario, scenario } from './scenario.ts';
import type { Stage } from './stage.ts';
import { useDailyForAYear } from './year-of-limit.ts';

/** Requests of endpoint 1 for an order that was asked for before, and left unpaid. */
const again = (name: string, amounts: { readonly before: number; readonly now: number }) =>
  scenario(authenticate, name, async (stage, nth) => {
    const order = `${name}-${nth}`;
    await stage.play(authenticate, authentication(stage, { campaign: 'redeem', order, amount: amounts.before }));
    return authentication(stage, { campaign: 'redeem', order, amount: amounts.now });
  });

const authenticating = (campaign: 'earn' | 'redeem') =>
  scenario(authenticate, campaign, async (stage, nth) => authentication(stage, { campaign, order: `new-${nth}` }));

const creating = (campaign: 'earn' | 'redeem') =>
  scenario(create, campaign, async (stage, nth) =>
    creation(stage, await reserved(stage, { campaign, order: `plain-${nth}` })),
  );

const creatingByKey = (campaign: 'earn' | 'redeem') =>
  scenario(create, `${campaign}, Idempotency-Key`, async (stage, nth) => {
    const token = await reserved(stage, { campaign, order: `keyed-${nth}` });
    return creation(stage, token, `${campaign}-${nth}`);
  });

const order = (demo: Stage['demo'], externalId: string): Request => ({
  headers: partnerKey(demo),
  body: {
    user: { merchant_external_id: member(demo).externalId },
    transaction_total: 2500,
    transaction_subtotal: 2300,
    order_external_id: externalId,
  },
});

/** Each endpoint's typical success, and what else is promised or asked often. */
export const scenarios: readonly Scenario[] = [
  authenticating('earn'),
  authenticating('redeem'),
  again('repeated', { before: 7.5, now: 7.5 }),
  again('replaced', { before: 7.5, now: 8.5 }),
  creating('earn'),
  creating('redeem'),
  creatingByKey('earn'),
  creatingByKey('redeem'),
  scenario(getUser, '', async ({ demo }) => ({ params: { id: member(demo).uuid }, headers: partnerKey(demo) })),
  scenario(getUser, 'a year of a daily limit', async (stage) => {
    const { id, uuid } = otherMember(stage.demo);
    await useDailyForAYear(stage.platform, id);
    return { params: { id: uuid }, headers: partnerKey(stage.demo) };
  }),
  scenario(getUserStatus, '', async ({ demo }) => ({
    params: { id: String(member(demo).id) },
    headers: { 'x-api-key': member(demo).accessToken },
  })),
  scenario(getPartnership, '', async ({ demo }) => ({
    params: { id: demo.partnership.uuid },
    headers: partnerKey(demo),
  })),
  scenario(getTransactionByKey, '', async (stage, nth) => ({
    params: { id: await transactionId(stage, `by-key-${nth}`) },
    headers: partnerKey(stage.demo),
  })),
  scenario(getTransactionByBearer, '', async (stage, nth) => ({
    params: { reward_transaction_id: await transactionId(stage, `by-bearer-${nth}`) },
    headers: await bearer(stage),
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
  scenario(listTemplates, '', async (stage) => ({ headers: await bearer(stage) })),
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
  scenario(refundOrder, '', async (stage, nth) => {
    const { body } = await stage.play(createOrder, order(stage.demo, `refunded-${nth}`));
    return {
      params: { order_id: body.data.order_id },
      headers: partnerKey(stage.demo),
      body: { refund_external_id: 'first', amount: 1000 },
    };
  }),
  ...connectScenarios,
  // The hosts' documents: nothing is read for them.
  ...contracts.filter(({ name }) => name === 'get-openapi').map((contract) => scenario(contract, '', async () => ({}))),
  scenario(subscribeWebhook, '', async ({ demo }, nth) => subscription(demo.merchant, nth)),
  scenario(updateWebhook, '', async (stage, nth) => {
    await stage.play(subscribeWebhook, subscription(stage.demo.partner, nth));
    return subscription(stage.demo.partner, nth, '/moved');
  }),
];

/** One line for each endpoint that is not measured: whoever adds one says here what it typically does. */
export function unmeasuredEndpoints(): string[] {
  const measured = new Set(scenarios.map(({ contract }) => contract));
  const missing = contracts.filter((contract) => !measured.has(contract));
  return missing.map(
    (contract) => `${folderOf(contract)}: not measured, tools/bench/cost/scenarios.ts has no scenario of it`,
  );
}
