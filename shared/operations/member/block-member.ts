import type { Block, Member } from '../../domain/member/member.ts';
import type { Organisation } from '../../domain/organisation.ts';
import { AwardClaims } from '../../store/award/claims.ts';
import { ClaimConflictError, Transactions } from '../../store/ledger/transactions.ts';
import { accountBlockWrite, userBlockMarks, userBlockWrites } from '../../store/member/members.ts';
import type { Write } from '../../store/table/table-client.ts';
import { ChangedMeanwhileError, NotFoundError, subjectText } from '../errors.ts';
import { decideAndWrite } from '../operation.ts';
import { findOrganisationOfKind, organisationSubject } from '../organisation/find-organisation.ts';
import { cancelClaim } from '../token/cancel-claim.ts';
import { type AuditedDeps, auditWrites, operatorOf, writeAudited } from '../write-audited.ts';
import { type EndedTokens, endUserTokens, endUserTokensStores } from './end-user-tokens.ts';
import { findMember, type MemberReference, memberSubject } from './manage-members.ts';

const blockMemberStores = { ...endUserTokensStores, claims: AwardClaims, transactions: Transactions };
type BlockDeps = AuditedDeps<typeof blockMemberStores>;

/** The person, or one account of the person, that an operator blocks or unblocks. */
export interface BlockOrder {
  readonly member: MemberReference;
  /** The partner whose program has the account, by id or exact name; absent for the whole person. */
  readonly program?: string | undefined;
  readonly reason: string;
}

/** The outcome of a block. */
export interface BlockedMember {
  readonly member: Member;
  /** False when the member or account was blocked already. Then the earlier block and its reason stay. */
  readonly isChanged: boolean;
  /** The transactions of the tokens that the block cancelled. */
  readonly cancelledIds: readonly number[];
  /** The user tokens that ended, one entry per merchant. Empty for the block of an account. */
  readonly endedTokens: readonly EndedTokens[];
  /**
   * Points that are still held: by payments and reversals under way, or by a token that the index does not show yet.
   * Repeating the block cancels this token.
   */
  readonly heldPoints: number;
}

/**
 * Blocks a person, or one account. Cancels the tokens of endpoint 1 that are not spent, and ends the user tokens of a
 * person. Safe to repeat: an existing block stays, and the remaining tokens end.
 *
 * A token that holds points cannot be written after the block, because its write fails on a blocked account. A token
 * that only earns may be written at the same moment as the block. If this token is spent, its reward is held for review
 * before points arrive.
 *
 * @throws NotFoundError when there is no such member, or no account in the program
 */
export async function blockMember(order: BlockOrder, deps: BlockDeps): Promise<BlockedMember> {
  const target = await findTarget(order, deps);
  const block: Block = { reason: order.reason, operator: await operatorOf(deps), at: deps.now().toISOString() };
  const isChanged = await setBlock(target, block, deps);
  const cancelledIds = await cancelTokens(target, deps);
  const endedTokens = target.partner ? [] : await endUserTokens({ member: { id: String(target.userId) } }, deps);
  const member = await loadTarget(target, deps);
  const blocked = member.memberships.filter(({ partnerId }) => isConcerned(target, partnerId));
  return {
    ...{ member, isChanged, cancelledIds, endedTokens },
    heldPoints: blocked.reduce((sum, { heldPoints }) => sum + heldPoints, 0),
  };
}

/**
 * Ends the block of a person, or of one account. Everything works again, except the tokens that the block ended.
 * Rewards that were held during the block stay held until their review.
 *
 * @throws NotFoundError when there is no such member, or no account in the program
 */
export async function unblockMember(
  order: BlockOrder,
  deps: BlockDeps,
): Promise<Pick<BlockedMember, 'member' | 'isChanged'>> {
  const target = await findTarget(order, deps);
  const isChanged = await setBlock(target, undefined, deps, order.reason);
  return { member: await loadTarget(target, deps), isChanged };
}

/**
 * Ends the tokens of a blocked member, or the tokens that concern a blocked account. Changes no block. A merge needs
 * this: a block that was written during the merge did not find the tokens that the merge moved to the member.
 */
export async function endBlockedTokens(member: MemberReference, deps: BlockDeps): Promise<void> {
  const { user, memberships } = await findMember(member, deps);
  const blocked = memberships.filter(({ block }) => block !== undefined).map(({ partnerId }) => ({ id: partnerId }));
  for (const partner of user.block ? [undefined] : blocked) await cancelTokens({ userId: user.id, partner }, deps);
  if (user.block) await endUserTokens({ member: { id: String(user.id) } }, deps);
}

