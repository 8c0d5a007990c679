import { isObject, type Json } from '../../../../shared/domain/campaign/document/tree.ts';
import type { CampaignView } from '../../api/types.ts';
import { afterEvent, type SaveState, savedAt } from '../../builder/autosave.ts';
import { type BuilderState, continueWork, openFile } from '../../builder/state.ts';
import { findWork } from './kept-work.ts';

/** The document that the server has: the next version, otherwise the running one. */
export function storedDocument({ draft, live }: CampaignView): Json {
  const document = draft?.document ?? live?.document;
  return isObject(document) ? document : {};
}

/**
 * Begins with the work that this browser kept, otherwise with the server's document. Kept work that is based on an older
 * revision is a conflict: the person decides.
 */
export function beginDraft(campaign: CampaignView): { readonly state: BuilderState; readonly save: SaveState } {
  const { id, revision, changed } = campaign;
  const kept = findWork(id);
  if (kept === null) return { state: openFile(storedDocument(campaign)), save: savedAt(revision) };
  const dirty = afterEvent(savedAt(kept.revision), { kind: 'changed' });
  const conflict = { revision, by: changed?.person ?? changed?.organisation.name ?? null, at: changed?.at ?? null };
  const save = kept.revision === revision ? dirty : afterEvent(dirty, { kind: 'conflicted', conflict });
  return { state: continueWork(kept.work), save };
}
