import { type Step, steps } from '../../builder/state.ts';

/** A screen of the builder: a step that changes the campaign, or the review of all of it. */
export type EditPlace = Step | 'review';

/** The screens of the builder, in their order. They can be taken in any order. */
export const editPlaces: readonly { readonly place: EditPlace; readonly label: string }[] = [
  { place: 'details', label: 'Details' },
  { place: 'schedule', label: 'Schedule' },
  { place: 'flows', label: 'Flows' },
  { place: 'goals', label: 'Goals' },
  { place: 'review', label: 'Review' },
];

/** The screen of an address; undefined for another word. */
export const readPlace = (text: string): EditPlace | undefined =>
  text === 'review' ? 'review' : steps.find((step) => step === text);
