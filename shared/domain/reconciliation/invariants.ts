import { dayMs, retentionMs, timingMs } from '../../contracts/limits.ts';
import type { AwardClaim } from '../award/claim.ts';
import type { ProgramAccount } from '../connect/program-account.ts';
import { type LedgerEntry, totalsOfEntry } from '../ledger/ledger-entry.ts';
import type { ManualAdjustment } from '../ledger/manual-adjustment.ts';
import type { PayoutInBatch } from '../ledger/payout.ts';
import {
  type Charge,
  isCharged,
  isStanding,
  type RewardTransaction,
  type RuleCount,
  type TransactionState,
} from '../ledger/reward-transaction.ts';
import { counterName, isRetained, movedBy } from '../ledger/sum-movements.ts';
import type { Association, LimitUsage, Membership, SpendTotal } from '../member/member.ts';
import { netSpendCents, type Purchase, type Spent } from '../purchase/purchase.ts';

/** The invariants of money: what must hold in a table at every moment. */

/** The items that the invariants compare. */
export interface Books {
  readonly memberships: readonly Membership[];
  /** The totals of members at merchants. Absent if they are not compared. */
  readonly associations?: readonly AssociationTotals[];
  readonly transactions: readonly RewardTransaction[];
  readonly claims: readonly AwardClaim[];
  readonly entries: readonly LedgerEntry[];
  readonly usage: readonly LimitUsage[];
  /** The accounts of hosted programs. */
  readonly programAccounts: readonly ProgramAccount[];
  /** Manual adjustments in every state. */
  readonly adjustments: readonly ManualAdjustment[];
  /** The payouts of cashback in batches of every state. */
  readonly payouts: readonly PayoutInBatch[];
  /** Counters of velocity rules. Absent if they are not compared. */
  readonly velocity?: readonly VelocityCount[];
  /** The users who were merged, each with the user it was merged into. */
  readonly merges: ReadonlyMap<number, number>;
  /** Absent if the spend of members is not compared. */
  readonly spending?: SpendBooks;
  /** Items of the books that their schemas refuse. They are reported and not compared. Absent if there are none. */
  readonly unreadable?: readonly UnreadableItem[];
}

/** An item that its schema refuses. */
export interface UnreadableItem {
  /** The key of the item, as text. */
  readonly name: string;
  /** The member whose item it is; null if the key and the attributes name none. */
  readonly userId: number | null;
  /** The attributes that are wrong, without their values. */
  readonly fault: string;
}

type AssociationTotals = Pick<Association, 'userId' | 'merchantId' | 'totalEarnedPoints' | 'totalRedeemedPoints'>;

/** What one account has used of one velocity rule in one window. */
type VelocityCount = Omit<RuleCount, 'amount'> & Pick<Membership, 'userId' | 'partnerId'> & { readonly used: number };

/** The spend of members, and the purchases that it consists of. */
interface SpendBooks {
  readonly totals: readonly SpendTotal[];
  readonly purchases: readonly Purchase[];
  /** The number of purchases of unknown amount: spend totals contain them, but no item records how much. */
  readonly unknownPurchases: number;
  /** What members spent, as claims, orders and payments report it. */
  readonly reported: readonly ReportedSpend[];
  /** The names of the counted purchases, also of those whose amount is unknown. */
  readonly counted: ReadonlySet<string>;
}

/** Spend that a claim, an order or a payment reports, and that has to be counted. */
export interface ReportedSpend extends Spent {
  /** The name of the purchase among all purchases. Several reports may be about one purchase. */
  readonly purchase: string;
  /** The key of the report: `CLAIM#… CLAIM`. */
  readonly item: string;
  /** When the report was last changed. A refund does not change it. */
  readonly reportedAt: string;
  /** Whether a refund of an order is not applied yet. */
  readonly hasOpenRefunds?: boolean;
}

/** Two values that must be equal and are not. */
export interface Mismatch {
  /** `member 12 in program 2` */
  readonly subject: string;
  readonly userId: number | null;
  /** `balance and ledger` */
  readonly what: string;
  readonly found: number | string;
  readonly expected: number | string;
}

