import { isUncounted } from '../../shared/domain/ledger/ledger-entry.ts';
import { kindOf } from '../../shared/domain/ledger/movement-table.ts';
import { acknowledged, amounts, keyed, links, orders, triggers, uniqueAwards, velocity } from './checks/awards.ts';
import { balances, events, nothingPending, totals, transfers } from './checks/books.ts';
import { dailyReconciliation } from './checks/daily.ts';
import { type Check, type End, type EndParts, readEnd } from './checks/end.ts';
import { limits } from './checks/limits.ts';
import { payments } from './checks/payments.ts';
import { programBalances, programTransactions } from './checks/programs.ts';
import { purchases } from './checks/purchases.ts';
import { refunds } from './checks/refunds.ts';
import { spending } from './checks/spend.ts';

/**
 * The checks at the end of a simulated history, when no work is left. Most checks compute the expected result from the
 * requests of clients and from single transactions. They use their own simple rules and none of the platform's. Each
 * file of `checks/` has one subject.
 */

/** The result of all checks. */
export interface Checked {
  readonly found: readonly string[];
  /**
   * How many transactions, payments and other items of each kind and state exist at the end. Shows how much a history
   * has covered.
   */
  readonly reached: ReadonlyMap<string, number>;
}

/** Runs every check. */
export async function checkEnd(parts: EndParts): Promise<Checked> {
  const end = await readEnd(parts);
  const found: string[] = [];
  for (const { name, find } of checks) {
    found.push(...(await find(end)).map((what) => `${name}: ${what}`));
  }
  return { found, reached: reachedBy(end) };
}

function reachedBy(end: End): Map<string, number> {
  const names = [
    ...end.transactions.map((one) => `${kindOf(one).toLowerCase().replace('_', ' ')} ${one.state}`),
    ...end.orders.map(({ state }) => `order ${state}`),
    ...end.refunds.map(() => 'refund'),
    ...end.transactions.filter(({ growthOf }) => growthOf !== undefined).map(() => 'further award'),
    ...end.story.unlinks.map(() => 'unlink'),
    ...end.triggerEvents.map(({ state }) => `trigger event ${state}`),
    ...end.payments.map(({ awards, reason }) => `payment ${awards.length > 0 ? 'awarded' : reason}`),
    ...end.reading.books.entries
      .filter(({ kind }) => isUncounted(kind) && kind !== 'OPENING')
      .map(({ kind }) => kind.toLowerCase()),
    ...Object.values(end.programBooks.transactions).map(({ status }) => `at the program ${status}`),
  ];
  return new Map([...Map.groupBy(names, (name) => name)].map(([name, own]) => [name, own.length]));
}

/** Every check. A new one is added here. */
const checks: readonly Check[] = [
  dailyReconciliation,
  events,
  nothingPending,
  velocity,
  uniqueAwards,
  amounts,
  acknowledged,
  orders,
  triggers,
  keyed,
  links,
  limits,
  refunds,
  balances,
  totals,
  spending,
  transfers,
  programTransactions,
  programBalances,
  payments,
  purchases,
];
