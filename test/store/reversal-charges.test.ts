import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import { type Finalizing, finalizeTransactions } from '../../shared/operations/posting/finalize-transactions.ts';
import { Transactions } from '../../shared/store/ledger/transactions.ts';
import { Members } from '../../shared/store/member/members.ts';
import { noon } from '../domain/fixtures.ts';
import { reconcile } from '../support/reconcile.ts';
import { silentLog } from '../support/silent-log.ts';
import { makeTestTable, type TestTable } from '../support/test-table.ts';
import { Account } from './account.ts';
import { aRefund, Refunding } from './refunding.ts';

/** The campaign allows two events a day and 700 points a week. Noon is on a Sunday. */
let table: TestTable;
let account: Account;
let refunding: Refunding;
beforeAll(async () => {
  table = await makeTestTable({ onDynamoDb: true });
});
beforeEach(async () => {
  account = await Account.open(table, 0);
  refunding = new Refunding(table, account, 'unlimited');
});
afterAll(async () => expect(await reconcile(table)).toEqual([]));

const sunday = new Date('2026-03-08T16:00:00.000Z');
const monday = new Date('2026-03-09T16:00:00.000Z');

async function earned(name: string, points: number, now: Date): Promise<RewardTransaction> {
  const order = { campaign: 'limitedEarn' as const, externalTransactionId: name, points };
  const decided = await account.decide(order, undefined, now);
  if ('refused' in decided) throw new Error(decided.refused);
  await account.transactions.reserve(decided, account.context(now));
  await account.transactions.create(decided.claim, account.context(now));
  const transaction = await asItIs(decided.transactions[0] as RewardTransaction);
  await account.complete(transaction, undefined, now);
  return asItIs(transaction);
}

async function asItIs({ id }: RewardTransaction): Promise<RewardTransaction> {
  const found = await account.transactions.find(id);
  if (!found) throw new Error(`there is no transaction ${id}`);
  return found;
}

/** A purchase for a dollar. Its two rewards, a point and fifty cents of cashback, are pending. */
const pointAndCents = (name: string) =>
  account.pending({ campaign: 'pointsAndCashback', externalTransactionId: name, points: 100 });

const deps = (transactions: Transactions): Finalizing => ({
  now: () => noon,
  nextUuid: account.context().nextUuid,
  table: table.client,
  members: account.members,
  postings: account.postings,
  log: silentLog().log,
  transactions,
});

/** The repository of transactions. Once, right after it has read the transaction `id`, it calls `interrupt`. */
class InterruptedTransactions extends Transactions {
  readonly #id: number;
  #interrupt: (() => Promise<unknown>) | undefined;

  constructor(client: TestTable['client'], id: number, interrupt: () => Promise<unknown>) {
    super(client);
    this.#id = id;
    this.#interrupt = interrupt;
  }

  override async find(id: number): Promise<RewardTransaction | undefined> {
    const found = await super.find(id);
    const interrupt = id === this.#id ? this.#interrupt : undefined;
    if (interrupt) this.#interrupt = undefined;
    await interrupt?.();
    return found;
  }
}

/** Confirms a reward, refunds an amount of it, and confirms the reversal. */
async function endByRefund(reward: RewardTransaction, amountCents: number): Promise<void> {
  await account.complete(reward);
  await account.complete(await reversed(await asItIs(reward), 1, amountCents));
  expect(await asItIs(reward)).toMatchObject({ state: 'REVERSED' });
}

/** Applies a refund. Returns its reversal, which the program has not answered yet. */
async function reversed(original: RewardTransaction, number: number, amountCents: number): Promise<RewardTransaction> {
  const refund = aRefund(number, amountCents, original.amountCents);
  await refunding.refund(original, refund);
  const reversal = await refunding.reversalOf(original, refund);
  if (!reversal) throw new Error('nothing was reversed');
  return reversal;
}

/** The amounts of limits that the member used, by limit and period. */
async function used(): Promise<Record<string, number>> {
  const { usage = [] } = (await new Members(table.client).find(account.member.user.id)) ?? {};
  return Object.fromEntries(usage.map((one) => [`${one.limitId} ${one.period}`, one.used]));
}

