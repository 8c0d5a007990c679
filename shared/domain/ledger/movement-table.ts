import type { RewardTransaction, TransactionState } from './reward-transaction.ts';

/**
 * The rules of money as one table: what each transition of a reward transaction moves. The writes of the store, the
 * ledger entries, the totals of campaigns and the reconciliation all follow from this table.
 */

/**
 * An award, a payment with points, the reversal of each, and the restoration of a reversed amount. A cashback is an
 * award of cents instead of points.
 */
export const transactionKinds = [
  'EARN',
  'REDEEM',
  'EARN_REVERSAL',
  'REDEEM_REVERSAL',
  'EARN_RESTORATION',
  'REDEEM_RESTORATION',
] as const;
export type TransactionKind = (typeof transactionKinds)[number];

/** The fields of a transaction that its movements depend on. The rewards of an award claim have the same fields. */
export type Posted = Pick<RewardTransaction, 'id' | 'uuid' | 'type' | 'points' | 'cashbackCents' | 'charges'> &
  Pick<RewardTransaction, 'reverses' | 'isRestoration' | 'shortfallPoints' | 'userId' | 'merchantId' | 'partnerId'> &
  Pick<RewardTransaction, 'campaignId' | 'posting'>;

/** The amounts that can move. `0 - x` instead of `-x` avoids the negative zero of JavaScript. */
const amounts = {
  '+points': ({ points }: Posted) => points,
  '-points': ({ points }: Posted) => 0 - points,
  /**
   * The points of a reversal without its shortfall. The shortfall was not available: the member had spent it, or a
   * token held it.
   */
  '+covered': (reversal: Posted) => coveredPoints(reversal),
  '-covered': (reversal: Posted) => 0 - coveredPoints(reversal),
  '+shortfall': ({ shortfallPoints = 0 }: Posted) => shortfallPoints,
  '-shortfall': ({ shortfallPoints = 0 }: Posted) => 0 - shortfallPoints,
  '+cents': ({ cashbackCents }: Posted) => cashbackCents,
  '-cents': ({ cashbackCents }: Posted) => 0 - cashbackCents,
} as const;
type Amount = keyof typeof amounts;

/** The movements of one transition for one kind of transaction. An absent column means no movement. */
export interface MovementRule {
  /** Points that the member can spend in the program of the transaction. */
  readonly available?: Amount;
  /** Points that are reserved in the same program. The balance is available + held. */
  readonly held?: Amount;
  /**
   * Points that come back to the member. These points first settle what the member owes. The rest becomes available.
   */
  readonly restored?: Amount;
  /** Points that the member owes the program: the shortfalls of reversals that no points have settled yet. */
  readonly owed?: Amount;
  /**
   * Totals of the member in the program and at the merchant, and the member's share in the totals of campaign and
   * partnership.
   */
  readonly earned?: Amount;
  readonly redeemed?: Amount;
  readonly cashback?: Amount;
  /**
   * Use of the member's limits:
   * - `charge` adds charges.
   * - `return` subtracts charges from the periods in which they were charged.
   * - `recharge` adds returned charges again, for a restoration. A recharge may exceed the maximum, because the reward
   *   was within the maximum when it was given.
   */
  readonly limits?: 'charge' | 'return' | 'recharge';
  /** Ledger entries with their points. The entry of the transaction's own kind also contains the cashback. */
  readonly ledger?: { readonly [Kind in TransactionKind | 'SHORTFALL']?: Amount };
}

/**
 * Transition × kind → movements, and the state that the transition leads to. A transfer is a REDEEM in one program and
 * an EARN in the other; both legs make each transition together.
 */
