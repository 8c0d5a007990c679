import { maximumCount } from '../../contracts/limits.ts';
import { type CsvCell, csvText } from '../../domain/csv-text.ts';
import type { Staff } from '../../domain/staff/staff.ts';
import { OrganisationAudit, type OrganisationAuditEntry } from '../../store/staff/organisation-audit.ts';
import { People } from '../../store/staff/people.ts';
import type { ListPage, PageRange, Position } from '../../store/table/list-page.ts';
import type { Deps } from '../operation.ts';

export const listAuditStores = { organisationAudit: OrganisationAudit, people: People };
export type ListAuditDeps = Deps<typeof listAuditStores>;

/** The entries that a reader wants to see. Absent fields match every entry. */
export interface AuditFilter {
  readonly organisationId: number;
  /** In UTC, such as `2026-11`. */
  readonly month: string;
  readonly staffId?: string | undefined;
  /** The kind of the act, such as `change roles`. */
  readonly act?: string | undefined;
  readonly outcome?: OrganisationAuditEntry['outcome'] | undefined;
}

/** An entry with the person, who may have been removed from the platform. */
export interface NamedAuditEntry {
  readonly entry: OrganisationAuditEntry;
  readonly staff: Staff | undefined;
}

/**
 * A page of what people did in an organisation, the newest first. A page looks through a limited part of the month, so
 * it may contain fewer entries than its limit, or none, and still have a next page.
 */
export async function listAudit(
  filter: AuditFilter,
  range: PageRange,
  deps: ListAuditDeps,
): Promise<ListPage<NamedAuditEntry>> {
  const isBack = range.position?.towards === 'prev';
  const { found, onward } = await search(filter, range, deps);
  const items = isBack ? found.toReversed() : found;
  return {
    items: await withNames(items, deps),
    next: positionOf('next', isBack ? items.at(-1)?.id : onward),
    prev: positionOf('prev', isBack ? onward : range.position && items[0]?.id),
  };
}

/** CSV of the entries that match, the newest first. It ends after `maximumCount.exportedAuditEntries` entries. */
export async function exportAudit(filter: AuditFilter, deps: ListAuditDeps): Promise<string> {
  const entries: OrganisationAuditEntry[] = [];
  for await (const entry of readEntries(filter, undefined, deps)) {
    if (entries.length === maximumCount.exportedAuditEntries) break;
    if (isMatch(entry, filter)) entries.push(entry);
  }
  return csvText(columns, (await withNames(entries, deps)).map(rowOf));
}

const columns = ['at', 'person', 'e-mail', 'person id', 'roles', 'act', 'outcome', 'what', 'before', 'after'];

const rowOf = ({ entry, staff }: NamedAuditEntry): CsvCell[] => [
  ...[entry.at, staff?.name ?? null, staff?.email ?? null, entry.staffId, entry.roles.join(' ')],
  ...[entry.act, entry.outcome, entry.what],
  ...[entry.change?.before, entry.change?.after].map((values) => (values ? JSON.stringify(values) : null)),
];

/** Looks for a page of entries. `onward` is the place from which the search continues. */
async function search(filter: AuditFilter, { limit, position }: PageRange, deps: ListAuditDeps) {
  const found: OrganisationAuditEntry[] = [];
  let looked = 0;
  let last: string | undefined;
  for await (const entry of readEntries(filter, position, deps)) {
    const isWanted = isMatch(entry, filter);
    if (looked === maximumCount.searchedAuditEntries || (isWanted && found.length === limit)) {
      return { found, onward: last };
    }
    looked += 1;
    last = entry.id;
    if (isWanted) found.push(entry);
  }
  return { found, onward: undefined };
}

/** Reads the entries of the filter's month, from `position` on and in its direction. */
async function* readEntries(
  { organisationId, month }: AuditFilter,
  position: Position | undefined,
  { organisationAudit }: ListAuditDeps,
) {
  const towards = position?.towards ?? 'next';
  let from: Position | null | undefined = position;
  while (from !== null) {
    const range: PageRange = { limit: maximumCount.pageItems, ...(from && { position: from }) };
    const page: ListPage<OrganisationAuditEntry> = await organisationAudit.of(organisationId, month, range);
    yield* towards === 'next' ? page.items : page.items.toReversed();
    from = page[towards];
  }
}

const positionOf = (towards: Position['towards'], from: string | undefined): Position | null =>
  from === undefined ? null : { towards, from };

const isMatch = (entry: OrganisationAuditEntry, { staffId, act, outcome }: AuditFilter): boolean =>
  (staffId === undefined || entry.staffId === staffId) &&
  (act === undefined || entry.act === act) &&
  (outcome === undefined || entry.outcome === outcome);

async function withNames(
  entries: readonly OrganisationAuditEntry[],
  { people }: ListAuditDeps,
): Promise<NamedAuditEntry[]> {
  const staff = await people.findMany(entries.map(({ staffId }) => staffId));
  const byId = new Map(staff.map((one) => [one.id, one]));
  return entries.map((entry) => ({ entry, staff: byId.get(entry.staffId) }));
}
