import { type Attributes, isStorableName } from '../member/member.ts';
import type { Context } from './trigger.ts';

/** The largest part of a context that conditions can use. */
const bounds = { names: 50, values: 20, characters: 255 } as const;

/**
 * The attributes of an event for the conditions of campaigns: the fields of its context by name. A text, number or
 * boolean is one value, as text; a list of those has as many values. Everything else, and everything beyond the
 * bounds, is left out, because a shortened text would be a different text.
 */
export function attributesOfContext(context: Context): Attributes {
  const attributes = Object.entries(context)
    .filter(([name]) => isUsableText(name) && isStorableName(name))
    .map(([name, value]): [string, string[]] => [name, valuesOf(value)])
    .filter(([, values]) => values.length > 0);
  return Object.fromEntries(attributes.slice(0, bounds.names));
}

function valuesOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).flatMap(textOf).filter(isUsableText).slice(0, bounds.values);
}

function textOf(value: unknown): string[] {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : [];
}

/** A lone surrogate is valid JSON, but no condition can contain it. */
function isUsableText(text: string): boolean {
  return text.length > 0 && text.length <= bounds.characters && text.isWellFormed();
}
