import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import type { PartnershipView } from './types.ts';

/** The partnerships of an organisation: a campaign belongs to one. */
export const partnershipsQuery = (organisation: number) =>
  queryOptions({
    queryKey: ['partnerships', organisation],
    queryFn: async ({ signal }) => {
      const path = `/organisations/${organisation}/partnerships`;
      const { data } = await call<{ readonly data: readonly PartnershipView[] }>('GET', path, { signal });
      return data;
    },
  });
