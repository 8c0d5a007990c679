import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { campaignQuery } from '../../api/campaigns.ts';
import type { CampaignSummary } from '../../api/types.ts';
import { Menu, type MenuAct } from '../../parts/menu.tsx';
import { useOrganisation } from '../../use-organisation.ts';
import { LoadedActs } from './loaded-acts.tsx';

/** The acts on a campaign of a list. What is allowed is asked when the menu opens. */
export function CampaignMenu({ campaign: { id, name } }: { readonly campaign: CampaignSummary }) {
  const organisation = useOrganisation();
  const [isWanted, want] = useState(false);
  const { data } = useQuery({ ...campaignQuery(organisation.id, id), enabled: isWanted });
  const label = `Acts of ${name}`;
  if (data)
    return <LoadedActs campaign={data}>{(acts) => <Menu label={label} acts={acts} isOpenAtFirst />}</LoadedActs>;
  return <Menu label={label} acts={waiting} onOpen={() => want(true)} />;
}

const waiting: MenuAct[] = [{ id: 'loading', label: 'Loading', isDisabled: true, onAction: () => undefined }];
