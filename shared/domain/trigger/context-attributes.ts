import { maximumCount } from '../../contracts/limits.ts';
import { type Attributes, isStorableName } from '../member/member.ts';
import type { Context } from './trigger.ts';

/** What a condition can use at most: attributes of an event, values of an attribute, characters of a name or value. */
const bounds = { names: maximumCount.contextFields, values: 20, characters: 255 } as const;

/**
 * The attributes of an event for the conditions of campaigns: the fields of its context by name. A text, number or
 * boolean becomes one value, as text. A list of texts, numbers or booleans becomes one value for each element. All
 * other fields, and all values beyond the bounds, are left out. A text is never shortened, because a shortened text is
 * a different text.
 */
export function attributesOfContext(context: Context): Attributes {
  const attributes = Object.entries(context)
    .filter(([name]) => isUsableText(name) && isStorableName(name))
    .map(([name, value]): [string, string[]] => [name, valuesOf(value)])
    .filter(([, values]) => values.length > 0);
  return Object.fromEntries(attributes.slice(0, bounds.names));
}

/** The numbers in a context, by name. Flows may reward one of them as an amount. A text of digits is no number. */
export function numbersOfContext(context: Context): ReadonlyMap<string, number> {
  return new Map(
    Object.entries(context).flatMap(([name, value]) =>
      typeof value === 'number' && Number.isFinite(value) ? [[name, value] as const] : [],
    ),
  );
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