/**
 * The books as if each merged user had always been the kept user. While a merge moves items, some of them still name
 * the merged user. Ledger entries always keep their user.
 */
function withoutMerged(books: Books): Books {
  const { merges, associations, transactions, usage, velocity, spending } = books;
  if (merges.size === 0) return books;
  const kept = (userId: number) => keptUser(userId, merges);
  const renamed = <Value extends { readonly userId: number }>(values: readonly Value[]): Value[] =>
    values.map((value) => (merges.has(value.userId) ? { ...value, userId: kept(value.userId) } : value));
  return {
    ...books,
    ...(associations && { associations: summed(renamed(associations), associationName, addTotals) }),
    transactions: renamed(transactions),
    usage: summed(renamed(usage), counterName, addUse),
    ...(velocity && { velocity: summed(renamed(velocity), velocityName, addUse) }),
    ...(spending && {
      spending: {
        ...spending,
        totals: summed(renamed(spending.totals), spendName, (one, other) => ({
          ...one,
          spentCents: one.spentCents + other.spentCents,
        })),
        purchases: spending.purchases.map(({ spent, ...purchase }) => ({
          ...purchase,
          ...(spent && { spent: { ...spent, userId: kept(spent.userId) } }),
        })),
        reported: renamed(spending.reported),
      },
    }),
  };
}

/** The user into whom a user was merged, directly or by a chain of merges; the user itself if it was not merged. */
export function keptUser(userId: number, merges: ReadonlyMap<number, number>): number {
  let kept = userId;
  // Damaged marks may lead in a circle.
  for (let steps = 0; merges.has(kept) && steps < merges.size; steps += 1) kept = merges.get(kept) ?? kept;
  return kept;
}

const addUse = <Counter extends { readonly used: number }>(one: Counter, other: Counter): Counter => ({
  ...one,
  used: one.used + other.used,
});

const addTotals = (one: AssociationTotals, other: AssociationTotals): AssociationTotals => ({
  ...one,
  totalEarnedPoints: one.totalEarnedPoints + other.totalEarnedPoints,
  totalRedeemedPoints: one.totalRedeemedPoints + other.totalRedeemedPoints,
});

/** Joins the values with the same name. */
function summed<Value>(
  values: readonly Value[],
  name: (value: Value) => string,
  join: (one: Value, other: Value) => Value,
) {
  return [...Map.groupBy(values, name).values()].map((group) => group.reduce(join));
}

/** Returns every invariant violated at `now`, or an empty list. */
export function findMismatches(allBooks: Books, now: Date): Mismatch[] {
  const books = withoutMerged(allBooks);
  const known: Known = {
    entriesOfAccount: Map.groupBy(books.entries, accountOf),
    entriesOfTransaction: Map.groupBy(books.entries, ({ transactionId }) => transactionId),
    transactionsOfAccount: Map.groupBy(books.transactions, accountOf),
    claimsNaming: countNaming(books.claims),
    states: new Map(books.transactions.map(({ id, state }) => [id, state])),
    programAccounts: new Map(books.programAccounts.map((one) => [`${one.partnerId}#${one.memberId}`, one])),
    settled: Map.groupBy(
      books.entries.filter(({ kind }) => kind === 'SETTLEMENT'),
      ({ userId, partnerId }) => accountOf({ userId: keptUser(userId, books.merges), partnerId }),
    ),
  };
  const accounts = new Set(books.memberships.map(accountOf));
  return [
    ...books.memberships.flatMap((membership) => checkAccount(membership, known, now)),
    ...books.transactions.flatMap((transaction) => checkTransaction(transaction, known, now)),
    ...books.claims.flatMap((claim) => checkClaim(claim, known)),
    ...checkReversals(books.transactions),
    ...(books.associations ? checkAssociations(books.associations, books.transactions, now) : []),
    ...checkUsage(books, now),
    ...checkMaxima(books, now),
    ...(books.spending ? checkSpend(books.spending) : []),
    ...(books.spending ? checkCounted(books.spending, now) : []),
    ...(books.velocity ? checkVelocity(books.velocity, books.transactions, now) : []),
    ...checkShared(books.transactions),
    ...checkCountedOnce(books.transactions),
    ...checkAdjustments(books),
    ...checkPayouts(books),
    ...[...known.entriesOfAccount.values()].flatMap((entries) => checkMissing(entries, accounts, books.merges)),
    ...(books.unreadable ?? []).map(unreadableMismatch),
  ];
}

