import { useSyncExternalStore } from 'react';

/** Why a person has to sign in before a call can go on. */
export type SignInReason = 'ended' | 'confirm';

interface Waiting {
  readonly reason: SignInReason;
  readonly go: (hasSignedIn: boolean) => void;
}

let waiting: readonly Waiting[] = [];
const listeners = new Set<() => void>();

/**
 * Waits until the person signed in again, in a window of its own: this page keeps everything that was typed. Several
 * calls wait together.
 *
 * @returns whether the person signed in; false when the person preferred not to
 */
export function waitForSignIn(reason: SignInReason): Promise<boolean> {
  return new Promise((resolve) => {
    waiting = [...waiting, { reason, go: resolve }];
    notify();
  });
}

/** Lets the calls that wait go on, or fail. */
export function answerSignIn(hasSignedIn: boolean): void {
  const all = waiting;
  waiting = [];
  notify();
  for (const { go } of all) go(hasSignedIn);
}

/** Why the person has to sign in; null when no call waits. */
export function useSignInReason(): SignInReason | null {
  return useSyncExternalStore(subscribe, () => waiting[0]?.reason ?? null);
}

function notify(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
