const name = 'rewards.signed-in';

/** Tells the other windows of the application that the person signed in. */
export function tellSignedIn(): void {
  const channel = new BroadcastChannel(name);
  channel.postMessage(null);
  channel.close();
}

/**
 * Calls back when the person signed in in another window, and when this window is looked at again: the other window may
 * have been closed before it could tell.
 *
 * @returns a function that ends the listening
 */
export function onSignedIn(callback: () => void): () => void {
  const channel = new BroadcastChannel(name);
  channel.onmessage = callback;
  addEventListener('focus', callback);
  return () => {
    channel.close();
    removeEventListener('focus', callback);
  };
}
