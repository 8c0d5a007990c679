/**
 * What happens to the work of a person: when it is sent, and what became of it. Pure transitions without a clock; the
 * screen waits and sends.
 */

/** Who changed the draft meanwhile, and when. */
export interface Conflict {
  readonly revision: number;
  readonly by: string | null;
  readonly at: string | null;
}

export interface SaveState {
  /**
   * `clean`: everything is saved. `dirty`: changes wait to be sent. `sending`: a request is on its way. `offline`: the
   * server did not answer. `conflict`: another person changed the draft. `signed_out`: the session ended. `refused`: the
   * server refused the draft.
   */
  readonly phase: 'clean' | 'dirty' | 'sending' | 'offline' | 'conflict' | 'signed_out' | 'refused';
  /** The revision that the next change is based on. */
  readonly revision: number;
  /** Whether something changed after the last file was sent. */
  readonly isChangedSince: boolean;
  /** When the last file was saved; null before the first. */
  readonly savedAt: string | null;
  readonly conflict: Conflict | null;
  /** Why the server refused the draft. */
  readonly reason: string | null;
}

export type SaveEvent =
  | { readonly kind: 'changed' }
  | { readonly kind: 'sent' }
  | { readonly kind: 'saved'; readonly revision: number; readonly at: string }
  | { readonly kind: 'conflicted'; readonly conflict: Conflict }
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'reachable' }
  | { readonly kind: 'session_ended' }
  | { readonly kind: 'signed_in' }
  | { readonly kind: 'refused'; readonly reason: string }
  /** The person keeps the own work: it will replace the other person's. */
  | { readonly kind: 'kept_own' }
  /** The person takes the other person's work. */
  | { readonly kind: 'took_theirs'; readonly revision: number };

/** The state of a draft as it was read from the server. */
export const savedAt = (revision: number): SaveState => ({
  phase: 'clean',
  revision,
  isChangedSince: false,
  savedAt: null,
  conflict: null,
  reason: null,
});

/** Whether the screen should send the file after its pause. */
export const isDue = ({ phase }: SaveState): boolean => phase === 'dirty';

/** Whether work would be lost if the page closed now. */
export const isUnsaved = ({ phase }: SaveState): boolean => phase !== 'clean';

export function afterEvent(state: SaveState, event: SaveEvent): SaveState {
  switch (event.kind) {
    case 'changed':
      return afterChange(state);
    case 'sent':
      return { ...state, phase: 'sending', isChangedSince: false };
    case 'saved':
      return {
        ...savedAt(event.revision),
        phase: state.isChangedSince ? 'dirty' : 'clean',
        savedAt: event.at,
      };
    case 'conflicted':
      return { ...state, phase: 'conflict', conflict: event.conflict };
    case 'unreachable':
      return { ...state, phase: 'offline' };
    case 'reachable':
      return state.phase === 'offline' ? { ...state, phase: 'dirty' } : state;
    case 'session_ended':
      return { ...state, phase: 'signed_out' };
    case 'signed_in':
      return state.phase === 'signed_out' ? { ...state, phase: 'dirty' } : state;
    case 'refused':
      return { ...state, phase: state.isChangedSince ? 'dirty' : 'refused', reason: event.reason };
    case 'kept_own':
      return { ...state, phase: 'dirty', revision: state.conflict?.revision ?? state.revision, conflict: null };
    case 'took_theirs':
      return savedAt(event.revision);
  }
}

/** A change waits while the server cannot be reached, the session has ended, or another person's change is shown. */
function afterChange(state: SaveState): SaveState {
  switch (state.phase) {
    case 'clean':
    case 'dirty':
    case 'refused':
      return { ...state, phase: 'dirty', isChangedSince: true, reason: null };
    default:
      return { ...state, isChangedSince: true };
  }
}
