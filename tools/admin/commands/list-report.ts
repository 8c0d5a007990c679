import { type CsvCell, csvText } from '../../../shared/domain/csv-text.ts';
import type { ListedRecord, RecordPage } from '../../../shared/operations/ledger/list-records.ts';
import { loadOrganisationNames } from '../../../shared/operations/organisation/find-organisation.ts';
import { loadTimeZone, type Place } from '../../../shared/operations/partnership/load-time-zone.ts';
import type { Operator, Report } from '../cli/cli.ts';
import { paragraphs } from '../cli/text.ts';
import type { RecordList } from '../views/records.ts';

/** A page of a list: JSON, CSV with --csv, or a table with names of organisations and times of one time zone. */
export async function listReport<Listed extends ListedRecord & Place>(
  { view, ...list }: RecordList<Listed>,
  { records, hasMore }: RecordPage<Listed>,
  { csv }: { readonly csv?: true | undefined },
  { deps }: Operator,
): Promise<Report> {
  const organisations = records.flatMap(({ merchantId, partnerId }) => [merchantId, partnerId ?? merchantId]);
  const [nameOf, timeZone] = await Promise.all([
    loadOrganisationNames(organisations, deps),
    loadTimeZone(records, deps),
  ]);
  const json = { [list.name]: records.map(view), hasMore };
  // Records have texts and numbers only.
  if (csv)
    return {
      json,
      text: csvText(
        view.names,
        records.map((one) => Object.values(view(one)) as CsvCell[]),
      ),
    };
  const { text } = view.list(records, list, { nameOf, timeZone });
  const more = hasMore ? [`There are more: --after ${records.at(-1)?.uuid} shows the next ones.`] : [];
  return { json, text: paragraphs(text, ...more) };
}
