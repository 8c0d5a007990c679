import { maximumAttempts } from '../../contracts/limits.ts';
import { linkedHolder, type Move } from '../../domain/ledger/manual-adjustment.ts';
import { type ErasedUser, type Member, Membership } from '../../domain/member/member.ts';
import {
  findAssets,
  findUnfinished,
  type MemberBusiness,
  type MemberObstacle,
} from '../../domain/reconciliation/open-business.ts';
import type { AwardClaims } from '../../store/award/claims.ts';
import type { Grants } from '../../store/credential/grants.ts';
import { adjustmentWrites, unchangedCheck } from '../../store/ledger/ledger.ts';
import type { Approval } from '../../store/ledger/manual-adjustments.ts';
import type { Payouts } from '../../store/ledger/payouts.ts';
import type { Transactions } from '../../store/ledger/transactions.ts';
import { erasureEndWrite, erasureWrites } from '../../store/member/members.ts';
import { Person } from '../../store/person/person.ts';
import {
  ChangedMeanwhileError,
  InUseError,
  MemberErasedError,
  NotFoundError,
  type Subject,
  WrongStateError,
} from '../errors.ts';
import { approveMove, countMove, NothingToApproveError } from '../move-points.ts';
import type { Deps } from '../operation.ts';
import { type AuditedDeps, type Author, type Confirmable, writeAudited } from '../write-audited.ts';
import { cancelTokens } from './cancel-tokens.ts';
import { closeProgramAccount } from './change-account.ts';
import { endUserTokens } from './end-user-tokens.ts';
import { type PersonalItem, type ReadItems, readPerson } from './export-member.ts';
import { areWritten, hostedOf, loadBusiness } from './load-business.ts';
import { unlinkMember } from './manage-accounts.ts';
import { findMember, type MemberReference } from './manage-members.ts';
import type { ProgramAccountDeps } from './program-accounts.ts';

type EraseDeps = ProgramAccountDeps &
  Parameters<typeof unlinkMember>[1] &
  AuditedDeps<{
    readonly claims: typeof AwardClaims;
    readonly grants: typeof Grants;
    readonly payouts: typeof Payouts;
    readonly transactions: typeof Transactions;
  }>;

/** The erasure of a member. */
export interface ErasureOrder extends Confirmable<PlannedErasure> {
  readonly member: MemberReference;
  /** Stays in the audit trail, so it must contain no personal data. */
  readonly reason: string;
  /** Whether the member's remaining points are given up. */
  readonly forfeits: boolean;
  readonly readItems: ReadItems;
}

/** What an erasure will do. */
export interface PlannedErasure {
  readonly userId: number;
  /** The points that the member gives up, one entry per partner. */
  readonly points: readonly { readonly partnerId: number; readonly points: number }[];
}

/** What an erasure did. */
export interface Erasure {
  readonly userId: number;
  readonly userUuid: string;
  readonly erasedAt: string;
  /** Whether an earlier run had erased the member completely. */
  readonly isRepeated: boolean;
  /** Items that this run deleted or emptied. */
  readonly items: number;
  /** Points that came back after the erasure, for example when a payment was refunded, and are not given up. */
  readonly pointsLeft: PlannedErasure['points'];
  /** Accounts in programs that partners run themselves. The partner erases them. */
  readonly ownPrograms: readonly { readonly partnerId: number; readonly account: string }[];
}

/**
 * Erases a member: the person is gone, and the books stay whole. Ends tokens and links, and closes the accounts of
 * hosted programs. Makes the user unfindable in one write. Then erases every item of the person.
 *
 * Safe to repeat from the point where an earlier run ended; the member then has to be named by id. A repetition of a
 * completed erasure erases items that arrived since.
 *
 * @throws InUseError with everything that has to be finished first
 * @throws SecondPersonNeededError when another operator has to approve the points that are given up; thrown before
 * anything ends
 * @throws ChangedMeanwhileError when a token, a link or points changed meanwhile; a repetition continues
 * @throws NotFoundError
 */
export async function eraseMember(order: ErasureOrder, deps: EraseDeps): Promise<Erasure> {
  const erased = await beginErasure(order, deps);
  const person = new Person(erased);
  const { items, found } = await eraseItems(person, order, deps);
  if (erased.traces) await deps.table.transact([erasureEndWrite(erased)]);
  const memberships = accountsIn(found);
  const hosted = await hostedOf(memberships, deps);
  const back = pointsOf(hosted);
  if (order.forfeits) for (const account of hosted) await writeOff(account, order, deps);
  const own = memberships.filter((one) => !hosted.includes(one));
  const { userId, userUuid, erasedAt, traces } = erased;
  return {
    ...{ userId, userUuid, erasedAt, isRepeated: traces === undefined, items },
    pointsLeft: order.forfeits ? [] : back,
    ownPrograms: own.map(({ partnerId, externalId: account }) => ({ partnerId, account })),
  };
}

