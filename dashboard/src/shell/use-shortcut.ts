import { useEffect } from 'react';

/** Calls back when a key is pressed together with Control or Command. */
export function useShortcut(key: string, act: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== key || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      act();
    };
    // React Aria's buttons that listen to keys keep all keys to themselves, so the page listens before them.
    document.addEventListener('keydown', onKeyDown, { capture: true });
    return () => document.removeEventListener('keydown', onKeyDown, { capture: true });
  }, [key, act]);
}
