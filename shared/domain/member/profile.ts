import * as z from 'zod/mini';
import { maximumBytes, maximumCharacters, maximumCount } from '../../contracts/limits.ts';

/** What a merchant reports about a user. It counts under the merchant's own campaigns only. */

/** Where a user lives. */
export const Location = z.object({
  /** ISO 3166-1 alpha-2, capital letters. */
  country: z.string().check(z.regex(/^[A-Z]{2}$/)),
  /** ISO 3166-2 without the country: `TX`. */
  region: z.nullable(z.string().check(z.regex(/^[A-Z0-9]{1,3}$/))),
  city: z.nullable(z.string().check(z.minLength(1), z.maxLength(maximumCharacters.city))),
});
export type Location = z.infer<typeof Location>;

/** Values by name. The names are the merchant's own; conditions and multipliers refer to them. */
export const Attributes = z.record(z.string(), z.array(z.string()));
export type Attributes = z.infer<typeof Attributes>;

/** Whether the table can store a name. It mistakes names that every object has, such as `constructor`. */
export const isKeepableName = (name: string): boolean => !(name in Object.prototype);

/** Whether attributes are few and small enough to store. */
export function areKeepable(attributes: Attributes): boolean {
  if (Object.keys(attributes).length > maximumCount.attributeNames) return false;
  return Buffer.byteLength(JSON.stringify(attributes)) <= maximumBytes.memberAttributes;
}

/** Adds reported attributes to the stored ones. The reported ones win; stored ones stay while there is room. */
export function withAttributes(stored: Attributes, reported: Attributes): Attributes {
  let merged = reported;
  for (const [name, values] of Object.entries(stored)) {
    const more = { [name]: values, ...merged };
    if (areKeepable(more)) merged = more;
  }
  return merged;
}
