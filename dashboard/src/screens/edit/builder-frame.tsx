import { useEffect, useMemo, useState } from 'react';
import { campaignFaults } from '../../../../shared/domain/campaign/authoring/read-document.ts';
import type { CampaignSettings } from '../../../../shared/domain/campaign/document/kinds/kind.ts';
import { campaignTypes } from '../../../../shared/domain/campaign/document/kinds/kind.ts';
import type { CampaignView } from '../../api/types.ts';
import { type Builder, BuilderProvider } from '../../builder/context.ts';
import { lockOf } from '../../builder/locks.ts';
import { fileOf } from '../../builder/state.ts';
import { allFaults } from '../../builder/step-status.ts';
import { Banner } from '../../parts/banner.tsx';
import { ButtonLink } from '../../parts/button-link.tsx';
import { Page } from '../../parts/page.tsx';
import { StatusChip } from '../../parts/status-chip.tsx';
import { countText } from '../../text/numbers.ts';
import { useOrganisation } from '../../use-organisation.ts';
import { PlaceLink } from '../place-link.tsx';
import { builtCampaign } from './built-campaign.ts';
import styles from './edit.module.css';
import { NextPlace } from './next-place.tsx';
import { SaveNote, SaveTrouble } from './save-note.tsx';
import { StepContent } from './step-content.tsx';
import { StepLinks } from './step-links.tsx';
import type { EditPlace } from './steps.ts';
import { TryPanel } from './try-panel.tsx';
import { useDraft } from './use-draft.ts';

interface Props {
  readonly campaign: CampaignView;
  readonly settings: CampaignSettings;
  readonly place: EditPlace;
}

/** The frame around the steps: name, state, what is saved, the steps with their faults, and the trial. */
export function BuilderFrame({ campaign: view, settings, place }: Props) {
  const organisation = useOrganisation();
  const [campaign] = useState(() => builtCampaign(view, organisation.id, settings));
  const draft = useDraft(view, organisation.id);
  const { state, change } = draft;
  useEffect(() => {
    if (place !== 'review') change({ kind: 'open_step', step: place });
  }, [place, change]);
  const builder = useMemo((): Builder => {
    const file = fileOf(state);
    const context = {
      organisationId: organisation.id,
      now: new Date(),
      settings: campaign.settings,
      before: campaign.before,
    };
    const lock = {
      organisationId: organisation.id,
      nameOf: (id: number) => campaign.names.organisation?.(id) ?? 'the other side',
      live: view.live && { hasBegun: view.live.status !== 'SCHEDULED' },
    };
    return {
      campaign,
      state,
      change,
      type: campaignTypes.find((type) => type === file.type) ?? 'EARN',
      faults: allFaults(state, campaignFaults(file, context)),
      showsMissing: place === 'review',
      lockOf: (pointer) => lockOf(file, pointer, lock),
    };
  }, [state, change, campaign, organisation.id, view.live, place]);
  const name =
    typeof state.document.name === 'string' && state.document.name !== ''
      ? state.document.name
      : 'Campaign without a name';
  const hasTrial = place === 'flows';
  return (
    <BuilderProvider value={builder}>
      <Page
        title={name}
        above={<PlaceLink to="/$organisation/campaigns">Campaigns</PlaceLink>}
        beside={
          <>
            <StatusChip status={view.status} />
            <SaveNote save={draft.save} />
          </>
        }
        actions={
          place !== 'review' && (
            <ButtonLink
              look="primary"
              to="/$organisation/campaigns/$campaign/edit/$step"
              params={{ organisation: String(organisation.id), campaign: String(view.id), step: 'review' }}
            >
              Review and approve
            </ButtonLink>
          )
        }
      >
        <SaveTrouble draft={draft} />
        <ApprovalsAtStake view={view} />
        <div className={styles.builder} data-wide={!hasTrial}>
          <StepLinks campaign={view.id} />
          <div>
            <StepContent place={place} view={view} isSaved={draft.save.phase === 'clean'} />
            <NextPlace campaign={view.id} place={place} />
          </div>
          {hasTrial && <TryPanel />}
        </div>
      </Page>
    </BuilderProvider>
  );
}

/** Says before a change that it takes approvals away. */
function ApprovalsAtStake({ view }: { readonly view: CampaignView }) {
  const count = view.draft?.approvals.length ?? 0;
  if (count === 0) return null;
  return (
    <Banner tone="attention" title={`It has ${countText(count, 'approval')}`}>
      An approval is given to exactly this version. A change takes it away, and it has to be given again.
    </Banner>
  );
}