/** Makes the user unfindable, unless an earlier run did. */
async function beginErasure(order: ErasureOrder, deps: EraseDeps): Promise<ErasedUser> {
  try {
    const member = await findMember(order.member, deps);
    await leave(member, order, deps);
    return await vanish(member, order, deps);
  } catch (error) {
    if (!(error instanceof MemberErasedError)) throw error;
    await order.confirm?.({ userId: error.erased.userId, points: [] });
    return error.erased;
  }
}

/** Ends everything that the member can still use: tokens, links and accounts. */
async function leave(member: Member, order: ErasureOrder, deps: EraseDeps): Promise<void> {
  const { id } = member.user;
  const { business, unfinished } = await loadPerson(member, order, deps);
  const hosted = await hostedOf(member.memberships, deps);
  const obstacles = [...unfinished, ...findAssets(member.memberships, { hosted, forfeits: order.forfeits })];
  if (obstacles.length > 0) throw new InUseError(subjectOf(id), obstacles);
  for (const account of order.forfeits ? hosted : []) await countMove(forfeitOf(account, balanceOf(account)), deps);
  await order.confirm?.({ userId: id, points: pointsOf(hosted) });
  await endEverything(member, { order, business }, deps).catch((error: unknown) => {
    throw error instanceof ChangedMeanwhileError ? changedSince(id) : error;
  });
}

async function endEverything(
  member: Member,
  { order, business }: { readonly order: ErasureOrder; readonly business: MemberBusiness },
  deps: EraseDeps,
): Promise<void> {
  const named = { id: String(member.user.id) };
  for (const { partnerId } of member.memberships) {
    await unlinkMember({ member: named, program: String(partnerId) }, deps).catch(unlessUnlinked);
  }
  await endUserTokens({ member: named }, deps);
  await cancelTokens(business, order.reason, deps);
  const { memberships } = await findMember(named, deps);
  for (const account of await hostedOf(memberships, deps)) await closeAccount(account, order, deps);
}

/** Ignores two errors: no merchant uses the account, or its partner was deleted. Throws every other error. */
function unlessUnlinked(error: unknown): void {
  if (!(error instanceof NotFoundError || error instanceof WrongStateError)) throw error;
}

/**
 * Closes an account and gives up its points. An account that was created together with its member is not among the
 * program's stored accounts, so only its points are given up.
 */
async function closeAccount(account: Membership, order: ErasureOrder, deps: EraseDeps): Promise<void> {
  const { partnerId, externalId } = account;
  const stored = await deps.programAccounts.find(partnerId, externalId);
  if (!stored) return writeOff(account, order, deps);
  if (stored.closedAt !== undefined && account.availablePoints === 0) return;
  const reference = { program: String(partnerId), account: externalId };
  await closeProgramAccount({ ...reference, writesOff: order.forfeits }, deps);
}

/** Points that an account loses with the erasure, as a change for the rule of two persons. */
const forfeitOf = ({ partnerId, externalId: memberId, userId }: Membership, from: number): Move => ({
  changes: [{ partnerId, memberId, holder: linkedHolder(userId), from, to: 0 }],
});

/** The points that an account has after its unspent tokens are cancelled. */
const balanceOf = ({ availablePoints, heldPoints }: Membership): number => availablePoints + heldPoints;

/**
 * Approves that another operator erases a member and gives up the member's points, also points that came back after the
 * erasure.
 *
 * @throws NothingToApproveError, NotFoundError
 */
export async function approveForfeit(
  { member, readItems }: Pick<ErasureOrder, 'member' | 'readItems'>,
  deps: EraseDeps & { readonly author: Author },
): Promise<Approval> {
  const hosted = await hostedOf(await accountsOf(member, readItems, deps), deps);
  const moves = hosted.map((account) => forfeitOf(account, balanceOf(account)));
  const approvals: Approval[] = [];
  for (const move of moves.filter(({ changes }) => changes.some(({ from }) => from !== 0))) {
    approvals.push(await approveMove(move, deps));
  }
  const [first] = approvals;
  if (!first) throw new NothingToApproveError('the member has no points, so it needs no second person');
  return { ...first, points: approvals.reduce((sum, { points }) => sum + points, 0) };
}

