import { TransactionNotFoundError, UserNotFoundError } from '../../domain/errors.ts';
import { integerIdOf } from '../../domain/ids.ts';
import { restart } from '../../domain/ledger/posting.ts';
import type { RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import type { ProgramReport } from '../../programs/contract.ts';
import { Postings } from '../../store/ledger/postings.ts';
import { Transactions } from '../../store/ledger/transactions.ts';
import { Members } from '../../store/member/members.ts';
import { outboxWrite } from '../../store/outbox/outbox.ts';
import type { Write } from '../../store/table/table-client.ts';
import type { Deps } from '../operation.ts';

export const receiveReportStores = { members: Members, postings: Postings, transactions: Transactions };
type ReportDeps = Deps<typeof receiveReportStores>;

/** A report, and the partner whose program signed it. */
export interface ReceivedReport {
  readonly partnerId: number;
  readonly report: ProgramReport;
}

/**
 * Asks the program again because of a report. Only the program's answer changes a transaction or a balance, so a
 * repeated or replayed report does no harm.
 *
 * @throws TransactionNotFoundError, UserNotFoundError when the program has no such transaction or member
 */
export async function receiveReport({ partnerId, report }: ReceivedReport, deps: ReportDeps): Promise<void> {
  if (report.type === 'transaction.answered') return askForAnswer(partnerId, report.data.transaction_uuid, deps);
  return askForBalance(partnerId, report.data.member_id, deps);
}

async function askForAnswer(partnerId: number, uuid: string, deps: ReportDeps): Promise<void> {
  const id = integerIdOf(uuid);
  const transaction = id === undefined ? undefined : await deps.transactions.find(id);
  if (transaction?.uuid !== uuid || transaction.partnerId !== partnerId) throw new TransactionNotFoundError();
  await askAgain(await deps.transactions.withOtherLeg(transaction), deps);
}

/**
 * Lets the platform ask the program now, not at the planned time. A transaction in ERROR becomes pending again. A
 * pending transaction changes only if the program has accepted it: the platform repeats all other posts by itself. A
 * transaction with a final state does not change.
 *
 * @param legs the transaction, or both legs of its transfer
 * @param auditWrites the row of the audit trail, when an operator asks
 * @returns whether an attempt was made due
 */
export async function askAgain(
  legs: readonly RewardTransaction[],
  { postings, now, nextUuid }: Pick<ReportDeps, 'postings' | 'now' | 'nextUuid'>,
  auditWrites?: readonly Write[],
): Promise<boolean> {
  const context = { now: now(), nextUuid, auditWrites };
  const posted = legs.filter(({ posting }) => posting !== undefined);
  if (legs.every(({ state }) => state === 'ERROR')) {
    return postings.resume(
      legs.map((before) => ({ before, posting: before.posting && restart(before.posting, context.now) })),
      context,
    );
  }
  const waiting = posted.find(({ state, posting }) => state === 'PENDING' && posting?.acceptedAt !== undefined);
  if (!waiting?.posting) return false;
  const posting = { ...waiting.posting, dueAt: context.now.toISOString() };
  return postings.wake({ before: waiting, posting }, context);
}

async function askForBalance(partnerId: number, memberId: string, deps: ReportDeps): Promise<void> {
  const userId = await deps.members.findUserId(partnerId, memberId);
  const membership = userId === undefined ? undefined : await deps.members.findMembership(userId, partnerId);
  if (!membership) throw new UserNotFoundError();
  const occurredAt = deps.now().toISOString();
  const event = { name: 'balance_reported', entityId: String(membership.id), occurredAt } as const;
  await deps.table.write(outboxWrite({ id: deps.nextUuid(), ...event }));
}
