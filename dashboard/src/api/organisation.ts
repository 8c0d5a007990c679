import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
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
  readonly data: readonly AuditEntry[];
  /** Where the next page begins; null after the last one. */
  readonly cursor: string | null;
}

/** One page of the entries of a month (`2027-03`), the latest first. */
export function listAudit(organisation: number, month: string, cursor: string | null, signal?: AbortSignal) {
  const query = new URLSearchParams({ month, ...(cursor !== null && { cursor }) });
  return call<AuditPage>('GET', `${pathOf(organisation)}/audit?${query}`, { ...(signal && { signal }) });
}

export const auditQuery = (organisation: number, month: string) =>
  infiniteQueryOptions({
    queryKey: ['audit', organisation, month],
    queryFn: ({ pageParam, signal }) => listAudit(organisation, month, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }) => cursor,
  });
