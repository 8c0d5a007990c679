import { dayMs, retentionMs } from '../../contracts/limits.ts';
import type { Membership } from '../member/member.ts';
import { endOfPeriod } from '../period.ts';
import { type LedgerEntry, toLedgerEntries, toSettlementEntry } from './ledger-entry.ts';
import {
  amountOf,
  bringsBack,
  historyOf,
  type MovementRule,
  type Posted,
  ruleFor,
  type Transition,
} from './movement-table.ts';
import { isReviewable, type RewardTransaction } from './reward-transaction.ts';

/** One transition of one transaction. */
export type Step =
  | { readonly transition: 'complete'; readonly transaction: RewardTransaction }
  | { readonly transition: 'begin'; readonly transaction: Posted; readonly available: number | null }
  | { readonly transition: Exclude<Transition, 'begin' | 'complete'>; readonly transaction: Posted };

/** A condition on the points of an account. The movements are written only if it holds. */
export type BalanceCondition =
  | { readonly balance: 'available' | 'held'; readonly is: 'at-least'; readonly points: number }
  | { readonly balance: 'available' | 'owed'; readonly is: 'exactly'; readonly points: number };

/** The fields of an account that decide how many of the returned points settle what the member owes. */
export type OwingAccount = Pick<Membership, 'userId' | 'partnerId' | 'owedPoints'>;

/** The movements of the account of one member with one program. */
export interface AccountMovement {
  readonly userId: number;
  readonly partnerId: number;
  readonly available: number;
  readonly held: number;
  readonly owed: number;
  readonly earned: number;
  readonly redeemed: number;
  readonly cashbackCents: number;
  /** The number of settlements: zero or one. A partner's own program also has to apply the settlement. */
  readonly settlements: number;
  /** The number of transactions that a partner's own program has answered. */
  readonly answered: number;
  /** Empty when it is enough that the account exists. */
  readonly conditions: readonly BalanceCondition[];
  /** Whether the movements are written only while neither the account nor its user is blocked. */
  readonly isBarredByBlock?: true;
}

/** The movements of the totals of one member at one merchant, in points. */
export interface AssociationMovement {
  readonly userId: number;
  readonly merchantId: number;
  readonly earned: number;
  readonly redeemed: number;
}

/** The movement of the counter of one limit in one period, in the unit of the limit. */
export interface UsageMovement {
  readonly userId: number;
  readonly campaignId: number;
  readonly limitId: number;
  readonly period: string;
  readonly amount: number;
  /** The counter may not exceed this value after the movement. It is infinite for a return, so a return never fails. */
  readonly most: number;
}

/** All movements of one write, with one movement for each account, association and counter. */
export interface Movements {
  readonly accounts: readonly AccountMovement[];
  readonly associations: readonly AssociationMovement[];
  readonly usage: readonly UsageMovement[];
  readonly entries: readonly LedgerEntry[];
}

/**
 * Adds up the movements of transitions that are written together. Also returns the conditions that must hold.
 *
 * @param accounts the accounts to which points return, as they were read. An absent account owes no points
 */
export function sumMovements(steps: readonly Step[], now: Date, accounts: readonly OwingAccount[] = []): Movements {
  const groups = grouped(steps, ({ userId, partnerId }) => [userId, partnerId]).map((group) => ({
    group,
    settlement: settlementOf(group, accounts),
  }));
  return {
    accounts: groups.map(accountMovement).filter(isNeeded),
    associations: grouped(steps.filter(movesTotals), ({ userId, merchantId }) => [userId, merchantId]).map(
      associationMovement,
    ),
    usage: usageMovements(steps.flatMap((step) => usageOf(step, now))),
    entries: [
      ...steps.flatMap((step) => (step.transition === 'complete' ? toLedgerEntries(step.transaction, now) : [])),
      ...groups.flatMap(({ settlement }) =>
        settlement && settlement.points !== 0 ? [toSettlementEntry(settlement.by, 0 - settlement.points, now)] : [],
      ),
    ],
  };
}

/**
 * All movements that led a transaction to its state, according to the movement table. As in {@link sumMovements}, a
 * charge that was returned is left out if its counter may be deleted at `now`.
 */
