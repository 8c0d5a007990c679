import type { CampaignType } from '../../../shared/domain/campaign/document/kinds/kind.ts';
import type { SentenceContext } from '../../../shared/domain/campaign/words/flow-sentence.ts';
import type { BuiltCampaign } from './context.ts';

/** The names that the sentences of a campaign need. */
export const sentenceContextOf = (
  { merchant, partner, names }: BuiltCampaign,
  type: CampaignType,
): SentenceContext => ({
  type,
  merchantId: merchant.id,
  partnerId: partner.id,
  names,
});
