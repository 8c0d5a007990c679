import { type Attributes, isKeepableName } from '../member/member.ts';
import type { Context } from './trigger.ts';

/** How much of a context conditions can ask for. No value that is longer could be asked for. */
const bounds = { names: 50, values: 20, characters: 255 } as const;

/**
 * What an event tells about itself, as conditions ask for it: the fields of its context by their names.
 * Texts, numbers and booleans are one value, as text; lists of those are as many. Anything else, and
 * what is beyond the bounds, is left out: to cut a text would make another one of it.
 */
export function attributesOfContext(context: Context): Attributes {
  const attributes = Object.entries(context)
    .filter(([name]) => isAskedFor(name) && isKeepableName(name))
    .map(([name, value]): [string, string[]] => [name, valuesOf(value)])
    .filter(([, values]) => values.length > 0);
  return Object.fromEntries(attributes.slice(0, bounds.names));
}

function valuesOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).flatMap(textOf).filter(isAskedFor).slice(0, bounds.values);
}

function textOf(value: unknown): string[] {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : [];
}

/** Half a surrogate pair is JSON, but no text that a condition could name. */
function isAskedFor(text: string): boolean {
  return text.length > 0 && text.length <= bounds.characters && text.isWellFormed();
}
