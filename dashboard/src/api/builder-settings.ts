import { queryOptions } from '@tanstack/react-query';
import type { CampaignSettings } from '../../../shared/domain/campaign/document/kinds/kind.ts';
import { call } from './call.ts';
import type { PartnershipDetails } from './types.ts';

/** The settings of a partnership on which campaigns depend. */
export const builderSettingsQuery = (organisation: number, partnership: string) =>
  queryOptions({
    queryKey: ['builder-settings', organisation, partnership],
    queryFn: async ({ signal }) => {
      const path = `/organisations/${organisation}/partnerships`;
      const { data } = await call<{ readonly data: { readonly partnerships: readonly PartnershipDetails[] } }>(
        'GET',
        path,
        { signal },
      );
      const found = data.partnerships.find(({ uuid }) => uuid === partnership);
      return settingsOf(found);
    },
  });

function settingsOf(partnership: PartnershipDetails | undefined): CampaignSettings {
  return {
    allowsCashback: partnership?.allows_cashback ?? false,
    partnerId: partnership?.partner.id ?? 0,
    programs: new Set(partnership?.programs.map(({ id }) => id)),
    triggers: [],
    attributes: partnership?.attributes ?? [],
    tiers: partnership?.tiers ?? [],
  };
}