export function movedBy(transaction: RewardTransaction, now: Date): Movements {
  const steps = historyOf(transaction).map((transition): Step => ({ transition, transaction, available: null }));
  return sumMovements(steps, now);
}

type Group = readonly [Step, ...Step[]];

function grouped(steps: readonly Step[], key: (transaction: Posted) => readonly number[]): Group[] {
  const groups = new Map<string, [Step, ...Step[]]>();
  for (const step of steps) {
    const name = key(step.transaction).join('#');
    const group = groups.get(name);
    if (group) group.push(step);
    else groups.set(name, [step]);
  }
  return [...groups.values()];
}

/** The sum of one column of the table. */
function sum(steps: Group, column: Exclude<keyof MovementRule, 'limits' | 'ledger'>): number {
  return steps.reduce(
    (total, { transition, transaction }) => total + amountOf(ruleFor(transition, transaction)[column], transaction),
    0,
  );
}

/** The settlement of an account: returned points pay what the member owes the program. */
interface Settlement {
  /** What the member owed before. */
  readonly owed: number;
  /**
   * The points that settle the debt. Negative if a reversal is rejected after its shortfall was settled: the member
   * gets those points back.
   */
  readonly points: number;
  /** The transaction that returns the points. */
  readonly by: Posted;
}

/** Computes the settlement of an account; undefined when no points return. */
function settlementOf(steps: Group, accounts: readonly OwingAccount[]): Settlement | undefined {
  const by = steps.find(({ transition, transaction }) => bringsBack(transition, transaction))?.transaction;
  if (!by) return undefined;
  const account = accounts.find(({ userId, partnerId }) => userId === by.userId && partnerId === by.partnerId);
  const owed = account?.owedPoints ?? 0;
  return { owed, points: Math.min(owed + sum(steps, 'owed'), sum(steps, 'restored')), by };
}

function accountMovement({
  group,
  settlement,
}: {
  readonly group: Group;
  readonly settlement: Settlement | undefined;
}): AccountMovement {
  const { userId, partnerId } = group[0].transaction;
  const settled = settlement?.points ?? 0;
  const available = sum(group, 'available') + sum(group, 'restored') - settled;
  const held = sum(group, 'held');
  return {
    userId,
    partnerId,
    available,
    held,
    owed: sum(group, 'owed') - settled,
    earned: sum(group, 'earned'),
    redeemed: sum(group, 'redeemed'),
    cashbackCents: sum(group, 'cashback'),
    settlements: settled === 0 ? 0 : 1,
    answered: group.filter(isAnswered).length,
    conditions: [
      ...conditionsOf(group, { available, held }),
      ...(settlement ? [{ balance: 'owed', is: 'exactly', points: settlement.owed } as const] : []),
    ],
    ...(group.some(isBarredByBlock) && { isBarredByBlock: true }),
  };
}

/**
 * Whether a block of the account stops a step. It stops a token that holds points, and a reward that arrives at a
 * hosted program. A reward of a partner's own program has arrived there already.
 */
const isBarredByBlock = ({ transition, transaction }: Step): boolean =>
  transition === 'complete'
    ? isReviewable(transaction) && transaction.posting === undefined
    : transition === 'reserve' && transaction.type === 'REDEEM';

/**
 * Points can leave a balance only if the balance contains them. For reversals, the partnership's policy may set a
 * different condition.
 */
function conditionsOf(
  steps: Group,
  { available, held }: Pick<AccountMovement, 'available' | 'held'>,
): BalanceCondition[] {
  const begun = steps.filter((step) => step.transition === 'begin');
  if (begun.length > 0) return conditionsOfReversals(begun);
  return [
    ...(held < 0 ? [{ balance: 'held', is: 'at-least', points: 0 - held } as const] : []),
    ...(available < 0 ? [{ balance: 'available', is: 'at-least', points: 0 - available } as const] : []),
  ];
}

/**
 * The condition of reversals that begin together. Each takes its points after those before it; those that the policy
 * does not bound may take more than there is.
 */
