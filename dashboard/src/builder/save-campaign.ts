import { isObject } from '../../../shared/domain/campaign/document/tree.ts';
import { ApiError } from '../api/api-error.ts';
import { findCampaign, saveDraft } from '../api/campaigns.ts';
import type { CampaignView } from '../api/types.ts';
import type { Save, SaveOutcome } from './use-autosave.ts';

interface Target {
  readonly organisation: number;
  readonly id: number;
}

/**
 * Saves drafts of a campaign on the server.
 *
 * @param onSaved receives the campaign as it is after each save
 */
export const saverOf =
  (target: Target, onSaved: (view: CampaignView) => void): Save =>
  async (document, revision) => {
    try {
      const view = await saveDraft({ ...target, revision }, document);
      onSaved(view);
      const saved = view.draft?.document;
      return { kind: 'saved', revision: view.revision, document: isObject(saved) ? saved : document };
    } catch (error) {
      if (error instanceof ApiError) return outcomeOf(error, target);
      return { kind: 'refused', reason: error instanceof Error ? error.message : String(error) };
    }
  };

async function outcomeOf(
  { status, isConflict, isPassing, message, faults }: ApiError,
  target: Target,
): Promise<SaveOutcome> {
  if (isConflict) return conflictOf(target);
  if (status === 401) return { kind: 'session_ended' };
  if (isPassing) return { kind: 'unreachable' };
  return { kind: 'refused', reason: faults[0] ? `${faults[0].pointer} ${faults[0].message}` : message };
}

/** Asks who changed the campaign meanwhile. */
async function conflictOf({ organisation, id }: Target): Promise<SaveOutcome> {
  try {
    const { revision, changed } = await findCampaign(organisation, id);
    const by = changed?.person ?? changed?.organisation.name ?? null;
    return { kind: 'conflicted', conflict: { revision, by, at: changed?.at ?? null } };
  } catch {
    return { kind: 'unreachable' };
  }
}
