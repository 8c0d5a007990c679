import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useReducer, useRef } from 'react';
import type { Json } from '../../../../shared/domain/campaign/document/tree.ts';
import { campaignQuery, saveDraft } from '../../api/campaigns.ts';
import type { CampaignView } from '../../api/types.ts';
import { afterEvent, isDue, type SaveEvent, type SaveState } from '../../builder/autosave.ts';
import { fileToSend } from '../../builder/file-to-send.ts';
import { type BuilderAction, reduce } from '../../builder/reducer.ts';
import { type BuilderState, workOf } from '../../builder/state.ts';
import { beginDraft, storedDocument } from './begin-draft.ts';
import { dropWork, keepWork } from './kept-work.ts';
import { eventOfFailure } from './save-failure.ts';

/** The pause after the last change before the draft is sent. */
const pauseMs = 800;
/** The pause before the server is asked again after it did not answer. */
const retryMs = 5_000;

/** A draft on the screen, and what became of it on the server. */
export interface Draft {
  readonly state: BuilderState;
  readonly save: SaveState;
  readonly change: (action: BuilderAction) => void;
  readonly tell: (event: SaveEvent) => void;
  /** Throws the own work away, and continues with the server's. */
  readonly takeTheirs: () => Promise<void>;
}

/** Edits a campaign. Each change is kept in the browser at once, and sent to the server after a pause. */
export function useDraft(campaign: CampaignView, organisation: number): Draft {
  const queryClient = useQueryClient();
  const begun = useRef(beginDraft(campaign));
  const [state, act] = useReducer(reduce, begun.current.state);
  const [save, tell] = useReducer(afterEvent, begun.current.save);
  const stored = useRef<Json>(storedDocument(campaign));
  const { id } = campaign;

  const change = useCallback((action: BuilderAction) => {
    act(action);
    if (action.kind !== 'open_step') tell({ kind: 'changed' });
  }, []);

  useEffect(() => {
    if (save.phase !== 'clean') keepWork(id, { revision: save.revision, work: workOf(state) });
  }, [id, state, save]);

  const send = useCallback(async () => {
    const sent = fileToSend(state, stored.current);
    const settle = (revision: number) => {
      if (!sent.isPartial) dropWork(id);
      tell({ kind: 'saved', revision, at: new Date().toISOString() });
    };
    tell({ kind: 'sent' });
    if (JSON.stringify(sent.document) === JSON.stringify(stored.current)) return settle(save.revision);
    try {
      const saved = await saveDraft({ organisation, id, revision: save.revision }, sent.document);
      stored.current = storedDocument(saved);
      queryClient.setQueryData(campaignQuery(organisation, id).queryKey, saved);
      queryClient.invalidateQueries({ queryKey: ['campaigns', organisation] });
      act({ kind: 'adopt', sent: { keys: sent.keys }, saved: stored.current });
      settle(saved.revision);
    } catch (error) {
      tell(
        await eventOfFailure(error, () => queryClient.fetchQuery({ ...campaignQuery(organisation, id), staleTime: 0 })),
      );
    }
  }, [state, save.revision, organisation, id, queryClient]);

  useEffect(() => {
    if (!isDue(save)) return;
    const timer = setTimeout(send, pauseMs);
    return () => clearTimeout(timer);
  }, [save, send]);

  useEffect(() => {
    if (save.phase !== 'offline') return;
    const tryAgain = () => tell({ kind: 'reachable' });
    const timer = setTimeout(tryAgain, retryMs);
    addEventListener('online', tryAgain);
    return () => {
      clearTimeout(timer);
      removeEventListener('online', tryAgain);
    };
  }, [save.phase]);

  const takeTheirs = useCallback(async () => {
    const theirs = await queryClient.fetchQuery({ ...campaignQuery(organisation, id), staleTime: 0 });
    dropWork(id);
    stored.current = storedDocument(theirs);
    act({ kind: 'replace', document: stored.current });
    tell({ kind: 'took_theirs', revision: theirs.revision });
  }, [organisation, id, queryClient]);

  return { state, save, change, tell, takeTheirs };
}
