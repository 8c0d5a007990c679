import type { SentenceContext } from '../../../../shared/domain/campaign/words/flow-sentence.ts';
import type { CampaignView } from '../../api/types.ts';

/** The names that sentences about a campaign need. */
export function sentenceContext({ type, partnership }: Pick<CampaignView, 'type' | 'partnership'>): SentenceContext {
  const { merchant, partner } = partnership;
  const names = new Map([merchant, partner].map(({ id, name }) => [id, name]));
  return {
    type,
    merchantId: merchant.id,
    partnerId: partner.id,
    names: { organisation: (id) => names.get(id) },
  };
}
