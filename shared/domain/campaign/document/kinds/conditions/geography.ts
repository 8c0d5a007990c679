import * as z from 'zod/mini';
import { maximumCount } from '../../../../../contracts/limits.ts';
import type { Location } from '../../../../member/member.ts';
import { once } from '../../../../memoize.ts';
import { inForms } from '../form.ts';
import { type CampaignFault, defineCondition, fault, holdsAsBefore, membership } from '../kind.ts';
import { say } from '../phrase.ts';

/** A country (`US`), or a city of the United States with its state (`Austin, TX`). */
const Place = z
  .string()
  .check(
    z.regex(/^(?:[A-Z]{2}|[^,]{1,100}, [A-Z]{2})$/, 'must be a country such as "US" or a US city such as "Austin, TX"'),
  );

/** The member's location. If it is unknown, neither IS_IN nor IS_NOT_IN holds. */
export const geography = defineCondition({
  name: 'GEOGRAPHY',
  code: 1,
  unit: null,
  observes: 'member',
  fields: {
    operator: membership,
    values: z.array(Place).check(z.minLength(1), z.maxLength(maximumCount.listedValues)),
  },
  needed: ({ values }) => values,
  find({ operator, values }, { location }) {
    if (location === null) return { holds: false, actual: null };
    const places = placesOf(location);
    const isIn = values.some((value) => places.some((place) => isSame(place, value)));
    const isKnown = isIn || isCityKnown(location) || !values.some(isCity);
    return { holds: isKnown && isIn === (operator === 'IS_IN'), actual: places };
  },
  holdsAfterRefund: holdsAsBefore,
  valueInWords: countryName,
  words: ({ operator, needed }) => say`the member ${operator === 'IS_IN' ? 'lives' : 'does not live'} in ${needed}`,
  faults: ({ values }, { at }) => values.flatMap((place, position) => faultsOfPlace(place, `${at}/values/${position}`)),
  examples: inForms([
    {
      part: { attribute: 'GEOGRAPHY', operator: 'IS_IN', values: ['CA', 'Austin, TX'] },
      note: 'a country or a US city; or IS_NOT_IN',
    },
  ]),
  form: inForms({
    label: 'Place',
    triedWith: 'place',
    help: 'Compares where the member lives. It never holds while the merchant has not reported a place.',
    fields: {
      operator: { label: 'The member', choices: { IS_IN: 'lives in', IS_NOT_IN: 'does not live in' } },
      values: { label: 'Places', help: 'Countries, or cities such as “Austin, TX”.', source: 'places' },
    },
  }),
});

const isSame = (place: string, other: string) => place.toLowerCase() === other.toLowerCase();

const isCity = (place: string) => place.includes(',');

/**
 * Whether a condition on cities can be decided for a location. Such a condition names cities of the United States only.
 * So for a member in another country, the city need not be known.
 */
const isCityKnown = ({ country, region, city }: Location) => country !== 'US' || (region !== null && city !== null);

function placesOf(location: Location): string[] {
  const { country, region, city } = location;
  return country === 'US' && isCityKnown(location) ? [country, `${city}, ${region}`] : [country];
}

/** ISO 3166-1 alpha-2, and XK, which Kosovo uses although ISO does not list it. */
const countryCodes = `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
   CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR
   GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP
   KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT
   MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW
   SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ
   UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW`;

/** ISO 3166-2 of the United States: states, the federal district and territories. */
const states = `AK AL AR AS AZ CA CO CT DC DE FL GA GU HI IA ID IL IN KS KY LA MA MD ME MI MN MO MP MS MT NC ND NE NH NJ NM NV NY
   OH OK OR PA PR RI SC SD TN TX UM UT VA VI VT WA WI WV WY`;

/** The name of a country in English, by its code; other places as they are written. */
function countryName(place: string): string {
  return contains(countryCodes, place) ? (regionNames().of(place) ?? place) : place;
}

/** The name of a country with its code, as in a list: `United States (US)`. */
export const countryLabel = (code: string): string => `${fullNames().of(code) ?? code} (${code})`;

/** Made once: they are slow to make. */
const regionNames = once(() => new Intl.DisplayNames(['en'], { type: 'region', style: 'short' }));
const fullNames = once(() => new Intl.DisplayNames(['en'], { type: 'region' }));

/** The codes of all countries. */
export const countries = (): string[] => countryCodes.split(/\s+/);

const contains = (codes: string, code: string) => codes.split(/\s+/).includes(code);

/** Refuses a place that does not exist: for such a place, IS_IN would never hold and IS_NOT_IN would always hold. */
function faultsOfPlace(place: string, pointer: string): CampaignFault[] {
  const [country = '', state] = place.split(', ');
  if (state === undefined ? contains(countryCodes, country) : contains(states, state)) return [];
  const message =
    state === undefined
      ? `There is no country ${country} in ISO 3166${country === 'UK' ? ': the United Kingdom is GB' : ''}`
      : `There is no state ${state} of the United States: cities of other countries are not supported`;
  return [fault(pointer, 'unknown_place', message)];
}
