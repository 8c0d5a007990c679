import { awsMaximumItems } from '../../contracts/limits.ts';
import {
  finalize,
  holdersOf,
  idsSharing,
  type PendingLegs,
  type ProgramAnswer,
  stateBefore,
  transitionBy,
} from '../../domain/ledger/finalize.ts';
import { bringsBack } from '../../domain/ledger/movement-table.ts';
import type { RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import { TransactionConflictError, Transactions } from '../../store/ledger/transactions.ts';
import { ContentionError, concerning, type Write } from '../../store/table/table-client.ts';
import type { OperationDeps, Stores } from '../operation.ts';
import { decideAndWrite } from '../operation.ts';
import { holdBlocked, holdRewardStores } from './review-reward.ts';

export const finalizeTransactionsStores = { ...holdRewardStores, transactions: Transactions };
export type Finalizing = Pick<OperationDeps, 'log' | 'now' | 'nextUuid' | 'table'> &
  Stores<typeof finalizeTransactionsStores>;

/** The answer of the loyalty program for pending transactions that end together: one, or both legs of a transfer. */
export interface AnsweredLegs {
  readonly legs: readonly RewardTransaction[];
  readonly answer: ProgramAnswer;
  /** The row of the audit trail, when an operator gives the answer. */
  readonly auditWrites?: readonly Write[];
}

/**
 * Records the final answer of the loyalty program for transactions and reversals. The answer changes balance, totals,
 * limits and ledger; a reversal also changes the transaction that it reverses. Safe to repeat: only the first answer is
 * recorded. A reward that would arrive on a blocked account is held for review instead.
 *
 * @returns whether this call recorded the answer; false when a leg was no longer pending, or is held for review now
 * @throws ContentionError when refunds or other writes of the account keep causing conflicts; a retry may work
 */
export function finalizeTransactions({ legs, answer, auditWrites }: AnsweredLegs, deps: Finalizing): Promise<boolean> {
  return decideAndWrite<PendingLegs | undefined, boolean>(
    {
      subject: `the end of transactions ${legs.map(({ id }) => id).join(' and ')}`,
      load: async (conflict) => {
        if (!conflict) return loadPending(legs, answer, deps);
        const pending = await loadPending(await reload(legs, deps), answer, deps);
        const isHeld = pending && answer.kind === 'confirmed' && (await holdBlocked(pending.legs, deps));
        return isHeld ? undefined : pending;
      },
      write: async (pending) => {
        if (!pending) return false;
        const now = deps.now();
        const context = { now, nextUuid: deps.nextUuid, auditWrites };
        await deps.transactions.finalize(finalize(pending, answer, now), context);
        return true;
      },
      conflicts: [TransactionConflictError, ContentionError],
    },
    deps,
  );
}

/**
 * Records several answers. One write records the confirmed rewards and payments of one member. Other answers of the
 * member are recorded one after the other. Members are handled in parallel.
 *
 * @returns the error of each answer that could not be recorded
 */
export async function finalizeTogether(
  answered: readonly AnsweredLegs[],
  deps: Finalizing,
): Promise<ReadonlyMap<AnsweredLegs, unknown>> {
  const errors = new Map<AnsweredLegs, unknown>();
  const byMember = Map.groupBy(answered, ({ legs }) => legs[0]?.userId);
  await Promise.all(
    [...byMember.values()].map(async (own) => {
      for (const group of groupsToRecord(own)) {
        const attempt = (these: readonly AnsweredLegs[], work: () => Promise<unknown>) =>
          work().catch((error: unknown) => {
            for (const one of these) errors.set(one, error);
          });
        await attempt(group, async () => {
          if (group.length > 1 && (await areRecorded(group, deps))) return;
          for (const one of group) {
            const record = () => finalizeTransactions(one, deps);
            await attempt([one], () => concerning(one.legs[0]?.uuid ?? '', record));
          }
        });
      }
    }),
  );
  return errors;
}

/**
 * An answer writes at most ten items, five for each of at most two legs. Four belong to the leg: the transaction, the
 * ledger entry, the event and the announcement of refunds that waited. The fifth is for the account and the
 * association, which the answers of one member share.
 */
const answersPerWrite = awsMaximumItems.itemsPerTransaction / 10;

/** Divides the answers of one member into groups that one write can record. */
function groupsToRecord(answered: readonly AnsweredLegs[]): AnsweredLegs[][] {
  // Two messages about one transaction, or about the two legs of a transfer, have the same answer. Only the first
  // message goes into a group.
  const seen = new Set<number>();
  const [plain, others]: [AnsweredLegs[], AnsweredLegs[]] = [[], []];
  for (const one of answered) {
    const isRepeated = one.legs.some(({ id }) => seen.has(id));
    for (const { id } of one.legs) seen.add(id);
    // A reversal also changes its original. One original may have several reversals, so they are recorded one by one.
    const isPlain = one.answer.kind === 'confirmed' && one.legs.every(({ reverses }) => !reverses);
    (isPlain && !isRepeated ? plain : others).push(one);
  }
  const groups = Array.from({ length: Math.ceil(plain.length / answersPerWrite) }, (_, group) =>
    plain.slice(group * answersPerWrite, (group + 1) * answersPerWrite),
  );
  return [...groups, ...others.map((one) => [one])];
}

/**
 * Records confirmations in one write.
 *
 * @returns false when the confirmations have to be recorded one by one, because one of them may fail
 * @throws ContentionError when other writers keep changing the account; recording one by one would cause more conflicts
 */
async function areRecorded(group: readonly AnsweredLegs[], deps: Finalizing): Promise<boolean> {
  const legs = group.flatMap((one) => one.legs);
  const references = group.flatMap(({ legs: own, answer }) =>
    own.map((_, position) => (answer.kind === 'confirmed' ? answer.references[position] : undefined)),
  );
  try {
    return await finalizeTransactions({ legs, answer: { kind: 'confirmed', references } }, deps);
  } catch (error) {
    if (error instanceof ContentionError) throw error;
    return false;
  }
}

/** The legs as they are now. */
const reload = (legs: readonly RewardTransaction[], { transactions }: Finalizing) =>
  Promise.all(legs.map(({ id }) => transactions.find(id)));

/**
 * Loads everything that the final state of the legs depends on; undefined when a leg no longer waits for this answer.
 */
async function loadPending(
  legs: readonly (RewardTransaction | undefined)[],
  answer: ProgramAnswer,
  { members, transactions }: Finalizing,
): Promise<PendingLegs | undefined> {
  const awaited = stateBefore(answer);
  if (!legs.every((leg): leg is RewardTransaction => leg?.state === awaited)) return undefined;
  const restored = legs.filter((leg) => bringsBack(transitionBy(answer), leg));
  const [originals, accounts] = await Promise.all([
    Promise.all(legs.flatMap((leg) => (leg.reverses ? [loadExisting(leg.reverses.id, transactions)] : []))),
    Promise.all(restored.map(({ userId, partnerId }) => members.findMembership(userId, partnerId))),
  ]);
  const sharing = await Promise.all(
    idsSharing(holdersOf({ legs, originals }, answer)).map((id) => loadExisting(id, transactions)),
  );
  return { legs, originals, sharing, accounts: accounts.filter((account) => account !== undefined) };
}

async function loadExisting(id: number, transactions: Transactions): Promise<RewardTransaction> {
  const found = await transactions.find(id);
  if (!found) throw new Error(`transaction ${id} is missing`);
  return found;
}
