import * as z from 'zod/mini';
import type { Location } from '../../member/location.ts';
import { membership, part } from '../part.ts';
import { defineCondition, shown } from './condition-kind.ts';

/** A country (`US`), or a city of the United States with its state (`Austin, TX`). */
const Place = z
  .string()
  .check(
    z.regex(/^(?:[A-Z]{2}|[^,]{1,100}, [A-Z]{2})$/, 'must be a country such as "US" or a US city such as "Austin, TX"'),
  );

/** Where the member lives. Of somebody of whom that is not known neither `in` nor `not in` can be said. */
export const geography = defineCondition({
  schema: z.strictObject({
    ...part,
    attribute: z.literal('GEOGRAPHY'),
    operator: membership,
    values: z.array(Place).check(z.minLength(1), z.maxLength(1_000)),
  }),
  find({ operator, values }, { location }) {
    if (location === null) return { holds: false, actual: null, needed: shown(values) };
    const places = placesOf(location);
    const wanted = values.map((value) => value.toLowerCase());
    const isIn = places.some((place) => wanted.includes(place.toLowerCase()));
    return { holds: isIn === (operator === 'IS_IN'), actual: places, needed: shown(values) };
  },
});

function placesOf({ country, region, city }: Location): string[] {
  return country === 'US' && city !== null && region !== null ? [country, `${city}, ${region}`] : [country];
}
