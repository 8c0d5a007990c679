import { beforeAll, describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../../shared/domain/ledger/ledger-entry.ts';
import { type Contribution, recount, type Totals } from '../../shared/domain/ledger/totals.ts';
import { TotalsCounter } from '../../shared/store/ledger/totals.ts';
import { fc } from '../support/fast-check.ts';
import { makeTestTable, type TestTable } from '../support/test-table.ts';
import { readTotals } from '../support/totals.ts';

/** Campaigns of two partnerships, two of each. */
const campaigns = fc.record({ id: fc.constantFrom(1, 2), partnershipUuid: fc.constantFrom('p1', 'p2') });
const points = fc.integer({ min: 0, max: 1_000 });
const entries = fc.oneof(
  fc.record({
    kind: fc.constant('EARN' as const),
    campaign: campaigns,
    points,
    cashbackCents: fc.constantFrom(0, 0, 250),
    isForeign: fc.boolean(),
    registers: fc.array(campaigns, { maxLength: 1 }),
  }),
  fc.record({
    kind: fc.constant('REDEEM' as const),
    campaign: campaigns,
    points: points.map((paid) => 0 - paid),
    cashbackCents: fc.constant(0),
  }),
  fc.record({
    kind: fc.constant('EARN_REVERSAL' as const),
    campaign: campaigns,
    points: points.map((taken) => 0 - taken),
    cashbackCents: fc.constantFrom(0, 0, -250),
    isForeign: fc.boolean(),
  }),
  fc.record({
    kind: fc.constantFrom('REDEEM_REVERSAL' as const, 'SHORTFALL' as const),
    campaign: campaigns,
    points,
    cashbackCents: fc.constant(0),
  }),
  fc.record({
    kind: fc.constant('OPENING' as const),
    campaign: fc.constant(null),
    points,
    cashbackCents: fc.constant(0),
    registers: fc.uniqueArray(campaigns, { maxLength: 4, selector: (one) => JSON.stringify(one) }),
  }),
);
const ledgers = fc.array(entries, { minLength: 1, maxLength: 90 }).map((all) =>
  all.map(
    (entry, index): LedgerEntry => ({
      ...entry,
      userId: 1 + (index % 3),
      partnerId: 2,
      transactionId: index,
      transactionUuid: `u-${index}`,
      createdAt: '2026-03-08T12:00:00.000Z',
    }),
  ),
);
/** The stream's deliveries: batches, their order, and batches that it repeats or halves after a failure. */
const handing = fc.record({
  batchSize: fc.integer({ min: 1, max: 40 }),
  order: fc.array(fc.nat(), { maxLength: 90 }),
  again: fc.array(fc.nat(), { maxLength: 6 }),
  halved: fc.array(fc.nat(), { maxLength: 3 }),
});

function batchesOf(
  all: readonly LedgerEntry[],
  { batchSize, order, again, halved }: { batchSize: number; order: number[]; again: number[]; halved: number[] },
) {
  const batches = Array.from({ length: Math.ceil(all.length / batchSize) }, (_, index) =>
    all.slice(index * batchSize, (index + 1) * batchSize),
  );
  const at = (index: number) => batches[index % batches.length] ?? [];
  const halves = halved.map(at).flatMap((batch) => [batch.slice(batch.length / 2), batch.slice(0, batch.length / 2)]);
  return [...order.map(at), ...batches, ...halves, ...again.map(at)];
}

const named = (contributions: readonly Contribution[]): Record<string, Totals> =>
  Object.fromEntries(contributions.map(({ subject, totals }) => [JSON.stringify(subject), totals]));

describe('TotalsCounter', () => {
  let table: TestTable;
  beforeAll(async () => {
    table = await makeTestTable();
  });

  it('counts the same totals as a recount, for any batches', async () => {
    await fc.assert(
      fc.asyncProperty(ledgers, handing, fc.uuid(), async (ledger, how, run) => {
        // Each run has partnerships and members of its own.
        const own = ledger.map((entry) => ofRun(entry, run));
        const counter = new TotalsCounter(table.client);
        const [one = [], ...others] = batchesOf(own, how);
        await counter.count(one, new Date());
        // The stream delivers all other batches in parallel, and repeats the first batch at the same time.
        await Promise.all([...others, one].map((batch) => counter.count(batch, new Date())));

        const expected = recount(own);
        const uuids = [...new Set(expected.map(({ subject }) => subject.partnershipUuid))];
        expect(named(await readTotals(table, uuids))).toEqual(named(expected));
      }),
      { numRuns: 25, endOnFailure: true },
    );
  }, 120_000);
});

function ofRun(entry: LedgerEntry, run: string): LedgerEntry {
  const campaignOf = <C extends { partnershipUuid: string }>(one: C): C => ({
    ...one,
    partnershipUuid: `${one.partnershipUuid}-${run}`,
  });
  return {
    ...entry,
    transactionUuid: `${entry.transactionUuid}-${run}`,
    campaign: entry.campaign && campaignOf(entry.campaign),
    ...(entry.registers && { registers: entry.registers.map(campaignOf) }),
  };
}
