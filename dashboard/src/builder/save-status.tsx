import { Banner } from '../parts/banner.tsx';
import { Button } from '../parts/button.tsx';
import { instantText } from '../text/times.ts';
import type { SaveState } from './autosave.ts';
import styles from './builder.module.css';
import type { Autosave } from './use-autosave.ts';

/** What became of the work, in a few words beside the title. */
export function SaveStatus({ autosave: { state, isPartial } }: { readonly autosave: Autosave }) {
  return (
    <span className={styles.quiet} role="status">
      {statusText(state, isPartial)}
    </span>
  );
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
      return 'Not saved: kept in this browser';
  }
}

interface Props {
  readonly autosave: Autosave;
  /** Loads the other person's work in place of the own. */
  readonly onTakeTheirs: () => void;
}

/** What the person has to decide or do before the work can be saved. */
export function SaveTrouble({ autosave: { state, retry, keepOwn }, onTakeTheirs }: Props) {
  switch (state.phase) {
    case 'conflict':
      return (
        <Banner
          tone="attention"
          isAlert
          title={`${state.conflict?.by ?? 'Another person'} changed this draft meanwhile`}
          action={
            <>
              <Button onPress={onTakeTheirs}>Take theirs</Button>
              <Button onPress={keepOwn}>Keep mine</Button>
            </>
          }
        >
          <p>Keep yours, and it replaces theirs. Take theirs, and your changes since the last save are gone.</p>
        </Banner>
      );
    case 'offline':
      return (
        <Banner tone="attention" title="There is no connection" action={<Button onPress={retry}>Try again</Button>}>
          <p>Your work is kept in this browser, and saved as soon as the server answers.</p>
        </Banner>
      );
    case 'signed_out':
      return (
        <Banner tone="attention" title="Your session has ended" action={<Button onPress={retry}>Save again</Button>}>
          <p>Your work is kept in this browser. Sign in, then save again.</p>
        </Banner>
      );
    case 'refused':
      return (
        <Banner tone="fault" title="The draft could not be saved">
          <p>{state.reason}</p>
        </Banner>
      );
    default:
      return null;
  }
}
