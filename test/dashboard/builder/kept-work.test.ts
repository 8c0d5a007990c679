import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { savedAt } from '../../../dashboard/src/builder/autosave.ts';
import type { KeptDraft, KeptPlace } from '../../../dashboard/src/builder/kept-work.ts';
import { openFile } from '../../../dashboard/src/builder/state.ts';
import { type BrowserStorage, stubStorage } from './browser-storage.ts';

const server = { revision: 4, document: {}, by: null, at: null, approvedBy: [], isRunning: false };
const draft = (name: string, keptAt = '2026-11-28T12:03:00.000Z'): KeptDraft => ({
  ...{ work: openFile({ name }), keptAt },
  ...savedAt(server),
});
const place: KeptPlace = { person: 'ada', organisation: 1, campaign: 12 };
const nameOf = (kept: KeptDraft | null) => kept?.work.document.name;

let browser: BrowserStorage;
beforeEach(() => {
  browser = stubStorage();
});
afterEach(() => {
  vi.unstubAllGlobals();
});

/** A window of the browser: the module once more. */
async function openWindow() {
  vi.resetModules();
  return import('../../../dashboard/src/builder/kept-work.ts');
}
const closeAll = () => {
  browser.locks = [];
};

describe('the work that a browser keeps', () => {
  it('is continued by a later window when its own is closed', async () => {
    const first = await openWindow();
    await first.takeKeptDraft(place);
    first.keepDraft(place, draft('First'));
    const second = await openWindow();
    expect(await second.takeKeptDraft(place)).toBeNull();
    expect(nameOf(await first.takeKeptDraft(place))).toBe('First');
    closeAll();
    expect(nameOf(await second.takeKeptDraft(place))).toBe('First');
    expect(Object.keys(browser.texts)).toHaveLength(1);
  });

  it('is that of each window: one does not forget or replace what another one keeps', async () => {
    const [first, second] = [await openWindow(), await openWindow()];
    first.keepDraft(place, draft('First', '2026-11-28T12:00:00.000Z'));
    second.keepDraft(place, draft('Second', '2026-11-28T12:01:00.000Z'));
    second.keepDraft(place, null);
    second.keepDraft(place, draft('Third', '2026-11-28T12:02:00.000Z'));
    const later = await openWindow();
    expect(nameOf(await later.takeKeptDraft(place))).toBe('Third');
    later.keepDraft(place, null);
    expect(nameOf(await later.takeKeptDraft(place))).toBe('First');
  });

  it('is of one person, for one organisation, on one campaign', async () => {
    const first = await openWindow();
    first.keepDraft(place, draft('First'));
    const later = await openWindow();
    for (const other of [{ person: 'eve' }, { organisation: 2 }, { campaign: 1 }]) {
      expect(await later.takeKeptDraft({ ...place, ...other })).toBeNull();
    }
  });

  it('lives on in its window when the storage is full, and what was kept stays', async () => {
    const first = await openWindow();
    expect(first.keepDraft(place, draft('Short'))).toBe(true);
    browser.limit = 10;
    expect(first.keepDraft(place, draft('Longer'))).toBe(false);
    expect(nameOf(await first.takeKeptDraft(place))).toBe('Longer');
    closeAll();
    expect(nameOf(await (await openWindow()).takeKeptDraft(place))).toBe('Short');
  });

  it('is on the 50 drafts that were changed last', async () => {
    const first = await openWindow();
    for (let campaign = 1; campaign <= 52; campaign += 1) {
      const keptAt = new Date(Date.UTC(2026, 10, 28) + campaign).toISOString();
      first.keepDraft({ ...place, campaign }, draft('Work', keptAt));
    }
    const kept = Array.from({ length: 52 }, (_, index) => first.takeKeptDraft({ ...place, campaign: index + 1 }));
    expect((await Promise.all(kept)).map(nameOf)).toEqual([undefined, undefined, ...Array(50).fill('Work')]);
  });

  it('is nothing when the storage has something else under its name', async () => {
    const first = await openWindow();
    first.keepDraft(place, draft('First'));
    const [key = ''] = Object.keys(browser.texts);
    for (const text of ['{', 'null', '{"work":{}}', '[]']) {
      Object.assign(browser.texts, { [key]: text });
      expect(await first.takeKeptDraft(place)).toBeNull();
    }
  });
});