/** The mismatch of an item that its schema refuses. */
export const unreadableMismatch = ({ name, userId, fault }: UnreadableItem): Mismatch => ({
  ...{ subject: `item ${name}`, userId, what: 'attributes and schema' },
  ...{ found: fault, expected: 'readable' },
});

/** The books, arranged so that the checks find what belongs to one account or transaction. */
interface Known {
  readonly entriesOfAccount: ReadonlyMap<string, readonly LedgerEntry[]>;
  readonly entriesOfTransaction: ReadonlyMap<number, readonly LedgerEntry[]>;
  readonly transactionsOfAccount: ReadonlyMap<string, readonly RewardTransaction[]>;
  /** By transaction id: the number of claims that name the transaction. */
  readonly claimsNaming: ReadonlyMap<number, number>;
  readonly states: ReadonlyMap<number, TransactionState>;
  /** The settlements of an account, also those of accounts that were merged into it. */
  readonly settled: ReadonlyMap<string, readonly LedgerEntry[]>;
  /** By partner and account number. */
  readonly programAccounts: ReadonlyMap<string, ProgramAccount>;
}

const accountOf = ({ userId, partnerId }: Pick<Membership, 'userId' | 'partnerId'>) => `${userId}#${partnerId}`;

const spendName = ({ userId, merchantId, partnerId }: Omit<SpendTotal, 'spentCents'>) =>
  `${userId}#${merchantId}#${partnerId}`;

const sum = <Value>(values: readonly Value[], amount: (value: Value) => number) =>
  values.reduce((total, value) => total + amount(value), 0);

/**
 * The invariants of an account:
 *
 * - Its ledger entries add up to its balance.
 * - Its held points are the points that its transactions hold.
 * - Its owed points are the shortfalls of its reversals that no points have settled.
 * - In a hosted program, the ledger contains the account's opening balance once, from the first link on.
 */
function checkAccount({ userId, partnerId, ...account }: Membership, known: Known, now: Date): Mismatch[] {
  const key = accountOf({ userId, partnerId });
  const entries = known.entriesOfAccount.get(key) ?? [];
  const accounts = (known.transactionsOfAccount.get(key) ?? []).flatMap((one) => movedBy(one, now).accounts);
  const { heldPoints, owedPoints } = account;
  const settled = known.settled.get(key) ?? [];
  const opened = sum(entries, ({ kind, points, merged }) => (kind === 'OPENING' ? points : (merged?.opened ?? 0)));
  const stored = known.programAccounts.get(`${partnerId}#${account.externalId}`);
  return unequal(`member ${userId} in program ${partnerId}`, userId, {
    ...ledgerPairs({ userId, partnerId, ...account }, entries),
    'held points and reservations': [heldPoints, sum(accounts, ({ held }) => held)],
    'owed points and shortfalls': [
      owedPoints,
      sum(accounts, ({ owed }) => owed) + sum(settled, ({ points }) => points),
    ],
    ...(stored?.bookedAt !== undefined && {
      'opening balance and program account': [opened, stored.openingPoints],
    }),
  });
}

