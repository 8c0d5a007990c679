import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createTemplate } from '../../api/templates.ts';
import type { CampaignSummary } from '../../api/types.ts';
import { Banner } from '../../parts/banner.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { toast } from '../../parts/toast.tsx';
import { failureText } from '../../text/failure-text.ts';
import { useOrganisation } from '../../use-organisation.ts';

/** Keeps a campaign as a template, from which others of the organisation begin. */
export function TemplateDialog({
  campaign,
  onClose,
}: {
  readonly campaign: CampaignSummary;
  readonly onClose: () => void;
}) {
  const organisation = useOrganisation().id;
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: () => createTemplate(organisation, campaign.id),
    onSuccess: () => {
      queryClient.invalidateQueries({ queryKey: ['templates', organisation] });
      toast(`The template ${campaign.name} was created`);
      onClose();
    },
  });
  return (
    <Confirm
      question={`Create a template from ${campaign.name}?`}
      act="Create template"
      keep="Cancel"
      isDanger={false}
      isBusy={create.isPending}
      onConfirm={() => create.mutate()}
      onClose={onClose}
    >
      {create.error && <Banner tone="fault">{failureText(create.error)}</Banner>}
      <p>
        Everybody of your organisation can begin a campaign with it. Its dates are left out, and all its parts become
        yours.
      </p>
    </Confirm>
  );
}
