import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import { loadPage, loadPages } from './load-pages.ts';
import type { AuditEntry, OrganisationView } from './types.ts';

const pathOf = (organisation: number) => `/organisations/${organisation}`;

export const organisationQuery = (organisation: number) =>
  queryOptions({
    queryKey: ['organisation', organisation],
    queryFn: async ({ signal }) => {
      const { data } = await call<{ readonly data: OrganisationView }>('GET', pathOf(organisation), { signal });
      return data;
    },
  });

export const changeSettings = (organisation: number, revision: number, settings: { readonly four_eyes: boolean }) =>
  call('PUT', pathOf(organisation), { body: settings, revision });

interface AuditPage {
  readonly entries: readonly AuditEntry[];
}

const auditPath = (organisation: number) => `${pathOf(organisation)}/audit`;

/** The entries of a month (`2027-03`), the latest first, page by page. */
export const auditQuery = (organisation: number, month: string) =>
  infiniteQueryOptions({
    queryKey: ['audit', organisation, month],
    queryFn: ({ pageParam, signal }) =>
      loadPage<AuditPage>(auditPath(organisation), { month, ...(pageParam !== null && { cursor: pageParam }) }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }) => cursor.next,
  });

/** All entries of a month. */
export async function loadAuditOf(organisation: number, month: string): Promise<AuditEntry[]> {
  const pages = await loadPages<AuditPage>(auditPath(organisation), undefined, { month });
  return pages.flatMap(({ entries }) => entries);
}