/** The accounts of a member, also of an erased one. */
async function accountsOf(member: MemberReference, readItems: ReadItems, deps: EraseDeps): Promise<Membership[]> {
  try {
    return [...(await findMember(member, deps)).memberships];
  } catch (error) {
    if (!(error instanceof MemberErasedError)) throw error;
    return accountsIn(await readPerson(new Person(error.erased), readItems));
  }
}

/** Takes the points of an account out of the books. */
async function writeOff(membership: Membership, { reason }: ErasureOrder, deps: EraseDeps): Promise<void> {
  const { userId, partnerId, availablePoints } = membership;
  if (availablePoints === 0) return;
  const counting = await countMove(forfeitOf(membership, availablePoints), deps);
  await writeAudited(
    {
      what: `wrote off the points of erased member ${userId} in program ${partnerId}: ${reason}`,
      change: { before: { balance: availablePoints }, after: { balance: 0 } },
      writes: [
        ...adjustmentWrites({ membership, points: 0 - availablePoints, ids: deps.nextIds() }, deps.now()),
        ...counting,
      ],
      conflict: () => new ChangedMeanwhileError(subjectOf(userId)),
    },
    deps,
  );
}

/**
 * Makes the user unfindable, in one write. Reads everything once more before the write, because a purchase may have
 * begun before the tokens ended.
 */
async function vanish({ user }: Member, order: ErasureOrder, deps: EraseDeps): Promise<ErasedUser> {
  const { id: userId, uuid: userUuid } = user;
  const member = await findMember({ id: String(userId) }, deps);
  const { unfinished, person } = await loadPerson(member, order, deps);
  const hosted = await hostedOf(member.memberships, deps);
  const obstacles = [...unfinished, ...findAssets(member.memberships, { hosted, forfeits: false })];
  if (obstacles.length > 0) throw new InUseError(subjectOf(userId), obstacles, { isBegun: true });
  const erased = { userId, userUuid, erasedAt: deps.now().toISOString(), traces: person.traces };
  await writeAudited(
    {
      what: `erased member ${userId}: ${order.reason}`,
      writes: [...erasureWrites(erased, member.user), ...hosted.map(unchangedCheck)],
      conflict: () => changedSince(userId),
    },
    deps,
  );
  return erased;
}

async function loadPerson({ user }: Member, { readItems }: ErasureOrder, deps: EraseDeps) {
  const person = new Person({ userId: user.id, userUuid: user.uuid });
  const found = await readPerson(person, readItems);
  const business = await loadBusiness(found, user.id, deps);
  // An unfinished merge prevents the erasure: an item that the merge has not changed yet would keep the id of the user
  // who was merged.
  const merging = found.map(({ item }) => item).filter(({ sk, isMoving }) => sk === 'MERGED' && isMoving === true);
  const values = merging.map(({ userId }) => Number(userId));
  const unfinished: MemberObstacle[] = [
    ...findUnfinished(business, deps.now()),
    ...(values.length > 0 ? [{ kind: 'merging' as const, values }] : []),
  ];
  return { person, business, unfinished };
}

/** The error for a conflict after tokens or links have ended. A repetition continues. */
const changedSince = (userId: number) => new ChangedMeanwhileError(subjectOf(userId), 'changed', { isBegun: true });

/** Erases items until a reading finds none. */
async function eraseItems(person: Person, { readItems }: ErasureOrder, { table }: Deps) {
  let items = 0;
  for (let round = 0; round < maximumAttempts.decision; round += 1) {
    const found = await readPerson(person, readItems);
    const writes = found.flatMap(({ kind, item }) => kind.erase?.(item, person) ?? []);
    if (writes.length === 0) return { items, found };
    for (const write of writes) if (await areWritten([write], { table })) items += 1;
  }
  throw changedSince(person.userId);
}

const accountsIn = (found: readonly PersonalItem[]): Membership[] =>
  found.filter(({ item }) => item.sk.startsWith('PROGRAM#')).map(({ item }) => Membership.parse(item));

const pointsOf = (accounts: readonly Membership[]): PlannedErasure['points'] =>
  accounts
    .map((account) => ({ partnerId: account.partnerId, points: balanceOf(account) }))
    .filter(({ points }) => points !== 0);

const subjectOf = (id: number): Subject => ({ kind: 'member', id });
