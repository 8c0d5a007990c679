import type { ListedRecord, RecordPage } from '../../../shared/operations/ledger/list-records.ts';
import { loadOrganisationNames } from '../../../shared/operations/organisation/find-organisation.ts';
import { loadTimeZone, type Place } from '../../../shared/operations/partnership/load-time-zone.ts';
import type { Operator, Report } from '../cli/cli.ts';
import { csvText } from '../cli/csv.ts';
import { type ListView, listText, recordOf } from '../views/records.ts';

/** A page of a list: JSON, CSV with --csv, or a table with names of organisations and times of one time zone. */
export async function listReport<Listed extends ListedRecord & Place>(
  view: ListView<Listed>,
  page: RecordPage<Listed>,
  { csv }: { readonly csv?: true | undefined },
  { deps }: Operator,
): Promise<Report> {
  const { records, hasMore } = page;
  const organisations = records.flatMap(({ merchantId, partnerId }) => [merchantId, partnerId ?? merchantId]);
  const [nameOf, timeZone] = await Promise.all([
    loadOrganisationNames(organisations, deps),
    loadTimeZone(records, deps),
  ]);
  return {
    json: { [view.name]: records.map((record) => recordOf(view, record)), hasMore },
    text: csv ? csvText(view.columns, records.map(view.row)) : listText(view, page, { nameOf, timeZone }),
  };
}
