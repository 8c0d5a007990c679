import { maximumAttempts } from '../../contracts/limits.ts';
import type { RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import { type Books, findMismatches, type Mismatch } from '../../domain/reconciliation/invariants.ts';

/** The result of a reconciliation while other writers change the table. */
export interface Reconciliation {
  /** The mismatches that are certain. */
  readonly mismatches: readonly Mismatch[];
  /**
   * Subjects with a possible mismatch whose data changed between every two readings, so the mismatch is not certain.
   */
  readonly moving: readonly string[];
}

/** The first reading of the books, and the function that reads them again. */
export interface BookReader {
  readonly first: Books;
  /** Reads the books again, beginning after the last reading has ended. */
  readonly readAgain: () => Promise<Books>;
  readonly now: () => Date;
  /** Finds the mismatches of one reading. By default, every invariant is checked. */
  readonly find?: (books: Books, now: Date) => readonly Mismatch[];
}

/**
 * Finds the mismatches in books whose items were read at different moments. If a member's items are the same in two
 * readings, they did not change between the readings: each change adds a transaction or a ledger entry, counts a
 * revision, or changes a state for good, so the items never return to an earlier state. Therefore, a member with a
 * mismatch is read again until two readings are the same.
 */
export async function reconcileBooks({
  first,
  readAgain,
  now,
  find = findMismatches,
}: BookReader): Promise<Reconciliation> {
  const certain: Mismatch[] = [];
  let books = first;
  let open = find(books, now());
  for (let readings = 1; open.length > 0 && readings < maximumAttempts.bookReading; readings += 1) {
    const suspects = new Set(open.map(({ userId }) => userId));
    const next = await readAgain();
    const [earlier, later] = [fingerprints(books, suspects), fingerprints(next, suspects)];
    const isStill = (userId: number | null) => earlier.get(userId) === later.get(userId);
    certain.push(...open.filter(({ userId }) => isStill(userId)));
    // The time is taken after the reading. So a counter that has to exist at this time was there during the whole
    // reading.
    open = find(next, now()).filter(({ userId }) => suspects.has(userId) && !isStill(userId));
    books = next;
  }
  return { mismatches: certain, moving: [...new Set(open.map(({ subject }) => subject))] };
}

/**
 * Shows as text whether velocity rules counted a transaction, and when it was held and reviewed. The counter of a rule
 * changes in the same write as this text. The times are needed because a reward may be held more than once.
 */
const reviewText = ({ counted = [], review }: RewardTransaction) =>
  `${counted.length} ${review?.heldAt} ${review?.end?.at}`;

/** For each of the members: the data that can change, as text. */
function fingerprints(books: Books, members: ReadonlySet<number | null>): Map<number | null, string> {
  const parts = new Map<number | null, string[]>();
  const add = (userId: number, ...part: readonly (string | number)[]) => {
    if (!members.has(userId)) return;
    const own = parts.get(userId) ?? [];
    parts.set(userId, own);
    own.push(part.join(' '));
  };
  for (const one of books.memberships) {
    const { userId, partnerId, availablePoints, heldPoints, owedPoints } = one;
    const { totalEarnedPoints, totalRedeemedPoints, cashbackCents, paidOutCents = 0 } = one;
    add(userId, 'membership', partnerId, availablePoints, heldPoints, owedPoints);
    add(userId, 'totals', partnerId, totalEarnedPoints, totalRedeemedPoints, cashbackCents, paidOutCents);
  }
  for (const { userId, merchantId, totalEarnedPoints, totalRedeemedPoints } of books.associations ?? []) {
    add(userId, 'association', merchantId, totalEarnedPoints, totalRedeemedPoints);
  }
  for (const one of books.transactions) {
    add(one.userId, 'transaction', one.id, one.state, one.refunds?.revision ?? 0, reviewText(one));
  }
  for (const { userId, authenticationId, state } of books.claims) add(userId, 'claim', authenticationId, state);
  for (const { userId, partnerId, transactionUuid, kind } of books.entries) {
    add(userId, 'entry', partnerId, transactionUuid, kind);
  }
  for (const { userId, campaignId, limitId, period, used } of books.usage) {
    add(userId, 'usage', campaignId, limitId, period, used);
  }
  addSpending(books, add);
  for (const { userId, uuid, state } of books.adjustments) add(userId, 'adjustment', uuid, state);
  for (const { userId, batchUuid, isReturned } of books.payouts) {
    add(userId, 'payout', batchUuid, String(isReturned));
  }
  return new Map([...parts].map(([userId, own]) => [userId, own.sort().join('\n')]));
}

type AddPart = (userId: number, ...part: readonly (string | number)[]) => void;

function addSpending({ spending }: Books, add: AddPart): void {
  if (!spending) return;
  for (const { userId, merchantId, partnerId, spentCents } of spending.totals) {
    add(userId, 'spend', merchantId, partnerId, spentCents);
  }
  for (const { spent, merchantId, externalTransactionId, revision } of spending.purchases) {
    if (spent) add(spent.userId, 'purchase', merchantId, externalTransactionId, revision);
  }
  for (const { userId, purchase, reportedAt } of spending.reported) {
    add(userId, 'reported', purchase, reportedAt, String(spending.counted.has(purchase)));
  }
}
