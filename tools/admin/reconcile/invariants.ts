import type { AwardClaim } from '../../../shared/domain/award/claim.ts';
import { wrongUsage } from '../../../shared/domain/ledger/expected-usage.ts';
import { type LedgerEntry, movedPoints } from '../../../shared/domain/ledger/ledger-entry.ts';
import type { RewardTransaction, TransactionState } from '../../../shared/domain/ledger/reward-transaction.ts';
import type { Membership } from '../../../shared/domain/member/member.ts';
import type { Books } from './books.ts';

/** What of a table has to fit together at every moment. */

/** Two things that should be the same and are not. */
export interface Difference {
  /** `member 12 in program 2` */
  readonly subject: string;
  readonly userId: number | null;
  /** `balance and ledger` */
  readonly what: string;
  readonly found: number | string;
  readonly expected: number | string;
}

/** The states that the transactions of a purchase are in. */
const statesOf: Record<AwardClaim['state'], readonly TransactionState[]> = {
  ISSUED: ['INITIATED'],
  SPENT: ['PENDING', 'COMPLETED', 'FAILED', 'REVERSED'],
};

/** How many entries of the ledger a transaction has led to: a reversal that could not take all has one for what it lacks. */
function entriesBy({ state, shortfallPoints }: RewardTransaction): number {
  if (state !== 'COMPLETED' && state !== 'REVERSED') return 0;
  return shortfallPoints ? 2 : 1;
}

/** How many purchases name a transaction. */
const purchasesBy = ({ state, reverses }: RewardTransaction) => (state === 'CANCELLED' || reverses ? 0 : 1);

type Account = Pick<Membership, 'userId' | 'partnerId'>;
const accountOf = ({ userId, partnerId }: Account) => `${userId}#${partnerId}`;

/** Everything in the books that does not fit together, of what has to at an instant; nothing when all does. */
export function differencesIn(books: Books, now: Date): Difference[] {
  const entries = {
    byAccount: Map.groupBy(books.entries, accountOf),
    byTransaction: Map.groupBy(books.entries, ({ transactionId }) => transactionId),
  };
  const issued = Map.groupBy(
    books.claims.filter(({ state }) => state === 'ISSUED'),
    ({ userId, heldPartnerId }) => accountOf({ userId, partnerId: heldPartnerId }),
  );
  const pending = Map.groupBy(
    books.transactions.filter(({ state }) => state === 'PENDING'),
    accountOf,
  );
  const naming = countNaming(books.claims);
  const states = new Map(books.transactions.map(({ id, state }) => [id, state]));
  const accounts = new Set(books.memberships.map(accountOf));

  return [
    ...books.memberships.flatMap((membership) => {
      const account = accountOf(membership);
      return differencesOfAccount(membership, {
        entries: entries.byAccount.get(account) ?? [],
        issued: issued.get(account) ?? [],
        pending: pending.get(account) ?? [],
      });
    }),
    ...books.transactions.flatMap((transaction) =>
      unequal(`transaction ${transaction.id} (${transaction.state})`, transaction.userId, {
        'ledger entries': [entries.byTransaction.get(transaction.id)?.length ?? 0, entriesBy(transaction)],
        'purchases that name it': [naming.get(transaction.id) ?? 0, purchasesBy(transaction)],
      }),
    ),
    ...books.claims.flatMap((claim) => differencesOfPurchase(claim, states)),
    ...differencesOfReversals(books.transactions),
    ...differencesOfUsage(books, now),
    ...[...entries.byAccount.values()].flatMap(([entry]) =>
      entry && !accounts.has(accountOf(entry)) ? [entriesOfNobody(entry)] : [],
    ),
  ];
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, next) => total + next, 0);

/** The ledger adds up to the balance; what is held is what live reservations and pending transactions hold. */
function differencesOfAccount(
  { userId, partnerId, ...membership }: Membership,
  own: {
    readonly entries: readonly LedgerEntry[];
    readonly issued: readonly AwardClaim[];
    readonly pending: readonly RewardTransaction[];
  },
): Difference[] {
  const pointsOf = (kind: LedgerEntry['kind']) =>
    sum(own.entries.filter((entry) => entry.kind === kind).map(({ points }) => points));
  const reserved = sum(own.issued.map(({ heldPoints }) => heldPoints)) + sum(own.pending.map(heldBy));
  const { availablePoints, heldPoints, cashbackCents, totalEarnedPoints, totalRedeemedPoints } = membership;
  return unequal(`member ${userId} in program ${partnerId}`, userId, {
    'balance and ledger': [availablePoints + heldPoints, sum(own.entries.map(({ points }) => points))],
    'held points and reservations': [heldPoints, reserved],
    'cashback and ledger (cents)': [cashbackCents, sum(own.entries.map((entry) => entry.cashbackCents))],
    'total earned and ledger': [totalEarnedPoints, pointsOf('EARN') + pointsOf('EARN_REVERSAL')],
    'total redeemed and ledger': [totalRedeemedPoints, 0 - pointsOf('REDEEM') - pointsOf('REDEEM_REVERSAL')],
  });
}

