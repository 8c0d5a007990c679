import { isSame } from '../../../shared/domain/campaign/document/tree.ts';
import {
  afterEvent,
  reconcile,
  type SaveEvent,
  type SaveState,
  type ServerDraft,
  savedAt,
  sendAfterMs,
} from './autosave.ts';
import { fileToSend } from './file-to-send.ts';
import { type KeptDraft, type KeptPlace, keepDraft } from './kept-work.ts';
import { mergeChanges } from './merge.ts';
import { type BuilderAction, reduce } from './reducer.ts';
import { type BuilderState, openFile, withKeys } from './state.ts';

/** What became of a file that was sent. */
export type SaveOutcome =
  | { readonly kind: 'saved'; readonly stored: ServerDraft }
  /** The campaign was changed after the revision that the file is based on. */
  | { readonly kind: 'changed'; readonly theirs: ServerDraft }
  | { readonly kind: 'unreachable'; readonly isOffline: boolean }
  | { readonly kind: 'session_ended' }
  | { readonly kind: 'refused'; readonly reason: string };

/** Sends the draft, based on a revision. It never throws. */
export type Save = (document: ServerDraft['document'], revision: number) => Promise<SaveOutcome>;

/** The work on a draft at one moment. */
export interface DraftSnapshot {
  readonly builder: BuilderState;
  readonly saving: SaveState;
  /** Whether the builder has something that the server cannot keep yet. */
  readonly isPartial: boolean;
  /** Whether the browser keeps what the server does not have. */
  readonly isKept: boolean;
}

export interface DraftOptions {
  readonly place: KeptPlace;
  readonly server: ServerDraft;
  /** Work that this browser kept; null without any. */
  readonly kept: KeptDraft | null;
  readonly save: Save;
  /** Tells the person what happened without a choice. */
  readonly tell: (text: string) => void;
}

/**
 * The work of this window on a draft. It saves after each pause in typing, and keeps in the browser what the server does
 * not have. It lives until everything is saved, also when the person went to another screen meanwhile.
 */