// biome-ignore format: a table is read by its columns
export const movementTable = {
  // A token is issued.
  reserve: {
    to: 'INITIATED',
    EARN:            { limits: 'charge' },
    REDEEM:          { limits: 'charge', available: '-points', held: '+points' },
  },
  // The token is replaced, or it expired.
  cancel: {
    to: 'CANCELLED',
    EARN:            { limits: 'return' },
    REDEEM:          { limits: 'return', restored: '+points', held: '-points' },
  },
  // The token is spent.
  create: {
    to: 'PENDING',
    EARN:            {},
    REDEEM:          {},
  },
  // An award is given without a token. A payment with points always needs a token.
  award: {
    to: 'PENDING',
    EARN:            { limits: 'charge' },
  },
  // A refund reverses a completed transaction, in part or as a whole. The reversal is a separate transaction.
  begin: {
    to: 'PENDING',
    EARN_REVERSAL:   { available: '-covered', held: '+covered', owed: '+shortfall' },
    REDEEM_REVERSAL: {},
    // A failed refund or a won dispute restores the reversed amount.
    EARN_RESTORATION:   {},
    REDEEM_RESTORATION: { available: '-covered', held: '+covered', owed: '+shortfall' },
  },
  // The loyalty program confirms.
  complete: {
    to: 'COMPLETED',
    EARN:            { available: '+points', earned: '+points', cashback: '+cents', ledger: { EARN: '+points' } },
    REDEEM:          { held: '-points', redeemed: '+points', cashback: '+cents', ledger: { REDEEM: '-points' } },
    EARN_REVERSAL:   { limits: 'return', held: '-covered', earned: '-points', cashback: '-cents',
                       ledger: { EARN_REVERSAL: '-points', SHORTFALL: '+shortfall' } },
    REDEEM_REVERSAL: { limits: 'return', restored: '+points', redeemed: '-points', cashback: '-cents',
                       ledger: { REDEEM_REVERSAL: '+points' } },
    EARN_RESTORATION:   { limits: 'recharge', restored: '+points', earned: '+points', cashback: '+cents',
                          ledger: { EARN_RESTORATION: '+points' } },
    REDEEM_RESTORATION: { limits: 'recharge', held: '-covered', redeemed: '+points', cashback: '+cents',
                          ledger: { REDEEM_RESTORATION: '-points', SHORTFALL: '+shortfall' } },
  },
  // The loyalty program rejects.
  fail: {
    to: 'FAILED',
    EARN:            { limits: 'return' },
    REDEEM:          { limits: 'return', restored: '+points', held: '-points' },
    EARN_REVERSAL:   { restored: '+covered', held: '-covered', owed: '-shortfall' },
    REDEEM_REVERSAL: {},
    EARN_RESTORATION:   {},
    REDEEM_RESTORATION: { restored: '+covered', held: '-covered', owed: '-shortfall' },
  },
  // A velocity rule or a block stops an award before its program receives it. Only an award waits for a review: after a
  // payment, the customer already has the goods.
  review: {
    to: 'HELD',
    EARN:            {},
  },
  // An operator releases the award after the review: the program receives it as usual.
  admit: {
    to: 'PENDING',
    EARN:            {},
  },
  // An operator refuses the award after the review.
  refuse: {
    to: 'FAILED',
    EARN:            { limits: 'return' },
  },
  // The program gave no answer in time: it may have moved the points or not, so the platform moves nothing.
  suspend: {
    to: 'ERROR',
    EARN:            {},
    REDEEM:          {},
    EARN_REVERSAL:   {},
    REDEEM_REVERSAL: {},
    EARN_RESTORATION:   {},
    REDEEM_RESTORATION: {},
  },
  // An operator, or a late answer of the program, lets the transaction be posted again.
  resume: {
    to: 'PENDING',
    EARN:            {},
    REDEEM:          {},
    EARN_REVERSAL:   {},
    REDEEM_REVERSAL: {},
    EARN_RESTORATION:   {},
    REDEEM_RESTORATION: {},
  },
  // The reversals cover the whole transaction. The reversals moved the amounts, so this transition moves nothing.
  reverse: {
    to: 'REVERSED',
    EARN:            {},
    REDEEM:          {},
  },
} as const satisfies Record<string, { to: TransactionState } & { readonly [Kind in TransactionKind]?: MovementRule }>;
export type Transition = keyof typeof movementTable;

/**
 * The transitions that led to a state. For an award without a token, `award` moves the same amounts as `reserve` and
 * `create`.
 */
const historyOfAward: Readonly<Record<TransactionState, readonly Transition[]>> = {
  INITIATED: ['reserve'],
  CANCELLED: ['reserve', 'cancel'],
  PENDING: ['reserve', 'create'],
  HELD: ['reserve', 'create', 'review'],
  ERROR: ['reserve', 'create'],
  // A refusal after a review moves the same amounts as a rejection by the program.
  FAILED: ['reserve', 'create', 'fail'],
  COMPLETED: ['reserve', 'create', 'complete'],
  REVERSED: ['reserve', 'create', 'complete', 'reverse'],
};

const historyOfReversal: Readonly<Partial<Record<TransactionState, readonly Transition[]>>> = {
  PENDING: ['begin'],
  ERROR: ['begin'],
  FAILED: ['begin', 'fail'],
  COMPLETED: ['begin', 'complete'],
};

/** The transitions that led a transaction to its state; empty for a state that a reversal cannot have. */
export const historyOf = ({ state, reverses }: Pick<RewardTransaction, 'state' | 'reverses'>): readonly Transition[] =>
  (reverses ? historyOfReversal : historyOfAward)[state] ?? [];

/** The fields of a transaction that decide its kind. */
type Kinded = Pick<RewardTransaction, 'type' | 'reverses' | 'isRestoration'>;

/** The kind of a transaction, which selects its row under each transition of the table. */
export function kindOf({ type, reverses, isRestoration }: Kinded): TransactionKind {
  if (!reverses) return type;
  return isRestoration ? `${type}_RESTORATION` : `${type}_REVERSAL`;
}

/** The points that a reversal takes or returns: its points minus its shortfall. */
export function coveredPoints({ points, shortfallPoints = 0 }: Pick<Posted, 'points' | 'shortfallPoints'>): number {
  return points - shortfallPoints;
}

/** Returns the signed value of a column of the table for a transaction; zero where the column is absent. */
export function amountOf(amount: Amount | undefined, transaction: Posted): number {
  return amount === undefined ? 0 : amounts[amount](transaction);
}

/** Whether a transition returns points to the member. Such a transition depends on the points that the member owes. */
export function bringsBack(transition: Transition, transaction: Kinded): boolean {
  return ruleFor(transition, transaction).restored !== undefined;
}

/**
 * Looks up the rule for a transition of a transaction.
 *
 * @throws RangeError when the kind of transaction does not make this transition
 */
export function ruleFor(transition: Transition, transaction: Kinded): MovementRule {
  const kind = kindOf(transaction);
  const rules: { readonly [Kind in TransactionKind]?: MovementRule } = movementTable[transition];
  const rule = rules[kind];
  if (!rule) throw new RangeError(`there is no transition ${transition} for ${kind}`);
  return rule;
}
