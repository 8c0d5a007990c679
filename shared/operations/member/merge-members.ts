import { awsMaximumItems, maximumAttempts, timingMs } from '../../contracts/limits.ts';
import { integerIdOf } from '../../domain/ids.ts';
import type { Member, MergedUser } from '../../domain/member/member.ts';
import {
  associationOf,
  findMergeObstacles,
  joinAccounts,
  joinAssociations,
  joinUsers,
  type MovingAccount,
  mergeEntries,
  moveOfMerge,
} from '../../domain/merge/merge-members.ts';
import { findUnfinished } from '../../domain/reconciliation/open-business.ts';
import type { Ledger } from '../../store/ledger/ledger.ts';
import type { Approval } from '../../store/ledger/manual-adjustments.ts';
import type { Payouts } from '../../store/ledger/payouts.ts';
import { mergeEndWrite } from '../../store/member/members.ts';
import { accountChangeWrites, openAccountCheck } from '../../store/member/program-accounts.ts';
import { mergeSwitchWrites, renamingWrites } from '../../store/person/merge-writes.ts';
import { Person } from '../../store/person/person.ts';
import type { Write } from '../../store/table/table-client.ts';
import { ChangedMeanwhileError, InUseError, OperationError, type Subject } from '../errors.ts';
import { approveMove, countMove } from '../move-points.ts';
import { type AuditedDeps, type Author, type Confirmable, writeAudited } from '../write-audited.ts';
import { endBlockedTokens } from './block-member.ts';
import { cancelTokens } from './cancel-tokens.ts';
import { type ReadItems, readPerson } from './export-member.ts';
import { areWritten, hostedOf, loadBusiness } from './load-business.ts';
import { findMember, isMergedId, type MemberReference } from './manage-members.ts';
import type { ProgramAccountDeps } from './program-accounts.ts';

type MergeDeps = ProgramAccountDeps &
  Parameters<typeof endBlockedTokens>[1] &
  AuditedDeps<{
    readonly ledger: typeof Ledger;
    readonly payouts: typeof Payouts;
  }>;

/** The members cannot be merged. The message says why. */
export class MergeRefusedError extends OperationError {
  override readonly name = 'MergeRefusedError';
}

/** The merge of two members who are one person. */
export interface MergeOrder extends Confirmable<PlannedMerge> {
  /** The member who stays. */
  readonly keep: MemberReference;
  /** The member who becomes a part of the kept member; by id or UUID. */
  readonly gone: MemberReference;
  readonly reason: string;
  readonly readItems: ReadItems;
  /** Waits for the end of requests that began before the merge. */
  readonly wait: (ms: number) => Promise<unknown>;
}

/** What a merge will do. */
export interface PlannedMerge {
  readonly keptId: number;
  readonly goneId: number;
}

/** What a merge did. */
export interface Merge extends PlannedMerge {
  readonly mergedAt: string;
  /** Whether an earlier run had already done the whole merge. */
  readonly isRepeated: boolean;
  /** The number of items into which this run put the id of the kept member. */
  readonly items: number;
}

/**
 * Merges a member into another one, for good, because both are one person:
 * 1. One write moves accounts with their points, moves customers with their ids, and makes the id of the member who
 *    goes lead to the kept member.
 * 2. Then every other item that names the member who goes is changed: tokens, transactions, orders, payments, counters
 *    of limits and spend.
 * 3. Requests that began before the write of step 1 may add further items with the id of the member who goes. So the
 *    last reading begins after these requests have ended.
 *
 * Safe to repeat from the point where an earlier run ended.
 *
 * @throws InUseError with every obstacle to the merge
 * @throws MergeRefusedError when both are the same member, or have too many accounts for one write
 * @throws SecondPersonNeededError when another operator has to approve the points that move; thrown before anything
 * changes
 * @throws ChangedMeanwhileError when accounts, customers or items changed meanwhile; a repetition continues
 * @throws NotFoundError, MemberErasedError
 */
export async function mergeMembers(order: MergeOrder, deps: MergeDeps): Promise<Merge> {
  const keep = await findMember(order.keep, deps);
  const gone = await findMember(order.gone, deps);
  const { id: keptId, uuid: keptUuid } = keep.user;
  const merged = isMergedId(gone, order.gone.id)
    ? await findMark(keptId, gone, order, deps)
    : await mergeNow({ keep, gone }, order, deps);
  let items = await renameItems(merged, keptUuid, order, deps);
  if (merged.isMoving) {
    const requestsEnd = Date.parse(merged.mergedAt) + timingMs.requestsBeforeMerge;
    await order.wait(Math.max(0, requestsEnd - deps.now().getTime()));
    items += await renameItems(merged, keptUuid, order, deps);
    items += await renameFurther(merged, order, deps);
    await endBlockedTokens({ id: String(keptId) }, deps);
    await deps.table.transact([mergeEndWrite(merged)]);
  }
  const { userId: goneId, mergedAt } = merged;
  return { keptId, goneId, mergedAt, isRepeated: !merged.isMoving && items === 0, items };
}