/** The fields of an account that depend on its ledger entries only, each with the sum of the entries. */
function ledgerPairs(account: Membership, entries: readonly LedgerEntry[]) {
  const { availablePoints, heldPoints, cashbackCents, paidOutCents = 0 } = account;
  const { totalEarnedPoints, totalRedeemedPoints } = account;
  return {
    'balance and ledger': [availablePoints + heldPoints, sum(entries, ({ points }) => points)],
    'cashback and ledger (cents)': [cashbackCents, sum(entries, (entry) => entry.cashbackCents)],
    'cashback in payouts and ledger (cents)': [paidOutCents, sum(entries, ({ payout }) => payout?.cents ?? 0)],
    'total earned and ledger': [totalEarnedPoints, sum(entries, (entry) => totalsOfEntry(entry).earned)],
    'total redeemed and ledger': [totalRedeemedPoints, sum(entries, (entry) => totalsOfEntry(entry).redeemed)],
  } as const;
}

/** Pairs the ledger entries of a transaction with those that the transaction's state requires: number and sums. */
function entryPairs(transaction: RewardTransaction, all: readonly LedgerEntry[], now: Date) {
  // Settlements are checked with their account: they depend on the points that the member owed.
  const entries = all.filter(({ kind }) => kind !== 'SETTLEMENT');
  const expected = movedBy(transaction, now).entries;
  return {
    'ledger entries': [entries.length, expected.length] as const,
    ...(entries.length === expected.length && {
      'points in the ledger': [sum(entries, ({ points }) => points), sum(expected, ({ points }) => points)] as const,
      'cashback in the ledger (cents)': [
        sum(entries, (entry) => entry.cashbackCents),
        sum(expected, (entry) => entry.cashbackCents),
      ] as const,
    }),
  };
}

/**
 * A transaction has the ledger entries that belong to its state. One claim names the transaction, or no claim if the
 * transaction is CANCELLED, reverses another one, or continues an award because its purchase grew.
 */
function checkTransaction(transaction: RewardTransaction, known: Known, now: Date): Mismatch[] {
  const { id, state, userId, reverses, growthOf } = transaction;
  const claims = state === 'CANCELLED' || reverses || growthOf !== undefined ? 0 : 1;
  return unequal(`transaction ${id} (${state})`, userId, {
    ...entryPairs(transaction, known.entriesOfTransaction.get(id) ?? [], now),
    'claims that name it': [known.claimsNaming.get(id) ?? 0, claims],
  });
}

