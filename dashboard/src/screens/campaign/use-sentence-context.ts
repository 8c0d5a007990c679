import { useQuery } from '@tanstack/react-query';
import type { SentenceContext } from '../../../../shared/domain/campaign/words/flow-sentence.ts';
import { partnershipsQuery } from '../../api/partnerships.ts';
import type { CampaignView } from '../../api/types.ts';
import { useOrganisation } from '../../use-organisation.ts';

/** The names that sentences about a campaign need: of both sides, of status tiers, and of triggers. */
export function useSentenceContext({ type, partnership }: Pick<CampaignView, 'type' | 'partnership'>): SentenceContext {
  const { data } = useQuery(partnershipsQuery(useOrganisation().id));
  const known = data?.find(({ uuid }) => uuid === partnership.uuid);
  // While the names are loaded: an id says nothing to people.
  const unknown = data ? undefined : '…';
  const { merchant, partner } = partnership;
  const organisations = new Map([merchant, partner, ...(known?.programs ?? [])].map(({ id, name }) => [id, name]));
  return {
    type,
    merchantId: merchant.id,
    partnerId: partner.id,
    names: {
      organisation: (id) => organisations.get(id),
      tier: (id) => known?.tiers.find((tier) => tier.id === id)?.name ?? unknown,
      trigger: (id) => known?.triggers.find((trigger) => trigger.custom_trigger_id === id)?.name ?? unknown,
    },
  };
}
