import {
  finalize,
  holdersOf,
  idsSharing,
  type PendingLegs,
  type ProgramAnswer,
  transitionBy,
} from '../domain/ledger/finalize.ts';
import { bringsBack } from '../domain/ledger/movement-table.ts';
import type { RewardTransaction } from '../domain/ledger/reward-transaction.ts';
import { TransactionConflictError, Transactions } from '../store/ledger/transactions.ts';
import { Members } from '../store/member/members.ts';
import { Orders } from '../store/order/orders.ts';
import type { OperationDeps, Stores } from './operation.ts';
import { decideAndWrite } from './operation.ts';

export const finalizeTransactionsStores = { members: Members, orders: Orders, transactions: Transactions };
export type Finalizing = Pick<OperationDeps, 'now' | 'nextUuid' | 'table'> & Stores<typeof finalizeTransactionsStores>;

/** The answer of the loyalty program for pending transactions that end together: one, or both legs of a transfer. */
export interface AnsweredLegs {
  readonly legs: readonly RewardTransaction[];
  readonly answer: ProgramAnswer;
}

/**
 * Records the final answer of the loyalty program for transactions, reversals as any other. Balance, totals, limits
 * and ledger follow; reversals also change the transactions that they reverse. Safe to repeat: one answer counts.
 *
 * @returns whether this call recorded the answer; false when a leg was no longer pending
 * @throws ContentionError when refunds of the same transactions kept getting in the way; a retry may work
 */
export function finalizeTransactions({ legs, answer }: AnsweredLegs, deps: Finalizing): Promise<boolean> {
  return decideAndWrite<PendingLegs | undefined, boolean>(
    {
      subject: `the end of transactions ${legs.map(({ id }) => id).join(' and ')}`,
      load: async (conflict) => loadPending(conflict ? await reload(legs, deps) : legs, answer, deps),
      write: async (pending) => {
        if (!pending) return false;
        const now = deps.now();
        await deps.transactions.finalize(finalize(pending, answer, now), { now, nextUuid: deps.nextUuid });
        return true;
      },
      conflicts: [TransactionConflictError],
    },
    deps,
  );
}

/** The legs as they are now. */
const reload = (legs: readonly RewardTransaction[], { transactions }: Finalizing) =>
  Promise.all(legs.map(({ id }) => transactions.find(id)));

/** The legs with everything else that their end depends on; undefined when a leg is no longer pending. */
async function loadPending(
  legs: readonly (RewardTransaction | undefined)[],
  answer: ProgramAnswer,
  { members, orders, transactions }: Finalizing,
): Promise<PendingLegs | undefined> {
  if (!legs.every(isPending)) return undefined;
  const restored = legs.filter((leg) => bringsBack(transitionBy(answer), leg));
  const [originals, accounts, late] = await Promise.all([
    Promise.all(legs.flatMap((leg) => (leg.reverses ? [loadExisting(leg.reverses.id, transactions)] : []))),
    Promise.all(restored.map(({ userId, partnerId }) => members.findMembership(userId, partnerId))),
    answer.kind === 'confirmed' ? findLate(legs, orders) : [],
  ]);
  const sharing = await Promise.all(
    idsSharing(holdersOf({ legs, originals }, answer)).map((id) => loadExisting(id, transactions)),
  );
  return { legs, originals, sharing, accounts: accounts.filter((account) => account !== undefined), late };
}

/** Finds the legs of purchases whose order was refunded. Legs for which the order's refunds wait announce them anyway. */
async function findLate(legs: readonly RewardTransaction[], orders: Orders): Promise<RewardTransaction[]> {
  const late = await Promise.all(
    legs.map(async (leg) => {
      const { merchantId, externalTransactionId: externalOrderId, reverses, otherLegId, refunds } = leg;
      if (externalOrderId === null || reverses || otherLegId !== undefined || refunds?.waiting.length) return [];
      const order = await orders.findByExternalId({ merchantId, externalOrderId });
      return order && order.refundedCents > 0 ? [leg] : [];
    }),
  );
  return late.flat();
}

const isPending = (leg: RewardTransaction | undefined): leg is RewardTransaction => leg?.state === 'PENDING';

async function loadExisting(id: number, transactions: Transactions): Promise<RewardTransaction> {
  const found = await transactions.find(id);
  if (!found) throw new Error(`transaction ${id} is missing`);
  return found;
}
