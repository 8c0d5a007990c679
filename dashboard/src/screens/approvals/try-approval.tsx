import { isObject } from '../../../../shared/domain/campaign/document/tree.ts';
import { settingsOf } from '../../api/builder-settings.ts';
import type { CampaignView, PartnershipDetails } from '../../api/types.ts';
import { TryPanel } from '../../builder/try-panel.tsx';
import { useOrganisation } from '../../use-organisation.ts';
import { builtCampaign } from '../edit/built-campaign.ts';

interface Props {
  readonly campaign: CampaignView;
  readonly partnership: PartnershipDetails;
}

/** Tries what waits for approval, as the builder tries it. */
export function TryApproval({ campaign, partnership }: Props) {
  const { id } = useOrganisation();
  const document = campaign.draft?.document;
  if (!isObject(document)) return null;
  const built = builtCampaign(campaign, id, settingsOf(partnership));
  return <TryPanel document={document} campaign={built} type={campaign.type} />;
}
