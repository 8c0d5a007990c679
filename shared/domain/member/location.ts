import * as z from 'zod/mini';
import { maximumCharacters } from '../../contracts/limits.ts';

/** Where somebody lives. */
export const Location = z.object({
  /** ISO 3166-1 alpha-2, capital letters. */
  country: z.string().check(z.regex(/^[A-Z]{2}$/)),
  /** ISO 3166-2 without the country: `TX`. */
  region: z.nullable(z.string().check(z.regex(/^[A-Z0-9]{1,3}$/))),
  city: z.nullable(z.string().check(z.minLength(1), z.maxLength(maximumCharacters.city))),
});
export type Location = z.infer<typeof Location>;
