import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ServerDraft } from '../../../dashboard/src/builder/autosave.ts';
import { takeKeptDraft } from '../../../dashboard/src/builder/kept-work.ts';
import { OpenDraft, type SaveOutcome } from '../../../dashboard/src/builder/open-draft.ts';
import { type BrowserStorage, stubStorage } from './browser-storage.ts';

const place = { person: 'ada', organisation: 1, campaign: 12 };
const draftAt = (revision: number, fields: object = {}): ServerDraft => ({
  ...{ revision, by: 'Grace', at: null, approvedBy: [], isRunning: false },
  document: { name: 'Spring', description: null, goals: [], flows: [], ...fields },
});

let browser: BrowserStorage;
let told: string[];
let sent: { readonly name: unknown; readonly revision: number; readonly answer: (outcome: SaveOutcome) => void }[];
beforeEach(() => {
  vi.useFakeTimers();
  browser = stubStorage();
  [told, sent] = [[], []];
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const open = async (server: ServerDraft) =>
  new OpenDraft({
    ...{ place, server, kept: await takeKeptDraft(place), tell: (text) => told.push(text) },
    save: (document, revision) =>
      new Promise((answer) => {
        sent.push({ name: document.name, revision, answer });
      }),
  });
const type = (draft: OpenDraft, value: string, pointer = '/name') => draft.change({ kind: 'set', pointer, value });
const stateOf = (draft: OpenDraft) => {
  const { builder, saving } = draft.snapshot();
  return { phase: saving.phase, name: builder.document.name, revision: saving.stored.revision };
};
const afterPause = () => vi.advanceTimersByTimeAsync(800);

/** Answers the last file that was sent. */
async function answer(outcome: SaveOutcome): Promise<void> {
  sent.at(-1)?.answer(outcome);
  await vi.advanceTimersByTimeAsync(0);
}
const saved = (revision: number, fields: object): SaveOutcome => ({ kind: 'saved', stored: draftAt(revision, fields) });

describe('the work of a window on a draft', () => {
  it('is sent after a pause, and kept until it is saved', async () => {
    const draft = await open(draftAt(4));
    type(draft, 'S');
    await vi.advanceTimersByTimeAsync(700);
    type(draft, 'Summer');
    await vi.advanceTimersByTimeAsync(700);
    expect([sent.length, Object.keys(browser.texts).length]).toEqual([0, 1]);
    await vi.advanceTimersByTimeAsync(100);
    await answer(saved(5, { name: 'Summer' }));
    expect([stateOf(draft), browser.texts]).toEqual([{ phase: 'clean', name: 'Summer', revision: 5 }, {}]);
  });

  it('is sent once more after a reload, although nothing more is typed', async () => {
    type(await open(draftAt(4)), 'Summer');
    const reloaded = await open(draftAt(4));
    expect([stateOf(reloaded).name, told]).toEqual(['Summer', ['What you typed before is here again.']]);
    await afterPause();
    expect(sent.map(({ name }) => name)).toContain('Summer');
  });

  it('meets its own file after the answer was lost, and goes on from there', async () => {
    const draft = await open(draftAt(4));
    draft.change({ kind: 'add', list: '/goals', element: { type: 'POINTS_EARNED', target: 10 } });
    await afterPause();
    await answer({ kind: 'unreachable', isOffline: true });
    type(draft, 'Summer');
    await vi.advanceTimersByTimeAsync(5_000);
    const goals = [{ id: 1, ownerId: 1, type: 'POINTS_EARNED', target: 10 }];
    await answer({ kind: 'changed', theirs: draftAt(5, { goals }) });
    expect(stateOf(draft)).toEqual({ phase: 'dirty', name: 'Summer', revision: 5 });
    expect(draft.snapshot().builder.document.goals).toEqual(goals);
    await afterPause();
    expect(sent.at(-1)).toMatchObject({ name: 'Summer', revision: 5 });
  });

  it('meets its own file after the window was closed while it was sent', async () => {
    type(await open(draftAt(4)), 'Summer');
    await afterPause();
    const reloaded = await open(draftAt(5, { name: 'Summer' }));
    expect([stateOf(reloaded), browser.texts, told]).toEqual([{ phase: 'clean', name: 'Summer', revision: 5 }, {}, []]);
  });

  it('meets a file that arrives at the server only after the reload', async () => {
    type(await open(draftAt(4)), 'Summer');
    await afterPause();
    const reloaded = await open(draftAt(4));
    type(reloaded, 'Summer 2027');
    await afterPause();
    await answer({ kind: 'changed', theirs: draftAt(5, { name: 'Summer' }) });
    expect(stateOf(reloaded)).toEqual({ phase: 'dirty', name: 'Summer 2027', revision: 5 });
  });

  it('waits for a choice when another person changed the draft, and keeps both until then', async () => {
    type(await open(draftAt(4)), 'Mine');
    const theirs = draftAt(5, { name: 'Theirs', description: 'Theirs' });
    const reloaded = await open(theirs);
    await afterPause();
    expect(stateOf(reloaded)).toEqual({ phase: 'conflict', name: 'Mine', revision: 4 });
    reloaded.keepOwn();
    expect(reloaded.snapshot().builder.document).toMatchObject({ name: 'Mine', description: 'Theirs' });
    expect(sent.at(-1)).toMatchObject({ name: 'Mine', revision: 5 });
    await answer({ kind: 'changed', theirs: draftAt(6, { name: 'Again' }) });
    reloaded.takeTheirs();
    expect([stateOf(reloaded), browser.texts]).toEqual([{ phase: 'clean', name: 'Again', revision: 6 }, {}]);
  });

  it('shows a later draft at once when nothing was typed, and says so', async () => {
    const draft = await open(draftAt(4));
    draft.seen(draftAt(3));
    draft.seen(draftAt(5, { name: 'Theirs' }));
    expect([stateOf(draft), told]).toEqual([
      { phase: 'clean', name: 'Theirs', revision: 5 },
      ['Grace changed this draft. You see it as it is now.'],
    ]);
  });

  it('is kept as long as a part of it is half typed', async () => {
    const draft = await open(draftAt(4));
    draft.change({ kind: 'add', list: '/goals', element: { type: 'POINTS_EARNED' } });
    draft.change({ kind: 'type', pointer: '/goals/0/target', text: '1.', format: 'points' });
    await afterPause();
    expect([sent, stateOf(draft).phase, draft.isWhole, draft.isSafe]).toEqual([[], 'clean', false, true]);
    const reloaded = await open(draftAt(4));
    expect(reloaded.snapshot().builder.texts).toMatchObject({ '/goals/0/target': { text: '1.' } });
  });

  it('says when the browser keeps nothing', async () => {
    const draft = await open(draftAt(4));
    browser.limit = 0;
    type(draft, 'Summer');
    expect([draft.isSafe, draft.snapshot().isKept]).toEqual([false, false]);
    draft.flush();
    await answer(saved(5, { name: 'Summer' }));
    expect(draft.isSafe).toBe(true);
  });
});