/** A pending redemption holds what it is to take, and so does a reversal of points that were earned. */
function heldBy(transaction: RewardTransaction): number {
  const takes = (transaction.type === 'EARN') === (transaction.reverses !== undefined);
  return takes ? movedPoints(transaction) : 0;
}

function countNaming(claims: readonly AwardClaim[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { rewards } of claims) {
    for (const { id } of rewards) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** Its transactions are there, in a state that goes with its own. */
function differencesOfPurchase(
  { externalTransactionId, merchantId, userId, state, rewards }: AwardClaim,
  states: ReadonlyMap<number, TransactionState>,
): Difference[] {
  const found = rewards.map(({ id }) => states.get(id));
  const fit = found.every((one) => one !== undefined && statesOf[state].includes(one));
  if (fit) return [];
  return [
    {
      subject: `purchase ${externalTransactionId} of organisation ${merchantId} (${state})`,
      userId,
      what: 'states of its transactions',
      found: found.map((one) => one ?? 'absent').join(' '),
      expected: statesOf[state].join(' or '),
    },
  ];
}

/** What reversals take is what their original says, never more than it gave, and all of it once it is reversed. */
function differencesOfReversals(transactions: readonly RewardTransaction[]): Difference[] {
  const standing = transactions.filter(({ state }) => state !== 'FAILED');
  const reversalsOf = Map.groupBy(standing, ({ reverses }) => reverses?.id);
  return transactions.flatMap(({ id, userId, state, points, cashbackCents, refunds }) => {
    const reversals = reversalsOf.get(id) ?? [];
    const taken = sum(reversals.map((one) => one.points));
    const takenCents = sum(reversals.map((one) => one.cashbackCents));
    const pending = reversals.filter((one) => one.state === 'PENDING').length;
    const isOver = reversals.length > 0 && pending === 0 && taken + takenCents === points + cashbackCents;
    return unequal(`transaction ${id} (${state})`, userId, {
      'reversed points and reversals': [refunds?.points ?? 0, taken],
      'reversed cents and reversals': [refunds?.cashbackCents ?? 0, takenCents],
      'pending reversals': [refunds?.pendingReversals ?? 0, pending],
      'reversed, when nothing is left': [String(state === 'REVERSED'), String(isOver)],
      'points reversed and not given': [Math.max(taken - points, 0), 0],
      'cents reversed and not given': [Math.max(takenCents - cashbackCents, 0), 0],
    });
  });
}

/** What was used of a limit in a period is what the rewards that stand used, as long as it is kept. */
function differencesOfUsage({ usage, transactions }: Books, now: Date): Difference[] {
  return wrongUsage(usage, transactions, now).map(({ limitId, campaignId, userId, period, used, expected }) => ({
    subject: `limit ${limitId} of campaign ${campaignId} for member ${userId}`,
    userId,
    what: `used in ${period} and rewards`,
    found: used,
    expected,
  }));
}

function entriesOfNobody({ userId, partnerId }: LedgerEntry): Difference {
  const subject = `member ${userId} in program ${partnerId}`;
  return { subject, userId, what: 'account of the ledger', found: 'absent', expected: 'there' };
}

/** The pairs, found and expected, that are not the same. */
export function unequal(
  subject: string,
  userId: number | null,
  pairs: Readonly<Record<string, readonly [number | string, number | string]>>,
): Difference[] {
  return Object.entries(pairs)
    .filter(([, [found, expected]]) => found !== expected)
    .map(([what, [found, expected]]) => ({ subject, userId, what, found, expected }));
}

/** A difference in one line. */
export function differenceText({ subject, what, found, expected }: Difference): string {
  return `${subject}: ${what}: ${found} is not ${expected}`;
}
