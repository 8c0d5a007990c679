/** The steps of the builder, in their order. Each is a place of its own, and they can be taken in any order. */
export const steps = ['details', 'schedule', 'flows', 'goals', 'review'] as const;
export type Step = (typeof steps)[number];

/** The step on which the field of a JSON Pointer is. */
export function stepOf(pointer: string): Step {
  const [, name] = pointer.split('/');
  if (name === 'flows' || name === 'goals') return name;
  return name === 'startsAt' || name === 'endsAt' ? 'schedule' : 'details';
}

/** The step of an address; undefined for another word. */
export const readStep = (text: string): Step | undefined => steps.find((step) => step === text);
