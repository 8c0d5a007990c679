import { useSyncExternalStore } from 'react';

let latest = '';
const listeners = new Set<() => void>();

/** Has screen readers say what happened, such as "Saved" or "Campaign approved". */
export function announce(message: string): void {
  // The same text twice is only read twice when the text of the region changes.
  latest = message === latest ? `${message}\u00A0` : message;
  for (const listener of listeners) listener();
}

/** The message that was announced last; empty before the first. */
export function useAnnouncement(): string {
  return useSyncExternalStore(subscribe, () => latest);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
