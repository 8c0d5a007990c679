import type { KeptWork } from '../../builder/state.ts';

/** Work that a browser keeps until the server has it. */
interface Kept {
  /** The revision on which the work is based. */
  readonly revision: number;
  readonly work: KeptWork;
}

const keyOf = (campaign: number) => `rewards.draft.${campaign}`;

/** Keeps work in this browser. A full storage is no fault: the server has what it can have. */
export function keepWork(campaign: number, kept: Kept): void {
  try {
    localStorage.setItem(keyOf(campaign), JSON.stringify(kept));
  } catch {
    // The work stays on the screen.
  }
}

export const dropWork = (campaign: number): void => localStorage.removeItem(keyOf(campaign));

/** The work that was kept; null without any. */
export function findWork(campaign: number): Kept | null {
  const text = localStorage.getItem(keyOf(campaign));
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
