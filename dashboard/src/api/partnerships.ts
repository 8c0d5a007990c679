import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import type { PartnershipDetails } from './types.ts';

/** The partnerships of an organisation, with what the author of a campaign may choose in each. */
export const partnershipsQuery = (organisation: number) =>
  queryOptions({
    queryKey: ['partnerships', organisation],
    queryFn: async ({ signal }) => {
      const path = `/organisations/${organisation}/partnerships`;
      const { data } = await call<{ readonly data: { readonly partnerships: readonly PartnershipDetails[] } }>(
        'GET',
        path,
        { signal },
      );
      return data.partnerships;
    },
  });
