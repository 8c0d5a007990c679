import type { Totals } from '../../domain/ledger/totals.ts';
import type { Partnerships } from '../../store/campaign/partnerships.ts';
import { countersOf } from '../../store/ledger/totals.ts';
import type { Sequences } from '../../store/organisation/sequences.ts';
import type { TableClient } from '../../store/table/table-client.ts';

export interface CounterDeps {
  readonly partnerships: Pick<Partnerships, 'of'>;
  readonly sequences: Pick<Sequences, 'last'>;
  readonly table: Pick<TableClient, 'query'>;
}

/** The counters of one partnership: each campaign has several. */
export interface PartnershipCounters {
  readonly partnershipUuid: string;
  readonly counters: { readonly campaignId: number; readonly shard: number; readonly totals: Totals }[];
}

/** Reads the counters of all totals. Partnerships without counters are listed, too. */
export async function readAllCounters({ partnerships, sequences, table }: CounterDeps): Promise<PartnershipCounters[]> {
  const rows: PartnershipCounters[] = [];
  const last = await sequences.last('organisation');
  for (let merchant = 1; merchant <= last; merchant += 1) {
    for (const { uuid } of await partnerships.of('byMerchant', merchant)) {
      const counters = await countersOf(table, uuid);
      rows.push({
        partnershipUuid: uuid,
        counters: counters.map(({ subject, shard, totals }) => ({ campaignId: subject.campaignId, shard, totals })),
      });
    }
  }
  return rows;
}
