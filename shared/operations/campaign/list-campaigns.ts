import type { Campaign } from '../../domain/campaign/document/campaign.ts';
import { CampaignNotFoundError } from '../../domain/errors.ts';
import { Campaigns, type CampaignWithTotals } from '../../store/campaign/campaigns.ts';
import type { ListPage, PageRange } from '../../store/table/list-page.ts';
import type { Deps } from '../operation.ts';

export const listCampaignsStores = { campaigns: Campaigns };

/** Which campaigns to list: their types, and the page of the list. */
export interface CampaignQuery {
  readonly types: ReadonlySet<Campaign['type']>;
  readonly range: PageRange;
}

/**
 * Lists an organisation's campaigns of some types, the newest first.
 *
 * @throws CampaignNotFoundError when the organisation has no campaign of these types. A later page may be empty.
 */
export async function listCampaigns(
  organisationId: number,
  { types, range }: CampaignQuery,
  { campaigns }: Deps<typeof listCampaignsStores>,
): Promise<ListPage<CampaignWithTotals>> {
  const page = await campaigns.listed(organisationId, types, range);
  const items = await campaigns.withTotals(page.items);
  if (items.length === 0 && page.next === null && !range.position) {
    throw new CampaignNotFoundError('There is no campaign of these types');
  }
  return { ...page, items };
}
