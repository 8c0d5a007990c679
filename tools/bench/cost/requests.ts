import { contract as issueToken } from '../../../functions/base/issue-token/contract.ts';
import { contract as authenticate } from '../../../functions/reward/authenticate-transaction/contract.ts';
import { contract as create } from '../../../functions/reward/create-transaction/contract.ts';
import type { AnyContract } from '../../../shared/contracts/contract.ts';
import type { Request } from '../../../test/support/call.ts';
import type { CostWorld } from './world.ts';

/** A request to measure. */
export interface Scenario {
  readonly contract: AnyContract;
  /** Distinguishes the scenarios of one endpoint; empty when there is one. */
  readonly name: string;
  /** Sends the requests that the measured one needs, and returns that one. `nth` distinguishes requests. */
  readonly prepare: (world: CostWorld, nth: number) => Promise<Request>;
}

export const scenario = (contract: AnyContract, name: string, prepare: Scenario['prepare']): Scenario => ({
  contract,
  name,
  prepare,
});

/** The requests have always the same data, so that they always cost the same. */
type Demo = CostWorld['demo'];

/** A purchase under one campaign. */
export interface Order {
  readonly campaign: 'earn' | 'redeem';
  readonly order: string;
  /** Dollars. */
  readonly amount?: number;
}

/** The member that is linked to the partner and has points. */
export function member({ members: [ada] }: Demo): Demo['members'][number] {
  if (!ada) throw new Error('the demonstration has no members');
  return ada;
}

/** A member whose items only one scenario changes. */
export function otherMember({ members: [, bob] }: Demo): Demo['members'][number] {
  if (!bob) throw new Error('the demonstration has one member');
  return bob;
}

const userToken = (demo: Demo) => ({ 'x-api-key': member(demo).accessToken });

export const partnerKey = (demo: Demo) => ({ 'x-api-key': demo.merchant.apiKey });

export function authentication({ demo }: CostWorld, { campaign, order, amount = 7.5 }: Order): Request {
  return {
    headers: userToken(demo),
    body: { transaction_amount: amount, external_transaction_id: order, campaign_id: demo.campaigns[campaign] },
  };
}

/** Calls endpoint 1 and returns the token. */
export async function reserved(world: CostWorld, order: Order): Promise<string> {
  return (await world.play(authenticate, authentication(world, order))).body.data.authentication_id;
}

/** A request of endpoint 2. */
export function creation({ demo }: CostWorld, authenticationId: string, idempotencyKey?: string): Request {
  return {
    headers: { ...userToken(demo), ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }) },
    body: { reward_authentication_token: authenticationId },
  };
}

/** Calls endpoints 1 and 2 and returns the transaction's integer id. */
export async function transactionId(world: CostWorld, order: string): Promise<string> {
  const token = await reserved(world, { campaign: 'redeem', order });
  const created = await world.play(create, creation(world, token));
  return String(created.body.data.reward_transactions[0].id);
}

export function clientCredentials({ merchant: { clientId, clientSecret } }: Demo): Request {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  return { headers: { Authorization: `Basic ${basic}` }, body: 'grant_type=client_credentials' };
}

const bearers = new WeakMap<CostWorld, Promise<string>>();

/** The merchant's bearer token: one for all requests, so that it can be in a function's memory. */
export async function bearer(world: CostWorld): Promise<{ readonly Authorization: string }> {
  const issued = bearers.get(world) ?? world.play(issueToken, clientCredentials(world.demo)).then(accessToken);
  bearers.set(world, issued);
  return { Authorization: `Bearer ${await issued}` };
}

const accessToken = ({ body }: Awaited<ReturnType<CostWorld['play']>>): string => body.access_token;

/** The events of subscriptions. An organisation can have each subscription once. */
const subscribed = ['transaction_authenticated', 'transaction_created'] as const;

export function subscription({ apiKey }: { readonly apiKey: string }, nth: number, path = '/rewards'): Request {
  return {
    headers: { 'x-api-key': apiKey },
    body: { endpoint: `https://hooks.example.com${path}`, event_name: subscribed[nth] },
  };
}
