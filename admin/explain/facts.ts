import type { Facts } from '../../shared/domain/campaign/facts.ts';
import type { Location } from '../../shared/domain/member/location.ts';
import { count, dollars, moment } from '../cli/text.ts';

/** What was known when it was decided. */
export function factsLines(facts: Facts): string[] {
  const { partnershipIsActive, timeZone } = facts;
  return [
    `What happened: ${happeningText(facts)}.`,
    `The member: ${memberTexts(facts).join('; ')}.`,
    `The partnership was ${partnershipIsActive ? 'active' : 'not active'}; its days are those of ${timeZone}.`,
  ];
}

function happeningText({ trigger, amountCents, transferPoints }: Facts): string {
  const amount = amountCents === null ? '' : ` of ${dollars(amountCents)}`;
  if (transferPoints !== null) return `a transfer of ${count(transferPoints)} points`;
  switch (trigger.type) {
    case 'SPEND':
      return `a purchase${amount}`;
    case 'REGISTRATION':
      return 'the member linked an account';
    case 'REFERRAL':
      return 'the member brought another one';
    case 'CUSTOM':
      return `an event of trigger ${trigger.customTriggerId}${amount}`;
  }
}

function memberTexts({ statusTierId, connectedAt, totalSpendCents, location, attributes }: Facts): string[] {
  return [
    statusTierId === null ? 'no status tier' : `status tier ${statusTierId}`,
    connectedAt === null ? 'not connected' : `connected since ${moment(connectedAt)}`,
    `had spent ${dollars(totalSpendCents)} at the merchant since then`,
    location === null ? 'where it lives is not known' : `lives in ${placeText(location)}`,
    ...Object.entries(attributes).map(([name, values]) => `${name} is ${values.join(', ') || 'nothing'}`),
  ];
}

function placeText({ country, region, city }: Location): string {
  return [city, region, country].filter((part) => part !== null).join(', ');
}
