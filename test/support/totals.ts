import { partitions } from '../../shared/contracts/table.ts';
import { type Contribution, sumOf, Totals } from '../../shared/domain/ledger/totals.ts';
import type { TestTable } from './test-table.ts';

/** Returns the totals of all campaigns of some partnerships. */
export async function readTotals({ client }: TestTable, partnershipUuids: readonly string[]): Promise<Contribution[]> {
  const found = await Promise.all(
    partnershipUuids.map(async (partnershipUuid) => {
      const partition = `${partitions.partnership}${partnershipUuid}`;
      const counters = await client.query({ partition, sortBeginsWith: 'TOTALS#' });
      const subjects = Map.groupBy(counters, ({ sk }) => sk.slice('TOTALS#'.length, sk.lastIndexOf('#')));
      return [...subjects].map(([subject, own]) => ({
        subject: { partnershipUuid, campaignId: Number(subject.split('#')[1]) },
        totals: sumOf(own.map((item) => Totals.parse(item))),
      }));
    }),
  );
  return found.flat();
}