describe('a refund of a limited reward', () => {
  it('returns each charge to its period', async () => {
    const original = await earned('cut', 900, sunday);
    expect(original).toMatchObject({ points: 700 });
    const [day, week] = Object.keys(await used());
    await earned('next week', 100, monday);
    const before = await used();
    expect(Object.values(before)).toEqual(expect.arrayContaining([1, 700, 1, 100]));
    expect(Object.keys(before)).toHaveLength(4);

    // $9 earned only the 700 points that the limit allowed. The $5 that are left earn 500 points.
    const part = await reversed(original, 1, 400);
    expect(part).toMatchObject({ points: 200 });
    await account.complete(part, undefined, monday);
    expect(await used()).toEqual({ ...before, [week as string]: 500 });

    const rest = await reversed(original, 2, 500);
    expect(rest).toMatchObject({ points: 500 });
    await account.complete(rest, undefined, monday);
    expect(await used()).toEqual({ ...before, [day as string]: 0, [week as string]: 0 });
    expect(await asItIs(original)).toMatchObject({ state: 'REVERSED' });
  });

  it('lets the next reward use the returned charge', async () => {
    const original = await earned('first', 600, sunday);
    expect(await earned('second', 600, sunday)).toMatchObject({ points: 100 });
    const reversal = await reversed(original, 1, 600);
    await account.complete(reversal, undefined, sunday);
    expect(await earned('third', 650, sunday)).toMatchObject({ points: 600 });
  });

  it('returns each charge once, even after a rejected reversal', async () => {
    const original = await earned('refused', 700, sunday);
    const before = await used();
    const refused = await reversed(original, 1, 400);
    await account.fail(refused, 'not now', sunday);
    expect(Object.values(await used()).toSorted()).toEqual([1, 700]);
    const part = await reversed(original, 2, 0);
    await account.complete(part, undefined, sunday);
    // A part of the reward is left, so its event still counts.
    expect(Object.values(await used()).toSorted()).toEqual([1, 300]);

    const again = await reversed(original, 3, 300);
    await account.complete(again, undefined, sunday);
    expect(Object.values(await used())).toEqual([0, 0]);
    expect(Object.keys(await used())).toEqual(Object.keys(before));
  });
});

describe('a limit on events', () => {
  it('counts an event until its cashback is reversed too', async () => {
    const [point, cents] = (await pointAndCents('cashback left')) as [RewardTransaction, RewardTransaction];
    await account.complete(cents);
    // The 99 cents that are left after the refund earn no point, but 49 cents of cashback.
    await endByRefund(point, 1);
    expect(Object.values(await used())).toEqual([1]);

    await account.complete(await reversed(await asItIs(cents), 1, 100));
    expect(Object.values(await used())).toEqual([0]);
  });

  it('counts an event until its points are reversed too', async () => {
    const [point, cents] = (await pointAndCents('points left')) as [RewardTransaction, RewardTransaction];
    await endByRefund(cents, 100);
    expect(Object.values(await used())).toEqual([1]);

    await endByRefund(point, 100);
    expect(Object.values(await used())).toEqual([0]);
  });

  it('counts an event until the program has rejected both rewards', async () => {
    const [point, cents] = (await pointAndCents('rejected')) as [RewardTransaction, RewardTransaction];
    await account.fail(point, 'not now');
    expect(Object.values(await used())).toEqual([1]);

    await account.fail(await asItIs(cents), 'not now');
    expect(Object.values(await used())).toEqual([0]);
  });

  it('still counts an event after its points and its cashback’s reversal are rejected', async () => {
    const [point, cents] = (await pointAndCents('waiting')) as [RewardTransaction, RewardTransaction];
    await account.complete(cents);
    const reversal = await reversed(await asItIs(cents), 1, 100);
    await account.fail(point, 'not now');
    await account.fail(reversal, 'not now');
    expect(Object.values(await used())).toEqual([1]);
  });

  it.each(['the rejected reward', 'the reversal'] as const)(
    'returns the charge once when both rewards of an event end together, %s last',
    async (slower) => {
      const [point, cents] = (await pointAndCents(slower)) as [RewardTransaction, RewardTransaction];
      await account.complete(cents);
      const reversal = await reversed(await asItIs(cents), 1, 100);
      const reject = (deps: Finalizing) =>
        finalizeTransactions(
          { legs: [point], answer: { kind: 'rejected', rejectedId: point.id, reason: 'not now' } },
          deps,
        );
      const confirm = (deps: Finalizing) =>
        finalizeTransactions({ legs: [reversal], answer: { kind: 'confirmed', references: [] } }, deps);

      const [first, second] = slower === 'the reversal' ? [reject, confirm] : [confirm, reject];
      await second(deps(new InterruptedTransactions(table.client, cents.id, () => first(deps(account.transactions)))));

      expect(Object.values(await used())).toEqual([0]);
      expect([await asItIs(point), await asItIs(cents)]).toMatchObject([{ state: 'FAILED' }, { state: 'REVERSED' }]);
    },
  );
});
