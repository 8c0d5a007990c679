import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../support/call.ts';
import { cannot, useFlow } from './support/flow.ts';
import { newMember } from './support/members.ts';
import { account, authenticate, completed, create, ledger } from './support/purchase.ts';

const flow = useFlow();

const times = <Value>(count: number, work: (index: number) => Promise<Value>): Promise<Value[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

/** Counts replies by kind: `200`, or status and identifier. */
function tally(answers: readonly Answer[]): Record<string, number> {
  const kinds = answers.map(({ status, body }) => (body.error ? `${status} ${body.error}` : String(status)));
  return Object.fromEntries(
    Object.entries(Object.groupBy(kinds, (kind) => kind)).map(([k, all]) => [k, all?.length ?? 0]),
  );
}

describe('twenty parallel requests with one token', () => {
  it('create one transaction and move the balance once', async () => {
    const before = await account(flow);
    const asked = await authenticate(flow, { what: 'earn', amount: 100 });
    const answers = await times(20, () => create(flow, asked.body.data.authentication_id));

    expect(tally(answers)).toEqual({ 200: 1, '409 transaction_already_exists': 19 });
    const created = answers.flatMap(({ body }) => body.data?.reward_transactions ?? []);
    expect(created).toHaveLength(1);
    const { reward_amount } = await completed(flow, created[0].id);
    expect((await account(flow)).total_rewards).toBe(before.total_rewards + reward_amount);
  });

  it.skipIf(cannot.reachTable)('get the same reply under one idempotency key', async () => {
    const member = await newMember(flow, 0);
    const asked = await authenticate(flow, { what: 'earn', amount: 100, member });
    const headers = { 'Idempotency-Key': randomUUID() };
    const answers = await times(20, () => create(flow, asked.body.data.authentication_id, { member, headers }));

    const { 200: answered = 0, '409 request_in_progress': early = 0 } = tally(answers);
    expect(answered).toBeGreaterThan(0);
    expect(answered + early).toBe(20);
    const replies = answers.filter(({ status }) => status === 200).map(({ body }) => body.data.reward_transactions);
    for (const reply of replies) expect(reply).toEqual(replies[0]);
    await completed(flow, replies[0][0].id);
    expect(await ledger(flow, member)).toHaveLength(2);
  });
});

describe('two tokens of one order', () => {
  it.skipIf(cannot.reachTable)(
    'lead to one award when the tokens were requested in parallel with different amounts',
    async () => {
      const member = await newMember(flow, 0);
      const order = randomUUID();
      const asked = await times(16, (index) => authenticate(flow, { what: 'earn', amount: 10 + index, order, member }));
      expect(tally(asked)).toEqual({ 200: 16 });
      const tokens = [...new Set(asked.map(({ body }) => String(body.data.authentication_id)))];
      expect(tokens.length).toBeGreaterThan(1);

      const answers = await Promise.all(tokens.map((token) => create(flow, token, { member })));
      const created = answers.flatMap(({ body }) => body.data?.reward_transactions ?? []);
      expect(created).toHaveLength(1);
      for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
        expect([`400 invalid_token`, '409 transaction_already_exists']).toContain(`${status} ${body.error}`);
      }
      const { reward_amount } = await completed(flow, created[0].id);
      expect((await ledger(flow, member)).map(({ points }) => points)).toEqual([0, reward_amount]);
    },
  );

  it('are never both valid', async () => {
    const order = randomUUID();
    const ask = (amount: number) => authenticate(flow, { what: 'earn', amount, order });
    const first = (await ask(10)).body.data.authentication_id;
    const second = (await ask(11)).body.data.authentication_id;
    expect(second).not.toBe(first);
    expect(await create(flow, first)).toMatchObject({ status: 400, body: { error: 'invalid_token' } });

    const created = await create(flow, second);
    expect(created.body.data.reward_transactions).toMatchObject([{ transaction_amount: 11 }]);
    expect(await create(flow, first)).toMatchObject({ status: 409, body: { error: 'transaction_already_exists' } });

    const late = await ask(12);
    expect(late).toMatchObject({ status: 200, body: { data: { authentication_status: 4 } } });
    const again = await create(flow, late.body.data.authentication_id);
    expect(again).toMatchObject({ status: 409, body: { error: 'transaction_already_exists' } });
    await completed(flow, created.body.data.reward_transactions[0].id);
  });
});

describe.skipIf(cannot.reachTable)('fifty parallel redemptions by a member whose balance covers ten', () => {
  it('succeed exactly ten times', async () => {
    const member = await newMember(flow, 1000);
    const asked = await times(50, () => authenticate(flow, { what: 'redeem', amount: 1, member }));
    expect(asked.map(({ status }) => status)).toEqual(Array(50).fill(200));
    const granted = asked.filter(({ body }) => body.data.authentication_status === 1);
    const short = asked.filter(({ body }) => body.data.authentication_status === 2);
    expect({ granted: granted.length, short: short.length }).toEqual({ granted: 10, short: 40 });

    const answers = await Promise.all(asked.map(({ body }) => create(flow, body.data.authentication_id, { member })));
    expect(tally(answers)).toEqual({ 200: 10, '400 invalid_token': 40 });
    await Promise.all(
      answers.flatMap(({ body }) => body.data?.reward_transactions ?? []).map(({ id }) => completed(flow, id)),
    );

    expect(await account(flow, member)).toMatchObject({ total_rewards: 0, total_rewards_redeemed: 1000 });
    expect(await ledger(flow, member)).toHaveLength(11);
  });
});
