import type { Association, Block, Member } from '../../../shared/domain/member/member.ts';
import type { LedgerAccount } from '../../../shared/operations/member/manage-members.ts';
import type { TierNameOf } from '../../../shared/operations/registry/tier-names.ts';
import { localMoment, moment } from '../cli/moments.ts';
import { count, dollars, facts, namedId, paragraphs, section, table } from '../cli/text.ts';

/** Members and their ledgers: `…View` functions return JSON for scripts, all others text for people. */

export function memberView({ user, memberships, associations, usage }: Member, tierNameOf: TierNameOf) {
  const { id, uuid, firstName, lastName, email, phoneNumber, externalId, defaultPartnerId, createdAt } = user;
  return {
    ...{ id, uuid, firstName, lastName, email, phoneNumber, externalId, defaultPartnerId, createdAt },
    block: user.block ?? null,
    accounts: memberships.map((one) => ({
      id: one.id,
      partnerId: one.partnerId,
      externalId: one.externalId,
      statusTierId: one.statusTierId,
      statusTier: one.statusTierId === null ? null : (tierNameOf(one.partnerId, one.statusTierId) ?? null),
      block: one.block ?? null,
      balance: one.availablePoints + one.heldPoints,
      availablePoints: one.availablePoints,
      heldPoints: one.heldPoints,
      owedPoints: one.owedPoints,
      cashbackCents: one.cashbackCents,
      paidOutCents: one.paidOutCents ?? 0,
      totalEarnedPoints: one.totalEarnedPoints,
      totalRedeemedPoints: one.totalRedeemedPoints,
    })),
    merchants: associations.map((one) => ({
      merchantId: one.merchantId,
      externalId: one.externalId,
      location: one.location ?? null,
      attributes: one.attributes ?? {},
      totalEarnedPoints: one.totalEarnedPoints,
      totalRedeemedPoints: one.totalRedeemedPoints,
    })),
    limits: usage.map(({ campaignId, limitId, period, used }) => ({ campaignId, limitId, period, used })),
  };
}

/** The names of what a member knows by its number. */
interface MemberNames {
  readonly nameOf: (organisationId: number) => string;
  readonly tierNameOf: TierNameOf;
  /** Undefined for a campaign that is no longer there. */
  readonly campaignNameOf: (campaignId: number) => string | undefined;
}

export function memberFacts(
  { user, memberships, associations, usage, mergedUuid }: Member,
  { nameOf, tierNameOf, campaignNameOf }: MemberNames,
): string {
  return paragraphs(
    ...(mergedUuid === undefined ? [] : [`The id belonged to member ${mergedUuid}, who was merged into this one.`]),
    facts({
      id: user.id,
      uuid: user.uuid,
      name: `${user.firstName} ${user.lastName}`,
      'e-mail': user.email,
      phone: user.phoneNumber,
      created: moment(user.createdAt),
    }),
    ...blockSections({ user, memberships }, nameOf),
    section('Accounts', accountsTable(memberships, nameOf, tierNameOf)),
    section('Customer of', merchantsTable(associations, nameOf)),
    ...reportedSections(associations, nameOf),
    ...(usage.length > 0 ? [section('Limits used', usageTable(usage, campaignNameOf))] : []),
  );
}

/** A section for the blocks of the person and of accounts, if there are any. */
function blockSections(
  { user, memberships }: Pick<Member, 'user' | 'memberships'>,
  nameOf: (id: number) => string,
): string[] {
  const blocks = [
    ...(user.block ? [`The whole person ${blockText(user.block)}`] : []),
    ...memberships.flatMap((one) =>
      one.block ? [`The account in ${nameOf(one.partnerId)} ${blockText(one.block)}`] : [],
    ),
  ];
  return blocks.length > 0 ? [section('Blocked', blocks.join('\n'))] : [];
}

/** `is blocked since 2026-11-21 09:30:00 UTC by ada: Stolen card` */
export const blockText = ({ at, operator, reason }: Block) =>
  `is blocked since ${moment(at)}${operator === null ? '' : ` by ${operator}`}: ${reason}`;

