import type { Condition } from '../../document/conditions/registry.ts';
import { type CampaignFault, fault } from './fault.ts';

/** Countries by ISO 3166-1 alpha-2, and XK, by which Kosovo goes without being in the list. */
const countries = new Set(
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
   CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR
   GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP
   KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT
   MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW
   SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ
   UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW`.split(/\s+/),
);

/** States, the federal district and territories of the United States by ISO 3166-2, without the country. */
const states = new Set(
  `AK AL AR AS AZ CA CO CT DC DE FL GA GU HI IA ID IL IN KS KY LA MA MD ME MI MN MO MP MS MT NC ND NE NH NJ NM NV NY
   OH OK OR PA PR RI SC SD TN TX UM UT VA VI VT WA WI WV WY`.split(/\s+/),
);

/** Places of a condition that are nowhere: nobody lives there, and everybody lives elsewhere. */
export function placeFaults(condition: Condition, at: string): CampaignFault[] {
  if (condition.attribute !== 'GEOGRAPHY') return [];
  return condition.values.flatMap((place, position) => {
    const message = whatIsWrong(place);
    return message === undefined ? [] : [fault(`${at}/values/${position}`, 'unknown_place', message)];
  });
}

function whatIsWrong(place: string): string | undefined {
  const [city = '', state] = place.split(', ');
  if (state !== undefined) {
    return states.has(state)
      ? undefined
      : `There is no state ${state} of the United States: cities of other countries cannot be told apart`;
  }
  if (countries.has(city)) return undefined;
  const hint = city === 'UK' ? ': the United Kingdom is GB' : '';
  return `There is no country ${city} in ISO 3166${hint}`;
}
