import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LedgerEntry } from '../../shared/domain/ledger/ledger-entry.ts';
import { toLedgerEntries } from '../../shared/domain/ledger/ledger-entry.ts';
import { noTotals, sumOf } from '../../shared/domain/ledger/totals.ts';
import { countersOf, TotalsCounter } from '../../shared/store/ledger/totals.ts';
import { type FaultyTable, makeFaultyTable } from '../support/faulty-table.ts';
import { createTransaction } from '../support/story.ts';
import { makeWorld, type World } from '../support/world.ts';

const now = new Date('2026-03-01T12:00:00.000Z');
let world: World;
let counter: TotalsCounter;
let entry: LedgerEntry;
beforeAll(async () => {
  world = await makeWorld();
  counter = new TotalsCounter(world.platform.table);
  const transaction = await createTransaction(world, { campaignId: world.demo.campaigns.earn, amount: 10 });
  [entry] = toLedgerEntries(transaction, now) as [LedgerEntry];
});

let next = 0;
/** Entries of different transactions, ten points each. */
const entries = (count: number, more: Partial<LedgerEntry> = {}): LedgerEntry[] =>
  Array.from({ length: count }, () => ({ ...entry, points: 10, transactionUuid: `u-${++next}`, ...more }));

async function totals() {
  const found = await world.platform.campaigns.partnership(world.demo.partnership.uuid);
  const ofCampaign = (id: number) => found?.campaigns.find(({ campaign }) => campaign.id === id)?.totals;
  return { partnership: found?.totals, ofCampaign };
}

describe('TotalsCounter', () => {
  it('returns zero totals before the first entry', async () => {
    expect((await totals()).partnership).toEqual(noTotals);
    expect((await totals()).ofCampaign(world.demo.campaigns.earn)).toEqual(noTotals);
  });

  it('counts each entry once when batches are repeated and divided differently', async () => {
    const all = entries(75);

    await counter.count(all.slice(0, 40), now);
    await counter.count(all.slice(20), now);
    await Promise.all([counter.count(all, now), counter.count([...all].reverse(), now), counter.count(all, now)]);

    expect((await totals()).partnership).toEqual({ ...noTotals, earnedPoints: 750, transactions: 75 });
  });

  it('counts each campaign separately, and earned points separately from redeemed points', async () => {
    const { id, partnershipUuid } = entry.campaign ?? { id: 0, partnershipUuid: '' };
    const before = (await totals()).partnership;

    await counter.count(
      [
        ...entries(2, { campaign: { id: world.demo.campaigns.redeem, partnershipUuid }, kind: 'REDEEM', points: -30 }),
        ...entries(3, { campaign: { id, partnershipUuid } }),
        ...entries(1, { campaign: null, kind: 'OPENING', points: 1_000 }),
      ],
      now,
    );

    const after = await totals();
    expect(after.ofCampaign(world.demo.campaigns.redeem)).toEqual({
      ...noTotals,
      redeemedPoints: 60,
      transactions: 2,
    });
    expect(after.partnership).toEqual({
      ...noTotals,
      earnedPoints: (before?.earnedPoints ?? 0) + 30,
      redeemedPoints: 60,
      transactions: (before?.transactions ?? 0) + 5,
    });
  });
});

describe('TotalsCounter, when batches conflict,', () => {
  let faulty: FaultyTable;
  beforeAll(async () => {
    faulty = await makeFaultyTable();
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => faulty.stop());

  const operation = 'TransactWriteItems';
  const conflict = { fault: 'TransactionConflict', operation } as const;

  /** Counts a batch that needs two DynamoDB transactions. Returns the number of calls, and of counted entries. */
  async function countTwoTransactions(partnershipUuid: string) {
    const before = faulty.calls.length;
    const all = entries(150, { campaign: { id: 1, partnershipUuid } });
    await new TotalsCounter(faulty.client).count(all, now);
    const counters = await countersOf(faulty.table.client, partnershipUuid);
    return {
      sent: faulty.calls.slice(before).filter((call) => call.operation === operation).length,
      counted: sumOf(counters.map((counter) => counter.totals)).transactions,
    };
  }

  it('repeats only the DynamoDB transaction with the conflict', async () => {
    const active = faulty.faults.add({ ...conflict, nth: 2 });

    expect(await countTwoTransactions('p-1')).toEqual({ sent: 3, counted: 150 });
    active.remove();
  });

  it('repeats each DynamoDB transaction at most eleven times', async () => {
    const pause = vi.spyOn(faulty.client, 'pause').mockResolvedValue();
    // Each fault fails one call. Its `nth` counts only the calls that no earlier fault of the list failed. So calls 1 to
    // 11 fail, call 12 passes, and calls 13 to 23 fail.
    const active = [1, 2].flatMap((nth) => Array.from({ length: 11 }, () => faulty.faults.add({ ...conflict, nth })));

    expect(await countTwoTransactions('p-2')).toEqual({ sent: 24, counted: 150 });
    const pauses = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
    expect(pause.mock.calls.map(([attempt]) => attempt)).toEqual([...pauses, ...pauses]);
    for (const fault of active) fault.remove();
  });
});
