import type { Member } from '../../shared/domain/member/member.ts';
import { count, dollars, facts, moment, paragraphs, section, table } from '../cli/text.ts';

/** A member for scripts. */
export function memberView({ user, memberships, associations, usage }: Member) {
  const { id, uuid, firstName, lastName, email, phoneNumber, externalId, defaultPartnerId, createdAt } = user;
  const { location, attributes } = user;
  return {
    ...{ id, uuid, firstName, lastName, email, phoneNumber, externalId, defaultPartnerId, createdAt },
    ...{ location, attributes },
    accounts: memberships.map((one) => ({
      id: one.id,
      partnerId: one.partnerId,
      externalId: one.externalId,
      statusTierId: one.statusTierId,
      balance: one.availablePoints + one.heldPoints,
      availablePoints: one.availablePoints,
      heldPoints: one.heldPoints,
      cashbackCents: one.cashbackCents,
      totalEarnedPoints: one.totalEarnedPoints,
      totalRedeemedPoints: one.totalRedeemedPoints,
    })),
    merchants: associations.map((one) => ({
      merchantId: one.merchantId,
      externalId: one.externalId,
      totalEarnedPoints: one.totalEarnedPoints,
      totalRedeemedPoints: one.totalRedeemedPoints,
    })),
    limits: usage.map(({ campaignId, limitId, period, used }) => ({ campaignId, limitId, period, used })),
  };
}

/** A member for people. */
export function memberFacts(
  { user, memberships, associations, usage }: Member,
  nameOf: (id: number) => string,
): string {
  return paragraphs(
    facts({
      id: user.id,
      uuid: user.uuid,
      name: `${user.firstName} ${user.lastName}`,
      'e-mail': user.email,
      phone: user.phoneNumber,
      'lives in': placeOf(user.location),
      attributes: attributesOf(user.attributes),
      made: moment(user.createdAt),
    }),
    section('Accounts', accountsTable(memberships, nameOf)),
    section('Customer of', merchantsTable(associations, nameOf)),
    ...(usage.length > 0 ? [section('Used of limits', usageTable(usage))] : []),
  );
}

function placeOf(location: Member['user']['location']): string | null {
  return location && [location.city, location.region, location.country].filter((part) => part !== null).join(', ');
}

function attributesOf(attributes: Member['user']['attributes']): string | null {
  return (
    Object.entries(attributes)
      .map(([name, values]) => `${name}: ${values.join(', ')}`)
      .join('; ') || null
  );
}

function usageTable(usage: Member['usage']): string {
  return table(
    ['campaign', 'limit', 'period', 'used'],
    usage.map(({ campaignId, limitId, period, used }) => [campaignId, limitId, period, count(used)]),
  );
}

function accountsTable(memberships: Member['memberships'], nameOf: (id: number) => string): string {
  if (memberships.length === 0) return 'none';
  return table(
    ['partner', 'id there', 'tier', 'balance', 'available', 'held', 'earned', 'redeemed', 'cashback'],
    memberships.map((one) => [
      nameOf(one.partnerId),
      one.externalId,
      one.statusTierId,
      count(one.availablePoints + one.heldPoints),
      count(one.availablePoints),
      count(one.heldPoints),
      count(one.totalEarnedPoints),
      count(one.totalRedeemedPoints),
      dollars(one.cashbackCents),
    ]),
  );
}

function merchantsTable(associations: Member['associations'], nameOf: (id: number) => string): string {
  if (associations.length === 0) return 'none';
  return table(
    ['merchant', 'id there', 'earned', 'redeemed'],
    associations.map((one) => [
      nameOf(one.merchantId),
      one.externalId,
      count(one.totalEarnedPoints),
      count(one.totalRedeemedPoints),
    ]),
  );
}
