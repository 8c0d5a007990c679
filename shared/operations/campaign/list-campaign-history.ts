import { type CampaignEntry, CampaignHistory } from '../../store/campaign/campaign-history.ts';
import { CampaignRecords } from '../../store/campaign/campaign-records.ts';
import { Partnerships } from '../../store/campaign/partnerships.ts';
import { Organisations } from '../../store/organisation/organisations.ts';
import { People } from '../../store/staff/people.ts';
import type { ListPage, PageRange } from '../../store/table/list-page.ts';
import { NotFoundError } from '../errors.ts';
import type { Deps } from '../operation.ts';
import { loadOrganisationNames } from '../organisation/find-organisation.ts';
import { campaignSubject } from './change-campaign.ts';
import { type CampaignViewer, isVisible, loadPersonNames, type SignatureNames } from './load-campaign.ts';

export const listCampaignHistoryStores = {
  campaignHistory: CampaignHistory,
  campaignRecords: CampaignRecords,
  partnerships: Partnerships,
  organisations: Organisations,
  people: People,
};

/** A page of the history of a campaign, with the names in it. */
export interface CampaignHistoryPage extends ListPage<CampaignEntry> {
  readonly names: SignatureNames;
}

/**
 * A page of what organisations did with a campaign, the newest first. The acts of the clock are not in it. Reads twice:
 * the campaign with its history, and then the names.
 *
 * @throws NotFoundError when the viewer's organisation may not see the campaign
 */
export async function listCampaignHistory(
  campaignId: number,
  { viewer, range }: { readonly viewer: CampaignViewer; readonly range: PageRange },
  deps: Deps<typeof listCampaignHistoryStores>,
): Promise<CampaignHistoryPage> {
  const [found, page] = await Promise.all([
    deps.campaignRecords.findWithVersions(campaignId, 1),
    deps.campaignHistory.of(campaignId, range),
  ]);
  if (!found || !isVisible(found.record, viewer, found.versions[0])) {
    throw new NotFoundError(campaignSubject(campaignId));
  }
  const [partnership, organisation, personName] = await Promise.all([
    deps.partnerships.find(found.record.partnershipUuid),
    loadOrganisationNames(
      page.items.map(({ organisationId }) => organisationId),
      deps,
    ),
    loadPersonNames(page.items, viewer, deps),
  ]);
  if (!partnership || partnership.isDeleted) throw new NotFoundError(campaignSubject(campaignId));
  return { ...page, names: { viewer, names: { organisation }, personName } };
}
