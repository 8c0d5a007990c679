import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Answer } from '../../support/call.ts';
import type { FlowMember } from '../../support/flow-demo.ts';
import type { Flow } from './flow.ts';
import { send } from './http.ts';

type What = 'earn' | 'redeem';

/** A purchase to make. */
export interface Wanted {
  readonly what: What;
  readonly amount: number;
  /** The order's id in the merchant's system. Default: a new one. */
  readonly order?: string;
  readonly member?: FlowMember;
}

/** Statuses of endpoints 7 and 8. */
export const retrieved = { initiated: 1, pending: 2, completed: 3, cancelled: 7 } as const;

/** Time limit for the platform's background work. */
export const settleLimitMs = 20_000;

/** Calls endpoint 1. */
export function authenticate(flow: Flow, { what, amount, order = randomUUID(), member }: Wanted): Promise<Answer> {
  return send('POST', `${flow.hosts.reward}/reward_transaction/auth`, {
    key: (member ?? flow.member).accessToken,
    json: { transaction_amount: amount, external_transaction_id: order, campaign_id: flow.demo.campaigns[what] },
  });
}

/** Calls endpoint 2. */
export function create(
  flow: Flow,
  token: string,
  { member = flow.member, headers = {} }: { member?: FlowMember; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const json = { reward_authentication_token: token };
  return send('POST', `${flow.hosts.reward}/reward_transaction/create`, { key: member.accessToken, json, headers });
}

/** Calls endpoints 1 and 2, and waits for completion. Returns the transaction as endpoint 7 shows it. */
export async function buy(flow: Flow, wanted: Wanted): Promise<Answer['body']> {
  const asked = await authenticate(flow, wanted);
  expect(asked.body).toMatchObject({ code: 'ok', data: { authentication_status: 1 } });
  const created = await create(flow, asked.body.data.authentication_id, wanted);
  expect(created.status).toBe(200);
  return completed(flow, created.body.data.reward_transactions[0].id);
}

/** Calls endpoint 7. */
export async function transaction(flow: Flow, id: string | number): Promise<Answer['body']> {
  const { body } = await send('GET', `${flow.hosts.base}/transactions/${id}`, { key: flow.demo.partner.apiKey });
  return body.data?.reward_transaction;
}

/** Waits until the loyalty program has confirmed a transaction. Returns the transaction as endpoint 7 shows it. */
export async function completed(flow: Flow, id: string | number): Promise<Answer['body']> {
  let latest: Answer['body'];
  const status = async () => {
    latest = await transaction(flow, id);
    return latest?.transaction_status;
  };
  await expect.poll(status, { timeout: settleLimitMs, interval: 50 }).toBe(retrieved.completed);
  // The transaction is not read again: a fault that a test injects could hit that read.
  return latest;
}

/** Returns the member's account in the partner's program (endpoint 5). */
export async function account(flow: Flow, member = flow.member): Promise<Answer['body']> {
  const { body } = await send('GET', `${flow.hosts.user}/users/${member.id}`, { key: member.accessToken });
  return body.data.user.partner_status_tiers[0];
}

/** Returns the member's ledger, and checks that its sum equals the balance. */
export async function ledger(flow: Flow, member = flow.member) {
  const entries = await flow.platform.ledger.entriesOf(member.id, flow.demo.partner.id);
  const { total_rewards } = await account(flow, member);
  expect(entries.reduce((sum, { points }) => sum + points, 0)).toBe(total_rewards);
  return entries;
}
