import { Banner } from '../../parts/banner.tsx';
import { Button } from '../../parts/button.tsx';
import { instantText } from '../../text/times.ts';
import styles from './edit.module.css';
import type { Draft } from './use-draft.ts';

/** Says whether the draft is saved. */
export function SaveNote({ save }: Pick<Draft, 'save'>) {
  return (
    <span className={styles.saved} role="status">
      {noteOf(save)}
    </span>
  );
}

function noteOf({ phase, savedAt }: Draft['save']): string {
  switch (phase) {
    case 'dirty':
    case 'sending':
      return 'saving';
    case 'clean':
      return savedAt === null ? 'saved' : `saved ${instantText(savedAt, new Date()).replace('today ', '')}`;
    default:
      return 'not saved';
  }
}

/** What keeps the draft from being saved, and what the person can do. */
export function SaveTrouble({ draft: { save, tell, takeTheirs } }: { readonly draft: Draft }) {
  switch (save.phase) {
    case 'offline':
      return (
        <Banner tone="attention" title="The server does not answer" isAlert>
          Your work is kept in this browser, and is sent as soon as the server answers.
        </Banner>
      );
    case 'signed_out':
      return (
        <Banner
          tone="attention"
          title="You are signed out"
          isAlert
          action={<Button onPress={() => tell({ kind: 'signed_in' })}>Sign in and save</Button>}
        >
          Your work is kept in this browser.
        </Banner>
      );
    case 'refused':
      return (
        <Banner tone="fault" title="The draft was not saved">
          {save.reason} Your work is kept in this browser.
        </Banner>
      );
    case 'conflict':
      return (
        <Banner
          tone="attention"
          title={`${save.conflict?.by ?? 'Somebody else'} changed this campaign meanwhile`}
          isAlert
          action={
            <>
              <Button onPress={() => tell({ kind: 'kept_own' })}>Keep mine</Button>{' '}
              <Button onPress={takeTheirs}>Take theirs</Button>
            </>
          }
        >
          {save.conflict?.at && `It was changed ${instantText(save.conflict.at, new Date())}. `}
          Yours is kept in this browser until you decide. One of the two replaces the other.
        </Banner>
      );
    default:
      return null;
  }
}
