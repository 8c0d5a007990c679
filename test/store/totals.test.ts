import { beforeAll, describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../../shared/domain/ledger/ledger-entry.ts';
import { toLedgerEntries } from '../../shared/domain/ledger/ledger-entry.ts';
import { noTotals } from '../../shared/domain/ledger/totals.ts';
import { TotalsCounter } from '../../shared/store/ledger/totals.ts';
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
  it('has zero totals at first', async () => {
    expect((await totals()).partnership).toEqual(noTotals);
    expect((await totals()).ofCampaign(world.demo.campaigns.earn)).toEqual(noTotals);
  });

  it('counts each entry once, however often and in whatever batches it is passed', async () => {
    const all = entries(75);

    await counter.count(all.slice(0, 40), now);
    await counter.count(all.slice(20), now);
    await Promise.all([counter.count(all, now), counter.count([...all].reverse(), now), counter.count(all, now)]);

    expect((await totals()).partnership).toEqual({ ...noTotals, earnedPoints: 750, transactions: 75 });
  });

  it('keeps campaigns apart, and earned and redeemed points', async () => {
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
