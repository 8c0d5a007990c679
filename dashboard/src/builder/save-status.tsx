import { useEffect } from 'react';
import { announce } from '../parts/announce.ts';
import { instantText } from '../text/times.ts';
import type { SaveState } from './autosave.ts';
import styles from './builder.module.css';
import type { DraftSnapshot } from './open-draft.ts';
import { troubleTitle } from './save-trouble.tsx';

/** What became of the work, in a few words beside the title. Screen readers say it when it changes. */
export function SaveStatus({ now: { saving, isPartial } }: { readonly now: DraftSnapshot }) {
  const said = saidText(saving);
  useEffect(() => {
    if (said !== null) announce(said);
  }, [said]);
  return <span className={styles.quiet}>{statusText(saving, isPartial)}</span>;
}

function statusText({ phase, savedAt }: SaveState, isPartial: boolean): string {
  switch (phase) {
    case 'clean':
      if (isPartial) return 'Half parts are kept in this browser';
      return savedAt === null ? 'Saved' : `Saved ${instantText(savedAt, new Date())}`;
    case 'dirty':
    case 'sending':
      return 'Saving';
    default:
      return 'Not saved';
  }
}

/** Null as long as nothing has happened yet. */
function saidText(saving: SaveState): string | null {
  const trouble = troubleTitle(saving);
  if (trouble !== null) return `Not saved. ${trouble}`;
  return saving.phase === 'clean' && saving.savedAt !== null ? 'Saved' : null;
}
