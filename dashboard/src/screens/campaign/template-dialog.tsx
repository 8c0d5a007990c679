import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createTemplate } from '../../api/templates.ts';
import type { CampaignView } from '../../api/types.ts';
import { Banner } from '../../parts/banner.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { toast } from '../../parts/toast.tsx';
import { failureText } from '../../text/failure-text.ts';
import { useOrganisation } from '../../use-organisation.ts';

/** Keeps a campaign as a template, from which others of the organisation begin. */
export function TemplateDialog({
  campaign,
  onClose,
}: {
  readonly campaign: CampaignView;
  readonly onClose: () => void;
}) {
  const organisation = useOrganisation().id;
  const queryClient = useQueryClient();
  const [name, setName] = useState(campaign.name);
  const create = useMutation({
    mutationFn: () => createTemplate(organisation, { campaign: campaign.id, name: name.trim() }),
    onSuccess: () => {
      queryClient.invalidateQueries({ queryKey: ['templates', organisation] });
      toast(`The template ${name.trim()} was created`);
      onClose();
    },
  });
  return (
    <Dialog
      title={`Create a template from ${campaign.name}`}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button
            look="primary"
            isBusy={create.isPending}
            isDisabled={name.trim() === ''}
            onPress={() => create.mutate()}
          >
            Create template
          </Button>
        </>
      }
    >
      {create.error && <Banner tone="fault">{failureText(create.error)}</Banner>}
      <TextField label="Name of the template" value={name} onChange={setName} autoFocus />
    </Dialog>
  );
}
