import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import { isSame, type Json } from '../../../shared/domain/campaign/document/tree.ts';
import { afterEvent, type Conflict, isDue, type SaveState, savedAt } from './autosave.ts';
import { fileToSend } from './file-to-send.ts';
import { keepWork } from './kept-work.ts';
import type { BuilderAction } from './reducer.ts';
import type { BuilderState } from './state.ts';

/** What became of a file that was sent. */
export type SaveOutcome =
  | { readonly kind: 'saved'; readonly revision: number; readonly document: Json }
  | { readonly kind: 'conflicted'; readonly conflict: Conflict }
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'session_ended' }
  | { readonly kind: 'refused'; readonly reason: string };

/** Sends the draft, based on a revision. It never throws. */
export type Save = (document: Json, revision: number) => Promise<SaveOutcome>;

/** After this pause in typing the draft is saved. */
const pauseMs = 800;
/** How long a browser waits before it tries a silent server again. */
const retryMs = 5_000;

interface Options {
  readonly campaign: number;
  readonly revision: number;
  /** The document as the server has it. */
  readonly stored: Json;
  readonly state: BuilderState;
  readonly dispatch: (action: BuilderAction) => void;
  readonly save: Save;
}

export interface Autosave {
  readonly state: SaveState;
  /** The document as the server has it now. */
  readonly stored: Json;
  /** Whether the browser has something that the server cannot keep yet. */
  readonly isPartial: boolean;
  /** Says that the person changed something. */
  readonly changed: () => void;
  /** Sends now, without the pause. */
  readonly retry: () => void;
  readonly keepOwn: () => void;
}

/** Saves the draft after each pause, and keeps in the browser what the server cannot keep yet. */
export function useAutosave({ campaign, revision, stored, state, dispatch, save }: Options): Autosave {
  const [saving, event] = useReducer(afterEvent, revision, savedAt);
  const [storedNow, setStored] = useState(stored);
  const isPartial = useMemo(() => fileToSend(state, storedNow).isPartial, [state, storedNow]);
  const latest = useRef(state);
  latest.current = state;

  const send = useCallback(async () => {
    const { document, keys } = fileToSend(latest.current, storedNow);
    const at = () => new Date().toISOString();
    if (isSame(document, storedNow)) return event({ kind: 'saved', revision: saving.revision, at: at() });
    event({ kind: 'sent' });
    const outcome = await save(document, saving.revision);
    if (outcome.kind !== 'saved') return event(outcome);
    setStored(outcome.document);
    dispatch({ kind: 'adopt', sent: { keys }, saved: outcome.document });
    event({ kind: 'saved', revision: outcome.revision, at: at() });
  }, [saving.revision, storedNow, save, dispatch]);

  useEffect(() => {
    if (!isDue(saving)) return;
    // Every change of the state begins the pause again.
    const timer = setTimeout(send, pauseMs, state);
    return () => clearTimeout(timer);
  }, [saving, send, state]);

  useEffect(() => {
    if (saving.phase !== 'offline') return;
    const again = () => event({ kind: 'reachable' });
    const timer = setTimeout(again, retryMs);
    window.addEventListener('online', again);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('online', again);
    };
  }, [saving.phase]);

  useEffect(() => {
    const isWhole = saving.phase === 'clean' && !isPartial;
    keepWork({ campaign, revision: saving.revision }, isWhole ? null : state);
  }, [campaign, saving.phase, saving.revision, state, isPartial]);

  return {
    state: saving,
    stored: storedNow,
    isPartial,
    changed: useCallback(() => event({ kind: 'changed' }), []),
    retry: useCallback(() => event({ kind: saving.phase === 'offline' ? 'reachable' : 'signed_in' }), [saving.phase]),
    keepOwn: useCallback(() => event({ kind: 'kept_own' }), []),
  };
}
