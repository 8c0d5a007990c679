import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import { campaignFaults } from '../../../shared/domain/campaign/authoring/read-document.ts';
import { CampaignDocument } from '../../../shared/domain/campaign/document/campaign.ts';
import { firstFreeId, type Json } from '../../../shared/domain/campaign/document/tree.ts';
import { Page } from '../parts/page.tsx';
import styles from './builder.module.css';
import { BuilderProvider, type BuiltCampaign, type MakeEvent } from './context.ts';
import { DetailsStep } from './details-step.tsx';
import { FlowsStep } from './flows-step.tsx';
import { type FocusTarget, targetAfter, useFocusAt } from './focus.ts';
import { GoalsStep } from './goals-step.tsx';
import { lockOf } from './locks.ts';
import type { DraftOptions } from './open-draft.ts';
import type { Pointer } from './pointer.ts';
import type { BuilderAction } from './reducer.ts';
import { ReviewStep } from './review-step.tsx';
import { SaveStatus } from './save-status.tsx';
import { SaveTrouble } from './save-trouble.tsx';
import { ScheduleStep } from './schedule-step.tsx';
import { typeOf } from './starting.ts';
import type { BuilderPlace } from './state.ts';
import { StepList } from './step-list.tsx';
import { allFaults, stepOf, stepStatuses } from './step-status.ts';
import { TryPanel } from './try-panel.tsx';
import { useOpenDraft } from './use-open-draft.ts';

interface Props {
  readonly campaign: BuiltCampaign;
  /** The draft, and how it is saved. */
  readonly work: DraftOptions;
  readonly place: BuilderPlace;
  /** The field to begin at. */
  readonly field?: Pointer | undefined;
  /** Absent for a person who may not make events. */
  readonly makeEvent: MakeEvent | undefined;
  /** A link to a place of the builder, with what is in it. */
  readonly linkTo: (
    to: { readonly place: BuilderPlace; readonly field?: Pointer },
    content: ReactNode,
    className?: string,
  ) => ReactNode;
  /** The places above the builder. */
  readonly above: ReactNode;
  /** What the person has to know before a change. */
  readonly notice: ReactNode;
  readonly state: ReactNode;
  readonly actions: ReactNode;
  readonly differences: ReactNode;
  readonly acts: ReactNode;
}

/** The builder of a campaign: four steps in any order, the review, and what the draft would give. */
export function CampaignBuilder(props: Props) {
  const { campaign: opened, work, place, field, linkTo } = props;
  const { draft, now } = useOpenDraft(work);
  const { builder: state, saving } = now;
  const [openedAt] = useState(() => new Date());
  const type = typeOf(state.document);

  const [focus, setFocus] = useState<FocusTarget>();
  const change = useCallback(
    (action: BuilderAction) => {
      setFocus(targetAfter(action, draft.snapshot().builder.document));
      draft.change(action);
    },
    [draft],
  );
  const campaign = useMemo(() => asStored(opened, saving.stored.document), [opened, saving.stored]);
  const { organisationId, settings, before } = campaign;
  const found = useMemo(
    () => campaignFaults(state.document, { organisationId, settings, before, now: openedAt }),
    [state.document, organisationId, settings, before, openedAt],
  );
  const faults = useMemo(() => allFaults(state, found), [state, found]);
  const lock = useMemo(() => locksOf(campaign, openedAt), [campaign, openedAt]);
  const [isAsked, setAsked] = useState(false);

  useEffect(() => {
    if (place === 'review') setAsked(true);
    else draft.change({ kind: 'open_step', step: place });
  }, [place, draft]);
  useEffect(() => setFocus(field === undefined ? undefined : { pointer: field, prefersEmpty: false }), [field]);
  useFocusAt(focus);

  const builder = {
    ...{ campaign, state, type, faults, change, makeEvent: props.makeEvent },
    showsMissing: isAsked || field !== undefined,
    lockOf: (pointer: Pointer) => lockOf(state.document, pointer, lock),
  };
  const name = typeof state.document.name === 'string' ? state.document.name : '';
  return (
    <BuilderProvider value={builder}>
      <Page
        title={name === '' ? 'New campaign' : name}
        above={props.above}
        beside={
          <>
            {props.state}
            <SaveStatus now={now} />
          </>
        }
        actions={props.actions}
      >
        {props.notice}
        <SaveTrouble draft={draft} now={now} />
        <div className={styles.layout}>
          <StepList place={place} statuses={stepStatuses(state, found)} linkTo={linkTo} />
          <div id="at">
            <StepContent {...props} />
          </div>
          <TryPanel document={state.document} campaign={campaign} type={type} />
        </div>
      </Page>
    </BuilderProvider>
  );
}

function StepContent({ place, linkTo, differences, acts }: Props) {
  switch (place) {
    case 'details':
      return <DetailsStep />;
    case 'schedule':
      return <ScheduleStep />;
    case 'flows':
      return <FlowsStep />;
    case 'goals':
      return <GoalsStep />;
    case 'review':
      return (
        <ReviewStep
          linkTo={(pointer, text) => linkTo({ place: stepOf(pointer), field: pointer }, text)}
          differences={differences}
          acts={acts}
        />
      );
  }
}

/** The campaign as the server has it after the last save: new parts have ids then. */
function asStored(campaign: BuiltCampaign, stored: Json): BuiltCampaign {
  const { data: document } = CampaignDocument.safeParse(stored);
  if (!document) return campaign;
  const live = campaign.before?.live ?? null;
  return { ...campaign, before: { document, live, nextPartId: firstFreeId(stored) } };
}

function locksOf({ organisationId, names, before }: BuiltCampaign, now: Date) {
  const live = before?.live ?? null;
  const hasBegun = live !== null && (live.status !== 'SCHEDULED' || Date.parse(live.startsAt) <= now.getTime());
  return {
    organisationId,
    nameOf: (id: number) => names.organisation?.(id) ?? `organisation ${id}`,
    live: live && { hasBegun },
  };
}