/**
 * Approves that another operator merges two members. The approval is valid only for the points and the unpaid cashback
 * that the member who goes has now.
 *
 * @throws NothingToApproveError when the member who goes has neither points nor unpaid cashback
 * @throws NotFoundError, MemberErasedError, MergeRefusedError
 */
export async function approveMerge(
  order: Pick<MergeOrder, 'keep' | 'gone' | 'confirm'>,
  deps: MergeDeps & { readonly author: Author },
): Promise<Approval> {
  const pair = { keep: await findMember(order.keep, deps), gone: await findMember(order.gone, deps) };
  const planned = planOf(pair);
  await order.confirm?.(planned);
  return approveMove(moveOfMerge(pair), deps);
}

/** The mark of a merge that an earlier run wrote. */
async function findMark(keptId: number, { mergedUuid, user }: Member, order: MergeOrder, deps: MergeDeps) {
  if (user.id !== keptId) {
    throw new MergeRefusedError(`member ${order.gone.id} was merged into member ${user.id}, not into member ${keptId}`);
  }
  const merged = await deps.members.findMerged(integerIdOf(mergedUuid ?? '') ?? 0);
  if (!merged) throw new ChangedMeanwhileError(subjectOf(keptId));
  await order.confirm?.({ keptId, goneId: merged.userId });
  // The kept member of that merge may have been merged into another member since.
  return { ...merged, mergedInto: keptId };
}

/** @throws MergeRefusedError when both are the same member */
function planOf({ keep, gone }: Pair): PlannedMerge {
  const [keptId, goneId] = [keep.user.id, gone.user.id];
  if (keptId === goneId) throw new MergeRefusedError(`both are member ${keptId}: name two members`);
  return { keptId, goneId };
}

async function mergeNow({ keep, gone }: Pair, order: MergeOrder, deps: MergeDeps): Promise<MergedUser> {
  const planned = planOf({ keep, gone });
  const { goneId } = planned;
  const person = new Person({ userId: goneId, userUuid: gone.user.uuid });
  const business = await loadBusiness(await readPerson(person, order.readItems), goneId, deps);
  const basis = await loadBasis({ keep, gone }, deps);
  const obstacles = [...findUnfinished(business, deps.now()), ...findMergeObstacles(basis)];
  if (obstacles.length > 0) throw new InUseError(subjectOf(goneId), obstacles);
  await countMove(moveOfMerge({ keep, gone }), deps);
  await order.confirm?.(planned);
  await cancelTokens(business, order.reason, deps);
  return switchTo(order, planned, deps);
}

interface Pair {
  readonly keep: Member;
  readonly gone: Member;
}

async function loadBasis({ keep, gone }: Pair, deps: MergeDeps) {
  const hosted = await hostedOf(gone.memberships, deps);
  const both = [...gone.memberships, ...keep.memberships];
  const referred = await Promise.all(both.map(({ id }) => isReferred(id, gone, deps)));
  const referredIds = new Set(both.filter((_, position) => referred[position]).map(({ id }) => id));
  const kept = await Promise.all(
    keep.memberships.map(({ partnerId, externalId }) => deps.programAccounts.find(partnerId, externalId)),
  );
  const closed = kept.filter((account) => account?.closedAt !== undefined);
  const closedPartnerIds = new Set(closed.flatMap((account) => (account ? [account.partnerId] : [])));
  return { keep, gone, hosted, referredIds, closedPartnerIds, now: deps.now() };
}

/** Whether the holder of an account was the friend of a rewarded referral. */
async function isReferred(membershipId: number, { associations }: Member, deps: MergeDeps): Promise<boolean> {
  const externalTransactionId = String(membershipId);
  const found = await Promise.all(
    associations.map(async ({ merchantId }) => {
      const ids = await deps.partnerships.campaignIdsOf('byMerchant', merchantId);
      return deps.claims.findUnder(ids, { merchantId, externalTransactionId, kind: 'REFERRAL' });
    }),
  );
  return found.flat().length > 0;
}

