import { ApiError } from '../api/api-error.ts';
import { findCampaign, saveDraft } from '../api/campaigns.ts';
import type { CampaignView, Session } from '../api/types.ts';
import { failureText } from '../text/failure-text.ts';
import type { Save, SaveOutcome } from './open-draft.ts';
import { serverDraft } from './server-draft.ts';

interface Target {
  readonly organisation: number;
  readonly id: number;
  /** Who saves. */
  readonly person: Session['person'];
}

type OnSeen = (view: CampaignView) => void;

/**
 * Saves drafts of a campaign on the server.
 *
 * @param onSeen receives the campaign as it is after each save, or after the change of another person
 */
export const saverOf =
  (target: Target, onSeen: OnSeen): Save =>
  async (document, revision) => {
    try {
      const view = await saveDraft({ ...target, revision }, document);
      onSeen(view);
      return { kind: 'saved', stored: serverDraft(view, target.person) };
    } catch (error) {
      const isChanged = error instanceof ApiError && error.isConflict;
      return isChanged ? findChange(target, onSeen) : outcomeOf(error);
    }
  };

function outcomeOf(error: unknown): SaveOutcome {
  if (!(error instanceof ApiError)) return { kind: 'refused', reason: failureText(error) };
  if (error.status === 401) return { kind: 'session_ended' };
  if (error.isPassing) return { kind: 'unreachable', isOffline: error.isOffline };
  const [fault] = error.faults;
  return { kind: 'refused', reason: fault ? `${fault.pointer} ${fault.message}` : failureText(error) };
}

/** Loads the campaign that was changed meanwhile. */
async function findChange({ organisation, id, person }: Target, onSeen: OnSeen): Promise<SaveOutcome> {
  try {
    const view = await findCampaign(organisation, id);
    onSeen(view);
    return { kind: 'changed', theirs: serverDraft(view, person) };
  } catch (error) {
    return outcomeOf(error);
  }
}
