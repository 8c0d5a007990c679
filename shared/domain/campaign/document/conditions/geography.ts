import * as z from 'zod/mini';
import type { Location } from '../../../member/profile.ts';
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
    const isIn = values.some((value) => places.some((place) => isSame(place, value)));
    const isKnown = isIn || isCityKnown(location) || !values.some(isCity);
    return { holds: isKnown && isIn === (operator === 'IS_IN'), actual: places, needed: shown(values) };
  },
});

const isSame = (place: string, other: string) => place.toLowerCase() === other.toLowerCase();

const isCity = (place: string) => place.includes(',');

/** Elsewhere no city is asked for, so that it is in none of those that are. */
const isCityKnown = ({ country, region, city }: Location) => country !== 'US' || (region !== null && city !== null);

function placesOf(location: Location): string[] {
  const { country, region, city } = location;
  return country === 'US' && isCityKnown(location) ? [country, `${city}, ${region}`] : [country];
}
