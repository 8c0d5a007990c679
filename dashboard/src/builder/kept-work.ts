import { isObject } from '../../../shared/domain/campaign/document/tree.ts';
import { type BuilderState, continueWork, type KeptWork, workOf } from './state.ts';

/** Work that the server does not have yet, in the browser's storage, by campaign and revision. */

interface Draft {
  readonly campaign: number;
  readonly revision: number;
}

const prefix = (campaign: number) => `builder ${campaign} `;
const keyOf = ({ campaign, revision }: Draft) => `${prefix(campaign)}${revision}`;

/** Keeps the work on a draft, and forgets the work on its other revisions. Null forgets all of it. */
export function keepWork(draft: Draft, state: BuilderState | null): void {
  try {
    for (const key of Object.keys(localStorage))
      if (key.startsWith(prefix(draft.campaign))) localStorage.removeItem(key);
    if (state !== null) localStorage.setItem(keyOf(draft), JSON.stringify(workOf(state)));
  } catch {
    // A browser without storage, or with a full one, keeps nothing: the work is on the screen until it is saved.
  }
}

/** The kept work on a draft; undefined when there is none for this revision. */
export function keptWork(draft: Draft): BuilderState | undefined {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(draft)) ?? 'null');
    return isKeptWork(kept) ? continueWork(kept) : undefined;
  } catch {
    return undefined;
  }
}

const isKeptWork = (value: unknown): value is KeptWork =>
  isObject(value) && isObject(value.document) && isObject(value.texts) && Array.isArray(value.opened);
