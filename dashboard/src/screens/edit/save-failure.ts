import { ApiError } from '../../api/api-error.ts';
import type { CampaignView } from '../../api/types.ts';
import type { SaveEvent } from '../../builder/autosave.ts';
import { failureText } from '../../text/failure-text.ts';

/**
 * What a failed save means for the draft.
 *
 * @param load loads the campaign as it is now, to say who changed it
 */
export async function eventOfFailure(error: unknown, load: () => Promise<CampaignView>): Promise<SaveEvent> {
  if (!(error instanceof ApiError)) return { kind: 'refused', reason: failureText(error) };
  if (error.isConflict) return conflictOf(load);
  if (error.status === 401) return { kind: 'session_ended' };
  return error.isPassing ? { kind: 'unreachable' } : { kind: 'refused', reason: failureText(error) };
}

async function conflictOf(load: () => Promise<CampaignView>): Promise<SaveEvent> {
  try {
    const { revision, changed } = await load();
    const by = changed?.person ?? changed?.organisation.name ?? null;
    return { kind: 'conflicted', conflict: { revision, by, at: changed?.at ?? null } };
  } catch {
    return { kind: 'unreachable' };
  }
}
