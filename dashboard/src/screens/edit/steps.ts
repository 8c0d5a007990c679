import { type BuilderPlace, steps } from '../../builder/state.ts';

/** The place of the builder in an address; undefined for another word. */
export const readPlace = (text: string): BuilderPlace | undefined =>
  text === 'review' ? 'review' : steps.find((step) => step === text);
