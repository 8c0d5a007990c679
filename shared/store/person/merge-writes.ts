import { partitions } from '../../contracts/table.ts';
import type { LedgerEntry } from '../../domain/ledger/ledger-entry.ts';
import type { Association, Membership, MergedUser, User } from '../../domain/member/member.ts';
import { ledgerWrite } from '../ledger/ledger.ts';
import {
  associations,
  externalUsers,
  hasSameMerchants,
  isNotBlocked,
  links,
  memberships,
  mergedUserWrite,
  users,
} from '../member/members.ts';
import { type Condition, exists, type Item, isNew, isStill, type Key, type Write } from '../table/table-client.ts';
import { attributeOf } from './person.ts';

// The writes of a merge: one DynamoDB transaction that moves accounts and customers, and then one write for each other
// item.

/** What one DynamoDB transaction moves to the kept user. */
export interface MergeSwitch {
  readonly merged: MergedUser;
  /** The user who goes, as it was read. */
  readonly gone: User;
  /** The kept user, as it was read. */
  readonly keep: User;
  /** New values of the kept user. */
  readonly user: Pick<User, 'phoneNumber' | 'defaultPartnerId' | 'formerIds'>;
  readonly accounts: readonly { readonly from: Membership; readonly into: Membership | undefined }[];
  /**
   * `from`: an association of the user who goes. `into`: the association of the kept user with the same merchant.
   * `joined` replaces both associations.
   */
  readonly customers: readonly {
    readonly from: Association;
    readonly into: Association | undefined;
    readonly joined: Association;
  }[];
  readonly entries: readonly LedgerEntry[];
}

/**
 * The writes of the DynamoDB transaction. The accounts and customers of the user who goes are deleted. So a write that
 * was decided before the merge fails, and is decided again with the kept user. The writes fail if a user or an account
 * is blocked, so no block is lost.
 */
export function mergeSwitchWrites({ merged, gone, keep, user, accounts, customers, entries }: MergeSwitch): Write[] {
  const { userId: goneId, mergedInto: userId } = merged;
  return [
    { kind: 'delete', key: users.key(goneId), when: [...hasSameMerchants(gone), ...isNotBlocked] },
    mergedUserWrite(merged),
    {
      kind: 'update',
      key: users.key(userId),
      // If an erasure or another merge of the kept user was decided before, its write fails, because the revision has
      // changed.
      changes: { set: user, add: { linkRevision: 1 } },
      when: [...hasSameMerchants(keep), ...isNotBlocked],
    },
    ...accounts.flatMap(({ from, into }) => accountWrites(from, into, userId)),
    ...customers.flatMap((customer) => customerWrites(customer, userId)),
    ...entries.map((entry) => ledgerWrite(entry)),
  ];
}

const isUnblocked: readonly Condition[] = [...exists, ...isNotBlocked];

const counters = ['availablePoints', 'heldPoints', 'owedPoints', 'totalEarnedPoints', 'totalRedeemedPoints'] as const;
const optionalCounters = ['paidOutCents', 'postingsBegun', 'postingsEnded'] as const;

function accountWrites(from: Membership, into: Membership | undefined, userId: number): Write[] {
  const { id, userId: goneId, partnerId, externalId, cashbackCents, paidOutCents = 0 } = from;
  const unchanged: Condition[] = [
    ...counters.map((name) => ({ attribute: name, is: '=', value: from[name] }) as const),
    { attribute: 'cashbackCents', is: '=', value: cashbackCents },
    ...optionalCounters.map((name) => isStill(name, from[name])),
    ...isNotBlocked,
  ];
  const added = Object.fromEntries(counters.map((name) => [name, from[name]]));
  const key = memberships.key(userId, partnerId);
  return [
    { kind: 'delete', key: memberships.key(goneId, partnerId), when: unchanged },
    into
      ? {
          kind: 'update',
          key,
          changes: { add: { ...added, cashbackCents, ...(paidOutCents !== 0 && { paidOutCents }) } },
          when: isUnblocked,
        }
      : { kind: 'put', item: memberships.moved(key, { ...from, userId }), when: isNew },
    pointerWrite(links.key(id), goneId, userId),
    pointerWrite(externalUsers.key(partnerId, externalId), goneId, userId),
  ];
}

function customerWrites({ from, into, joined }: MergeSwitch['customers'][number], userId: number): Write[] {
  const { userId: goneId, merchantId, externalId } = from;
  const key = associations.key(userId, merchantId);
  return [
    { kind: 'delete', key: associations.key(goneId, merchantId), when: isSameCustomer(from) },
    { kind: 'put', item: associations.moved(key, { ...joined, userId }), when: into ? isSameCustomer(into) : isNew },
    ...(externalId === null ? [] : [pointerWrite(externalUsers.key(merchantId, externalId), goneId, userId)]),
  ];
}

