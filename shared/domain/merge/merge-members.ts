import type { TransactionIds } from '../award/claim.ts';
import type { LedgerEntry } from '../ledger/ledger-entry.ts';
import { type BalanceChange, linkedHolder, type Move } from '../ledger/manual-adjustment.ts';
import {
  type Association,
  type Attributes,
  type Member,
  type Membership,
  seenAt,
  type User,
  withAttributes,
} from '../member/member.ts';

/**
 * The merge of two members who are one person: what the kept member receives from the other member, in one write.
 * Accounts move with their balance. Two accounts in one program become one account.
 */

/** An account that moves, with its ledger. */
export interface MovingAccount {
  readonly from: Membership;
  /** The kept member's account in the same program, which receives the points. Absent when the whole account moves. */
  readonly into: Membership | undefined;
  readonly entries: readonly LedgerEntry[];
}

/** What a merge depends on. */
export interface MergeBasis {
  readonly keep: Member;
  readonly gone: Member;
  /** The accounts that `gone` has in programs that the platform hosts. */
  readonly hosted: readonly Membership[];
  /** The membership ids of the accounts whose holder was the friend of a rewarded referral. */
  readonly referredIds: ReadonlySet<number>;
  /** The programs in which the account of the kept member is closed. */
  readonly closedPartnerIds: ReadonlySet<number>;
  readonly now: Date;
}

/** Why two members cannot be merged as they are. */
export interface MergeObstacle {
  readonly kind: /** Partners that run their program themselves, and have an account for each of the two. */
    | 'ownAccounts'
    /** Partners that run their program themselves and have not answered every request of the platform. */
    | 'unanswered'
    /** Merchants at which the kept member has unlinked every account and the other member has not. */
    | 'unlinkedAt'
    /** Partners in whose programs the points would join a closed account, which is never linked again. */
    | 'closed'
    /** Partners in whose programs a rewarded referral brought the member that goes, but not the kept member. */
    | 'referred'
    /** Which of the two members are blocked, as a person or in a program. */
    | 'blocked';
  readonly values: readonly number[];
}

/** Finds the obstacles to a merge. Unfinished work is another obstacle: `findUnfinished` finds it. */
export function findMergeObstacles({ keep, gone, hosted, now, ...basis }: MergeBasis): MergeObstacle[] {
  const isHosted = ({ partnerId }: Membership) => hosted.some((one) => one.partnerId === partnerId);
  const own = gone.memberships.filter((one) => !isHosted(one));
  const both = gone.memberships.filter((one) => accountIn(keep, one));
  const isReferred = (one: Membership | undefined) => one !== undefined && basis.referredIds.has(one.id);
  const uses = (member: Member, merchantId: number) => seenAt(member, merchantId, now).memberships.length > 0;
  const unlinked = gone.associations.filter(
    ({ merchantId }) => associationOf(keep, merchantId)?.detachedAt !== undefined && uses(gone, merchantId),
  );
  return [
    obstacleOf('ownAccounts', both.filter((one) => !isHosted(one)).map(partnerOf)),
    obstacleOf(
      'unanswered',
      own.filter(({ postingsBegun = 0, postingsEnded = 0 }) => postingsBegun !== postingsEnded).map(partnerOf),
    ),
    obstacleOf(
      'closed',
      both.map(partnerOf).filter((id) => basis.closedPartnerIds.has(id)),
    ),
    obstacleOf(
      'unlinkedAt',
      unlinked.map(({ merchantId }) => merchantId),
    ),
    obstacleOf(
      'blocked',
      [keep, gone].filter(isBlocked).map(({ user }) => user.id),
    ),
    obstacleOf('referred', both.filter((one) => isReferred(one) && !isReferred(accountIn(keep, one))).map(partnerOf)),
  ].flat();
}

/**
 * Whether a member is blocked. A merge would lift the block of one member or extend it to the other, so an operator has
 * to decide first.
 */
const isBlocked = ({ user, memberships }: Member): boolean =>
  user.block !== undefined || memberships.some(({ block }) => block !== undefined);

const partnerOf = ({ partnerId }: Membership) => partnerId;