function conditionsOfReversals(begun: readonly (Step & { readonly transition: 'begin' })[]): BalanceCondition[] {
  let taken = 0;
  let least = 0;
  for (const { transaction, available } of begun) {
    // The shortfall is correct only while the available points are exactly the points that were read.
    if (available !== null && transaction.shortfallPoints !== undefined) {
      return [{ balance: 'available', is: 'exactly', points: available + taken }];
    }
    taken += pointsTakenBy(transaction);
    if (available !== null) least = taken;
  }
  return least > 0 ? [{ balance: 'available', is: 'at-least', points: least }] : [];
}

/** The points that a reversal takes from the available points of its account when it begins. */
export const pointsTakenBy = (reversal: Posted): number => 0 - amountOf(ruleFor('begin', reversal).available, reversal);

/** Whether a step ends the attempts to post a transaction. */
const isAnswered = ({ transition, transaction }: Step) =>
  (transition === 'complete' || transition === 'fail') && transaction.posting !== undefined;

/**
 * Whether the account has to be written. A condition on the owed points alone is no reason to write: if all points that
 * came back are held again, nothing moves and nothing is settled.
 */
const isNeeded = ({ conditions, available, held, owed, earned, redeemed, ...others }: AccountMovement) =>
  conditions.some(({ balance }) => balance !== 'owed') ||
  [available, held, owed, earned, redeemed, others.cashbackCents, others.answered].some((amount) => amount !== 0);

function movesTotals({ transition, transaction }: Step): boolean {
  const { earned, redeemed } = ruleFor(transition, transaction);
  return earned !== undefined || redeemed !== undefined;
}

function associationMovement(steps: Group): AssociationMovement {
  const { userId, merchantId } = steps[0].transaction;
  return { userId, merchantId, earned: sum(steps, 'earned'), redeemed: sum(steps, 'redeemed') };
}

/** A charge is not returned to a period whose counter may be deleted: a new counter would begin below zero. */
function usageOf({ transition, transaction }: Step, now: Date): UsageMovement[] {
  const { limits } = ruleFor(transition, transaction);
  const { userId, campaignId, charges } = transaction;
  if (limits === undefined) return [];
  if (limits === 'charge') return charges.map((charge) => ({ userId, campaignId, ...charge }));
  const sign = limits === 'return' ? -1 : 1;
  return charges
    .filter(({ period }) => isRetained(period, now))
    .map((charge) => ({ userId, campaignId, ...charge, amount: sign * charge.amount, most: Number.POSITIVE_INFINITY }));
}

/**
 * Returns the time from which the limit usage of a period may be deleted; undefined for a lifetime, which never ends.
 * Reading a member costs less without old usage.
 */
export function deletableAt(period: string): Date | undefined {
  const end = endOfPeriod(period);
  return end && new Date(end.getTime() + retentionMs.limitUsage);
}

/**
 * Whether the limit usage of a period certainly still exists. False from one day before the deletion, because clocks
 * differ and a write happens some time after its `now`.
 */
export function isRetained(period: string, now: Date): boolean {
  const deletable = deletableAt(period);
  return deletable === undefined || now.getTime() < deletable.getTime() - dayMs;
}

/** One movement for each counter. A charge and a return of the same counter are added up. */
function usageMovements(all: readonly UsageMovement[]): UsageMovement[] {
  const counters = new Map<string, UsageMovement>();
  for (const movement of all) {
    const name = counterName(movement);
    const known = counters.get(name);
    const amount = movement.amount + (known?.amount ?? 0);
    // An edit may have changed the limit between two charges. Then the lower maximum counts.
    const most = Math.min(movement.most, known?.most ?? movement.most);
    counters.set(name, { ...movement, amount, most });
  }
  return [...counters.values()].filter(({ amount }) => amount !== 0);
}

/** The name of a counter among all counters of limits. */
export const counterName = ({
  userId,
  campaignId,
  limitId,
  period,
}: Pick<UsageMovement, 'userId' | 'campaignId' | 'limitId' | 'period'>) =>
  JSON.stringify([userId, campaignId, limitId, period]);
