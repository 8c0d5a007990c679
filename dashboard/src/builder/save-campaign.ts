import { isObject } from '../../../shared/domain/campaign/document/tree.ts';
import { ApiError } from '../api/api-error.ts';
import { saveDraft } from '../api/campaigns.ts';
import type { Save, SaveOutcome } from './use-autosave.ts';

/** Saves drafts of a campaign on the server. */
export const saverOf =
  (organisation: number, id: number): Save =>
  async (document, revision) => {
    try {
      const view = await saveDraft({ organisation, id, revision }, document);
      const saved = view.draft?.document;
      return { kind: 'saved', revision: view.revision, document: isObject(saved) ? saved : document };
    } catch (error) {
      if (error instanceof ApiError) return outcomeOf(error);
      return { kind: 'refused', reason: error instanceof Error ? error.message : String(error) };
    }
  };

function outcomeOf({ status, isConflict, isPassing, message, body, faults }: ApiError): SaveOutcome {
  if (isConflict) {
    const { revision, who, at } = body;
    return {
      kind: 'conflicted',
      conflict: { revision: Number(revision ?? 0), by: textOf(who), at: textOf(at) },
    };
  }
  if (status === 401) return { kind: 'session_ended' };
  if (isPassing) return { kind: 'unreachable' };
  return { kind: 'refused', reason: faults[0] ? `${faults[0].pointer} ${faults[0].message}` : message };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : null);
