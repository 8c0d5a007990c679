import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import type { CampaignSettings } from '../../../../shared/domain/campaign/document/kinds/kind.ts';
import { campaignQuery } from '../../api/campaigns.ts';
import type { CampaignView } from '../../api/types.ts';
import { CampaignBuilder } from '../../builder/campaign-builder.tsx';
import type { KeptDraft } from '../../builder/kept-work.ts';
import { saverOf } from '../../builder/save-campaign.ts';
import { serverDraft } from '../../builder/server-draft.ts';
import type { BuilderPlace } from '../../builder/state.ts';
import { ButtonLink } from '../../parts/button-link.tsx';
import { Diff } from '../../parts/diff.tsx';
import { StatusChip } from '../../parts/status-chip.tsx';
import { toast } from '../../parts/toast.tsx';
import { useOrganisation, useSession } from '../../use-organisation.ts';
import { CampaignLink, PlaceLink } from '../place-link.tsx';
import { ApprovalsAtStake } from './approvals-at-stake.tsx';
import { builtCampaign } from './built-campaign.ts';
import { IntoEffect } from './into-effect.tsx';
import { useMakeEvent } from './use-make-event.ts';

interface Props {
  readonly view: CampaignView;
  readonly settings: CampaignSettings;
  readonly place: BuilderPlace;
  readonly field: string | undefined;
  /** Work that this browser kept; null without any. */
  readonly kept: KeptDraft | null;
}

const to = '/$organisation/campaigns/$campaign/edit/$step' as const;

/** Connects the builder with the server, with addresses, and with the acts on the campaign. */
export function EditFrame({ view, settings, place, field, kept }: Props) {
  const organisation = useOrganisation().id;
  const { person } = useSession();
  const queryClient = useQueryClient();
  const { id } = view;
  const campaign = useMemo(() => builtCampaign(view, organisation, settings), [view, organisation, settings]);
  const server = useMemo(() => serverDraft(view, person), [view, person]);
  const makeEvent = useMakeEvent(view.partnership.uuid);
  const save = useMemo(
    () =>
      saverOf({ organisation, id, person }, (seen) => {
        queryClient.setQueryData(campaignQuery(organisation, id).queryKey, seen);
        queryClient.invalidateQueries({ queryKey: ['campaigns', organisation] });
      }),
    [organisation, id, person, queryClient],
  );
  const work = { place: { person: person.id, organisation, campaign: id }, server, kept, save, tell };
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
      {...{ campaign, work, place, field, linkTo, differences, makeEvent }}
      above={
        <>
          <PlaceLink to="/$organisation/campaigns">Campaigns</PlaceLink>
          {' / '}
          <CampaignLink id={id}>{view.name === '' ? 'New campaign' : view.name}</CampaignLink>
        </>
      }
      notice={<ApprovalsAtStake view={view} />}
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

/** The draft may be opened while the screen is drawn, and messages are drawn after it. */
const tell = (text: string) => queueMicrotask(() => toast(text));
