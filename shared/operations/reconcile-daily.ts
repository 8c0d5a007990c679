import { maximumCount, timingMs } from '../contracts/limits.ts';
import { timeOfIntegerId } from '../domain/ids.ts';
import {
  type Books,
  findEntryMismatches,
  findLedgerMismatches,
  type Mismatch,
} from '../domain/reconciliation/invariants.ts';
import { Ledger } from '../store/ledger/ledger.ts';
import {
  type BookKey,
  type KeyScan,
  type ReconciliationProgress,
  Reconciliations,
} from '../store/ledger/reconciliations.ts';
import { Transactions } from '../store/ledger/transactions.ts';
import { Members } from '../store/member/members.ts';
import type { Deps } from './operation.ts';
import { type Reconciliation, reconcileBooks } from './reconcile-books.ts';

export const reconcileDailyStores = {
  ledger: Ledger,
  members: Members,
  reconciliations: Reconciliations,
  transactions: Transactions,
};

export interface ReconcileDailyDeps extends Pick<Deps, 'now' | 'log'> {
  readonly ledger: Pick<Ledger, 'entriesOf' | 'entriesAbout'>;
  readonly members: Pick<Members, 'findMembership'>;
  readonly reconciliations: Pick<Reconciliations, 'find' | 'save'>;
  readonly transactions: Pick<Transactions, 'find'>;
  readonly scan: Pick<KeyScan, 'after'>;
  readonly pause: (milliseconds: number) => Promise<void>;
}

/**
 * Compares all accounts and all recent transactions with the ledger, once a day. It walks over the keys of the table
 * and reads each account and transaction by itself, so it holds one page of keys whatever the size of the table. A run
 * ends after some minutes; the next one continues. A difference is read again until it is certain, as in `reconcile`.
 *
 * @returns the result, when this run came to the end of the table
 */
export async function reconcileDaily(deps: ReconcileDailyDeps): Promise<ReconciliationProgress | undefined> {
  const { reconciliations, scan, pause, now, log } = deps;
  const endsAt = now().getTime() + timingMs.reconcileRun;
  let stored = await reconciliations.find();
  let progress = continued(stored, now());
  while (progress && now().getTime() < endsAt) {
    const { keys, position } = await scan.after(progress.position);
    const { position: _, ...before } = await compareAll(keys, progress, deps);
    const after: ReconciliationProgress = {
      ...before,
      ...(position ? { position } : { finishedAt: now().toISOString() }),
      revision: before.revision + 1,
    };
    if (!(await reconciliations.save(after, stored))) return undefined;
    if (!position) {
      log.info('books.reconciled', after);
      return after;
    }
    [stored, progress] = [after, after];
    await pause(timingMs.reconcilePause);
  }
  return undefined;
}

/** The progress to continue from; undefined when the last reconciliation is less than a day old. */
function continued(stored: ReconciliationProgress | undefined, now: Date): ReconciliationProgress | undefined {
  if (stored && !stored.finishedAt) return stored;
  if (stored && now.getTime() - Date.parse(stored.startedAt) < timingMs.reconcileEvery) return undefined;
  const none = { accounts: 0, transactions: 0, mismatches: 0, moving: 0 };
  return { startedAt: now.toISOString(), ...none, revision: stored?.revision ?? 0 };
}

async function compareAll(
  keys: readonly BookKey[],
  progress: ReconciliationProgress,
  deps: ReconcileDailyDeps,
): Promise<ReconciliationProgress> {
  const youngest = deps.now().getTime() - timingMs.reconciledTransactions;
  const wanted = keys.filter((key) => key.kind === 'account' || timeOfIntegerId(key.id).getTime() >= youngest);
  const sum = { ...progress };
  for (let from = 0; from < wanted.length; from += maximumCount.comparedAtOnce) {
    const together = wanted.slice(from, from + maximumCount.comparedAtOnce);
    const results = await Promise.all(
      together.map((key) => (key.kind === 'account' ? compareAccount(key, deps) : compareTransaction(key.id, deps))),
    );
    for (const [position, { mismatches, moving }] of results.entries()) {
      if (together[position]?.kind === 'account') sum.accounts += 1;
      else sum.transactions += 1;
      sum.mismatches += mismatches.length;
      sum.moving += moving.length;
      for (const { userId: _, ...mismatch } of mismatches) deps.log.error('books.mismatch', mismatch);
    }
  }
  return sum;
}

const noBooks: Books = {
  ...{ memberships: [], transactions: [], claims: [], entries: [], usage: [], programAccounts: [] },
  ...{ adjustments: [], payouts: [], merges: new Map() },
};

/** Compares books. Reads them again while they have mismatches. */
async function compare(
  read: () => Promise<Books>,
  find: (books: Books, now: Date) => Mismatch[],
  { now }: ReconcileDailyDeps,
): Promise<Reconciliation> {
  return reconcileBooks({ first: await read(), readAgain: read, now, find });
}

function compareAccount(
  { userId, partnerId }: { readonly userId: number; readonly partnerId: number },
  deps: ReconcileDailyDeps,
): Promise<Reconciliation> {
  const read = async () => {
    const membership = await deps.members.findMembership(userId, partnerId);
    // A merge or an erasure may delete an account.
    if (!membership) return noBooks;
    return { ...noBooks, memberships: [membership], entries: await deps.ledger.entriesOf(userId, partnerId) };
  };
  const find = ({ memberships, entries }: Books) => memberships.flatMap((one) => findLedgerMismatches(one, entries));
  return compare(read, find, deps);
}

async function compareTransaction(id: number, deps: ReconcileDailyDeps): Promise<Reconciliation> {
  const read = async () => {
    const transaction = await deps.transactions.find(id);
    if (!transaction) return noBooks;
    return { ...noBooks, transactions: [transaction], entries: await deps.ledger.entriesAbout(transaction) };
  };
  const find = ({ transactions, entries }: Books, now: Date) =>
    transactions.flatMap((one) => findEntryMismatches(one, entries, now));
  const found = await compare(read, find, deps);
  if (found.mismatches.length === 0) return found;
  // A merge moves transactions, and leaves their entries in the ledger of the member who goes.
  const moved = await deps.transactions.find(id);
  const ledger = moved ? await deps.ledger.entriesOf(moved.userId, moved.partnerId) : [];
  return ledger.some(({ merged }) => merged) ? { mismatches: [], moving: [`transaction ${id}`] } : found;
}