/** Names what is blocked of a member, in a few words for a table; null when nothing is blocked. */
export function blockedPart({ user, memberships }: Member): string | null {
  if (user.block) return 'person';
  const accounts = memberships.filter(({ block }) => block !== undefined).length;
  return accounts > 0 ? `${accounts} of ${memberships.length} accounts` : null;
}

/** One section for each merchant's report about the member. A report counts only for campaigns of that merchant. */
function reportedSections(associations: Member['associations'], nameOf: (id: number) => string): string[] {
  const reported = associations.filter(
    ({ location, attributes }) => location !== undefined || attributes !== undefined,
  );
  return reported.map((one) =>
    section(
      `Reported by ${nameOf(one.merchantId)}`,
      facts({ 'lives in': placeOf(one), attributes: attributesOf(one) }),
    ),
  );
}

function placeOf({ location }: Association): string | null {
  return location
    ? [location.city, location.region, location.country].filter((part) => part !== null).join(', ')
    : null;
}

function attributesOf({ attributes = {} }: Association): string | null {
  return (
    Object.entries(attributes)
      .map(([name, values]) => `${name}: ${values.join(', ') || 'nothing'}`)
      .join('; ') || null
  );
}

function usageTable(usage: Member['usage'], campaignNameOf: MemberNames['campaignNameOf']): string {
  return table(
    ['campaign', 'limit', 'period', 'used'],
    usage.map(({ campaignId, limitId, period, used }) => [
      namedId(campaignId, campaignNameOf(campaignId)),
      limitId,
      period,
      count(used),
    ]),
  );
}

function accountsTable(
  memberships: Member['memberships'],
  nameOf: (id: number) => string,
  tierNameOf: TierNameOf,
): string {
  if (memberships.length === 0) return 'none';
  return table(
    [
      'partner',
      'external id',
      'tier',
      'balance',
      'available',
      'held',
      'owed',
      'earned',
      'redeemed',
      'cashback',
      'paid out',
    ],
    memberships.map((one) => [
      nameOf(one.partnerId),
      one.externalId,
      one.statusTierId && namedId(one.statusTierId, tierNameOf(one.partnerId, one.statusTierId)),
      count(one.availablePoints + one.heldPoints),
      count(one.availablePoints),
      count(one.heldPoints),
      count(one.owedPoints),
      count(one.totalEarnedPoints),
      count(one.totalRedeemedPoints),
      dollars(one.cashbackCents),
      dollars(one.paidOutCents ?? 0),
    ]),
  );
}

function merchantsTable(associations: Member['associations'], nameOf: (id: number) => string): string {
  if (associations.length === 0) return 'none';
  return table(
    ['merchant', 'external id', 'earned', 'redeemed'],
    associations.map((one) => [
      nameOf(one.merchantId),
      one.externalId,
      count(one.totalEarnedPoints),
      count(one.totalRedeemedPoints),
    ]),
  );
}

/** The entries of an account, with a warning when their sum is not the balance. */
export function accountTable({ balance, entries }: LedgerAccount, timeZone: string): string {
  const sum = entries.at(-1)?.balance ?? 0;
  const rows = entries.map((one) => [
    localMoment(one.at, timeZone),
    one.kind,
    one.points > 0 ? `+${count(one.points)}` : count(one.points),
    count(one.balance),
    one.cashbackCents === 0 ? null : dollars(one.cashbackCents),
    one.paidOutCents === 0 ? null : dollars(one.paidOutCents),
    one.campaignId,
    one.transactionId,
  ]);
  const movements =
    rows.length > 0
      ? table(['at', 'kind', 'points', 'balance', 'cashback', 'paid out', 'campaign', 'transaction'], rows)
      : 'no entries';
  if (sum === balance) return movements;
  return paragraphs(movements, `The account has ${count(balance)} points and the ledger ${count(sum)}: run reconcile.`);
}