const isSameCustomer = ({ linkRevision, totalEarnedPoints, totalRedeemedPoints }: Association): Condition[] => [
  isStill('linkRevision', linkRevision),
  { attribute: 'totalEarnedPoints', is: '=', value: totalEarnedPoints },
  { attribute: 'totalRedeemedPoints', is: '=', value: totalRedeemedPoints },
];

const isOf = (userId: number): Condition => ({ attribute: 'userId', is: '=', value: userId });

const pointerWrite = (key: Key, goneId: number, userId: number): Write => ({
  kind: 'update',
  key,
  changes: { set: { userId } },
  when: [isOf(goneId)],
});

/** The partitions in which books and logs keep the number of the user who is gone. */
const keeping = ['ledger', 'payout', 'adjustment', 'counted', 'outbox', 'delivery', 'audit'] as const;

/**
 * The writes that make an item name the kept user, for one DynamoDB transaction. Empty for an item that keeps its user,
 * and for an item that names the kept user already. They fail when the item changed since it was read.
 */
export function renamingWrites(item: Item, merged: MergedUser, keptUuid: string): Write[] {
  const isIn = (name: keyof typeof partitions) => item.pk.startsWith(partitions[name]);
  if (keeping.some(isIn)) return [];
  if (isIn('user')) return counterWrites(item, merged.mergedInto);
  if (isIn('velocity')) return velocityWrites(item, merged);
  if (isIn('countedSpend')) return purchaseWrites(item, merged);
  if (item.userId !== merged.userId) return listWrites(item, merged);
  if (isIn('memberIndex')) return [{ kind: 'delete', key: keyOf(item), when: [isOf(merged.userId)] }];
  const set = { userId: merged.mergedInto, ...(item.userUuid === merged.userUuid && { userUuid: keptUuid }) };
  // If an award was decided for the former user, its write fails, because the revision of its order, event or payment
  // has changed.
  const changes = typeof item.revision === 'number' ? { set, add: { revision: 1 } } : { set };
  return [{ kind: 'update', key: keyOf(item), changes, when: [isOf(merged.userId), ...isSameRevision(item)] }];
}

const keyOf = ({ pk, sk }: Item): Key => ({ pk, sk });

const isSameRevision = ({ revision }: Item): Condition[] =>
  typeof revision === 'number' ? [isStill('revision', revision)] : [];

function purchaseWrites(item: Item, { userId, mergedInto }: MergedUser): Write[] {
  if (attributeOf(item.spent, 'userId') !== userId) return [];
  const spent = { ...Object(item.spent), userId: mergedInto };
  const changes = { set: { spent }, add: { revision: 1 } };
  return [{ kind: 'update', key: keyOf(item), changes, when: isSameRevision(item) }];
}

/** Entries of lists contain the user in their key only. */
function listWrites(item: Item, { userId, mergedInto }: MergedUser): Write[] {
  const { pk } = item;
  const grants = `${partitions.grant}OF#${userId}#`;
  if (pk.startsWith(grants)) return rekeyed(item, `${partitions.grant}OF#${mergedInto}#${pk.slice(grants.length)}`);
  const waiting = `#USER#${userId}`;
  if (!pk.startsWith(partitions.unclaimedPayment) || !pk.endsWith(waiting)) return [];
  return rekeyed(item, `${pk.slice(0, 0 - waiting.length)}#USER#${mergedInto}`);
}

/** Adds the counters of limits and of spend to those of the kept user. */
function counterWrites(item: Item, userId: number): Write[] {
  const { sk } = item;
  if (!/^(USAGE|SPEND)#/.test(sk)) return [];
  const name = sk.startsWith('USAGE#') ? 'used' : 'spentCents';
  return joinedCounter(item, { name, pk: `${partitions.user}${userId}`, userId });
}

/** Adds the counters of velocity rules to those of the kept user's account in the same program. */
function velocityWrites(item: Item, { userId: goneId, mergedInto: userId }: MergedUser): Write[] {
  const accounts = `${partitions.velocity}${goneId}#`;
  if (!item.pk.startsWith(accounts)) return [];
  const pk = `${partitions.velocity}${userId}#${item.pk.slice(accounts.length)}`;
  return joinedCounter(item, { name: 'used', pk, userId });
}

/** Adds a counter to the counter with the same sort key in a partition of the kept user. */
function joinedCounter(
  { pk, sk, ...counter }: Item,
  { name, pk: into, userId }: { readonly name: string; readonly pk: string; readonly userId: number },
): Write[] {
  const { [name]: value, ...set } = counter;
  if (typeof value !== 'number') return [];
  return [
    { kind: 'delete', key: { pk, sk }, when: [{ attribute: name, is: '=', value }] },
    { kind: 'update', key: { pk: into, sk }, changes: { set: { ...set, userId }, add: { [name]: value } } },
  ];
}

const rekeyed = ({ pk, sk, ...values }: Item, to: string): Write[] => [
  { kind: 'delete', key: { pk, sk }, when: exists },
  { kind: 'put', item: { ...values, pk: to, sk } },
];
