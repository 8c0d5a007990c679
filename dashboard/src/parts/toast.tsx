import { useSyncExternalStore } from 'react';
import { announce } from './announce.ts';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import styles from './toast.module.css';

interface Message {
  readonly id: number;
  readonly text: string;
  /** Takes the act back. */
  readonly undo?: () => void;
}

/** Long enough to read a sentence and to reach Undo. */
const shownMs = 8_000;

let messages: readonly Message[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

/** Says what happened, beside the page and to screen readers. */
export function toast(text: string, undo?: () => void): void {
  const id = nextId;
  nextId += 1;
  change([...messages.slice(-2), { id, text, ...(undo && { undo }) }]);
  announce(text);
  setTimeout(() => dismiss(id), shownMs);
}

const dismiss = (id: number) => change(messages.filter((message) => message.id !== id));

function change(next: readonly Message[]): void {
  messages = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The messages of {@link toast}. The live region says them, so here they are only seen. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => messages);
  if (shown.length === 0) return null;
  return (
    <section className={classes(styles.toasts)} aria-label="Messages">
      {shown.map(({ id, text, undo }) => (
        <div key={id} className={classes(styles.toast)}>
          <span>{text}</span>
          {undo && (
            <Button
              size="small"
              onPress={() => {
                undo();
                dismiss(id);
              }}
            >
              Undo
            </Button>
          )}
          <Button size="small" look="quiet" onPress={() => dismiss(id)}>
            Dismiss
          </Button>
        </div>
      ))}
    </section>
  );
}
