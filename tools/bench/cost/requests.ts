import { contract as issueToken } from '../../../functions/base/issue-token/contract.ts';
import { contract as authenticate } from '../../../functions/reward/authenticate-transaction/contract.ts';
import { contract as create } from '../../../functions/reward/create-transaction/contract.ts';
import type { Request } from '../../../test/support/call.ts';
import type { Stage } from './stage.ts';

/** The requests of the scenarios: always the same data, so that they always cost the same. */

type Demo = Stage['demo'];

/** A purchase of one campaign. */
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

/** One whose items nothing but the scenario changes that asks for it. */
export function otherMember({ members: [, bob] }: Demo): Demo['members'][number] {
  if (!bob) throw new Error('the demonstration has one member');
  return bob;
}

const userToken = (demo: Demo) => ({ 'x-api-key': member(demo).accessToken });

export const partnerKey = (demo: Demo) => ({ 'x-api-key': demo.merchant.apiKey });

export function authentication({ demo }: Stage, { campaign, order, amount = 7.5 }: Order): Request {
  return {
    headers: userToken(demo),
    body: { transaction_amount: amount, external_transaction_id: order, campaign_id: demo.campaigns[campaign] },
  };
}

/** Plays endpoint 1, and gives the token. */
export async function reserved(stage: Stage, order: Order): Promise<string> {
  return (await stage.play(authenticate, authentication(stage, order))).body.data.authentication_id;
}

/** Endpoint 2, with an Idempotency-Key when one is given. */
export function creation({ demo }: Stage, authenticationId: string, idempotencyKey?: string): Request {
  return {
    headers: { ...userToken(demo), ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }) },
    body: { reward_authentication_token: authenticationId },
  };
}

/** Plays endpoints 1 and 2, and gives the transaction's integer id. */
export async function transactionId(stage: Stage, order: string): Promise<string> {
  const token = await reserved(stage, { campaign: 'redeem', order });
  const created = await stage.play(create, creation(stage, token));
  return String(created.body.data.reward_transactions[0].id);
}

export function clientCredentials({ merchant: { clientId, clientSecret } }: Demo): Request {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  return { headers: { Authorization: `Basic ${basic}` }, body: 'grant_type=client_credentials' };
}

const bearers = new WeakMap<Stage, Promise<string>>();

/** The merchant's bearer token: one for all requests, or none would find it in a function's memory. */
export async function bearer(stage: Stage): Promise<{ readonly Authorization: string }> {
  const issued = bearers.get(stage) ?? stage.play(issueToken, clientCredentials(stage.demo)).then(accessToken);
  bearers.set(stage, issued);
  return { Authorization: `Bearer ${await issued}` };
}

const accessToken = ({ body }: Awaited<ReturnType<Stage['play']>>): string => body.access_token;

/** What subscriptions are made of; an organisation can have each of them once. */
const subscribed = ['transaction_authenticated', 'transaction_created'] as const;

export function subscription({ apiKey }: { readonly apiKey: string }, nth: number, path = '/rewards'): Request {
  return {
    headers: { 'x-api-key': apiKey },
    body: { endpoint: `https://hooks.example.com${path}`, event_name: subscribed[nth] },
  };
}
