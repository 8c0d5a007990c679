import type { Attributes } from '../campaign/facts.ts';
import type { Context } from './context-schema.ts';

/** More than this of one list says nothing that a condition asks for. */
const maximumValues = 100;

/**
 * What a context tells to the conditions and multipliers of campaigns: its texts, numbers and booleans,
 * and lists of them, each as text. What is nested deeper is kept with the event and tells nothing.
 */
export function attributesOfContext(context: Context): Attributes {
  const told = Object.entries(context).map(([name, value]) => [name, textsOf(value)] as const);
  return Object.fromEntries(told.filter(([, texts]) => texts.length > 0));
}

function textsOf(value: unknown): string[] {
  const values = Array.isArray(value) ? value.slice(0, maximumValues) : [value];
  return values.filter(isPlain).map(String);
}

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
