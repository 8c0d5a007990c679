import { setTimeout } from 'node:timers/promises';
import { type Books, unreadableMismatch } from '../../../shared/domain/reconciliation/invariants.ts';
import { isOfMember } from '../../../shared/domain/reconciliation/member-books.ts';
import { findOverdueWork, type PendingWork } from '../../../shared/domain/reconciliation/pending.ts';
import { checkPurchase } from '../../../shared/operations/reconcile/check-purchase.ts';
import type { PurchaseChecks } from '../../../shared/operations/reconcile/check-purchases.ts';
import { type Reconciliation, reconcileNow } from '../../../shared/operations/reconcile/reconcile-now.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { Reconciliations } from '../../../shared/store/ledger/reconciliations.ts';
import type { WholeTable } from './read-books.ts';
import { WholeScan } from './whole-scan.ts';

/** What to reconcile, and how. */
interface WantedReconciliation extends Partial<Pick<PurchaseChecks, 'pause'>> {
  readonly table: WholeTable;
  /** Compares only this member. */
  readonly member?: number;
}

/** The result of a reconciliation by an operator. */
export interface TableReconciliation extends Omit<Reconciliation, 'totals'> {
  /** How many items were compared, by their kind. */
  readonly compared: Readonly<Record<string, number>>;
  /** Work that has been pending for too long. */
  readonly pending: readonly PendingWork[];
}

/** Reconciles a table, and finds the work that is pending for too long. Reads the whole table. */
export async function reconcileTable(
  { table, member, pause = setTimeout }: WantedReconciliation,
  platform: Platform,
): Promise<TableReconciliation> {
  const scan = new WholeScan(table);
  const seen = new SeenBooks(platform.now);
  const check: PurchaseChecks['check'] = (report) => checkPurchase(report, platform);
  const { mismatches, moving, totals } = await reconcileNow(
    { ...platform, reconciliations: new Reconciliations(platform.table), scan, check, pause },
    { member, onBooks: (books) => seen.add(books) },
  );
  const known = new Set(mismatches.map(({ subject }) => subject));
  const isOwn = member === undefined ? () => true : isOfMember(member, seen.merges);
  const unreadable = scan.unreadable.filter(isOwn).map(unreadableMismatch);
  const pending = scan.pending.filter(({ userId }) => member === undefined || userId === member);
  return {
    compared: { ...seen.sizes, ...(member === undefined && { totals }) },
    mismatches: [...mismatches, ...unreadable.filter(({ subject }) => !known.has(subject))],
    pending: seen.overdueWith(pending),
    moving,
  };
}

/** What is kept of the books of each shelf: their numbers, and the work that has been pending for too long. */
class SeenBooks {
  readonly sizes = { accounts: 0, transactions: 0, claims: 0, entries: 0, limits: 0, purchases: 0 };
  readonly merges = new Map<number, number>();
  readonly #overdue: PendingWork[] = [];
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  add(books: Books): void {
    this.sizes.accounts += books.memberships.length;
    this.sizes.transactions += books.transactions.length;
    this.sizes.claims += books.claims.length;
    this.sizes.entries += books.entries.length;
    this.sizes.limits += books.usage.length;
    this.sizes.purchases += books.spending?.purchases.length ?? 0;
    for (const [merged, kept] of books.merges) this.merges.set(merged, kept);
    this.#overdue.push(...findOverdueWork({ ...books, pending: [] }, this.#now()));
  }

  /** All work that has been pending for too long, the oldest first. `pending` is the work that is not in the books. */
  overdueWith(pending: readonly PendingWork[]): PendingWork[] {
    const others = findOverdueWork({ transactions: [], claims: [], pending }, this.#now());
    return [...others, ...this.#overdue].sort((one, other) => Date.parse(one.since) - Date.parse(other.since));
  }
}