const obstacleOf = (kind: MergeObstacle['kind'], values: readonly number[]): MergeObstacle[] =>
  values.length > 0 ? [{ kind, values }] : [];

const accountIn = ({ memberships }: Member, { partnerId }: Pick<Membership, 'partnerId'>): Membership | undefined =>
  memberships.find((one) => one.partnerId === partnerId);

export const associationOf = ({ associations }: Member, merchantId: number): Association | undefined =>
  associations.find((one) => one.merchantId === merchantId);

/**
 * What a merge moves, as the approval by a second person counts it: the points, the unpaid cashback and the owed points
 * of every account of the member that goes. It makes no difference who runs the program, or whether the account joins
 * another account or moves as a whole.
 */
export function moveOfMerge({ keep, gone }: Pick<MergeBasis, 'keep' | 'gone'>): Move {
  const changes = gone.memberships.flatMap((account): BalanceChange[] => {
    const { partnerId, externalId: memberId, userId, availablePoints, heldPoints } = account;
    const moved = { partnerId, memberId, holder: linkedHolder(userId), to: 0 };
    const unpaidCents = account.cashbackCents - (account.paidOutCents ?? 0);
    return [
      { ...moved, from: availablePoints + heldPoints },
      { ...moved, unit: 'CENTS', from: unpaidCents },
      { ...moved, unit: 'OWED', from: account.owedPoints },
    ];
  });
  const merge = { keptId: keep.user.id, goneId: gone.user.id };
  return { changes: changes.filter(({ from }) => from !== 0), merge };
}

/** The kept user, with the values that only the other user has. */
export function joinUsers(keep: User, gone: User): Pick<User, 'phoneNumber' | 'defaultPartnerId' | 'formerIds'> {
  return {
    phoneNumber: keep.phoneNumber ?? gone.phoneNumber,
    defaultPartnerId: keep.defaultPartnerId ?? gone.defaultPartnerId,
    formerIds: [...(keep.formerIds ?? []), gone.id, ...(gone.formerIds ?? [])],
  };
}

/** The kept account, with the points, debts, totals and cashback of the other account added. */
export function joinAccounts(keep: Membership, gone: Membership): Membership {
  const paidOutCents = (keep.paidOutCents ?? 0) + (gone.paidOutCents ?? 0);
  return {
    ...keep,
    availablePoints: keep.availablePoints + gone.availablePoints,
    heldPoints: keep.heldPoints + gone.heldPoints,
    owedPoints: keep.owedPoints + gone.owedPoints,
    totalEarnedPoints: keep.totalEarnedPoints + gone.totalEarnedPoints,
    totalRedeemedPoints: keep.totalRedeemedPoints + gone.totalRedeemedPoints,
    cashbackCents: keep.cashbackCents + gone.cashbackCents,
    ...(paidOutCents !== 0 && { paidOutCents }),
  };
}

/**
 * Joins the associations of the two members with one merchant. What the merchant reported about the kept member takes
 * precedence. If each member linked an account of the same program, the account of the kept member counts as linked
 * since the earlier link. So a person is new at a merchant only once.
 *
 * @param movedPartnerIds the programs whose account the kept member gets
 */
export function joinAssociations(
  keep: Association,
  gone: Association,
  movedPartnerIds: readonly number[],
): Association {
  const attributes = joinAttributes(keep.attributes, gone.attributes);
  const location = keep.location ?? gone.location;
  return {
    ...keep,
    externalId: keep.externalId ?? gone.externalId,
    ...(attributes && { attributes }),
    ...(location && { location }),
    firstLinked: earliest(keep.firstLinked ?? {}, gone.firstLinked ?? {}),
    unlinked: joinUnlinked(keep, gone, new Set(movedPartnerIds.map(String))),
    linkRevision: (keep.linkRevision ?? 0) + 1,
    totalEarnedPoints: keep.totalEarnedPoints + gone.totalEarnedPoints,
    totalRedeemedPoints: keep.totalRedeemedPoints + gone.totalRedeemedPoints,
    createdAt: keep.createdAt < gone.createdAt ? keep.createdAt : gone.createdAt,
  };
}

