import { isObject } from '../../../shared/domain/campaign/document/tree.ts';
import type { SaveState } from './autosave.ts';
import type { BuilderState } from './state.ts';

/**
 * Work that the server does not have yet, in the browser's storage. Each window keeps its own: two windows with the same
 * campaign do not overwrite each other. What a closed window left is continued by the next one that opens the campaign.
 */

/** Whose work it is, and on what. The work of one person is never shown to another. */
export interface KeptPlace {
  readonly person: string;
  readonly organisation: number;
  readonly campaign: number;
}

/** The work, the draft of the server on which it is based, and the files that the server may have. */
export interface KeptDraft extends Pick<SaveState, 'stored' | 'unanswered'> {
  readonly work: BuilderState;
  /** When it was kept, by the clock of the browser. */
  readonly keptAt: string;
}

const mark = 'rewards.kept';
/** Beyond this number the oldest drafts are forgotten. */
const maximumDrafts = 50;

/** This window, as long as its page lives. */
const ownWindow = crypto.randomUUID();
/** What this window could not write into the storage. It lives as long as the page. */
const unwritten = new Map<string, KeptDraft>();

const prefixOf = ({ person, organisation, campaign }: KeptPlace) =>
  [mark, person, organisation, campaign, ''].join(' ');
const ownKey = (place: KeptPlace) => prefixOf(place) + ownWindow;

/**
 * Keeps the work of this window on a draft; null forgets it.
 *
 * @returns whether the browser keeps it beyond the page
 */
export function keepDraft(place: KeptPlace, draft: KeptDraft | null): boolean {
  const key = ownKey(place);
  unwritten.delete(key);
  try {
    if (draft === null) localStorage.removeItem(key);
    else writeDraft(key, draft);
    return true;
  } catch {
    if (draft !== null) unwritten.set(key, draft);
    return false;
  }
}

function writeDraft(key: string, draft: KeptDraft): void {
  localStorage.setItem(key, JSON.stringify(draft));
  const others = keysWith(mark).filter((other) => other !== key);
  if (others.length < maximumDrafts) return;
  const oldest = others
    .map((other) => ({ other, keptAt: readDraft(other)?.keptAt ?? '' }))
    .sort((one, next) => one.keptAt.localeCompare(next.keptAt));
  for (const { other } of oldest.slice(0, others.length - maximumDrafts + 1)) localStorage.removeItem(other);
}

/**
 * Finds the work on a draft: of this window, otherwise the latest that a closed window left. This window owns it from
 * now on.
 */
export async function takeKeptDraft(place: KeptPlace): Promise<KeptDraft | null> {
  holdWindow();
  const own = unwritten.get(ownKey(place)) ?? readDraft(ownKey(place));
  if (own) return own;
  const alive = await openWindows();
  const [latest] = keysWith(prefixOf(place))
    .filter((key) => !alive.has(key.slice(prefixOf(place).length)))
    .flatMap((key) => ({ key, draft: readDraft(key) }))
    .flatMap(({ key, draft }) => (draft ? [{ key, draft }] : []))
    .sort((one, next) => next.draft.keptAt.localeCompare(one.draft.keptAt));
  if (!latest) return null;
  if (keepDraft(place, latest.draft)) localStorage.removeItem(latest.key);
  return latest.draft;
}

function keysWith(prefix: string): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix));
  } catch {
    return [];
  }
}

function readDraft(key: string): KeptDraft | undefined {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    return isKeptDraft(kept) ? kept : undefined;
  } catch {
    return undefined;
  }
}

const isKeptDraft = (value: unknown): value is KeptDraft =>
  isObject(value) &&
  isObject(value.work) &&
  isObject(value.work.document) &&
  isObject(value.work.texts) &&
  isObject(value.work.keys) &&
  isObject(value.stored) &&
  isObject(value.stored.document) &&
  Array.isArray(value.unanswered) &&
  typeof value.keptAt === 'string';

const lockOf = (window: string) => `${mark} ${window}`;

let isHeld = false;

/** Says to the other windows that this one is open. The browser takes the lock away when the page ends. */
function holdWindow(): void {
  if (isHeld) return;
  isHeld = true;
  navigator.locks?.request(lockOf(ownWindow), () => new Promise(() => {})).catch(() => undefined);
}

/** The windows that are open now. A browser that cannot say it has none: its work is shown in every window. */
async function openWindows(): Promise<ReadonlySet<string>> {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  return new Set(held.flatMap(({ name }) => (name?.startsWith(lockOf('')) ? [name.slice(lockOf('').length)] : [])));
}
