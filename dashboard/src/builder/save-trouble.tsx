import type { ReactNode } from 'react';
import { CampaignDocument } from '../../../shared/domain/campaign/document/campaign.ts';
import type { Json } from '../../../shared/domain/campaign/document/tree.ts';
import { differencesBetween } from '../../../shared/domain/campaign/words/differences.ts';
import { Banner } from '../parts/banner.tsx';
import { Button } from '../parts/button.tsx';
import { Diff } from '../parts/diff.tsx';
import { listText } from '../text/numbers.ts';
import { instantText } from '../text/times.ts';
import type { SaveState, ServerDraft } from './autosave.ts';
import { useBuilder } from './context.ts';
import { fileToSend } from './file-to-send.ts';
import type { DraftSnapshot, OpenDraft } from './open-draft.ts';
import { sentenceContextOf } from './sentence-context.ts';

interface Props {
  readonly draft: OpenDraft;
  readonly now: DraftSnapshot;
}

/** Why the work is not saved, in a sentence; null when nothing is in the way. */
export function troubleTitle({ phase, conflict, isOffline }: SaveState): string | null {
  switch (phase) {
    case 'conflict':
      return `${conflict?.by ?? 'Another person'} changed this draft meanwhile`;
    case 'unreachable':
      return isOffline ? 'There is no connection' : 'The server cannot save at the moment';
    case 'signed_out':
      return 'Your session has ended';
    case 'refused':
      return 'The draft could not be saved';
    default:
      return null;
  }
}

/** What the person has to know, decide or do before the work can be saved. */
export function SaveTrouble({ draft, now }: Props) {
  const { saving, isKept } = now;
  const title = troubleTitle(saving);
  const kept = isKept
    ? 'Your work is kept in this browser'
    : 'This browser cannot keep your work: leave this page open until it is saved';
  const trouble = (tone: 'attention' | 'fault', action: ReactNode, text: ReactNode) => (
    <Banner tone={tone} isAlert={false} title={title ?? ''} action={action}>
      {text}
    </Banner>
  );
  switch (saving.phase) {
    case 'conflict':
      return saving.conflict && <Choice draft={draft} now={now} theirs={saving.conflict} title={title ?? ''} />;
    case 'unreachable':
      return trouble(
        'attention',
        <Button onPress={draft.retry}>Try again</Button>,
        <p>{kept}. It is saved as soon as the server answers.</p>,
      );
    case 'signed_out':
      return trouble(
        'attention',
        <Button onPress={draft.retry}>Sign in again</Button>,
        <p>{kept}. Sign in again, and you come back to this place.</p>,
      );
    case 'refused':
      return trouble(
        'fault',
        <Button onPress={draft.retry}>Try again</Button>,
        <p>
          {saving.reason} {kept}.
        </p>,
      );
    default:
      if (!isKept) return <Banner tone="attention">{kept}.</Banner>;
      return <ApprovalsAtStake stored={saving.stored} />;
  }
}

/** Says before a change that it takes approvals away. */
function ApprovalsAtStake({ stored: { approvedBy } }: { readonly stored: ServerDraft }) {
  if (approvedBy.length === 0) return null;
  return (
    <Banner title={`${listText(approvedBy)} approved this draft`}>
      <p>A change takes {approvedBy.length === 1 ? 'this approval' : `these ${approvedBy.length} approvals`} away.</p>
    </Banner>
  );
}

interface ChoiceProps extends Props {
  readonly theirs: ServerDraft;
  readonly title: string;
}

/** Asks whose work counts, and shows both. */
function Choice({ draft, now: { builder, saving }, theirs, title }: ChoiceProps) {
  const { stored } = saving;
  const when = theirs.at === null ? '' : `, ${instantText(theirs.at, new Date())}`;
  return (
    <Banner
      tone="attention"
      isAlert={false}
      title={`${title}${when}`}
      action={
        <>
          <Button onPress={draft.takeTheirs}>Take theirs</Button>
          <Button onPress={draft.keepOwn}>Keep mine</Button>
        </>
      }
    >
      <p>{effectText(theirs, stored)}</p>
      <Changes title="Changed there" from={stored.document} to={theirs.document} />
      <Changes title="Changed by you" from={stored.document} to={fileToSend(builder, stored.document).document} />
    </Banner>
  );
}

function effectText(theirs: ServerDraft, stored: ServerDraft): string {
  const approved = theirs.approvedBy.filter((name) => !stored.approvedBy.includes(name));
  if (approved.length > 0) {
    return `${listText(approved)} approved it as it is there. “Keep mine” takes the approval away, and “Take theirs” drops your changes.`;
  }
  if (theirs.isRunning && !stored.isRunning) {
    return 'It was approved, and is not a draft any more. “Keep mine” begins the next version, and “Take theirs” drops your changes.';
  }
  return '“Keep mine” puts your changes on theirs: where both changed the same, yours counts. “Take theirs” drops yours.';
}

interface ChangesProps {
  readonly title: string;
  readonly from: Json;
  readonly to: Json;
}

/** What differs between two drafts, in words; nothing as long as one of them cannot be read. */
function Changes({ title, from, to }: ChangesProps) {
  const { campaign, type } = useBuilder();
  const [old, next] = [from, to].map((document) => CampaignDocument.safeParse(document).data);
  if (!old || !next) return null;
  const context = { ...sentenceContextOf(campaign, type), timeZone: campaign.timeZone };
  const changes = differencesBetween(old, next, context);
  if (changes.length === 0) return null;
  return (
    <section aria-label={title}>
      <p>{title}:</p>
      <Diff changes={changes} />
    </section>
  );
}
