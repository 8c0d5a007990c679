import { vi } from 'vitest';

/** A browser's storage, and the windows that are open in it. */
export interface BrowserStorage {
  readonly texts: Readonly<Record<string, string>>;
  /** The names of the locks that open windows hold. */
  locks: string[];
  /** The most characters that it takes. */
  limit: number;
}

/** Gives a test a storage of its own. It ends with the stubs of the test. */
export function stubStorage(): BrowserStorage {
  const texts: Record<string, string> = {};
  const browser: BrowserStorage = { texts, locks: [], limit: 1_000_000 };
  const methods = {
    getItem: (key: string) => texts[key] ?? null,
    removeItem: (key: string) => {
      delete texts[key];
    },
    setItem: (key: string, text: string) => {
      if (JSON.stringify({ ...texts, [key]: text }).length > browser.limit) throw new Error('QuotaExceededError');
      texts[key] = text;
    },
  };
  vi.stubGlobal('localStorage', Object.setPrototypeOf(texts, methods));
  const locks = {
    request: async (name: string) => {
      browser.locks.push(name);
    },
    query: async () => ({ held: browser.locks.map((name) => ({ name })) }),
  };
  vi.stubGlobal('navigator', { locks });
  return browser;
}
