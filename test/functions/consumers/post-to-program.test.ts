import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BusEvent } from '../../../shared/contracts/events.ts';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { hostProgram } from '../../../shared/operations/organisation/manage-program.ts';
import type { PostDeps } from '../../../shared/operations/posting/post-to-program.ts';
import { receiveReport } from '../../../shared/operations/posting/receive-report.ts';
import { followingFrom } from '../../../shared/store/table/table-client.ts';
import type { Account } from '../../store/account.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { ProgramDesk, partnerIds } from '../../support/program-desk.ts';

let desk: ProgramDesk;
let account: Account;
beforeAll(async () => {
  desk = await ProgramDesk.open();
});
afterAll(() => desk.close());
beforeEach(async () => {
  account = await desk.account(1_000);
});
afterEach(async () => {
  await Promise.all([desk.server.clearFaults(), desk.other.clearFaults()]);
  await Promise.all(
    [partnerIds.first, partnerIds.second].map((id) => desk.platform.programHealths.recordAnswer(id, new Date())),
  );
  desk.queued.splice(0);
  desk.logged.splice(0);
  expect(await desk.mismatches()).toEqual([]);
});

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

async function earned(): Promise<RewardTransaction> {
  const [transaction] = await desk.pending(account, 'earn');
  return transaction as RewardTransaction;
}
async function paid(points = 100): Promise<RewardTransaction> {
  const [transaction] = await desk.pending(account, 'redeem', points);
  return transaction as RewardTransaction;
}
const stateOf = async (transaction: RewardTransaction) => (await desk.found(transaction)).state;
const movements = ({ uuid }: RewardTransaction) => desk.server.movementsOf(uuid);
/** The balance that the platform stores, and the balance in the program's own books. */
const balances = async () => {
  const { availablePoints, heldPoints } = await account.balance();
  return [availablePoints + heldPoints, await desk.balanceAt(account)];
};

describe('a program that the platform is to host', () => {
  const host = () => hostProgram(String(partnerIds.first), { ...desk.platform, now: desk.now });
  afterEach(() => desk.ownAgain());

  it('is refused while transactions wait for its answer', async () => {
    await desk.server.order({ fault: 'fail', call: 'transactions', times: 1 });
    const payment = await paid();
    await desk.sync(payment);
    await desk.work();

    await expect(host()).rejects.toThrow(
      `1 transaction waits for an answer of the program of organisation 2 (Partner 2), which may have moved the points: ${payment.id};`,
    );
    await desk.later(minuteMs);
    expect(await stateOf(payment)).toBe('COMPLETED');
    expect((await host()).partner.program).toEqual({ kind: 'hosted' });
  });

  it('leaves no transaction behind that was queued before: the ledger confirms it', async () => {
    const [begun, queued] = [await paid(), await earned()];
    await desk.server.order({ fault: 'fail', call: 'transactions', times: 1 });
    await desk.sync(begun);
    await desk.work();
    await desk.sync(queued);
    await desk.host(partnerIds.first);
    await desk.work();
    await desk.later(minuteMs);

    expect(await Promise.all([begun, queued].map(stateOf))).toEqual(['COMPLETED', 'COMPLETED']);
    expect((await account.balance()).heldPoints).toBe(0);
  });
});

describe('a transaction with a partner’s own program', () => {
  it('is completed after the program moved the points', async () => {
    const [award, payment] = [await earned(), await paid()];
    await desk.post(award);
    await desk.post(payment);

    expect([await movements(award), await movements(payment)]).toEqual([[100], [-100]]);
    expect(await desk.found(award)).toMatchObject({
      state: 'COMPLETED',
      programReference: expect.stringMatching(/^D-/),
      posting: { attempts: 1 },
    });
    expect(await stateOf(payment)).toBe('COMPLETED');
    expect(await balances()).toEqual([1_000, 1_000]);
  });

  it('fails with the reason of the program', async () => {
    await desk.server.order({ fault: 'reject', call: 'transactions', reason: 'the account is closed' });
    const payment = await paid();
    await desk.post(payment);

    expect(await desk.found(payment)).toMatchObject({ state: 'FAILED', failureReason: 'the account is closed' });
    expect(await account.balance()).toEqual({ availablePoints: 1_000, heldPoints: 0 });
  });
});

