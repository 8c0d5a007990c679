import { useEffect, useState, useSyncExternalStore } from 'react';
import { type DraftOptions, type DraftSnapshot, OpenDraft } from './open-draft.ts';

/** The drafts of this window that are on the screen, or not saved yet. */
const drafts = new Map<string, OpenDraft>();
const shown = new Set<OpenDraft>();

/**
 * The work on a draft. It outlives the screen until the server has all of it, so the way back and forth in the history
 * loses nothing.
 */
export function useOpenDraft(options: DraftOptions): { readonly draft: OpenDraft; readonly now: DraftSnapshot } {
  const key = JSON.stringify(options.place);
  const [draft] = useState(() => drafts.get(key) ?? open(key, options));
  const { server } = options;
  useEffect(() => {
    drafts.set(key, draft);
    shown.add(draft);
    return () => {
      shown.delete(draft);
      draft.flush();
      forgetSaved();
    };
  }, [key, draft]);
  useEffect(() => draft.seen(server), [draft, server]);
  return { draft, now: useSyncExternalStore(draft.subscribe, draft.snapshot) };
}

function open(key: string, options: DraftOptions): OpenDraft {
  watchPage();
  const draft = new OpenDraft(options);
  drafts.set(key, draft);
  draft.subscribe(forgetSaved);
  return draft;
}

/** Work that is not on the screen is forgotten when it is saved, or when the browser keeps what cannot be saved yet. */
function forgetSaved(): void {
  for (const [key, draft] of drafts) {
    if (!shown.has(draft) && draft.isSafe && draft.snapshot().saving.phase === 'clean') drafts.delete(key);
  }
}

let isWatching = false;

/** Saves when the network is back, and when the person leaves the page. Warns when the work would be lost. */
function watchPage(): void {
  if (isWatching) return;
  isWatching = true;
  const flush = () => {
    for (const draft of drafts.values()) draft.flush();
  };
  addEventListener('online', () => {
    for (const draft of drafts.values()) if (draft.snapshot().saving.phase === 'unreachable') draft.retry();
  });
  addEventListener('pagehide', flush);
  document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && flush());
  addEventListener('beforeunload', (event) => {
    if ([...drafts.values()].some(({ isSafe }) => !isSafe)) event.preventDefault();
  });
}
