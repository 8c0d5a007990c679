import type { LimitUsage, Membership } from '../../shared/domain/member/member.ts';
import type { LedgerEntry } from '../../shared/domain/transaction/ledger.ts';
import type { Purchase } from '../../shared/domain/transaction/purchase.ts';
import type { RewardTransaction, TransactionState } from '../../shared/domain/transaction/reward-transaction.ts';
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
const statesOf: Record<Purchase['state'], readonly TransactionState[]> = {
  ISSUED: ['INITIATED'],
  SPENT: ['PENDING', 'COMPLETED', 'FAILED'],
};

/** How many entries of the ledger a transaction has led to. */
const entriesBy = (state: TransactionState) => (state === 'COMPLETED' ? 1 : 0);

/** How many purchases name a transaction. */
const purchasesBy = (state: TransactionState) => (state === 'CANCELLED' ? 0 : 1);

type Account = Pick<Membership, 'userId' | 'partnerId'>;
const accountOf = ({ userId, partnerId }: Account) => `${userId}#${partnerId}`;

/** Everything in the books that does not fit together; nothing when all does. */
export function differencesIn(books: Books): Difference[] {
  const entries = {
    byAccount: Map.groupBy(books.entries, accountOf),
    byTransaction: Map.groupBy(books.entries, ({ transactionId }) => transactionId),
  };
  const issued = Map.groupBy(
    books.purchases.filter(({ state }) => state === 'ISSUED'),
    ({ userId, heldPartnerId }) => accountOf({ userId, partnerId: heldPartnerId }),
  );
  const pending = Map.groupBy(
    books.transactions.filter(({ state, type }) => state === 'PENDING' && type === 'REDEEM'),
    accountOf,
  );
  const naming = countNaming(books.purchases);
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
        'ledger entries': [entries.byTransaction.get(transaction.id)?.length ?? 0, entriesBy(transaction.state)],
        'purchases that name it': [naming.get(transaction.id) ?? 0, purchasesBy(transaction.state)],
      }),
    ),
    ...books.purchases.flatMap((purchase) => differencesOfPurchase(purchase, states)),
    ...differencesOfUsage(books),
    ...[...entries.byAccount.values()].flatMap(([entry]) =>
      entry && !accounts.has(accountOf(entry)) ? [entriesOfNobody(entry)] : [],
    ),
  ];
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, next) => total + next, 0);

/** The ledger adds up to the balance; what is held is what live reservations and pending redemptions hold. */
function differencesOfAccount(
  { userId, partnerId, ...membership }: Membership,
  own: {
    readonly entries: readonly LedgerEntry[];
    readonly issued: readonly Purchase[];
    readonly pending: readonly RewardTransaction[];
  },
): Difference[] {
  const pointsOf = (kind: LedgerEntry['kind']) =>
    sum(own.entries.filter((entry) => entry.kind === kind).map(({ points }) => points));
  const reserved = sum(own.issued.map(({ heldPoints }) => heldPoints)) + sum(own.pending.map(({ points }) => points));
  const { availablePoints, heldPoints, cashbackCents, totalEarnedPoints, totalRedeemedPoints } = membership;
  return unequal(`member ${userId} in program ${partnerId}`, userId, {
    'balance and ledger': [availablePoints + heldPoints, sum(own.entries.map(({ points }) => points))],
    'held points and reservations': [heldPoints, reserved],
    'cashback and ledger (cents)': [cashbackCents, sum(own.entries.map((entry) => entry.cashbackCents))],
    'total earned and ledger': [totalEarnedPoints, pointsOf('EARN')],
    'total redeemed and ledger': [totalRedeemedPoints, 0 - pointsOf('REDEEM')],
  });
}

function countNaming(purchases: readonly Purchase[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { rewards } of purchases) {
    for (const { id } of rewards) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** Its transactions are there, in a state that goes with its own. */
function differencesOfPurchase(
  { externalTransactionId, merchantId, userId, state, rewards }: Purchase,
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

/** States of transactions whose use of limits was given back. */
const givenBack: ReadonlySet<TransactionState> = new Set(['CANCELLED', 'FAILED', 'REVERSED']);

/**
 * What was used of a limit in a period is what the rewards that stand used. A counter that is not there may
 * have been forgotten: it is, long after its last use.
 */
function differencesOfUsage({ usage, transactions }: Books): Difference[] {
  const charged = new Map<string, number>();
  for (const { userId, campaignId, charges } of transactions.filter(({ state }) => !givenBack.has(state))) {
    for (const { limitId, period, amount } of charges) {
      const name = usageOf({ userId, campaignId, limitId, period });
      charged.set(name, (charged.get(name) ?? 0) + amount);
    }
  }
  return usage.flatMap(({ used, ...counter }) =>
    unequal(`limit ${counter.limitId} of campaign ${counter.campaignId} for member ${counter.userId}`, counter.userId, {
      [`used in ${counter.period} and rewards`]: [used, charged.get(usageOf(counter)) ?? 0],
    }),
  );
}

function usageOf({ userId, campaignId, limitId, period }: Omit<LimitUsage, 'used'>): string {
  return [userId, campaignId, limitId, period].join('#');
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