export class OpenDraft {
  readonly #options: DraftOptions;
  readonly #listeners = new Set<() => void>();
  #snapshot: DraftSnapshot;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: DraftOptions) {
    this.#options = options;
    const { server, kept } = options;
    this.#snapshot = {
      builder: kept ? withKeys(kept.work) : openFile(server.document),
      saving: kept ? { ...savedAt(kept.stored), unanswered: kept.unanswered } : savedAt(server),
      isPartial: false,
      isKept: true,
    };
    if (kept) this.#continue(server);
  }

  readonly snapshot = (): DraftSnapshot => this.#snapshot;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Whether the server has everything. */
  get isWhole(): boolean {
    return this.#snapshot.saving.phase === 'clean' && !this.#snapshot.isPartial;
  }

  /** Whether the page may end without a loss. */
  get isSafe(): boolean {
    return this.isWhole || this.#snapshot.isKept;
  }

  /** A change of the person. */
  readonly change = (action: BuilderAction): void => {
    const event: SaveEvent[] = action.kind === 'open_step' ? [] : [{ kind: 'changed' }];
    this.#update(reduce(this.#snapshot.builder, action), ...event);
  };

  /** Tries again now, without a pause. */
  readonly retry = (): void => {
    this.#update(this.#snapshot.builder, { kind: 'retried' });
    this.flush();
  };

  /** Puts the own changes on what the server has, and saves that. */
  readonly keepOwn = (): void => {
    const { conflict } = this.#snapshot.saving;
    if (conflict) this.#rebase(mergeChanges(this.#snapshot.builder, this.#documents(conflict)), conflict);
    this.flush();
  };

  /** Forgets the own changes, and shows what the server has. */
  readonly takeTheirs = (): void => {
    const { builder, saving } = this.#snapshot;
    if (!saving.conflict) return;
    const { document } = saving.conflict;
    this.#rebase(reduce(builder, { kind: 'replace', document }), saving.conflict);
  };

  /** Sends what waits for the end of a pause. */
  flush(): void {
    if (this.#snapshot.saving.phase === 'dirty') void this.#send();
  }

  /** The campaign was loaded again: the server may have a later draft. */
  seen(server: ServerDraft): void {
    const { stored, phase, conflict } = this.#snapshot.saving;
    if (server.revision <= (conflict ?? stored).revision || phase === 'sending') return;
    const wasWhole = this.isWhole;
    const isOther = !isSame(server.document, stored.document);
    this.#meet(server);
    if (wasWhole && isOther)
      this.#options.tell(`${server.by ?? 'Another person'} changed this draft. You see it as it is now.`);
  }

  #continue(server: ServerDraft): void {
    const { builder, saving } = this.#snapshot;
    if (server.revision === saving.stored.revision) this.#rebase(builder, server);
    else this.#meet(server);
    if (!this.isWhole) this.#options.tell('What you typed before is here again.');
  }

  #meet(theirs: ServerDraft): void {
    const { builder, saving } = this.#snapshot;
    const mine = fileToSend(builder, saving.stored.document);
    const found = reconcile(saving, mine, theirs);
    if (found.kind === 'conflict') {
      this.#update(builder, { kind: 'conflicted', conflict: theirs });
      return;
    }
    const merged =
      found.kind === 'own'
        ? reduce(builder, { kind: 'adopt', sent: found.file, saved: theirs.document })
        : mergeChanges(builder, this.#documents(theirs));
    this.#rebase(merged, theirs);
  }

  #documents(theirs: ServerDraft) {
    return { base: this.#snapshot.saving.stored.document, theirs: theirs.document };
  }

  #rebase(builder: BuilderState, stored: ServerDraft): void {
    const isWhole = isSame(fileToSend(builder, stored.document).document, stored.document);
    this.#update(builder, { kind: 'rebased', stored, isWhole });
  }

  async #send(): Promise<void> {
    clearTimeout(this.#timer);
    const { builder, saving } = this.#snapshot;
    const file = fileToSend(builder, saving.stored.document);
    if (isSame(file.document, saving.stored.document)) {
      this.#update(builder, { kind: 'rebased', stored: saving.stored, isWhole: true });
      return;
    }
    this.#update(builder, { kind: 'sent', file });
    const outcome = await this.#options.save(file.document, saving.stored.revision);
    const now = this.#snapshot.builder;
    if (outcome.kind === 'changed') this.#meet(outcome.theirs);
    else if (outcome.kind !== 'saved') this.#update(now, outcome);
    else {
      const adopted = reduce(now, { kind: 'adopt', sent: file, saved: outcome.stored.document });
      this.#update(adopted, { ...outcome, at: new Date().toISOString() });
    }
  }

  #update(builder: BuilderState, ...events: readonly SaveEvent[]): void {
    const saving = events.reduce(afterEvent, this.#snapshot.saving);
    const isPartial =
      builder === this.#snapshot.builder && saving.stored === this.#snapshot.saving.stored
        ? this.#snapshot.isPartial
        : fileToSend(builder, saving.stored.document).isPartial;
    this.#snapshot = { ...this.#snapshot, builder, saving, isPartial };
    this.#snapshot = { ...this.#snapshot, isKept: this.#keep() };
    this.#wait();
    for (const listener of this.#listeners) listener();
  }

  #keep(): boolean {
    const { builder, saving } = this.#snapshot;
    const { stored, unanswered } = saving;
    const keptAt = new Date().toISOString();
    return keepDraft(this.#options.place, this.isWhole ? null : { work: builder, stored, unanswered, keptAt });
  }

  #wait(): void {
    clearTimeout(this.#timer);
    const waitMs = sendAfterMs(this.#snapshot.saving);
    if (waitMs !== undefined) this.#timer = setTimeout(() => this.#send(), waitMs);
  }
}
