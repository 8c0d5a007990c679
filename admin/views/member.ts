import type { Member } from '../../shared/domain/member/member.ts';
import { count, facts, moment, paragraphs, section, table } from '../cli/text.ts';

/** A member for scripts. */
export function memberView({ user, memberships, associations }: Member) {
  const { id, uuid, firstName, lastName, email, phoneNumber, externalId, defaultPartnerId, createdAt } = user;
  return {
    ...{ id, uuid, firstName, lastName, email, phoneNumber, externalId, defaultPartnerId, createdAt },
    accounts: memberships.map((one) => ({
      id: one.id,
      partnerId: one.partnerId,
      externalId: one.externalId,
      statusTierId: one.statusTierId,
      balance: one.availablePoints + one.heldPoints,
      availablePoints: one.availablePoints,
      heldPoints: one.heldPoints,
      totalEarnedPoints: one.totalEarnedPoints,
      totalRedeemedPoints: one.totalRedeemedPoints,
    })),
    merchants: associations.map((one) => ({
      merchantId: one.merchantId,
      externalId: one.externalId,
      totalEarnedPoints: one.totalEarnedPoints,
      totalRedeemedPoints: one.totalRedeemedPoints,
    })),
  };
}

/** A member for people. */
export function memberFacts({ user, memberships, associations }: Member, nameOf: (id: number) => string): string {
  return paragraphs(
    facts({
      id: user.id,
      uuid: user.uuid,
      name: `${user.firstName} ${user.lastName}`,
      'e-mail': user.email,
      phone: user.phoneNumber,
      made: moment(user.createdAt),
    }),
    section('Accounts', accountsTable(memberships, nameOf)),
    section('Customer of', merchantsTable(associations, nameOf)),
  );
}

function accountsTable(memberships: Member['memberships'], nameOf: (id: number) => string): string {
  if (memberships.length === 0) return 'none';
  return table(
    ['partner', 'id there', 'tier', 'balance', 'available', 'held', 'earned', 'redeemed'],
    memberships.map((one) => [
      nameOf(one.partnerId),
      one.externalId,
      one.statusTierId,
      count(one.availablePoints + one.heldPoints),
      count(one.availablePoints),
      count(one.heldPoints),
      count(one.totalEarnedPoints),
      count(one.totalRedeemedPoints),
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
