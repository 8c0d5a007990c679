import { queryOptions } from '@tanstack/react-query';
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

export interface AuditFilters {
  /** `2027-03` */
  readonly month: string;
  readonly person?: string;
  readonly text?: string;
}

interface AuditPage {
  readonly data: readonly AuditEntry[];
  readonly cursor: string | null;
}

/** One page of the entries of a month, the latest first. */
export function listAudit(organisation: number, { month, person, text }: AuditFilters, cursor: string | undefined, signal: AbortSignal) {
  const query = new URLSearchParams({ month, ...(person && { person }), ...(text && { text }), ...(cursor && { cursor }) });
  return call<AuditPage>('GET', `${pathOf(organisation)}/audit?${query}`, { signal });
}
