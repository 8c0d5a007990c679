import { useMutation, useQueryClient } from '@tanstack/react-query';
import { actOnCampaign, type CampaignAct, deleteCampaign } from '../../api/campaigns.ts';
import type { ActName, CampaignView } from '../../api/types.ts';
import { toast } from '../../parts/toast.tsx';
import { changedText, failureText, isConflict } from '../../text/failure-text.ts';
import { useOrganisation } from '../../use-organisation.ts';

const done: Readonly<Record<ActName, string>> = {
  submit: 'was sent to review',
  approve: 'was approved',
  reject: 'was sent back',
  pause: 'was paused',
  resume: 'was resumed',
  activate: 'was started',
  end: 'was ended',
  discard: 'keeps its running version',
};

type Wanted = CampaignAct | { readonly act: 'delete' };

/** Does an act on the revision of a campaign that is on the screen, says so, and loads what changed. */
export function useCampaignActs(
  { id, name, revision }: Pick<CampaignView, 'id' | 'name' | 'revision'>,
  onDone?: () => void,
) {
  const organisation = useOrganisation().id;
  const queryClient = useQueryClient();
  const target = { organisation, id, revision };
  return useMutation({
    mutationFn: async (wanted: Wanted): Promise<unknown> =>
      wanted.act === 'delete' ? deleteCampaign(target) : actOnCampaign(target, wanted),
    onSuccess: (_, { act }) => {
      toast(`${name} ${act === 'delete' ? 'was deleted' : done[act]}`);
      onDone?.();
    },
    onError: (error) => toast(isConflict(error) ? `${changedText(error)} This is how it is now.` : failureText(error)),
    onSettled: () => {
      queryClient.invalidateQueries({ queryKey: ['campaigns', organisation] });
      queryClient.invalidateQueries({ queryKey: ['campaign', organisation, id] });
    },
  });
}
