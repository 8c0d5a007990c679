import {
  awsMaximumItems,
  maximumPointsAdjustedAlone,
  maximumPointsMovedAlone,
  validityMs,
} from '../contracts/limits.ts';
import {
  giftsByAccount,
  type Move,
  mayMoveAlone,
  personOf,
  pointsMovedBy,
  type Signature,
} from '../domain/ledger/manual-adjustment.ts';
import {
  type Approval,
  type Approved,
  approvalWrite,
  ManualAdjustments,
  movedAloneWrites,
} from '../store/ledger/manual-adjustments.ts';
import { Sequences } from '../store/organisation/sequences.ts';
import type { Write } from '../store/table/table-client.ts';
import { OperationError } from './errors.ts';
import { type AuditedDeps, type Author, writeAudited } from './write-audited.ts';

// The rule of two persons for commands other than member adjust: opening balances, points that are given up or given
// back, held rewards that go on, merges.

export const movePointsStores = { adjustments: ManualAdjustments, sequences: Sequences };
export type MoveDeps = AuditedDeps<typeof movePointsStores>;

/** One operator may not move so many points. The message says what a second person has to do. */
export class SecondPersonNeededError extends OperationError {
  override readonly name = 'SecondPersonNeededError';

  constructor(points: number) {
    super(
      `one operator may move ${maximumPointsAdjustedAlone} points of an account, and ${maximumPointsMovedAlone} points in a month; ` +
        `these are ${points}: let another operator run the same command with --approve first`,
    );
  }
}

/** The signature of the author at this moment, with the proven identity. */
export async function signatureOf({
  author,
  now,
}: Pick<MoveDeps, 'now'> & { readonly author: Author }): Promise<Signature> {
  const operator = await author.operator();
  return { operator, actor: author.actor, at: now().toISOString() };
}

/**
 * Checks that the author may make these changes of accounts: within the bounds of one operator, or with the approval of
 * another operator. Seeds and tests have no author and no bound.
 *
 * @returns the writes that count the changes, to be written together with the changes; none if another operator
 * approved
 * @throws SecondPersonNeededError
 */
export async function countMove(move: Move, deps: MoveDeps): Promise<Write[]> {
  const { author, adjustments, sequences, now } = deps;
  const points = pointsMovedBy(move.changes);
  if (!author || points === 0 || (await isApproved(move, { ...deps, author }))) return [];
  const signature = await signatureOf({ author, now });
  const month = await sequences.platformMonth(now());
  const refusal = new SecondPersonNeededError(points);
  if (!mayMoveAlone(move.changes, await adjustments.movedByPerson(signature, month))) throw refusal;
  for (const gift of giftsByAccount(move.changes)) {
    const sum = gift.points + (await adjustments.adjustedAlone(gift, month));
    if (sum > maximumPointsAdjustedAlone) throw refusal;
  }
  return movedAloneWrites(move.changes, { signature, month, refusal });
}

/**
 * Checks changes of many accounts together, and counts them before the first of them is made.
 *
 * @throws SecondPersonNeededError
 */
export async function countTogether({ changes }: Pick<Move, 'changes'>, deps: MoveDeps): Promise<void> {
  if ((await countMove({ changes }, deps)).length === 0) return;
  const size = awsMaximumItems.itemsPerTransaction - 1;
  for (let first = 0; first < changes.length; first += size) {
    await deps.table.writeAll(await countMove({ changes: changes.slice(first, first + size) }, deps));
  }
}

/** Whether an operator other than the author has approved a command. */
export async function isApproved(
  approved: Approved,
  { author, adjustments, now }: MoveDeps & { readonly author: Author },
): Promise<boolean> {
  const found = await adjustments.approvalsOf(approved);
  const live = found.filter(({ expiresAt }) => now().getTime() < Date.parse(expiresAt));
  if (live.length === 0) return false;
  const own = personOf({ operator: await author.operator() });
  return live.some((approval) => personOf(approval) !== own);
}

/**
 * Approves that another operator makes exactly these changes. Nothing moves. The approval is valid for the same time
 * as a proposal.
 *
 * @throws NothingToApproveError when the changes move no points
 */
export async function approveMove(move: Move, deps: MoveDeps & { readonly author: Author }): Promise<Approval> {
  const { changes, merge } = move;
  const points = pointsMovedBy(changes);
  if (points === 0) throw new NothingToApproveError('it moves no points, so it needs no second person');
  const ids = [...new Set(changes.map(({ partnerId }) => partnerId))];
  const accounts = new Set(changes.map(({ partnerId, memberId }) => `${partnerId} ${memberId}`)).size;
  const moved = `${points} points of ${accounts} ${accounts === 1 ? 'account' : 'accounts'} of organisation ${ids.join(', ')}`;
  const by = merge ? `, by the merge of member ${merge.goneId} into member ${merge.keptId}` : '';
  return approve(move, { points, what: `moves ${moved}${by}`, accounts }, deps);
}

/** Approves that another operator runs exactly this command. The approval is valid for the same time as a proposal. */
export async function approve(
  approved: Approved,
  { points, what, ...details }: { readonly points: number; readonly what: string; readonly accounts?: number },
  deps: MoveDeps & { readonly author: Author },
): Promise<Approval> {
  const signature = await signatureOf(deps);
  const expiresAt = new Date(deps.now().getTime() + validityMs.adjustmentProposal).toISOString();
  const approval = { operator: signature.operator, points, expiresAt };
  await writeAudited(
    {
      what: `approved that another operator ${what}`,
      change: { before: null, after: { points, ...details, expiresAt } },
      writes: [approvalWrite(approved, signature, approval)],
      // The write has no condition.
      conflict: () => new Error('an approval has no conflict'),
    },
    deps,
  );
  return approval;
}

/** The changes need no approval. */
export class NothingToApproveError extends OperationError {
  override readonly name = 'NothingToApproveError';
}