function joinAttributes(keep: Attributes | undefined, gone: Attributes | undefined): Attributes | undefined {
  return keep && gone ? withAttributes(gone, keep) : (keep ?? gone);
}

/**
 * The accounts that count as unlinked at the merchant after the merge. An account that moves is unlinked if the other
 * member unlinked it. Every other account is unlinked if the kept member unlinked it.
 */
function joinUnlinked(keep: Association, gone: Association, moved: ReadonlySet<string>): Record<string, string> {
  const own = Object.entries(keep.unlinked ?? {}).filter(([partnerId]) => !moved.has(partnerId));
  const other = Object.entries(gone.unlinked ?? {}).filter(([partnerId]) => moved.has(partnerId));
  return Object.fromEntries([...own, ...other]);
}

function earliest(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>) {
  const merged = { ...one };
  for (const [partnerId, at] of Object.entries(other)) {
    const known = merged[partnerId];
    merged[partnerId] = known !== undefined && known < at ? known : at;
  }
  return merged;
}

/**
 * The ledger entries of a moving account: what leaves the old ledger enters the new ledger. Cashback and payouts have
 * separate entries for each partnership, because each merchant pays its own cashback.
 */
export function mergeEntries(
  { from, into, entries }: MovingAccount,
  { toUserId, nextIds, at }: { readonly toUserId: number; readonly nextIds: () => TransactionIds; readonly at: string },
): LedgerEntry[] {
  const { userId, partnerId, availablePoints, heldPoints, totalEarnedPoints, totalRedeemedPoints } = from;
  const sum = (own: readonly LedgerEntry[], amount: (entry: LedgerEntry) => number) =>
    own.reduce((total, entry) => total + amount(entry), 0);
  const opened = sum(entries, ({ kind, points, merged }) => (kind === 'OPENING' ? points : (merged?.opened ?? 0)));
  const pair = (
    moved: Pick<LedgerEntry, 'campaign' | 'points' | 'cashbackCents' | 'payout' | 'merged'>,
  ): LedgerEntry[] => {
    const { id: transactionId, uuid: transactionUuid } = nextIds();
    const common = { partnerId, transactionId, transactionUuid, createdAt: at };
    return [
      { ...negated(moved), ...common, userId, kind: 'MERGED_OUT' },
      { ...moved, ...common, userId: toUserId, kind: 'MERGED_IN' },
    ];
  };
  // An account that joins another one (`into`) gives up its number. Its opening balance stays with that number.
  const totals = { earned: totalEarnedPoints, redeemed: totalRedeemedPoints, opened: into ? 0 : opened };
  const byPartnership = Map.groupBy(
    entries,
    ({ campaign, payout }) => campaign?.partnershipUuid ?? payout?.partnershipUuid,
  );
  const cashback = [...byPartnership].flatMap(([partnershipUuid, own]) => {
    const cashbackCents = sum(own, (entry) => entry.cashbackCents);
    const cents = sum(own, ({ payout }) => payout?.cents ?? 0);
    if (partnershipUuid === undefined || (cashbackCents === 0 && cents === 0)) return [];
    const id = own.find(({ campaign }) => campaign)?.campaign?.id ?? 0;
    const payout = cents === 0 ? {} : { payout: { partnershipUuid, cents } };
    return pair({ campaign: { id, partnershipUuid }, points: 0, cashbackCents, ...payout });
  });
  return [
    ...pair({ campaign: null, points: availablePoints + heldPoints, cashbackCents: 0, merged: totals }),
    ...cashback,
  ];
}

/** `0 - value` avoids the negative zero of JavaScript. */
function negated<Moved extends Pick<LedgerEntry, 'points' | 'cashbackCents' | 'payout' | 'merged'>>(
  moved: Moved,
): Moved {
  const { points, cashbackCents, payout, merged } = moved;
  return {
    ...moved,
    points: 0 - points,
    cashbackCents: 0 - cashbackCents,
    ...(payout && { payout: { ...payout, cents: 0 - payout.cents } }),
    ...(merged && {
      merged: { earned: 0 - merged.earned, redeemed: 0 - merged.redeemed, opened: 0 - merged.opened },
    }),
  };
}
