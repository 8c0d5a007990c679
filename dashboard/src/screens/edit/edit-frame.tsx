import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import type { CampaignSettings } from '../../../../shared/domain/campaign/document/kinds/kind.ts';
import { campaignQuery } from '../../api/campaigns.ts';
import type { CampaignView } from '../../api/types.ts';
import { CampaignBuilder } from '../../builder/campaign-builder.tsx';
import { saverOf } from '../../builder/save-campaign.ts';
import type { BuilderPlace } from '../../builder/state.ts';
import { ButtonLink } from '../../parts/button-link.tsx';
import { Diff } from '../../parts/diff.tsx';
import { StatusChip } from '../../parts/status-chip.tsx';
import { useOrganisation } from '../../use-organisation.ts';
import { builtCampaign } from './built-campaign.ts';
import { IntoEffect } from './into-effect.tsx';
import { storedDocument } from './stored-document.ts';
import { useMakeEvent } from './use-make-event.ts';

interface Props {
  readonly view: CampaignView;
  readonly settings: CampaignSettings;
  readonly place: BuilderPlace;
  readonly field: string | undefined;
  readonly reload: () => void;
}

const to = '/$organisation/campaigns/$campaign/edit/$step' as const;

/** Connects the builder with the server, with addresses, and with the acts on the campaign. */
export function EditFrame({ view, settings, place, field, reload }: Props) {
  const organisation = useOrganisation().id;
  const queryClient = useQueryClient();
  const { id } = view;
  // The builder goes on from the draft that was opened. The settings grow when somebody makes an event.
  const [opened] = useState(view);
  const campaign = useMemo(() => builtCampaign(opened, organisation, settings), [opened, organisation, settings]);
  const makeEvent = useMakeEvent(view.partnership.uuid);
  const save = useMemo(
    () =>
      saverOf({ organisation, id }, (saved) => {
        queryClient.setQueryData(campaignQuery(organisation, id).queryKey, saved);
        queryClient.invalidateQueries({ queryKey: ['campaigns', organisation] });
      }),
    [organisation, id, queryClient],
  );
  const params = (step: BuilderPlace) => ({ organisation: String(organisation), campaign: String(id), step });
  const linkTo = (
    target: { readonly place: BuilderPlace; readonly field?: string },
    content: ReactNode,
    className?: string,
  ) => (
    <Link
      to={to}
      params={params(target.place)}
      search={target.field === undefined ? {} : { field: target.field }}
      activeOptions={{ includeSearch: false }}
      className={className}
    >
      {content}
    </Link>
  );
  const differences = view.live && view.draft && view.draft.differences.length > 0 && (
    <Diff changes={view.draft.differences} />
  );
  return (
    <CampaignBuilder
      {...{ campaign, place, field, save, reload, linkTo, differences, makeEvent }}
      document={storedDocument(view)}
      revision={view.revision}
      state={<StatusChip status={view.status} />}
      actions={
        place !== 'review' && (
          <ButtonLink look="primary" to={to} params={params('review')}>
            Review and approve
          </ButtonLink>
        )
      }
      acts={<IntoEffect view={view} />}
    />
  );
}
