import { setTimeout } from 'node:timers/promises';
import { type Books, keptUser, unreadableMismatch } from '../../../shared/domain/reconciliation/invariants.ts';
import { findOverdueWork, type PendingWork, type WorkBooks } from '../../../shared/domain/reconciliation/pending.ts';
import type { PurchaseReport } from '../../../shared/operations/purchase/load-book.ts';
import { checkPurchase } from '../../../shared/operations/reconcile/check-purchase.ts';
import { type Reconciliation, reconcileNow } from '../../../shared/operations/reconcile/reconcile-now.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { Reconciliations } from '../../../shared/store/ledger/reconciliations.ts';
import type { WholeTable } from './read-books.ts';
import { WholeScan } from './whole-scan.ts';

/** The result of a reconciliation by an operator. */
export interface TableReconciliation extends Omit<Reconciliation, 'totals'> {
  /** How many items were compared, by their kind. */
  readonly compared: Readonly<Record<string, number>>;
  /** Work that has been pending for too long. */
  readonly pending: readonly PendingWork[];
}

/**
 * Reconciles a table, and finds the work that is pending for too long. Reads the whole table.
 *
 * @param member compares only this member
 */
export async function reconcileTable(
  table: WholeTable,
  platform: Platform,
  member?: number,
): Promise<TableReconciliation> {
  const scan = new WholeScan(table);
  const seen = new SeenBooks();
  const check = (report: PurchaseReport) => checkPurchase(report, platform);
  const { mismatches, moving, totals } = await reconcileNow(
    { ...platform, reconciliations: new Reconciliations(platform.table), scan, check, pause: setTimeout },
    { member, onBooks: (books) => seen.add(books) },
  );
  const known = new Set(mismatches.map(({ subject }) => subject));
  const isOwn = ({ userId }: { readonly userId: number | null }) =>
    member === undefined || keptUser(userId ?? 0, seen.merges) === member;
  const unreadable = scan.work.unreadable.filter(isOwn).map(unreadableMismatch);
  const { transactions, claims } = seen;
  const pending = scan.work.pending.filter(({ userId }) => member === undefined || userId === member);
  return {
    compared: { ...seen.sizes, ...(member === undefined && { totals }) },
    mismatches: [...mismatches, ...unreadable.filter(({ subject }) => !known.has(subject))],
    pending: findOverdueWork({ transactions, claims, pending }, platform.now()),
    moving,
  };
}

/** What is kept of the books of each shelf: their numbers, and the items that may be pending. */
class SeenBooks implements Omit<WorkBooks, 'pending'> {
  readonly sizes = { accounts: 0, transactions: 0, claims: 0, entries: 0, limits: 0, purchases: 0 };
  readonly merges = new Map<number, number>();
  readonly transactions: WorkBooks['transactions'][number][] = [];
  readonly claims: WorkBooks['claims'][number][] = [];

  add({ memberships, transactions, claims, entries, usage, spending, merges }: Books): void {
    this.sizes.accounts += memberships.length;
    this.sizes.transactions += transactions.length;
    this.sizes.claims += claims.length;
    this.sizes.entries += entries.length;
    this.sizes.limits += usage.length;
    this.sizes.purchases += spending?.purchases.length ?? 0;
    for (const [merged, kept] of merges) this.merges.set(merged, kept);
    this.transactions.push(...transactions.filter(({ state }) => state === 'PENDING' || state === 'HELD'));
    this.claims.push(...claims.filter(({ state }) => state === 'ISSUED'));
  }
}
