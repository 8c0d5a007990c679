import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import { loadPage } from './load-pages.ts';
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

export const changeSettings = (
  organisation: number,
  revision: number,
  settings: { readonly name?: string; readonly four_eyes?: boolean },
) => call('PUT', pathOf(organisation), { body: settings, revision });

interface AuditPage {
  readonly entries: readonly AuditEntry[];
}

const auditPath = (organisation: number) => `${pathOf(organisation)}/audit`;

/** The entries of a month, the latest first, page by page. The query has the names of the server's filters. */
export const auditQuery = (organisation: number, query: Readonly<Record<string, string>>) =>
  infiniteQueryOptions({
    queryKey: ['audit', organisation, query],
    queryFn: ({ pageParam, signal }) =>
      loadPage<AuditPage>(
        auditPath(organisation),
        { ...query, ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }) => cursor.next,
  });

interface AuditFile {
  readonly file_name: string;
  readonly csv: string;
}

/** The entries of a month as a CSV file. */
export async function exportAudit(organisation: number, query: Readonly<Record<string, string>>): Promise<AuditFile> {
  const path = `${auditPath(organisation)}/export?${new URLSearchParams(query)}`;
  const { data } = await call<{ readonly data: AuditFile }>('GET', path);
  return data;
}
