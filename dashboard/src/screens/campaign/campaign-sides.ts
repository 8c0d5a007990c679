import type { CampaignSummary, Named } from '../../api/types.ts';

/** The other organisation of the campaign's partnership. */
export const otherSideOf = (
  { partnership: { merchant, partner } }: Pick<CampaignSummary, 'partnership'>,
  own: number,
): Named => (merchant.id === own ? partner : merchant);
