import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { retryByOperator } from '../../../shared/operations/ledger/manage-transactions.ts';
import type { Account } from '../../store/account.ts';
import { ProgramDesk } from '../../support/program-desk.ts';

let desk: ProgramDesk;
let account: Account;
beforeAll(async () => {
  desk = await ProgramDesk.open();
  account = await desk.account(1_000);
});
afterAll(() => desk.close());

/** An award that the program has booked, but whose answer was lost. */
async function unanswered(): Promise<RewardTransaction> {
  const [award] = await desk.pending(account);
  if (!award) throw new Error('there is no award');
  await desk.server.order({ fault: 'fail_after', call: 'transactions', times: 1 });
  await desk.post(award);
  return desk.found(award);
}

const retry = ({ uuid }: RewardTransaction) =>
  retryByOperator({ id: uuid, reason: 'the program answers again' }, { ...desk.platform, now: desk.now });

it('a retry by an operator moves the points of a transaction in ERROR exactly once', async () => {
  const award = await unanswered();
  const context = { now: desk.now(), nextUuid: desk.platform.nextUuid };
  expect(await desk.platform.postings.suspend([award], context)).toBe(true);
  expect(await retry(award)).toMatchObject([{ id: award.id }]);
  await desk.relay();
  await desk.work();

  expect(await desk.found(award)).toMatchObject({ state: 'COMPLETED' });
  expect(await desk.server.movementsOf(award.uuid)).toEqual([100]);
  expect(await desk.mismatches()).toEqual([]);
});

it('a retry by an operator is refused while the platform repeats the attempts itself', async () => {
  const award = await unanswered();

  await expect(retry(award)).rejects.toThrow('by itself');
  expect(await desk.server.movementsOf(award.uuid)).toEqual([100]);
});