/** Moves accounts and customers, in one write. */
async function switchTo(order: MergeOrder, { keptId, goneId }: PlannedMerge, deps: MergeDeps): Promise<MergedUser> {
  const [keep, gone] = await Promise.all([keptId, goneId].map((id) => findMember({ id: String(id) }, deps)));
  const conflict = () => new ChangedMeanwhileError(subjectOf(goneId), 'changed', { isBegun: true });
  if (!keep || !gone) throw conflict();
  // A block, a link or an unlink may have come after the operator's confirmation. A repetition of the command reports
  // it.
  const obstacles = findMergeObstacles(await loadBasis({ keep, gone }, deps));
  if (obstacles.length > 0) throw conflict();
  const mergedAt = deps.now().toISOString();
  const accounts = await Promise.all(
    gone.memberships.map(async (from): Promise<MovingAccount> => {
      const into = keep.memberships.find(({ partnerId }) => partnerId === from.partnerId);
      return { from, into, entries: await deps.ledger.entriesOf(goneId, from.partnerId) };
    }),
  );
  const moved = accounts.filter(({ into }) => !into).map(({ from }) => from.partnerId);
  const customers = gone.associations.map((from) => {
    const into = associationOf(keep, from.merchantId);
    return { from, into, joined: into ? joinAssociations(into, from, moved) : from };
  });
  const merged: MergedUser = {
    ...{ userId: goneId, userUuid: gone.user.uuid, mergedInto: keptId, mergedAt },
    isMoving: true,
  };
  const target = { toUserId: keptId, nextIds: deps.nextIds, at: mergedAt };
  const writes = [
    ...mergeSwitchWrites({
      ...{ merged, gone: gone.user, keep: keep.user, user: joinUsers(keep.user, gone.user), accounts, customers },
      entries: accounts.flatMap((account) => mergeEntries(account, target)),
    }),
    ...(await closingWrites(accounts, mergedAt, deps)),
    ...accounts.flatMap(({ into }) => (into ? [openAccountCheck(into)] : [])),
    ...(await countMove(moveOfMerge({ keep, gone }), deps)),
  ];
  if (writes.length >= awsMaximumItems.itemsPerTransaction) {
    throw new MergeRefusedError(
      `member ${goneId} has too many accounts and merchants for one write: unlink some first`,
    );
  }
  await writeAudited(
    {
      what: `merged member ${goneId} into member ${keptId}: ${order.reason}`,
      change: {
        before: Object.fromEntries(accounts.map(({ from }) => [`program ${from.partnerId}`, from.availablePoints])),
        after: Object.fromEntries(
          accounts.map(({ from, into }) => [
            `program ${from.partnerId}`,
            (into ? joinAccounts(into, from) : from).availablePoints,
          ]),
        ),
      },
      writes,
      conflict,
    },
    deps,
  );
  return merged;
}

/** Closes the account numbers whose points joined another account. They can no longer be proved and linked. */
async function closingWrites(accounts: readonly MovingAccount[], closedAt: string, deps: MergeDeps): Promise<Write[]> {
  const joined = accounts.filter(({ into }) => into).map(({ from }) => from);
  const stored = await Promise.all(
    joined.map(({ partnerId, externalId }) => deps.programAccounts.find(partnerId, externalId)),
  );
  const open = stored.filter((account) => account?.closedAt === undefined);
  return open.flatMap((account) => (account ? accountChangeWrites(account, { closedAt }) : []));
}

/** Changes items until a reading finds no item that names the member who goes. */
async function renameItems(merged: MergedUser, keptUuid: string, { readItems }: MergeOrder, { table }: MergeDeps) {
  let items = 0;
  for (let round = 0; round < maximumAttempts.decision; round += 1) {
    const found = await readPerson(new Person(merged), readItems);
    const changes = found.map(({ item }) => renamingWrites(item, merged, keptUuid)).filter(({ length }) => length > 0);
    if (changes.length === 0) return items;
    for (const writes of changes) if (await areWritten(writes, { table })) items += 1;
  }
  throw new ChangedMeanwhileError(subjectOf(merged.userId), 'changed', { isBegun: true });
}

/**
 * The kept member may have been merged into a third member meanwhile. The later merge may have read the items before
 * this merge changed them. So this function puts the third member's id into the remaining items.
 */
async function renameFurther({ userId }: MergedUser, order: MergeOrder, deps: MergeDeps): Promise<number> {
  let items = 0;
  const own = await deps.members.findMerged(userId);
  for (let mark = own && (await deps.members.findMerged(own.mergedInto)); mark; ) {
    const { user } = await findMember({ id: String(mark.userId) }, deps);
    items += await renameItems({ ...mark, mergedInto: user.id }, user.uuid, order, deps);
    mark = await deps.members.findMerged(mark.mergedInto);
  }
  return items;
}

const subjectOf = (id: number): Subject => ({ kind: 'member', id });