describe('a transaction whose answer was lost', () => {
  it.each([
    ['times out before it moves points', { fault: 'hang' }],
    ['times out after it moved points', { fault: 'hang_after' }],
    ['ends the connection before it moves points', { fault: 'reset' }],
    ['ends the connection after it moved points', { fault: 'reset_after' }],
    ['fails before it moves points', { fault: 'fail' }],
    ['fails after it moved points', { fault: 'fail_after' }],
    ['replies nonsense after it moved points', { fault: 'garbage' }],
    ['answers twice', { fault: 'answer_twice' }],
  ] as const)('moves points once when the program %s', async (_case, fault) => {
    const award = await earned();
    await desk.server.order({ ...fault, call: 'transactions', times: 1 });
    const deps = withDeadline(desk.deps, 300);
    await desk.sync(award);
    await desk.work(deps);
    desk.aheadMs += minuteMs;
    await desk.work(deps);

    expect(await movements(award)).toEqual([100]);
    expect(await stateOf(award)).toBe('COMPLETED');
    expect(await balances()).toEqual([1_100, 1_100]);
  });

  it('is queried before it is posted again', async () => {
    const award = await earned();
    await desk.server.order({ fault: 'fail_after', call: 'transactions', times: 1 });
    const before = (await desk.server.books()).requests;
    await desk.post(award);
    await desk.later(minuteMs);
    const { requests } = await desk.server.books();

    expect((requests.transactions ?? 0) - (before.transactions ?? 0)).toBe(1);
    expect((requests.query ?? 0) - (before.query ?? 0)).toBe(1);
    expect(await stateOf(award)).toBe('COMPLETED');
  });

  it('is posted again when the program no longer knows the transaction', async () => {
    const award = await earned();
    await desk.server.order({ fault: 'accept', call: 'transactions', times: 1 });
    await desk.post(award);
    await desk.server.lose(award.uuid);
    await desk.later(2 * minuteMs);

    expect(await movements(award)).toEqual([100]);
    expect(await stateOf(award)).toBe('COMPLETED');
  });
});

/** Shortens the deadline of requests. */
function withDeadline(deps: PostDeps, deadlineMs: number): PostDeps {
  const find = async (partnerId: number, userId?: number) => {
    const program = await deps.programs.find(partnerId, userId);
    const post: typeof program.post = (transaction) =>
      Promise.race([
        program.post(transaction),
        new Promise<{ kind: 'unknown'; cause: string }>((resolve) =>
          setTimeout(() => resolve({ kind: 'unknown', cause: 'no reply in time' }), deadlineMs),
        ),
      ]);
    return { ...program, post };
  };
  return { ...deps, programs: { ...deps.programs, find } as PostDeps['programs'] };
}

describe('attempts without an answer', () => {
  it('are repeated by the clock with the request id of the first attempt', async () => {
    const award = await earned();
    await desk.server.order({ fault: 'fail', call: 'transactions' });
    const requestId = '5f0d9a3e-6f4c-4b8e-9d3b-0a1f8c2e7d11';
    await followingFrom({ byEntity: new Map(), otherwise: requestId }, () => desk.post(award));
    expect((await desk.found(award)).posting).toMatchObject({ attempts: 1, requestId });
    await desk.server.clearFaults();
    await desk.later(2 * minuteMs);

    expect(await stateOf(award)).toBe('COMPLETED');
    const isEnd = ({ name, entityId }: BusEvent) => name === 'transaction_status_updated' && entityId === award.uuid;
    expect((await outboxEvents(desk)).filter(isEnd)).toMatchObject([{ requestId }]);
  });

  it('are repeated for a day, until the transaction is in ERROR', async () => {
    const payment = await paid();
    await desk.server.order({ fault: 'fail', call: 'transactions' });
    await desk.server.order({ fault: 'fail', call: 'query' });
    await desk.post(payment);
    const startedMs = Date.parse((await desk.found(payment)).posting?.startedAt ?? '');
    const delays: number[] = [];
    while ((await stateOf(payment)) === 'PENDING') {
      const { posting } = await desk.found(payment);
      const dueMs = Date.parse(posting?.dueAt ?? '');
      delays.push(Math.round((dueMs - desk.now().getTime()) / secondMs));
      expect(posting).toMatchObject({ problem: 'status 500' });
      // A program that does not answer is paused. This test is about the attempts, so it ends the pause.
      await desk.platform.programHealths.recordAnswer(payment.partnerId, new Date());
      await desk.later(dueMs - desk.now().getTime() + secondMs);
    }

    expect(delays.slice(0, 8)).toEqual([5, 30, 120, 600, 1_800, 3_600, 3_600, 3_600]);
    expect(Math.round((desk.now().getTime() - startedMs) / hourMs)).toBe(24);
    expect(await stateOf(payment)).toBe('ERROR');
    // The points stay held, because the program may have subtracted them.
    expect(await account.balance()).toEqual({ availablePoints: 900, heldPoints: 100 });
    expect(desk.logged).toContainEqual({
      message: 'transaction.suspended',
      data: expect.objectContaining({ transactionId: payment.id }),
    });
    expect(await desk.platform.postings.suspendedOf(payment.partnerId)).toEqual([payment.id]);
  });

  it('wait as long as Retry-After requires', async () => {
    const award = await earned();
    await desk.server.order({ fault: 'fail', call: 'transactions', status: 503, retry_after: 3_600, times: 1 });
    await desk.post(award);
    const { posting } = await desk.found(award);

    expect(Date.parse(posting?.dueAt ?? '') - desk.now().getTime()).toBeGreaterThan(hourMs - 5 * secondMs);
    await desk.later(59 * minuteMs);
    expect(await stateOf(award)).toBe('PENDING');
    await desk.later(10 * minuteMs);
    expect(await stateOf(award)).toBe('COMPLETED');
  });
});