function countNaming(claims: readonly AwardClaim[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { rewards } of claims) {
    for (const { id } of rewards) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** The states that the transactions of a claim may be in. */
const statesOf: Record<AwardClaim['state'], readonly TransactionState[]> = {
  ISSUED: ['INITIATED'],
  SPENT: ['PENDING', 'HELD', 'COMPLETED', 'FAILED', 'ERROR', 'REVERSED'],
};

/**
 * The transactions of a claim exist, and their states fit the state of the claim. The held points of the claim are the
 * points that its transactions pay.
 */
function checkClaim(claim: AwardClaim, { states }: Known): Mismatch[] {
  const { externalTransactionId, merchantId, userId, state, rewards } = claim;
  const found = rewards.map(({ id }) => states.get(id));
  const isFitting = found.every((one) => one !== undefined && statesOf[state].includes(one));
  const paid = rewards.filter(({ type }) => type === 'REDEEM');
  return unequal(`claim ${externalTransactionId} of organisation ${merchantId} (${state})`, userId, {
    ...(!isFitting && {
      'states of its transactions': [found.map((one) => one ?? 'absent').join(' '), statesOf[state].join(' or ')],
    }),
    'held points and payments': [claim.heldPoints, sum(paid, ({ points }) => points)],
  });
}

/**
 * The reversals of a transaction take the amount that the transaction records as reversed. This is never more than the
 * amount of the transaction, and equal to it if the transaction is REVERSED.
 */
function checkReversals(transactions: readonly RewardTransaction[]): Mismatch[] {
  const standing = transactions.filter(({ state }) => state !== 'FAILED');
  const reversalsOf = Map.groupBy(standing, ({ reverses }) => reverses?.id);
  return transactions.flatMap(({ id, userId, state, points, cashbackCents, refunds }) => {
    const reversals = reversalsOf.get(id) ?? [];
    const sign = ({ isRestoration }: RewardTransaction) => (isRestoration ? -1 : 1);
    const reversed = sum(reversals, (one) => sign(one) * one.points);
    const reversedCents = sum(reversals, (one) => sign(one) * one.cashbackCents);
    const pending = reversals.filter((one) => one.state === 'PENDING' || one.state === 'ERROR').length;
    const isOver = reversals.length > 0 && pending === 0 && reversed + reversedCents === points + cashbackCents;
    // A transaction stays REVERSED when a restoration gives its points back.
    const wasOver = state === 'REVERSED' && reversals.some(({ isRestoration }) => isRestoration);
    return unequal(`transaction ${id} (${state})`, userId, {
      'reversed points and reversals': [refunds?.points ?? 0, reversed],
      'reversed cents and reversals': [refunds?.cashbackCents ?? 0, reversedCents],
      'pending reversals': [refunds?.pendingReversals ?? 0, pending],
      'reversed, when nothing is left': [String(state === 'REVERSED'), String(isOver || wasOver)],
      'points reversed and not given': [Math.max(reversed - points, 0), 0],
      'cents reversed and not given': [Math.max(reversedCents - cashbackCents, 0), 0],
    });
  });
}

/**
 * Each counter of a limit is the sum of the charges of rewards, minus the returned charges. An absent counter is zero.
 */
function checkUsage({ usage, transactions }: Pick<Books, 'usage' | 'transactions'>, now: Date): Mismatch[] {
  return findWrongUsage(usage, transactions, now).map(({ limitId, campaignId, userId, period, used, expected }) => ({
    subject: `limit ${limitId} of campaign ${campaignId} for member ${userId}`,
    userId,
    what: `used in ${period} and rewards`,
    found: used,
    expected,
  }));
}

/**
 * No counter of a limit exceeds its maximum. Only a restoration charges above it: the reward was within it when it was
 * given. An edit may have lowered a maximum, so the largest one of all charges counts. The counters of merged users are
 * added up.
 */
function checkMaxima({ usage, transactions, merges }: Books, now: Date): Mismatch[] {
  const largest = new Map<string, number>();
  for (const { transaction, charge } of chargesOf(transactions.filter(({ reverses }) => !reverses))) {
    const name = counterName({ ...transaction, ...charge });
    largest.set(name, Math.max(largest.get(name) ?? 0, charge.most));
  }
  const restored = new Map<string, number>();
  for (const { transaction, charge } of chargesOf(transactions.filter(({ isRestoration }) => isRestoration))) {
    const name = counterName({ ...transaction, ...charge });
    restored.set(name, (restored.get(name) ?? 0) + charge.amount);
  }
  const members = Map.groupBy([...merges.keys()], (userId) => keptUser(userId, merges));
  return usage.flatMap((counter) => {
    const { userId, campaignId, limitId, period, used } = counter;
    const maximum = largest.get(counterName(counter));
    if (maximum === undefined || !isRetained(period, now)) return [];
    const most = maximum * (1 + (members.get(userId)?.length ?? 0)) + (restored.get(counterName(counter)) ?? 0);
    if (used <= most) return [];
    const subject = `limit ${limitId} of campaign ${campaignId} for member ${userId}`;
    return [{ subject, userId, what: `used in ${period} and maximum`, found: used, expected: `at most ${most}` }];
  });
}

const chargesOf = (transactions: readonly RewardTransaction[]) =>
  transactions.flatMap((transaction) => transaction.charges.map((charge) => ({ transaction, charge })));

const associationName = ({ userId, merchantId }: Pick<Association, 'userId' | 'merchantId'>) =>
  `${userId}#${merchantId}`;

/** The totals of a member at a merchant are the points that the member's completed transactions moved there. */
function checkAssociations(
  associations: readonly AssociationTotals[],
  transactions: readonly RewardTransaction[],
  now: Date,
): Mismatch[] {
  const moved = Map.groupBy(
    transactions.flatMap((transaction) => movedBy(transaction, now).associations),
    associationName,
  );
  const known = new Map(associations.map((one) => [associationName(one), one]));
  return [...new Set([...known.keys(), ...moved.keys()])].flatMap((name) => {
    const own = moved.get(name) ?? [];
    const [one = own[0]] = [known.get(name)];
    if (!one) return [];
    const { totalEarnedPoints = 0, totalRedeemedPoints = 0 } = known.get(name) ?? {};
    return unequal(`member ${one.userId} at merchant ${one.merchantId}`, one.userId, {
      'total earned there and transactions': [totalEarnedPoints, sum(own, ({ earned }) => earned)],
      'total redeemed there and transactions': [totalRedeemedPoints, sum(own, ({ redeemed }) => redeemed)],
    });
  });
}

const velocityName = ({ userId, partnerId, rule, window }: Omit<VelocityCount, 'used'>) =>
  JSON.stringify([userId, partnerId, rule, window]);

/**
 * Each counter of a velocity rule is the sum of the rewards that counted for it. Windows are left out if they are so
 * old that their counters may be deleted.
 */
function checkVelocity(
  velocity: readonly VelocityCount[],
  transactions: readonly RewardTransaction[],
  now: Date,
): Mismatch[] {
  const counters = new Map(velocity.map((one) => [velocityName(one), { ...one, expected: 0, isOld: false }]));
  for (const { userId, partnerId, createdAt, counted = [] } of transactions) {
    const isOld = now.getTime() - Date.parse(createdAt) > retentionMs.limitUsage - dayMs;
    for (const { amount, ...count } of counted) {
      const key = { ...count, userId, partnerId };
      const known = counters.get(velocityName(key)) ?? { ...key, used: 0, expected: 0, isOld };
      counters.set(velocityName(key), { ...known, expected: known.expected + amount, isOld: known.isOld || isOld });
    }
  }
  return [...counters.values()].flatMap(({ userId, partnerId, rule, window, used, expected, isOld }) =>
    unequal(`velocity rule ${rule} for member ${userId} in program ${partnerId}`, userId, {
      ...(!isOld && { [`used in ${window} and rewards`]: [used, expected] as const }),
    }),
  );
}

/**
 * The spend of a purchase is its amount minus the parts that were paid with points or returned by refunds. The spend
 * total of a member is the sum of the spend of the member's purchases, or more if the member has purchases of unknown
 * amount.
 */
function checkSpend({ totals, purchases, unknownPurchases }: SpendBooks): Mismatch[] {
  const expected = new Map<string, SpendTotal>(totals.map((total) => [spendName(total), { ...total, spentCents: 0 }]));
  for (const { spent, merchantId, countedCents } of purchases) {
    for (const partnerId of spent?.partnerIds ?? []) {
      const key = { userId: spent?.userId ?? 0, merchantId, partnerId };
      const sumBefore = expected.get(spendName(key))?.spentCents ?? 0;
      expected.set(spendName(key), { ...key, spentCents: sumBefore + countedCents });
    }
  }
  const found = new Map(totals.map((total) => [spendName(total), total.spentCents]));
  return [
    ...purchases.flatMap((purchase) =>
      unequal(
        `purchase ${purchase.externalTransactionId} of merchant ${purchase.merchantId}`,
        purchase.spent?.userId ?? null,
        {
          'counted spend and money (cents)': [purchase.countedCents, netSpendCents(purchase)],
        },
      ),
    ),
    ...[...expected].flatMap(([name, { userId, merchantId, partnerId, spentCents }]) => {
      const isEnough = unknownPurchases > 0 && (found.get(name) ?? 0) >= spentCents;
      return unequal(`spend of member ${userId} at merchant ${merchantId} in program ${partnerId}`, userId, {
        ...(!isEnough && { 'spend and purchases (cents)': [found.get(name) ?? 0, spentCents] as const }),
      });
    }),
  ];
}

/**
 * The purchase of every claim, order and payment that reports spend is counted. The stream counts it, so a report that
 * changed a short time ago may not be counted yet.
 */
function checkCounted({ reported, counted }: SpendBooks, now: Date): Mismatch[] {
  const latest = now.getTime() - timingMs.uncountedSpend;
  const missing = reported.filter(
    ({ purchase, reportedAt }) => !counted.has(purchase) && Date.parse(reportedAt) < latest,
  );
  return [...Map.groupBy(missing, ({ purchase }) => purchase).values()].flatMap((reports) =>
    reports.slice(0, 1).map(({ externalTransactionId, merchantId, userId, item }) => ({
      ...{ subject: `purchase ${externalTransactionId} of merchant ${merchantId} (${item})`, userId },
      ...{ what: 'counted as spend', found: 'never', expected: 'once' },
    })),
  );
}

/**
 * A shared charge stays charged until no reward that shares it stands. Until then, one of the standing rewards contains
 * the charge.
 */
function checkShared(transactions: readonly RewardTransaction[]): Mismatch[] {
  const byId = new Map(transactions.map((transaction) => [transaction.id, transaction]));
  const stands = (id: number) => {
    const found = byId.get(id);
    return found !== undefined && isStanding(found);
  };
  const isChargedById = (id: number, charge: Charge) => {
    const found = byId.get(id);
    return found !== undefined && stands(id) && isCharged(found, charge);
  };
  const awards = transactions.filter(({ reverses }) => !reverses);
  return awards.flatMap(({ id, userId, state, charges, sharesChargesWith = [] }) => {
    const shared = charges.filter(({ isShared }) => isShared);
    const isChargedIn = (other: number) => shared.every((charge) => isChargedById(other, charge));
    if (stands(id) || shared.length === 0 || sharesChargesWith.some(isChargedIn)) return [];
    const standing = sharesChargesWith.filter(stands);
    return unequal(`transaction ${id} (${state})`, userId, {
      'rewards that stand without their charge': [standing.join(' '), ''],
    });
  });
}

/** An event is counted once: of the rewards of one flow of a decision, at most one contains a shared charge. */
function checkCountedOnce(transactions: readonly RewardTransaction[]): Mismatch[] {
  const counting = transactions.flatMap((reward) => {
    const { reverses, snapshotId, flowId, charges } = reward;
    const shared = reverses ? [] : charges.filter((charge) => charge.isShared && isCharged(reward, charge));
    return shared.map((charge) => ({ reward, event: `${snapshotId}#${flowId}#${charge.limitId}#${charge.period}` }));
  });
  return [...Map.groupBy(counting, ({ event }) => event).values()].flatMap((own) =>
    own.slice(0, 1).flatMap(({ reward: { id, userId, state } }) =>
      unequal(`transaction ${id} (${state})`, userId, {
        'rewards that count its event': [own.map(({ reward }) => reward.id).join(' '), String(id)],
      }),
    ),
  );
}

/** A counter of a limit that differs from the charges of rewards. */
export interface WrongUsage extends LimitUsage {
  readonly expected: number;
}

/** Returns the counters that differ from the charges of rewards. Periods whose counters may be deleted are left out. */
export function findWrongUsage(
  counters: readonly LimitUsage[],
  transactions: readonly RewardTransaction[],
  now: Date,
): WrongUsage[] {
  const compared = new Map<string, WrongUsage>();
  for (const counter of counters) compared.set(counterName(counter), { ...counter, expected: 0 });
  for (const { userId, campaignId, limitId, period, amount } of transactions.flatMap(
    (one) => movedBy(one, now).usage,
  )) {
    const key = { userId, campaignId, limitId, period };
    const known = compared.get(counterName(key)) ?? { ...key, used: 0, expected: 0 };
    compared.set(counterName(key), { ...known, expected: known.expected + amount });
  }
  return [...compared.values()].filter(({ used, expected, period }) => used !== expected && isRetained(period, now));
}

/** An applied manual adjustment has one ledger entry with its points. Any other adjustment has none. */
function checkAdjustments({ adjustments, entries }: Pick<Books, 'adjustments' | 'entries'>): Mismatch[] {
  const manual = entries.filter(({ kind }) => kind === 'MANUAL_ADJUSTMENT');
  const nameOf = (uuid: string, userId: number, partnerId: number) =>
    `${uuid} of member ${userId} in program ${partnerId}`;
  const written = Map.groupBy(manual, (one) => nameOf(one.transactionUuid, one.userId, one.partnerId));
  const decided = Map.groupBy(adjustments, (one) => nameOf(one.uuid, one.userId, one.partnerId));
  return [...new Set([...written.keys(), ...decided.keys()])].flatMap((name) => {
    const [own = [], records = []] = [written.get(name), decided.get(name)];
    const applied = records.filter(({ state }) => state === 'APPLIED');
    const [userId = null] = [...own, ...records].map((one) => one.userId);
    return unequal(`adjustment ${name}`, userId, {
      'ledger entries': [own.length, applied.length],
      'points in the ledger': [sum(own, ({ points }) => points), sum(applied, ({ points }) => points)],
    });
  });
}

/** A payout took its cents from the unpaid cashback exactly once. A returned payout gave them back exactly once. */
function checkPayouts({ payouts, entries }: Pick<Books, 'payouts' | 'entries'>): Mismatch[] {
  const nameOf = (uuid: string, userId: number, partnerId: number) =>
    `${uuid} to member ${userId} in program ${partnerId}`;
  const moved = entries.filter(({ kind }) => kind === 'PAYOUT' || kind === 'PAYOUT_RETURN');
  const written = Map.groupBy(moved, (one) => nameOf(one.transactionUuid, one.userId, one.partnerId));
  const inBatches = Map.groupBy(payouts, (one) => nameOf(one.batchUuid, one.userId, one.partnerId));
  return [...new Set([...written.keys(), ...inBatches.keys()])].flatMap((name) => {
    const [own = [], rows = []] = [written.get(name), inBatches.get(name)];
    const [userId = null] = [...own, ...rows].map((one) => one.userId);
    return unequal(`payout of batch ${name}`, userId, {
      'ledger entries of payouts': [own.length, sum(rows, ({ isReturned }) => (isReturned ? 2 : 1))],
      'payouts and ledger (cents)': [
        sum(rows, ({ cents, isReturned }) => (isReturned ? 0 : cents)),
        sum(own, ({ payout }) => payout?.cents ?? 0),
      ],
    });
  });
}

/**
 * Every ledger has an account. Only a merge deletes an account. The entries in its ledger then add up to zero, because
 * the merge has moved everything.
 */
function checkMissing(
  entries: readonly LedgerEntry[],
  accounts: ReadonlySet<string>,
  merges: ReadonlyMap<number, number>,
): Mismatch[] {
  const [entry] = entries;
  if (!entry || accounts.has(accountOf(entry))) return [];
  const { userId, partnerId } = entry;
  const subject = `member ${userId} in program ${partnerId}`;
  if (!merges.has(userId))
    return [{ subject, userId, what: 'account of the ledger', found: 'absent', expected: 'there' }];
  return unequal(subject, userId, {
    'points after a merge': [sum(entries, ({ points }) => points), 0],
    'cashback after a merge (cents)': [sum(entries, ({ cashbackCents }) => cashbackCents), 0],
    'cashback in payouts after a merge (cents)': [sum(entries, ({ payout }) => payout?.cents ?? 0), 0],
    'total earned after a merge': [sum(entries, (one) => totalsOfEntry(one).earned), 0],
    'total redeemed after a merge': [sum(entries, (one) => totalsOfEntry(one).redeemed), 0],
  });
}

/** Returns the pairs of a found and an expected value that differ. */
export function unequal(
  subject: string,
  userId: number | null,
  pairs: Readonly<Record<string, readonly [found: number | string, expected: number | string]>>,
): Mismatch[] {
  return Object.entries(pairs)
    .filter(([, [found, expected]]) => found !== expected)
    .map(([what, [found, expected]]) => ({ subject, userId, what, found, expected }));
}

/** A mismatch in one line. */
export function mismatchText({ subject, what, found, expected }: Mismatch): string {
  return `${subject}: ${what}: ${found} is not ${expected}`;
}
