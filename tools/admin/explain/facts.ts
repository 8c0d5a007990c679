import type { Facts } from '../../../shared/domain/campaign/document/facts.ts';
import type { Location } from '../../../shared/domain/member/profile.ts';
import { count, counted, dollars, moment } from '../cli/text.ts';

/**
 * What was known when it was decided.
 *
 * @param paidCents all that was paid: taxes and fees are a part of it that never earns
 */
export function factsLines(facts: Facts, paidCents?: number): string[] {
  const { partnershipIsActive, timeZone } = facts;
  return [
    `What happened: ${happeningText(facts, paidCents)}.`,
    `The member: ${memberTexts(facts).join('; ')}.`,
    `The partnership was ${partnershipIsActive ? 'active' : 'not active'}; its days are those of ${timeZone}.`,
  ];
}

function happeningText({ trigger, amountCents, transferPoints }: Facts, paidCents?: number): string {
  const amount = amountCents === null ? '' : ` of ${dollars(amountCents)}`;
  if (transferPoints !== null) return `a transfer of ${counted(count(transferPoints), 'point')}`;
  switch (trigger.type) {
    case 'SPEND':
      return paidCents === undefined || paidCents === amountCents
        ? `a purchase${amount}`
        : `a purchase of ${dollars(paidCents)}, of which ${dollars(amountCents ?? 0)} can earn`;
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
    location === null
      ? 'the merchant did not tell where it lives'
      : `lives in ${placeText(location)}, as the merchant told`,
    ...Object.entries(attributes).map(([name, values]) => `${name} is ${values.join(', ') || 'nothing'}`),
  ];
}

function placeText({ country, region, city }: Location): string {
  return [city, region, country].filter((part) => part !== null).join(', ');
}
