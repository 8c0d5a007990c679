import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AwardClaim } from '../../../shared/domain/award/claim.ts';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { reverseByOperator } from '../../../shared/operations/ledger/manage-transactions.ts';
import { partnershipWrite } from '../../../shared/store/campaign/partnerships.ts';
import { aPartnership, noon } from '../../domain/fixtures.ts';
import type { Account } from '../../store/account.ts';
import { ProgramDesk, partnerIds } from '../../support/program-desk.ts';

/**
 * An operator reverses an award of 200 points while a token holds them, so the member owes 200. The points come back when
 * the token expires, and settle the debt. A partner's own program then has to subtract 200 points in its books too.
 */

let desk: ProgramDesk;
let account: Account;
let token: AwardClaim;
beforeAll(async () => {
  desk = await ProgramDesk.open();
  await desk.table.client.write(partnershipWrite(aPartnership()));
});
afterAll(() => desk.close());
beforeEach(async () => {
  account = await desk.account(0);
  const award = await earned(200);
  await desk.post(award);
  token = await account.reserve({ campaign: 'redeem', externalTransactionId: 'basket', points: 200 });
  const [reversal] = await reverseByOperator({ id: String(award.id), reason: 'a complaint' }, desk.platform);
  await desk.post(reversal as RewardTransaction);
  expect([await account.owed(), await balances()]).toEqual([200, [200, 200]]);
});
afterEach(async () => {
  expect(await desk.mismatches()).toEqual([]);
  await desk.server.clearFaults();
  await desk.platform.programHealths.recordAnswer(partnerIds.first, new Date());
  desk.queued.splice(0);
  desk.logged.splice(0);
});

const minuteMs = 60_000;
const expire = (at = new Date(noon.getTime() + 11 * minuteMs)) => account.expire(token, at);

async function earned(points = 100): Promise<RewardTransaction> {
  const [transaction] = await desk.pending(account, 'earn', points);
  return transaction as RewardTransaction;
}

/** The balance that the platform stores, and the balance in the program's own books. */
async function balances() {
  const { availablePoints, heldPoints } = await account.balance();
  return [availablePoints + heldPoints, await desk.balanceAt(account)];
}

/** The movements of the account in the program's own books, the oldest first. */
async function moved() {
  const { movements } = await desk.server.books();
  return movements.filter(({ member_id }) => member_id === `SKY-${account.member.user.id}`).map(({ points }) => points);
}

const messages = () => desk.logged.map(({ message }) => message).filter((message) => message.startsWith('settlement'));

async function adjustments() {
  const entries = await desk.platform.ledger.entriesOf(account.member.user.id, partnerIds.first);
  return entries.filter(({ kind }) => kind === 'ADJUSTMENT').map(({ points }) => points);
}

describe('points that settle a shortfall', () => {
  it('are subtracted in the program’s own books', async () => {
    await expire();
    expect(await balances()).toEqual([0, 200]);
    await desk.relay();
    await desk.work();

    expect(await balances()).toEqual([0, 0]);
    expect(await moved()).toEqual([200, 0, -200]);
  });

  it('are not added back when balances are compared before the posting', async () => {
    await expire();
    await desk.post(await earned());
    expect(await balances()).toEqual([100, 300]);

    await desk.relay();
    await desk.work();

    expect([await balances(), await adjustments()]).toEqual([[100, 100], []]);
  });

  it('are subtracted after requests to the program were paused', async () => {
    const now = desk.now();
    for (let failure = 0; failure < 5; failure += 1) {
      await desk.platform.programHealths.recordFailure(partnerIds.first, { cause: 'status 503', isTrial: false, now });
    }
    await expire();
    await desk.relay();
    await desk.work();
    expect(await balances()).toEqual([0, 200]);

    for (let round = 0; round < 3; round += 1) await desk.later(minuteMs);
    expect(await balances()).toEqual([0, 0]);
  });

  it('are posted again until the program answers', async () => {
    await desk.server.order({ fault: 'fail', call: 'transactions' });
    await expire(desk.now());
    await desk.relay();
    await desk.work();
    expect(messages()).toEqual(['settlement.postponed']);
    await desk.later(24 * 60 * minuteMs);
    expect(messages()).toEqual(['settlement.postponed', 'settlement.unanswered']);

    await desk.server.clearFaults();
    await desk.later(15 * minuteMs);
    expect(await balances()).toEqual([0, 0]);
  });

  it('return to the member when the program rejects them', async () => {
    await desk.server.order({ fault: 'reject', call: 'transactions', times: 1, reason: 'the account is closed' });
    await expire();
    await desk.relay();
    await desk.work();

    expect([await balances(), await adjustments()]).toEqual([[200, 200], [200]]);
    expect(messages()).toEqual(['settlement.rejected']);
  });

  it('are not posted to a hosted program', async () => {
    await desk.host(partnerIds.first);
    await expire();
    await desk.relay();

    expect(desk.queued).toEqual([]);
    const membership = await account.members.findMembership(account.member.user.id, partnerIds.first);
    expect(membership?.postingsBegun).toBe(membership?.postingsEnded);
    await desk.ownAgain();
  });
});
