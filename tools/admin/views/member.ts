import type { Association, Block, Member } from '../../../shared/domain/member/member.ts';
import type { LedgerAccount } from '../../../shared/operations/member/manage-members.ts';
import type { TierNameOf } from '../../../shared/operations/registry/tier-names.ts';
import { localMoment, moment } from '../cli/moments.ts';
import { count, dollars, facts, namedId, paragraphs, section } from '../cli/text.ts';
import { viewOf } from '../cli/view.ts';

/** Members and their ledgers, for scripts and for people. */

/** The names of what a member knows by its number. */
interface MemberNames {
  readonly nameOf: (organisationId: number) => string;
  readonly tierNameOf: TierNameOf;
  /** Undefined for a campaign that is no longer there. */
  readonly campaignNameOf: (campaignId: number) => string | undefined;
}

const userView = viewOf<Member['user']>()({
  id: { head: 'id' },
  uuid: { head: 'uuid' },
  name: { head: 'name', json: null, cell: ({ firstName, lastName }) => `${firstName} ${lastName}` },
  firstName: {},
  lastName: {},
  email: { head: 'e-mail' },
  phoneNumber: { head: 'phone' },
  externalId: {},
  defaultPartnerId: {},
  createdAt: { head: 'created', as: moment },
  block: {},
});

/** An account, with the name of its tier. */
type Account = Member['memberships'][number] & { readonly statusTier: string | undefined };

const accountsOf = (memberships: Member['memberships'], tierNameOf: TierNameOf): Account[] =>
  memberships.map((one) => ({
    ...one,
    statusTier: one.statusTierId === null ? undefined : tierNameOf(one.partnerId, one.statusTierId),
  }));

const balanceOf = ({ availablePoints, heldPoints }: Account) => availablePoints + heldPoints;

const accountView = viewOf<Account, MemberNames>()({
  id: {},
  partnerId: { head: 'partner', cell: ({ partnerId }, { nameOf }) => nameOf(partnerId) },
  externalId: { head: 'external id' },
  statusTierId: {},
  statusTier: { head: 'tier', cell: ({ statusTierId: id, statusTier }) => id && namedId(id, statusTier) },
  block: {},
  balance: { head: 'balance', json: balanceOf, cell: (one) => count(balanceOf(one)) },
  availablePoints: { head: 'available', as: count },
  heldPoints: { head: 'held', as: count },
  owedPoints: { head: 'owed', as: count },
  totalEarnedPoints: { head: 'earned', as: count },
  totalRedeemedPoints: { head: 'redeemed', as: count },
  cashbackCents: { head: 'cashback', as: dollars },
  paidOutCents: { head: 'paid out', json: ({ paidOutCents = 0 }) => paidOutCents, as: dollars },
});

const merchantView = viewOf<Association, MemberNames>()({
  merchantId: { head: 'merchant', cell: ({ merchantId }, { nameOf }) => nameOf(merchantId) },
  externalId: { head: 'external id' },
  location: {},
  attributes: { json: ({ attributes = {} }) => attributes },
  totalEarnedPoints: { head: 'earned', as: count },
  totalRedeemedPoints: { head: 'redeemed', as: count },
});

const usageView = viewOf<Member['usage'][number], MemberNames>()({
  campaignId: { head: 'campaign', cell: ({ campaignId: id }, { campaignNameOf }) => namedId(id, campaignNameOf(id)) },
  limitId: { head: 'limit' },
  period: { head: 'period' },
  used: { head: 'used', as: count },
});

export const memberView = ({ user, memberships, associations, usage }: Member, tierNameOf: TierNameOf) => ({
  ...userView(user),
  accounts: accountsOf(memberships, tierNameOf).map(accountView),
  merchants: associations.map(merchantView),
  limits: usage.map(usageView),
});

export function memberFacts(
  { user, memberships, associations, usage, mergedUuid }: Member,
  names: MemberNames,
): string {
  const { nameOf, tierNameOf } = names;
  return paragraphs(
    ...(mergedUuid === undefined ? [] : [`The id belonged to member ${mergedUuid}, who was merged into this one.`]),
    userView.facts(user),
    ...blockSections({ user, memberships }, nameOf),
    section('Accounts', accountView.table(accountsOf(memberships, tierNameOf), names)),
    section('Customer of', merchantView.table(associations, names)),
    ...reportedSections(associations, nameOf),
    ...(usage.length > 0 ? [section('Limits used', usageView.table(usage, names))] : []),
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

const entryView = viewOf<LedgerAccount['entries'][number], string>()({
  at: { head: 'at', cell: ({ at }, timeZone) => localMoment(at, timeZone) },
  kind: { head: 'kind' },
  points: { head: 'points', as: (points) => (points > 0 ? `+${count(points)}` : count(points)) },
  balance: { head: 'balance', as: count },
  cashbackCents: { head: 'cashback', as: (cents) => (cents === 0 ? null : dollars(cents)) },
  paidOutCents: { head: 'paid out', as: (cents) => (cents === 0 ? null : dollars(cents)) },
  campaignId: { head: 'campaign' },
  transactionId: { head: 'transaction' },
});

/** The entries of an account, with a warning when their sum is not the balance. */
export function accountTable({ balance, entries }: LedgerAccount, timeZone: string): string {
  const sum = entries.at(-1)?.balance ?? 0;
  const movements = entries.length > 0 ? entryView.table(entries, timeZone) : 'no entries';
  if (sum === balance) return movements;
  return paragraphs(movements, `The account has ${count(balance)} points and the ledger ${count(sum)}: run reconcile.`);
}