describe('a program that accepted a transaction', () => {
  it('is asked until it confirms', async () => {
    const award = await earned();
    await desk.server.order({ fault: 'accept', call: 'transactions', times: 1 });
    await desk.post(award);
    expect(await stateOf(award)).toBe('PENDING');
    await desk.later(2 * minuteMs);
    expect(await stateOf(award)).toBe('PENDING');

    await desk.server.answer(award.uuid, 'confirmed');
    await desk.later(hourMs);
    expect(await stateOf(award)).toBe('COMPLETED');
    expect(await movements(award)).toEqual([100]);
    expect(await balances()).toEqual([1_100, 1_100]);
  });

  it('has a week to answer before ERROR', async () => {
    const award = await earned();
    await desk.server.order({ fault: 'accept', call: 'transactions', times: 1 });
    await desk.post(award);
    await desk.later(6 * 24 * hourMs);
    expect(await stateOf(award)).toBe('PENDING');
    for (let step = 0; step < 3; step += 1) await desk.later(24 * hourMs);

    expect(await stateOf(award)).toBe('ERROR');
    await desk.server.answer(award.uuid, 'rejected');
  });
});

describe('a program that is down', () => {
  it('receives fewer than 40 requests for ten transactions', async () => {
    const awards: RewardTransaction[] = [];
    for (let count = 0; count < 10; count += 1) awards.push(await earned());
    await desk.server.order({ fault: 'fail', call: 'transactions' });
    await desk.server.order({ fault: 'fail', call: 'query' });
    const before = (await desk.server.books()).requests;
    for (const award of awards) await desk.post(award);
    for (let round = 0; round < 15; round += 1) await desk.later(2 * minuteMs);
    const { requests } = await desk.server.books();
    const sent = (name: 'transactions' | 'query') => (requests[name] ?? 0) - (before[name] ?? 0);

    // Without the pause: about 100 requests (10 transactions, five attempts each, up to two requests each).
    expect(sent('transactions') + sent('query')).toBeLessThan(40);
    expect(new Set(await Promise.all(awards.map(stateOf)))).toEqual(new Set(['PENDING']));

    await desk.server.clearFaults();
    for (let round = 0; round < 15; round += 1) await desk.later(5 * minuteMs);
    expect(new Set(await Promise.all(awards.map(stateOf)))).toEqual(new Set(['COMPLETED']));
    expect(await Promise.all(awards.map(movements))).toEqual(awards.map(() => [100]));
    expect(await balances()).toEqual([2_000, 2_000]);
  });

  it('does not delay another program', async () => {
    await desk.server.order({ fault: 'fail' });
    const awards: RewardTransaction[] = [];
    for (let count = 0; count < 6; count += 1) awards.push(await earned());
    for (const award of awards) await desk.post(award);
    const health = await desk.platform.programHealths.find(partnerIds.first);
    expect(health?.pausedUntil).toBeDefined();
    expect(await desk.platform.programHealths.find(partnerIds.second)).not.toHaveProperty('pausedUntil');
  });
});

