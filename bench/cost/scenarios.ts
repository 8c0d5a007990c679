import { contract as getPartnership } from '../../functions/base/get-partnership/contract.ts';
import { contract as getTransactionByKey } from '../../functions/base/get-transaction/contract.ts';
import { contract as getUser } from '../../functions/base/get-user/contract.ts';
import { contract as issueToken } from '../../functions/base/issue-token/contract.ts';
import { contracts } from '../../functions/contracts.ts';
import { contract as subscribeWebhook } from '../../functions/notification/subscribe-webhook/contract.ts';
import { contract as updateWebhook } from '../../functions/notification/update-webhook/contract.ts';
import { contract as authenticate } from '../../functions/reward/authenticate-transaction/contract.ts';
import { contract as create } from '../../functions/reward/create-transaction/contract.ts';
import { contract as getTransactionByBearer } from '../../functions/reward/get-transaction/contract.ts';
import { contract as getUserStatus } from '../../functions/user/get-user-status/contract.ts';
import type { AnyContract } from '../../shared/http/contract.ts';
import type { Request } from '../../test/support/call.ts';
import { folderOf } from '../bundles.ts';
import {
  authentication,
  bearer,
  clientCredentials,
  creation,
  member,
  partnerKey,
  reserved,
  subscription,
  transactionId,
} from './requests.ts';
import type { Stage } from './stage.ts';

/** One request worth measuring. */
export interface Scenario {
  readonly contract: AnyContract;
  /** What is particular about it, where an endpoint has several. */
  readonly name: string;
  /** Plays what has to be there before, and gives the request. Each request is sent once; `nth` tells them apart. */
  readonly prepare: (stage: Stage, nth: number) => Promise<Request>;
}

const scenario = (contract: AnyContract, name: string, prepare: Scenario['prepare']): Scenario => ({
  contract,
  name,
  prepare,
});

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
  scenario(issueToken, '', async ({ demo }) => clientCredentials(demo)),
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
    (contract) => `${folderOf(contract)}: not measured, bench/cost/scenarios.ts has no scenario of it`,
  );
}
