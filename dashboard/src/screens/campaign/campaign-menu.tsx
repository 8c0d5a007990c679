import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { campaignQuery } from '../../api/campaigns.ts';
import type { CampaignSummary } from '../../api/types.ts';
import { Menu, type MenuAct } from '../../parts/menu.tsx';
import { useOrganisation } from '../../use-organisation.ts';
import { LoadedActs } from './loaded-acts.tsx';

/** The acts on a campaign of a list. What is allowed is asked when the menu opens. */
export function CampaignMenu({ campaign }: { readonly campaign: CampaignSummary }) {
  const { id, name } = campaign;
  const organisation = useOrganisation();
  const [isWanted, want] = useState(false);
  const { data } = useQuery({ ...campaignQuery(organisation.id, id), enabled: isWanted });
  return (
    <LoadedActs campaign={campaign} view={data}>
      {(acts) => <Menu label={`Acts of ${name}`} acts={data ? acts : loading} onOpen={() => want(true)} />}
    </LoadedActs>
  );
}

const loading: MenuAct[] = [{ id: 'loading', label: 'Loading', isDisabled: true, onAction: () => undefined }];