describe('an account’s balance', () => {
  it('is set to the program’s balance after that balance changed', async () => {
    const memberId = `SKY-${account.member.user.id}`;
    await desk.server.move(memberId, -300);
    await desk.post(await earned());
    await desk.work();

    expect(await account.balance()).toEqual({ availablePoints: 800, heldPoints: 0 });
    expect(await balances()).toEqual([800, 800]);
    const entries = await desk.platform.ledger.entriesOf(account.member.user.id, partnerIds.first);
    expect(entries.map(({ kind, points }) => `${kind} ${points}`).toSorted()).toEqual([
      'ADJUSTMENT -300',
      'EARN 100',
      'OPENING 1000',
    ]);
  });

  it('is set to the program’s balance after a rejected payment', async () => {
    await desk.server.move(`SKY-${account.member.user.id}`, -950);
    const payment = await paid();
    await desk.post(payment);
    await desk.work();

    expect(await desk.found(payment)).toMatchObject({
      state: 'FAILED',
      failureReason: 'the balance does not cover it',
    });
    expect(await balances()).toEqual([50, 50]);
  });

  it('is not adjusted while a transaction is in flight', async () => {
    const [lost, next] = [await earned(), await earned()];
    await desk.server.order({ fault: 'fail_after', transaction_uuid: lost.uuid, times: 1 });
    await desk.post(lost);
    await desk.post(next);
    expect(await balances()).toEqual([1_100, 1_200]);

    await desk.later(minuteMs);
    expect(await balances()).toEqual([1_200, 1_200]);
    const entries = await desk.platform.ledger.entriesOf(account.member.user.id, partnerIds.first);
    expect(entries.map(({ kind }) => kind).toSorted()).toEqual(['EARN', 'EARN', 'OPENING']);
  });

  describe('when answers contain no balance', () => {
    const memberId = () => `SKY-${account.member.user.id}`;
    const withoutBalance = <Answer extends { kind: string }>(answer: Answer) =>
      answer.kind === 'confirmed' ? { kind: 'confirmed' as const } : answer;
    /** The deps of workers that receive no balance when they query a transaction. */
    function discreet(): PostDeps {
      const find = async (id: number) => {
        const program = await desk.platform.programs.find(id);
        const query: typeof program.query = async (transaction) => withoutBalance(await program.query(transaction));
        return { ...program, query };
      };
      return { ...desk.deps, programs: Object.create(desk.platform.programs, { find: { value: find } }) };
    }

    it('is corrected after the program’s report', async () => {
      const accepted = await earned();
      await desk.server.order({ fault: 'accept', ms: 0, transaction_uuid: accepted.uuid, times: 1 });
      await desk.post(accepted);
      await desk.server.move(memberId(), -300);
      const report = { type: 'balance.changed', data: { member_id: memberId() } } as const;
      await receiveReport({ partnerId: partnerIds.first, report }, desk.platform);
      await desk.relay();
      await desk.work();
      await desk.later(2 * minuteMs, discreet());
      await desk.later(10 * minuteMs);

      expect(await stateOf(accepted)).toBe('COMPLETED');
      expect(await balances()).toEqual([800, 800]);
    });

    it('is corrected after a rejected payment', async () => {
      const accepted = await earned();
      await desk.server.order({ fault: 'accept', ms: 0, transaction_uuid: accepted.uuid, times: 1 });
      await desk.post(accepted);
      await desk.server.move(memberId(), -1_050);
      await desk.post(await paid(100));
      await desk.later(2 * minuteMs, discreet());
      await desk.later(10 * minuteMs);

      expect(await balances()).toEqual([50, 50]);
    });
  });

  it('is corrected when the program reports the right balance after a wrong one', async () => {
    await desk.server.order({ fault: 'lie', points: 7, times: 2 });
    await desk.post(await earned());
    await desk.work();
    expect((await account.balance()).availablePoints).toBe(1_107);

    await desk.post(await earned());
    await desk.work();
    expect(await balances()).toEqual([1_200, 1_200]);
  });

  it('keeps held points when it is adjusted', async () => {
    await account.reserve({ campaign: 'redeem', externalTransactionId: 'held', points: 400 });
    await desk.server.move(`SKY-${account.member.user.id}`, -100);
    await desk.post(await earned());
    await desk.work();

    expect(await account.balance()).toEqual({ availablePoints: 600, heldPoints: 400 });
  });
});
