import { maximumPointsAdjustedAlone, maximumPointsMovedAlone, validityMs } from '../../contracts/limits.ts';
import { mayMoveAlone, personOf, pointsMovedBy, type Signature } from '../../domain/ledger/manual-adjustment.ts';
import {
  type Approval,
  approvalWrite,
  ManualAdjustments,
  movedAloneWrite,
  type ProgramChanges,
} from '../../store/ledger/manual-adjustments.ts';
import { Sequences } from '../../store/organisation/sequences.ts';
import type { Write } from '../../store/table/table-client.ts';
import { OperationError } from '../errors.ts';
import { type AuditedDeps, type Author, writeAudited } from '../write-audited.ts';

// Points that operators move by other commands than member adjust: opening balances, and points that are given up.

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
 * Decides whether the author may make changes of accounts: within the bounds of one operator, or with the approval of
 * another one. Seeds and tests have no author and no bound.
 *
 * @returns the writes that count the changes, to be written with them; none with an approval
 * @throws SecondPersonNeededError
 */
export async function countMove(move: ProgramChanges, deps: MoveDeps): Promise<Write[]> {
  const { author, adjustments, sequences, now } = deps;
  const points = pointsMovedBy(move.changes);
  if (!author || points === 0 || (await isApproved(move, { ...deps, author }))) return [];
  const signature = await signatureOf({ author, now });
  const month = await sequences.platformMonth(now());
  const refusal = new SecondPersonNeededError(points);
  if (!mayMoveAlone(move.changes, await adjustments.movedByPerson(signature, month))) throw refusal;
  return [movedAloneWrite(move.changes, { signature, month, refusal })];
}

/** Whether an operator other than the author has approved changes. */
export async function isApproved(
  move: ProgramChanges,
  { author, adjustments, now }: MoveDeps & { readonly author: Author },
): Promise<boolean> {
  const found = await adjustments.approvalsOf(move);
  const live = found.filter(({ expiresAt }) => now().getTime() < Date.parse(expiresAt));
  if (live.length === 0) return false;
  const own = personOf({ operator: await author.operator() });
  return live.some((approval) => personOf(approval) !== own);
}

/**
 * Approves that another operator makes exactly these changes, within the validity of a proposal. Nothing moves.
 *
 * @throws NothingToApproveError when the changes move no points
 */
export async function approveMove(
  move: ProgramChanges,
  deps: MoveDeps & { readonly author: Author },
): Promise<Approval> {
  const points = pointsMovedBy(move.changes);
  if (points === 0) throw new NothingToApproveError('it moves no points, so it needs no second person');
  const signature = await signatureOf(deps);
  const expiresAt = new Date(deps.now().getTime() + validityMs.adjustmentProposal).toISOString();
  const approval = { operator: signature.operator, points, expiresAt };
  await writeAudited(
    {
      what: `approved that another operator moves ${points} points of ${move.changes.length} accounts of organisation ${move.partnerId}`,
      change: { before: null, after: { points, accounts: move.changes.length, expiresAt } },
      writes: [approvalWrite(move, signature, approval)],
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