/** The person, and the partner of the account if only the account is meant. */
interface BlockTarget {
  readonly userId: number;
  readonly partner: Organisation | undefined;
}

async function findTarget({ member: reference, program }: BlockOrder, deps: BlockDeps): Promise<BlockTarget> {
  const member = await findMember(reference, deps);
  const partner = program === undefined ? undefined : await findOrganisationOfKind(program, 'PARTNER', deps);
  const target = { userId: member.user.id, partner };
  if (partner && !member.memberships.some(({ partnerId }) => partnerId === partner.id)) {
    throw new NotFoundError(
      { kind: 'linked account of member', id: member.user.id },
      { within: organisationSubject(partner) },
    );
  }
  return target;
}

/** The part of a target that the search for its tokens needs. */
interface TokenTarget {
  readonly userId: number;
  readonly partner: { readonly id: number } | undefined;
}

const isConcerned = ({ partner }: TokenTarget, partnerId: number) => partner === undefined || partner.id === partnerId;

const loadTarget = ({ userId }: BlockTarget, deps: BlockDeps) => findMember({ id: String(userId) }, deps);

/**
 * Sets or ends the block of one account, or of a person and all of the person's accounts. If an account was linked at
 * the same moment, one more write sets or ends its block too.
 *
 * @returns whether this call changed the block
 */
async function setBlock(
  target: BlockTarget,
  block: Block | undefined,
  deps: BlockDeps,
  reason = block?.reason,
): Promise<boolean> {
  let isChanged = false;
  for (;;) {
    const written = await decideAndWrite(
      {
        subject: `the block of user ${target.userId}`,
        load: () => loadTarget(target, deps),
        write: async (member) => {
          const { writes, before } = planBlock(target, member, block);
          if (writes.length === 0) return false;
          const { partner } = target;
          const account = partner ? `the account in ${subjectText(organisationSubject(partner))} of ` : '';
          await writeAudited(
            {
              what: `${block ? 'blocked' : 'unblocked'} ${account}${subjectText(memberSubject(member))}: ${reason}`,
              change: { before: { block: before ?? null }, after: { block: block ?? null } },
              writes,
              conflict: () => new ChangedMeanwhileError(memberSubject(member)),
            },
            deps,
          );
          return true;
        },
        conflicts: [ChangedMeanwhileError],
      },
      deps,
    );
    if (!written) return isChanged;
    isChanged = true;
  }
}

/** Returns the writes that are still missing for the new block, and the block before these writes. */
function planBlock(
  { partner }: BlockTarget,
  member: Member,
  block: Block | undefined,
): { readonly writes: readonly Write[]; readonly before: Block | undefined } {
  const isSame = (before: Block | undefined) => (before === undefined) === (block === undefined);
  if (partner) {
    const accounts = member.memberships.filter(({ partnerId }) => partnerId === partner.id);
    const [before] = accounts.map((account) => account.block);
    return { writes: isSame(before) ? [] : accounts.map((account) => accountBlockWrite(account, block)), before };
  }
  const before = member.user.block;
  if (!isSame(before)) return { writes: userBlockWrites(member, block), before };
  const unmarked = member.memberships.filter(({ isUserBlocked = false }) => isUserBlocked !== (block !== undefined));
  return { writes: userBlockMarks(unmarked, block !== undefined), before };
}

/** Cancels the tokens that are not spent. A token that is spent at the same moment stays spent. */
async function cancelTokens(target: TokenTarget, deps: BlockDeps): Promise<number[]> {
  const cancelled: number[] = [];
  for (const claim of await deps.claims.liveOf(target.userId, deps.now())) {
    if (!claim.rewards.some(({ partnerId }) => isConcerned(target, partnerId))) continue;
    const ids = claim.rewards.map(({ id }) => id);
    const change = { before: { state: 'INITIATED' }, after: { state: 'CANCELLED' } };
    const what = `cancelled the token of transaction ${ids.join(', ')} of member ${target.userId}: a block`;
    try {
      await cancelClaim(claim, deps.now(), deps, await auditWrites(what, deps, change));
      cancelled.push(...ids);
    } catch (error) {
      if (!(error instanceof ClaimConflictError)) throw error;
    }
  }
  return cancelled;
}
