import { includesAll, isSame, type Json } from '../../../shared/domain/campaign/document/tree.ts';
import type { FileToSend } from './file-to-send.ts';

/**
 * What happens to the work of a person: when it is sent, and what became of it. Pure transitions without a clock;
 * {@link OpenDraft} waits and sends.
 */

/** The draft as the server has it. */
export interface ServerDraft {
  readonly revision: number;
  readonly document: Json;
  /** Who changed the campaign last, and when. */
  readonly by: string | null;
  readonly at: string | null;
  /** The organisations whose approvals a change would take away. */
  readonly approvedBy: readonly string[];
  /** Whether it runs: a change would begin the next version. */
  readonly isRunning: boolean;
}

/** A file on its way to the server. Its keys find the parts to which the server gives ids. */
export type SentFile = Pick<FileToSend, 'document' | 'keys'>;

export interface SaveState {
  /**
   * `clean`: everything is saved. `dirty`: changes wait to be sent. `sending`: a request is on its way. `unreachable`:
   * there was no answer, or one that may be better a little later. `conflict`: the campaign was changed elsewhere.
   * `signed_out`: the session ended. `refused`: the server refused the draft.
   */
  readonly phase: 'clean' | 'dirty' | 'sending' | 'unreachable' | 'conflict' | 'signed_out' | 'refused';
  /** The draft on which the work is based. */
  readonly stored: ServerDraft;
  /** The files that were sent without an answer, the latest last: the server may have them. */
  readonly unanswered: readonly SentFile[];
  /** Whether something changed after the last file was sent. */
  readonly isChangedSince: boolean;
  /** When the last file was saved; null before the first. */
  readonly savedAt: string | null;
  /** What the server has, while the person has to choose. */
  readonly conflict: ServerDraft | null;
  /** Why the server refused the draft. */
  readonly reason: string | null;
  /** Whether there was no network at the last attempt. */
  readonly isOffline: boolean;
  /** Attempts without success, one after the other. */
  readonly failures: number;
}

export type SaveEvent =
  | { readonly kind: 'changed' }
  | { readonly kind: 'sent'; readonly file: SentFile }
  | { readonly kind: 'saved'; readonly stored: ServerDraft; readonly at: string }
  /** The work is based on a later draft now. `isWhole`: that draft has all of it. */
  | { readonly kind: 'rebased'; readonly stored: ServerDraft; readonly isWhole: boolean }
  | { readonly kind: 'conflicted'; readonly conflict: ServerDraft }
  | { readonly kind: 'unreachable'; readonly isOffline: boolean }
  | { readonly kind: 'session_ended' }
  | { readonly kind: 'refused'; readonly reason: string }
  /** The person, or the network, asks for another attempt. */
  | { readonly kind: 'retried' };

/** More files than these need not be remembered: each was sent after a pause of some seconds at least. */
const maximumUnanswered = 5;

/** The state of a draft as it was read from the server. */
export const savedAt = (stored: ServerDraft): SaveState => ({
  phase: 'clean',
  stored,
  unanswered: [],
  isChangedSince: false,
  savedAt: null,
  conflict: null,
  reason: null,
  isOffline: false,
  failures: 0,
});

export function afterEvent(state: SaveState, event: SaveEvent): SaveState {
  switch (event.kind) {
    case 'changed':
      return afterChange(state);
    case 'sent':
      return { ...state, phase: 'sending', isChangedSince: false, unanswered: withFile(state.unanswered, event.file) };
    case 'saved':
      return { ...savedAt(event.stored), phase: state.isChangedSince ? 'dirty' : 'clean', savedAt: event.at };
    case 'rebased':
      return afterRebase(state, event);
    case 'conflicted':
      return { ...state, phase: 'conflict', conflict: event.conflict };
    case 'unreachable':
      return { ...state, phase: 'unreachable', isOffline: event.isOffline, failures: state.failures + 1 };
    case 'session_ended':
      return { ...state, phase: 'signed_out' };
    case 'refused':
      return { ...state, phase: state.isChangedSince ? 'dirty' : 'refused', reason: event.reason, unanswered: [] };
    case 'retried':
      return ['unreachable', 'signed_out', 'refused'].includes(state.phase) ? { ...state, phase: 'dirty' } : state;
  }
}

/** A file that was sent before a reload may still arrive, as long as the server has the draft from before it. */
function afterRebase(
  { unanswered, savedAt: at, stored: before }: SaveState,
  { stored, isWhole }: Extract<SaveEvent, { readonly kind: 'rebased' }>,
): SaveState {
  const isSameDraft = stored.revision === before.revision;
  const phase = isWhole ? 'clean' : 'dirty';
  return { ...savedAt(stored), phase, savedAt: at, unanswered: isSameDraft ? unanswered : [] };
}

/** A change waits while the server cannot be reached, the session has ended, or the person has to choose. */
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

const withFile = (files: readonly SentFile[], file: SentFile) =>
  [...files.filter(({ document }) => !isSame(document, file.document)), file].slice(-maximumUnanswered);

const pauseMs = 800;
const firstRetryMs = 5_000;
const longestRetryMs = 60_000;

/** After how many milliseconds the draft is sent; undefined when something else has to happen first. */
export function sendAfterMs({ phase, failures }: SaveState): number | undefined {
  if (phase === 'dirty') return pauseMs;
  return phase === 'unreachable' ? Math.min(firstRetryMs * 2 ** (failures - 1), longestRetryMs) : undefined;
}

/** How the own work stands to a later draft of the server. */
export type Reconciliation =
  /** The server has a file that was sent and whose answer was lost. */
  | { readonly kind: 'own'; readonly file: SentFile }
  /** Nothing is lost when the own changes are put on the later draft. */
  | { readonly kind: 'apart' }
  | { readonly kind: 'conflict' };

/** @param mine the own work, as it would be sent */
export function reconcile(
  { stored, unanswered }: Pick<SaveState, 'stored' | 'unanswered'>,
  mine: SentFile,
  theirs: ServerDraft,
): Reconciliation {
  const file = [mine, ...unanswered].find(({ document }) => isAsSent(document, theirs.document));
  if (file) return { kind: 'own', file };
  if (isSame(mine.document, stored.document)) return { kind: 'apart' };
  const isSameDraft = isSame(theirs.document, stored.document) && theirs.isRunning === stored.isRunning;
  const takesApproval = theirs.approvedBy.some((name) => !stored.approvedBy.includes(name));
  return { kind: isSameDraft && !takesApproval ? 'apart' : 'conflict' };
}

/** Whether a draft is a sent file, to which the server has added ids, owners, and a start that the file left open. */
function isAsSent({ startsAt, ...sent }: Json, saved: Json): boolean {
  return includesAll(saved, typeof startsAt === 'string' ? { ...sent, startsAt } : sent);
}
