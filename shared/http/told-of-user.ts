import * as z from 'zod/mini';
import { maximumBytes, maximumCharacters, maximumCount } from '../contracts/limits.ts';
import { areKeepable, isKeepableName, Location } from '../domain/member/profile.ts';
import { optional, text } from './wire.ts';

/** What a merchant tells of a user beside its name, as the wire has it. It counts under its own campaigns only. */

const region = z.string().check(z.regex(/^[A-Z0-9]{1,3}$/, { error: 'is not the second part of ISO 3166-2' }));

/** Where somebody lives: an ISO 3166-1 alpha-2 country, the second part of the region's ISO 3166-2, a city. */
export const locationBody = z.object({
  country: Location.shape.country,
  region: optional(region),
  city: optional(text(maximumCharacters.city)),
});

const attributeName = text().check(z.refine(isKeepableName, { error: 'is a name that cannot be kept' }));

/** Lists of texts by name: 20 names, 20 texts each, 16 KB in all. */
export const attributesBody = z
  .record(attributeName, z.array(text()).check(z.maxLength(maximumCount.attributeValues)))
  .check(
    z.refine(areKeepable, {
      error: `has more than ${maximumCount.attributeNames} names, or is larger than ${maximumBytes.memberAttributes / 1024} KB`,
      params: { code: 'too_big' },
    }),
  );

/** A location of the wire. */
export function locationOf({ country, region, city }: z.output<typeof locationBody>): Location {
  return { country, region: region ?? null, city: city ?? null };
}
