import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { createCampaign } from '../../api/campaigns.ts';
import type { CampaignSummary, CampaignView } from '../../api/types.ts';
import { toast } from '../../parts/toast.tsx';
import { failureText } from '../../text/failure-text.ts';
import { useOrganisation } from '../../use-organisation.ts';
import { useRequestId } from '../../use-request-id.ts';
import { saveFile } from '../save-file.ts';

/** What leads from a campaign to another screen or into a file. */
export function useCampaignMoves(campaign: CampaignSummary, view: CampaignView | undefined) {
  const organisation = useOrganisation().id;
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const requests = useRequestId();
  const openEditor = (id: number) =>
    navigate({
      to: '/$organisation/campaigns/$campaign/edit/$step',
      params: { organisation: String(organisation), campaign: String(id), step: 'details' },
    });
  return {
    edit: () => openEditor(campaign.id),
    review: () =>
      navigate({
        to: '/$organisation/approvals/$campaign',
        params: { organisation: String(organisation), campaign: String(campaign.id) },
      }),
    duplicate: async () => {
      try {
        const { id } = await createCampaign(organisation, { campaign_id: campaign.id }, requests.idOf('copy'));
        requests.done();
        await queryClient.invalidateQueries({ queryKey: ['campaigns', organisation] });
        toast(`${campaign.name} was duplicated. This is the copy.`);
        await openEditor(id);
      } catch (error) {
        toast(failureText(error));
      }
    },
    exportFile: () => {
      const document = view?.draft?.document ?? view?.live?.document;
      saveFile(`${campaign.name}.json`, `${JSON.stringify(document, null, 2)}\n`, 'application/json');
    },
  };
}
