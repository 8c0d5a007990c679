import { giftTo, type Move } from '../../domain/ledger/manual-adjustment.ts';
import type { RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import { reverseRest } from '../../domain/reversal/operator-reversal.ts';
import type { AppliedRefunds } from '../../domain/reversal/reversal.ts';
import type { Approval } from '../../store/ledger/manual-adjustments.ts';
import { ClaimConflictError, TransactionConflictError } from '../../store/ledger/transactions.ts';
import { ChangedMeanwhileError, NotFoundError, OperationError, type Subject } from '../errors.ts';
import { approveMove, countMove, type movePointsStores } from '../move-points.ts';
import { decideAndWrite } from '../operation.ts';
import { askAgain, type receiveReportStores } from '../posting/receive-report.ts';
import { loadTerms, type reverseTransactionStores } from '../purchase/load-terms.ts';
import { cancelClaim } from '../token/cancel-claim.ts';
import { type AuditedDeps, type Author, auditWrites, type Confirmable, operatorOf } from '../write-audited.ts';
import { findTransaction } from './explain-rewards.ts';

type ManageDeps = AuditedDeps<typeof reverseTransactionStores & typeof receiveReportStores & typeof movePointsStores>;

/** The transaction does not allow what the operator asks for. The message is the reason. */
export class TransactionRefusedError extends OperationError {
  override readonly name = 'TransactionRefusedError';
}

/** The transaction that an operator names, and the operator's reason. */
export interface TransactionOrder<Planned> extends Confirmable<Planned> {
  /** Id or UUID of the transaction. */
  readonly id: string;
  readonly reason: string;
}

/**
 * Reverses everything that is left of a completed transaction; for a transfer, everything that is left of both legs.
 * The reversals are pending until the program confirms them, like the reversals of refunds. A repeated call is refused,
 * because nothing is left.
 *
 * The points of a payment return to the member, so they have the rule of two persons.
 *
 * @returns the reversals
 * @throws SecondPersonNeededError
 * @throws NotReversibleError when the transaction is not completed, is a reversal, or nothing is left of it
 * @throws NotFoundError
 */
export async function reverseByOperator(
  { id, reason, confirm }: TransactionOrder<readonly RewardTransaction[]>,
  deps: ManageDeps,
): Promise<readonly RewardTransaction[]> {
  const named = await findExisting(id, deps);
  const cause = { uuid: deps.nextUuid(), reason, operator: await operatorOf(deps) };
  let isConfirmed = false;
  return decideAndWrite(
    {
      subject: `the reversal of transaction ${named.id}`,
      load: () => loadLegs(id, deps),
      write: async (legs) => {
        const now = deps.now();
        const applied = reverseRest(legs, cause, { now, nextIds: deps.nextIds });
        const reversals = applied.flatMap(({ reversal }) => reversal ?? []);
        const counting = await countMove(moveOfReversals(reversals), deps);
        if (!isConfirmed) await confirm?.(reversals);
        isConfirmed = true;
        const audit = await auditWrites(`reversed ${textOf(named)}: ${reason}`, deps, changeOf(applied));
        await deps.reversals.reverse(applied, { now, nextUuid: deps.nextUuid, auditWrites: [...audit, ...counting] });
        return reversals;
      },
      conflicts: [TransactionConflictError],
    },
    deps,
  );
}

/**
 * Approves that another operator reverses exactly what is left of a payment with points.
 *
 * @throws NothingToApproveError when the reversal returns no points to the member
 * @throws NotReversibleError, NotFoundError
 */
export async function approveReversal(id: string, deps: ManageDeps & { readonly author: Author }): Promise<Approval> {
  const cause = { uuid: deps.nextUuid(), reason: '', operator: null };
  const applied = reverseRest(await loadLegs(id, deps), cause, { now: deps.now(), nextIds: deps.nextIds });
  return approveMove(moveOfReversals(applied.flatMap(({ reversal }) => reversal ?? [])), deps);
}

async function loadLegs(id: string, deps: ManageDeps) {
  const legs = await deps.transactions.withOtherLeg(await findExisting(id, deps));
  return Promise.all(legs.map(async (original) => ({ ...(await loadTerms(original, deps)), original })));
}

/** The points that reversals give back. A transfer gives none: it also takes what arrived in the other program. */
function moveOfReversals(reversals: readonly RewardTransaction[]): Move {
  const givers = reversals.filter(({ type, otherLegId }) => type === 'REDEEM' && otherLegId === undefined);
  return { changes: givers.map((one) => giftTo(one, one, `reversal of transaction ${one.reverses?.id}`)) };
}

/** The reversed amounts of the originals, before and after this reversal. */
const changeOf = (applied: readonly AppliedRefunds[]) => ({
  before: Object.fromEntries(applied.map(({ original }) => [original.id, reversedOf(original.refunds)])),
  after: Object.fromEntries(applied.map(({ original, refunds }) => [original.id, reversedOf(refunds)])),
});

const reversedOf = (refunds: RewardTransaction['refunds']) => ({
  reversedPoints: refunds?.points ?? 0,
  reversedCents: refunds?.cashbackCents ?? 0,
});

/**
 * Cancels a transaction whose token is not spent yet, with all other transactions of the token. Points that the token
 * holds return to the member. The merchant may authenticate the purchase again.
 *
 * @returns the ids of the cancelled transactions
 * @throws TransactionRefusedError when the token was spent, or the transaction has no token
 * @throws ChangedMeanwhileError when the token was spent or replaced at the same time
 * @throws NotFoundError
 */
export async function cancelByOperator(
  { id, reason, confirm }: TransactionOrder<readonly number[]>,
  deps: ManageDeps,
): Promise<readonly number[]> {
  const transaction = await findExisting(id, deps);
  const { externalTransactionId, state } = transaction;
  const claim =
    externalTransactionId === null ? undefined : await deps.claims.find({ ...transaction, externalTransactionId });
  const ids = claim?.rewards.map((reward) => reward.id) ?? [];
  if (claim?.state !== 'ISSUED' || !ids.includes(transaction.id)) {
    const { [state]: advice = '' } = adviceByState;
    throw new TransactionRefusedError(`transaction ${transaction.id} is ${state}, and no token holds it${advice}`);
  }
  await confirm?.(ids);
  const change = { before: { state }, after: { state: 'CANCELLED' } };
  const audit = await auditWrites(`cancelled the token of ${textOf(transaction)}: ${reason}`, deps, change);
  try {
    await cancelClaim(claim, deps.now(), deps, audit);
  } catch (error) {
    throw error instanceof ClaimConflictError ? new ChangedMeanwhileError(subjectOf(transaction)) : error;
  }
  return ids;
}

const adviceByState: Readonly<Partial<Record<RewardTransaction['state'], string>>> = {
  PENDING: ': the program has to answer; transaction retry announces it again',
  HELD: ': transaction release lets it go on, and transaction refuse ends it',
  ERROR: ': the program may have moved the points; transaction retry asks it again',
  COMPLETED: ': transaction reverse reverses it',
};

/**
 * Posts a transaction again. The transaction is in ERROR or pending: its program has given no final answer. If the
 * program may have received the transaction, the platform asks the program before it posts again, so no points move
 * twice.
 *
 * @returns the transactions that are posted again: one, or both legs of a transfer
 * @throws TransactionRefusedError when the transaction has a final state, or the platform repeats the attempt by itself
 * @throws ChangedMeanwhileError when another worker changed the transaction
 * @throws NotFoundError
 */
export async function retryByOperator(
  { id, reason }: Omit<TransactionOrder<never>, 'confirm'>,
  deps: ManageDeps,
): Promise<readonly RewardTransaction[]> {
  const transaction = await findExisting(id, deps);
  const legs = await deps.transactions.withOtherLeg(transaction);
  const { state } = transaction;
  if (!legs.every((leg) => leg.state === 'ERROR') && !legs.every((leg) => leg.state === 'PENDING')) {
    throw new TransactionRefusedError(
      `transaction ${transaction.id} is ${state}${state === 'HELD' ? adviceByState.HELD : ': only one in PENDING or ERROR waits for a program'}`,
    );
  }
  const posting = legs.find((leg) => leg.posting !== undefined)?.posting;
  const isRepeating = state === 'PENDING' && posting !== undefined && posting.acceptedAt === undefined;
  if (isRepeating) {
    throw new TransactionRefusedError(
      `the platform repeats transaction ${transaction.id} by itself: an attempt runs, or the next one is due at ${posting.dueAt}`,
    );
  }
  const change = { before: { state }, after: { state: 'PENDING' } };
  const audit = await auditWrites(`let ${textOf(transaction)} be posted again: ${reason}`, deps, change);
  const context = { now: deps.now(), nextUuid: deps.nextUuid, auditWrites: audit };
  const isDone =
    state === 'PENDING' && posting === undefined
      ? await deps.postings.announce(transaction, context)
      : await askAgain(legs, deps, audit);
  if (!isDone) throw new ChangedMeanwhileError(subjectOf(transaction));
  return legs;
}

async function findExisting(text: string, deps: ManageDeps): Promise<RewardTransaction> {
  const found = await findTransaction(text, deps);
  if (found) return found;
  throw new NotFoundError({ kind: 'transaction', id: text });
}

const subjectOf = ({ id }: RewardTransaction): Subject => ({ kind: 'transaction', id });

const textOf = ({ id, userId, points, cashbackCents }: RewardTransaction) =>
  `transaction ${id} of member ${userId} (${points} points, ${cashbackCents} cents)`;
