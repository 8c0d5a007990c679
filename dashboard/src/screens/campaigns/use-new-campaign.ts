import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createCampaign, type NewCampaign } from '../../api/campaigns.ts';
import type { PartnershipView } from '../../api/types.ts';
import { useOrganisation } from '../../use-organisation.ts';
import { useRequestId } from '../../use-request-id.ts';
import { UnreadableFileError } from './unreadable-file-error.ts';

/** What a campaign begins with. */
export type Origin =
  | { readonly kind: 'template'; readonly id: number }
  | { readonly kind: 'scratch' }
  | { readonly kind: 'file'; readonly file: File };

/** Makes the draft on the server, and opens the builder with it. */
export function useNewCampaign(partnerships: readonly PartnershipView[]) {
  const organisation = useOrganisation().id;
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const requests = useRequestId();
  const [partnership, choosePartnership] = useState<string | null>(partnerships[0]?.uuid ?? null);
  const create = useMutation({
    mutationFn: async (origin: Origin) => {
      const request = await requestOf(origin, partnership ?? '');
      return createCampaign(organisation, request, requests.idOf(JSON.stringify(request)));
    },
    onSuccess: ({ id }, { kind }) => {
      requests.done();
      queryClient.invalidateQueries({ queryKey: ['campaigns', organisation] });
      return navigate({
        to: '/$organisation/campaigns/$campaign/edit/$step',
        params: { organisation: String(organisation), campaign: String(id), step: 'details' },
        // An empty campaign has a name that nobody wants to keep.
        search: kind === 'scratch' ? { field: '/name' } : {},
      });
    },
  });
  return {
    partnership,
    choosePartnership,
    begin: (origin: Origin) => create.mutate(origin),
    failure: create.error,
    busyWith: create.isPending ? keyOf(create.variables) : null,
  };
}

const keyOf = (origin: Origin) => (origin.kind === 'template' ? `template ${origin.id}` : origin.kind);

async function requestOf(origin: Origin, partnership: string): Promise<NewCampaign> {
  switch (origin.kind) {
    case 'template':
      return { partnership_uuid: partnership, template_id: origin.id };
    case 'file':
      return { partnership_uuid: partnership, document: await readFile(origin.file) };
    case 'scratch':
      return { partnership_uuid: partnership, document: { name: 'New campaign', type: 'EARN', flows: [] } };
  }
}

/** @throws UnreadableFileError */
async function readFile(file: File): Promise<unknown> {
  try {
    return JSON.parse(await file.text());
  } catch {
    throw new UnreadableFileError(file.name);
  }
}
