import type { Books } from './books.ts';
import { type Difference, differencesIn } from './invariants.ts';

/** What is sure about some books, and what cannot be said because it kept moving. */
export interface Settled {
  readonly differences: readonly Difference[];
  /** Subjects that looked wrong and moved whenever they were looked at. */
  readonly restless: readonly string[];
}

const maximumLooks = 5;

/**
 * What differs in books of which every item was read at another moment. A member whose items are all the same
 * in two looks, one after the other, had exactly these items at the moment between the two: whatever happens
 * leaves a transaction, its next state or an entry behind, so that all of them together never go back to what
 * they were. A member that looks wrong is therefore looked at until nothing of it moves.
 *
 * @param look reads the books again, wholly after the last time
 * @param now the time after a look: what was to be kept until then was there in all of it
 */
export async function settle(first: Books, look: () => Promise<Books>, now: () => Date): Promise<Settled> {
  const differences: Difference[] = [];
  let books = first;
  let open = differencesIn(books, now());
  for (let looks = 1; open.length > 0 && looks < maximumLooks; looks += 1) {
    const suspects = new Set(open.map(({ userId }) => userId));
    const next = await look();
    const [earlier, later] = [picturesOf(books, suspects), picturesOf(next, suspects)];
    const isStill = (userId: number | null) => earlier.get(userId) === later.get(userId);
    differences.push(...open.filter(({ userId }) => isStill(userId)));
    open = differencesIn(next, now()).filter(({ userId }) => suspects.has(userId) && !isStill(userId));
    books = next;
  }
  return { differences, restless: [...new Set(open.map(({ subject }) => subject))] };
}

/** All that moves of some members, as text. */
function picturesOf(books: Books, members: ReadonlySet<number | null>): Map<number | null, string> {
  const parts = new Map<number | null, string[]>();
  const add = (userId: number, ...part: readonly (string | number)[]) => {
    if (!members.has(userId)) return;
    const own = parts.get(userId) ?? [];
    parts.set(userId, own);
    own.push(part.join(' '));
  };
  for (const one of books.memberships) {
    const { userId, partnerId, availablePoints, heldPoints } = one;
    const { totalEarnedPoints, totalRedeemedPoints, cashbackCents } = one;
    add(userId, 'membership', partnerId, availablePoints, heldPoints);
    add(userId, 'totals', partnerId, totalEarnedPoints, totalRedeemedPoints, cashbackCents);
  }
  for (const { userId, id, state } of books.transactions) add(userId, 'transaction', id, state);
  for (const { userId, authenticationId, state } of books.claims) add(userId, 'purchase', authenticationId, state);
  for (const { userId, partnerId, transactionUuid, kind } of books.entries) {
    add(userId, 'entry', partnerId, transactionUuid, kind);
  }
  for (const { userId, campaignId, limitId, period, used } of books.usage) {
    add(userId, 'usage', campaignId, limitId, period, used);
  }
  return new Map([...parts].map(([userId, own]) => [userId, own.sort().join('\n')]));
}
