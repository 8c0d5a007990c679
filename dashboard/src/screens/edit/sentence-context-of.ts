import type { CampaignType } from '../../../../shared/domain/campaign/document/kinds/kind.ts';
import type { SentenceContext } from '../../../../shared/domain/campaign/words/flow-sentence.ts';
import type { BuiltCampaign } from '../../builder/context.ts';

/** What the sentences of a campaign that is being edited depend on. */
export const sentenceContextOf = (
  { merchant, partner, names }: BuiltCampaign,
  type: CampaignType,
): SentenceContext => ({
  type,
  merchantId: merchant.id,
  partnerId: partner.id,
  names,
});
