import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { uuidOf } from '../../shared/domain/ids.ts';
import type { RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import { createProgramPoster, httpProgram } from '../../shared/programs/http-program.ts';
import { keyOfSecret } from '../../shared/webhooks/standard-webhooks.ts';
import { aProgram, aProgramSecret, type TestProgram } from '../support/program-server.ts';
import { startReceiver } from '../support/receiver.ts';

const deadlineMs = 300;
const now = () => new Date();
const poster = createProgramPoster({ httpHosts: ['127.0.0.1'] }, now, deadlineMs);
const nextUuid = () => uuidOf(now(), randomBytes(10));

let server: TestProgram;
beforeAll(async () => {
  server = await aProgram();
});
afterAll(async () => {
  poster.close();
  await server.close();
});
afterEach(() => server.clearFaults());

let memberId: string;
beforeEach(async () => {
  memberId = `M-${randomUUID()}`;
  await server.open({ member_id: memberId, balance: 100 });
});

function programAt(baseUrl: string, secrets: readonly string[] = [server.secret]) {
  const keys = async () => secrets.map(keyOfSecret);
  return httpProgram({ partnerId: 2, baseUrl, keys, memberIdOf: async () => memberId }, { poster, now, nextUuid });
}
const program = () => programAt(server.url);

let ids = 0;
function aTransaction(more: Partial<RewardTransaction> = {}): RewardTransaction {
  ids += 1;
  const at = now().toISOString();
  return {
    id: ids,
    uuid: nextUuid(),
    type: 'EARN',
    state: 'PENDING',
    merchantId: 1,
    partnerId: 2,
    partnershipUuid: randomUUID(),
    campaignId: 1,
    campaignVersion: 1,
    flowId: 1,
    actionId: 1,
    userId: 7,
    userUuid: randomUUID(),
    amountCents: 1_000,
    points: 10,
    cashbackCents: 0,
    charges: [],
    externalTransactionId: 'order-1',
    snapshotId: ids,
    createdAt: at,
    updatedAt: at,
    ...more,
  };
}

const aReversal = (original: RewardTransaction, more: Partial<RewardTransaction> = {}) =>
  aTransaction({
    type: original.type,
    points: original.points,
    reverses: { id: original.id, uuid: original.uuid, refundUuid: randomUUID() },
    ...more,
  });

describe('a posted transaction', () => {
  it('moves points in the books of the program', async () => {
    const earned = aTransaction();

    expect(await program().post(earned)).toEqual({
      kind: 'confirmed',
      reference: expect.stringMatching(/^D-\d+$/),
      balance: 110,
    });
    expect(await server.movementsOf(earned.uuid)).toEqual([10]);
  });

  it.each([
    ['an award', () => aTransaction(), 10],
    ['a payment', () => aTransaction({ type: 'REDEEM' }), -10],
    ['the reversal of an award', () => aReversal(aTransaction()), -10],
    ['the reversal of a payment', () => aReversal(aTransaction({ type: 'REDEEM' })), 10],
    // The member had spent 4 of the 10 points. The reversal does not take these 4.
    ['a reversal with a shortfall', () => aReversal(aTransaction(), { shortfallPoints: 4 }), -6],
    ['cashback', () => aTransaction({ points: 0, cashbackCents: 250 }), 0],
  ])('changes the balance by its points when it is %s', async (_kind, make, change) => {
    await program().post(make());

    expect(await server.balanceOf(memberId)).toBe(100 + change);
  });

  it.each([
    ['a payment', () => aTransaction({ type: 'REDEEM', cashbackCents: 250 }), [-10, 250]],
    [
      'the reversal of a payment',
      () => aReversal(aTransaction({ type: 'REDEEM' }), { cashbackCents: 250 }),
      [10, -250],
    ],
    [
      'the restoration of a payment',
      () => aReversal(aTransaction({ type: 'REDEEM' }), { cashbackCents: 250, isRestoration: true }),
      [-10, 250],
    ],
  ])('has cashback of the opposite sign to its points when it is %s', async (_kind, make, change) => {
    const transaction = make();
    await program().post(transaction);

    const posted = (await server.books()).transactions[transaction.uuid]?.posting;
    expect([posted?.points_change, posted?.cashback_change_cents]).toEqual(change);
  });

  it('moves points once and returns the same answer when it is repeated', async () => {
    const earned = aTransaction();
    const first = await program().post(earned);
    const others = await Promise.all(Array.from({ length: 5 }, () => program().post(earned)));

    expect(others).toEqual(others.map(() => first));
    expect(await server.movementsOf(earned.uuid)).toEqual([10]);
  });

  it('is rejected with the reason of the program', async () => {
    expect(await program().post(aTransaction({ type: 'REDEEM', points: 101 }))).toEqual({
      kind: 'rejected',
      reason: 'the balance does not cover it',
    });
  });

  it('is accepted by a program that answers later', async () => {
    const earned = aTransaction();
    await server.order({ fault: 'accept', call: 'transactions' });

    expect(await program().post(earned)).toEqual({ kind: 'accepted' });
    expect(await program().query(earned)).toEqual({ kind: 'accepted' });
    await server.answer(earned.uuid, 'confirmed');
    expect(await program().query(earned)).toMatchObject({ kind: 'confirmed', balance: 110 });
  });
});

describe('the outcome of a posted transaction is unknown', () => {
  it.each([
    ['no reply comes in time', { fault: 'hang' }, 'no reply in time', []],
    ['no reply comes although the points moved', { fault: 'hang_after' }, 'no reply in time', [10]],
    ['the connection ends', { fault: 'reset' }, 'the connection ended without a reply', []],
    [
      'the connection ends after the points moved',
      { fault: 'reset_after' },
      'the connection ended without a reply',
      [10],
    ],
    ['the program fails', { fault: 'fail' }, 'status 500', []],
    ['the program fails after the points moved', { fault: 'fail_after', status: 502 }, 'status 502', [10]],
    ['the program refuses the signature', { fault: 'fail', status: 401 }, 'status 401', []],
    ['the program does not know the path', { fault: 'fail', status: 404 }, 'status 404', []],
    ['the reply does not follow the contract', { fault: 'garbage' }, 'status 200, the reply breaks the contract', [10]],
  ] as const)('when %s', async (_case, fault, cause, moved) => {
    const earned = aTransaction();
    await server.order(fault);

    expect(await program().post(earned)).toEqual({ kind: 'unknown', cause });
    expect(await server.movementsOf(earned.uuid)).toEqual(moved);

    // A query shows whether the program has moved the points.
    await server.clearFaults();
    expect(await program().query(earned)).toMatchObject({ kind: moved.length > 0 ? 'confirmed' : 'not_found' });
  });

  it('when the program asks for a pause', async () => {
    await server.order({ fault: 'fail', status: 503, retry_after: 120 });

    expect(await program().post(aTransaction())).toEqual({
      kind: 'unknown',
      cause: 'status 503',
      retryAfterSeconds: 120,
    });
  });

  it('when the reply is about another transaction', async () => {
    const receiver = await startReceiver((response) =>
      response.end(JSON.stringify({ transaction_uuid: randomUUID(), status: 'confirmed' })),
    );

    expect(await programAt(receiver.url).post(aTransaction())).toMatchObject({ kind: 'unknown' });
    await receiver.close();
  });

  it('when the reply exceeds 16 KB', async () => {
    const earned = aTransaction();
    const reply = { transaction_uuid: earned.uuid, status: 'confirmed', reference: 'x', more: 'x'.repeat(20_000) };
    const receiver = await startReceiver((response) => response.end(JSON.stringify(reply)));

    expect(await programAt(receiver.url).post(earned)).toMatchObject({ kind: 'unknown' });
    await receiver.close();
  });

  it('when the address is not public', async () => {
    const guarded = createProgramPoster({ httpHosts: [] }, now, deadlineMs);
    const deps = { poster: guarded, now, nextUuid };
    const keys = async () => [keyOfSecret(server.secret)];
    const inside = httpProgram(
      { partnerId: 2, baseUrl: 'https://169.254.169.254', keys, memberIdOf: async () => memberId },
      deps,
    );

    expect(await inside.post(aTransaction())).toEqual({ kind: 'unknown', cause: 'its address is not public' });
    guarded.close();
  });
});

describe('a cancelled transaction', () => {
  it('returns its points once', async () => {
    const earned = aTransaction();
    await program().post(earned);

    expect(await program().takeBack(earned)).toEqual({ kind: 'done' });
    await program().takeBack(earned);
    expect(await server.movementsOf(earned.uuid)).toEqual([10, -10]);
  });

  it('moves nothing when it arrives after its cancellation', async () => {
    const earned = aTransaction();
    await program().takeBack(earned);

    expect(await program().post(earned)).toMatchObject({ kind: 'rejected' });
    expect(await server.balanceOf(memberId)).toBe(100);
  });

  it('has an unknown outcome when the program does not answer', async () => {
    await server.order({ fault: 'hang' });

    expect(await program().takeBack(aTransaction())).toMatchObject({ kind: 'unknown' });
  });
});

describe('an account', () => {
  it('is verified by its proof', async () => {
    expect(await program().verify({ memberId, proof: '2468' }, undefined)).toEqual({
      partnerId: 2,
      externalId: memberId,
      firstName: 'Ada',
      lastName: 'Byron',
      email: null,
      statusTierId: null,
      points: 100,
    });
  });

  it.each([
    ['a wrong proof', () => [memberId, '1111']],
    ['an unknown number', () => ['nobody', '2468']],
  ])('is not verified by %s', async (_case, given) => {
    const [number = '', proof = ''] = given();

    expect(await program().verify({ memberId: number, proof }, undefined)).toBeUndefined();
  });

  it('is neither verified nor refused when the program does not answer', async () => {
    await server.order({ fault: 'fail', call: 'verify' });

    await expect(program().verify({ memberId, proof: '2468' }, undefined)).rejects.toThrow('does not answer');
  });

  it('has the balance that the program reports', async () => {
    expect(await program().balance(memberId)).toEqual({ kind: 'found', points: 100 });
    expect(await program().balance('nobody')).toEqual({ kind: 'not_found' });
    await server.order({ fault: 'lie', call: 'balance', points: 5 });
    expect(await program().balance(memberId)).toEqual({ kind: 'found', points: 105 });
  });
});

describe('a request signed with two secrets', () => {
  it('is accepted before and after the secret is replaced', async () => {
    const next = aProgramSecret();
    const both = programAt(server.url, [next, server.secret]);
    expect(await both.balance(memberId)).toMatchObject({ kind: 'found' });

    await server.settings({ secrets: [next] });
    expect(await both.balance(memberId)).toMatchObject({ kind: 'found' });
    expect(await program().balance(memberId)).toEqual({ kind: 'unknown', cause: 'status 401' });
    await server.settings({ secrets: [server.secret] });
  });
});
