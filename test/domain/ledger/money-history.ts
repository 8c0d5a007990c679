import { isDeepStrictEqual } from 'node:util';
import { type AwardClaim, reserve } from '../../../shared/domain/award/claim.ts';
import { rewardsOf } from '../../../shared/domain/award/rewards.ts';
import type { Campaign } from '../../../shared/domain/campaign/document/campaign.ts';
import type { Decision } from '../../../shared/domain/campaign/evaluation/decision.ts';
import { evaluate } from '../../../shared/domain/campaign/evaluation/evaluate.ts';
import { finalize, holdersOf, idsSharing, type ProgramAnswer } from '../../../shared/domain/ledger/finalize.ts';
import type { LedgerEntry } from '../../../shared/domain/ledger/ledger-entry.ts';
import { movementTable, type Transition } from '../../../shared/domain/ledger/movement-table.ts';
import { isReviewable, type Review, type RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import {
  type AccountMovement,
  counterName,
  type Movements,
  type Step,
  sumMovements,
} from '../../../shared/domain/ledger/sum-movements.ts';
import type { LimitUsage } from '../../../shared/domain/member/member.ts';
import type { ReversalPolicy } from '../../../shared/domain/partnership.ts';
import { moveToTarget, reverseTransfer } from '../../../shared/domain/purchase/move.ts';
import { netRewardOf } from '../../../shared/domain/reversal/reversal.ts';
import { aCampaign, aFlow, aMember, aPartnership, aUserLimit, earning, facts, noon, redeeming } from '../fixtures.ts';

/** The other program, which receives transfers. */
export const otherPartnerId = 3;

const own = { ownerId: 2 };
const lifetime = { period: 'LIFETIME' } as const;

/**
 * One cent earns one point, and one point pays one cent. So every amount is also a number of points. Limits last a
 * lifetime.
 */
export const campaigns = {
  earn: aCampaign({
    id: 5,
    flows: [
      {
        ...aFlow([earning(1_000_000)]),
        limits: [
          aUserLimit({ id: 50, amount: 3, ...lifetime }),
          aUserLimit({ id: 51, unit: 'POINTS', amount: 700, ...lifetime }),
        ],
      },
    ],
  }),
  cashback: aCampaign({ id: 6, flows: [aFlow([{ ...own, id: 1, kind: 'AWARD_CASHBACK', shareBp: 1_000 }])] }),
  /**
   * A point and ten cents of cashback for each dollar: small refunds reverse one of the two rewards completely before
   * the other.
   */
  pointsAndCashback: aCampaign({
    id: 10,
    flows: [
      {
        ...aFlow([earning(10_000, 1), { ...own, id: 2, kind: 'AWARD_CASHBACK', shareBp: 1_000 }]),
        limits: [aUserLimit({ id: 60, amount: 3, ...lifetime })],
      },
    ],
  }),
  redeem: aCampaign({
    id: 7,
    type: 'REDEEM',
    flows: [
      { ...aFlow([redeeming(10_000)]), limits: [aUserLimit({ id: 70, unit: 'POINTS', amount: 800, ...lifetime })] },
    ],
  }),
  /** Pays with points, and earns points for the same purchase. */
  both: aCampaign({ id: 8, type: 'REDEEM', flows: [aFlow([redeeming(10_000, 1), earning(1_000_000, 2)])] }),
  /** A payment that gives ten percent of its value back as money. */
  rebate: aCampaign({
    id: 11,
    type: 'REDEEM',
    flows: [
      {
        ...aFlow([redeeming(10_000, 1), { ...own, id: 2, kind: 'AWARD_CASHBACK', shareBp: 1_000 }]),
        limits: [aUserLimit({ id: 80, amount: 3, ...lifetime })],
      },
    ],
  }),
  transfer: aCampaign({
    id: 9,
    type: 'TRANSFER',
    flows: [
      {
        ...aFlow([
          {
            ...own,
            id: 1,
            kind: 'TRANSFER_POINTS',
            fromPartnerId: 2,
            toPartnerId: otherPartnerId,
            conversionRateBp: 5_000,
            increment: 1,
          },
        ]),
        limits: [aUserLimit({ id: 90, amount: 2, ...lifetime })],
      },
    ],
  }),
} as const satisfies Record<string, Campaign>;
export type CampaignName = keyof typeof campaigns;

const aReview: Review = { heldAt: noon.toISOString(), breaches: [] };

/** The balance of an account, kept in memory. */
export type Balance = Omit<AccountMovement, 'conditions'>;

const noBalance = {
  available: 0,
  held: 0,
  owed: 0,
  earned: 0,
  redeemed: 0,
  cashbackCents: 0,
  answered: 0,
  settlements: 0,
};
const amountNames = ['available', 'held', 'owed', 'earned', 'redeemed', 'cashbackCents'] as const;

/**
 * The table in memory: one member with accounts in two programs, and a history of transitions. Movements are applied
 * as the store applies them: all of them if all conditions hold, otherwise none.
 */
export class MoneyHistory {
  readonly policy: ReversalPolicy;
  readonly openingPoints: number;
  readonly accounts = new Map<number, Balance>();
  readonly atMerchant = { earned: 0, redeemed: 0 };
  readonly usage = new Map<string, LimitUsage>();
  readonly entries: LedgerEntry[] = [];
  readonly transactions = new Map<number, RewardTransaction>();
  readonly claims = new Map<string, AwardClaim>();
  readonly #decisions = new Map<number, Decision>();
  readonly #refundedCents = new Map<number, number>();
  /** Transactions whose refunds wait for the program. */
  readonly #waiting = new Set<number>();
  #lastId = 100;

  constructor(policy: ReversalPolicy, openingPoints: number) {
    this.policy = policy;
    this.openingPoints = openingPoints;
    for (const partnerId of [2, otherPartnerId]) {
      const available = partnerId === 2 ? openingPoints : 0;
      this.accounts.set(partnerId, { userId: 10, partnerId, ...noBalance, available });
    }
  }

  /**
   * Requests a token for an order. The token replaces an earlier token of the same order. With `withoutToken`, gives
   * an award without a token instead, if the order and the campaign allow it.
   */
  ask(order: string, name: CampaignName, points: number, withoutToken = false): boolean {
    const earlier = this.claims.get(order);
    if (earlier && (earlier.state === 'SPENT' || earlier.campaignId !== campaigns[name].id)) return false;
    const isAward = withoutToken && !earlier && ['earn', 'cashback', 'pointsAndCashback'].includes(name);
    const made = this.#decide(order, name, points);
    if (!made) return false;
    const transition = isAward ? 'award' : 'reserve';
    const canceled = earlier ? this.#transactionsOf(earlier) : [];
    const isDone = this.#apply([
      ...made.transactions.map((transaction): Step => ({ transition, transaction })),
      ...canceled.map((transaction): Step => ({ transition: 'cancel', transaction })),
    ]);
    if (!isDone) return false;
    for (const one of canceled) this.#become(one, 'cancel');
    for (const one of made.transactions) this.#become(one, transition);
    this.claims.set(order, isAward ? { ...made.claim, state: 'SPENT' } : made.claim);
    return true;
  }

  #decide(order: string, name: CampaignName, points: number) {
    const campaign = campaigns[name];
    const isTransfer = name === 'transfer';
    const usage = Object.fromEntries(
      [...this.usage.values()].map(({ limitId, period, used }) => [`${limitId}#${period}`, used]),
    );
    const known = facts({ amountCents: isTransfer ? null : points, transferPoints: isTransfer ? points : null });
    const decision = evaluate(campaign, known, usage);
    const rewards = rewardsOf(decision, campaign.partnerId);
    if (rewards.length === 0) return undefined;
    const basis = {
      member: aMember(),
      merchantId: 1,
      externalTransactionId: order,
      amountCents: points,
      now: noon,
    };
    const reserved = reserve(basis, { campaign, partnership: aPartnership(), decision, rewards }, order, () =>
      this.#nextIds(),
    );
    const [first] = reserved.transactions;
    if (first) this.#decisions.set(first.snapshotId, decision);
    return reserved;
  }

  /** The token of an order is spent. */
  create(order: string): boolean {
    return this.#endToken(order, 'create');
  }

  /** The token of an order expires. */
  expire(order: string): boolean {
    return this.#endToken(order, 'cancel');
  }

  #endToken(order: string, transition: 'create' | 'cancel'): boolean {
    const claim = this.claims.get(order);
    if (claim?.state !== 'ISSUED') return false;
    const transactions = this.#transactionsOf(claim);
    mustHold(this.#apply(transactions.map((transaction) => ({ transition, transaction }))));
    for (const one of transactions) this.#become(one, transition);
    if (transition === 'cancel') this.claims.delete(order);
    else this.claims.set(order, { ...claim, state: 'SPENT' });
    return true;
  }

  /** A velocity rule or a block holds a pending reward for review. */
  review(which: number): boolean {
    const chosen = this.#choose(which, (one) => one.state === 'PENDING' && isReviewable(one));
    if (!chosen) return false;
    mustHold(this.#apply([{ transition: 'review', transaction: chosen }]));
    this.transactions.set(chosen.id, { ...chosen, state: movementTable.review.to, review: aReview });
    return true;
  }

  /** An operator releases a held reward, or refuses it. */
  endReview(which: number, isReleased: boolean): boolean {
    const chosen = this.#choose(which, ({ state }) => state === 'HELD');
    if (!chosen) return false;
    if (!isReleased) {
      this.#end([chosen], { kind: 'refused', rejectedId: chosen.id, reason: 'farmed', review: aReview });
      return true;
    }
    mustHold(this.#apply([{ transition: 'admit', transaction: chosen }]));
    this.#become(chosen, 'admit');
    return true;
  }

  #choose(which: number, fits: (transaction: RewardTransaction) => boolean): RewardTransaction | undefined {
    const fitting = [...this.transactions.values()].filter(fits);
    return fitting[which % Math.max(1, fitting.length)];
  }

  /** The program answers for a pending transaction or reversal, and for its other leg. */
  answer(which: number, isConfirmed: boolean): boolean {
    const chosen = this.#choose(which, ({ state }) => state === 'PENDING');
    if (!chosen) return false;
    const rejected: ProgramAnswer = { kind: 'rejected', rejectedId: chosen.id, reason: 'no' };
    this.#end(this.#legsOf(chosen), isConfirmed ? { kind: 'confirmed', references: [] } : rejected);
    return true;
  }

  #end(legs: readonly RewardTransaction[], answer: ProgramAnswer): void {
    const originals = legs.flatMap(({ reverses }) => this.transactions.get(reverses?.id ?? 0) ?? []);
    const ids = idsSharing(holdersOf({ legs, originals }, answer));
    const sharing = ids.flatMap((id) => this.transactions.get(id) ?? []);
    const { changes, movements } = finalize({ legs, originals, sharing, accounts: this.#owing }, answer, noon);
    mustHold(this.#move(movements));
    for (const { before, set } of changes) this.transactions.set(before.id, { ...before, ...set });
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const id of waiting) this.#settle(id);
  }

  /**
   * The merchant refunds a percentage of the unrefunded amount of a completed transaction. Both legs of a transfer are
   * refunded.
   */
  refund(which: number, percent: number): boolean {
    const chosen = this.#choose(
      which,
      ({ state, reverses }) => !reverses && (state === 'COMPLETED' || state === 'REVERSED'),
    );
    return chosen !== undefined && this.refundPart(chosen.id, percent);
  }

  /** Like {@link refund}, for the transaction with an id. */
  refundPart(id: number, percent: number): boolean {
    const chosen = this.transactions.get(id);
    if (!chosen) return false;
    const refunded = this.#refundedCents.get(chosen.id) ?? 0;
    const amountCents = Math.ceil(((chosen.amountCents - refunded) * percent) / 100);
    if (amountCents === 0) return false;

    this.#refundedCents.set(chosen.id, refunded + amountCents);
    this.#settle(chosen.id);
    return true;
  }

  /** Reverses what refunds require. If the program has to answer an earlier reversal first, that answer settles again. */
  #settle(id: number): void {
    const chosen = this.transactions.get(id);
    const decision = chosen && this.#decisions.get(chosen.snapshotId);
    if (!decision) return;
    const applied = this.#movesOf(this.#legsOf(chosen), decision, this.#refundedCents.get(id) ?? 0);
    if (applied === 'wait') {
      this.#waiting.add(id);
      return;
    }
    const steps = applied.flatMap(({ reversal, available }): Step[] =>
      reversal ? [{ transition: 'begin', transaction: reversal, available }] : [],
    );
    mustHold(this.#apply(steps));
    for (const { original, refunds, reversal } of applied) {
      this.transactions.set(original.id, { ...original, refunds });
      if (reversal) this.#become(reversal, 'begin');
    }
  }

  /** The moves of a transaction, or of both legs of a transfer, after refunds of an amount. */
  #movesOf(originals: readonly RewardTransaction[], decision: Decision, refundedCents: number) {
    const nextIds = () => this.#nextIds();
    const legs = originals.map((original) => {
      const { available: availablePoints = 0, held: heldPoints = 0 } = this.accounts.get(original.partnerId) ?? {};
      const target = netRewardOf(original, decision, { capturedCents: original.amountCents, refundedCents });
      const cause = { uuid: `refund-${++this.#lastId}`, returnedCents: refundedCents };
      return { original, decision, policy: this.policy, availablePoints, heldPoints, target, inTime: target, cause };
    });
    const [leg] = legs;
    if (!leg) return [];
    if (legs.length === 1) {
      const move = moveToTarget(leg, noon, nextIds);
      return move === 'wait' ? move : [move].filter((one) => one !== undefined);
    }
    if (legs.some(({ target }) => target.points > 0)) return [];
    const receivedAt = new Date(0).toISOString();
    const moves = reverseTransfer({ legs, heldPoints: [0, 0], isInTime: [true, true], receivedAt }, noon, nextIds);
    return moves === 'held' ? 'wait' : (moves ?? []);
  }

  #legsOf(chosen: RewardTransaction): RewardTransaction[] {
    const other = chosen.otherLegId === undefined ? undefined : this.transactions.get(chosen.otherLegId);
    return other ? [chosen, other] : [chosen];
  }

  #transactionsOf({ rewards }: AwardClaim): RewardTransaction[] {
    return rewards.flatMap(({ id }) => this.transactions.get(id) ?? []);
  }

  #become(transaction: RewardTransaction, transition: Transition): void {
    this.transactions.set(transaction.id, { ...transaction, state: movementTable[transition].to });
  }

  #nextIds() {
    const id = ++this.#lastId;
    return { id, uuid: `transaction-${id}` };
  }

  #apply(steps: readonly Step[]): boolean {
    return this.#move(sumMovements(steps, noon, this.#owing));
  }

  get #owing() {
    return [...this.accounts.values()].map(({ userId, partnerId, owed }) => ({ userId, partnerId, owedPoints: owed }));
  }

  /** Applies movements if all of their conditions hold. Returns whether they hold. */
  #move({ accounts, associations, usage, entries }: Movements): boolean {
    const used = (movement: Movements['usage'][number]) => this.usage.get(counterName(movement))?.used ?? 0;
    const hasRoom = usage.every((one) => one.amount <= 0 || used(one) + one.amount <= one.most);
    if (!hasRoom || !accounts.every((one) => this.#holds(one))) return false;
    for (const movement of accounts) {
      const before = this.accounts.get(movement.partnerId);
      if (!before) throw new Error('the account is missing');
      const added = Object.fromEntries(amountNames.map((name) => [name, before[name] + movement[name]]));
      this.accounts.set(movement.partnerId, { ...before, ...added });
    }
    for (const { earned, redeemed } of associations) {
      this.atMerchant.earned += earned;
      this.atMerchant.redeemed += redeemed;
    }
    for (const one of usage) {
      const { userId, campaignId, limitId, period } = one;
      this.usage.set(counterName(one), { userId, campaignId, limitId, period, used: used(one) + one.amount });
    }
    this.entries.push(...entries);
    return true;
  }

  #holds({ partnerId, conditions }: AccountMovement): boolean {
    return conditions.every(({ balance, is, points }) => {
      const value = this.accounts.get(partnerId)?.[balance] ?? 0;
      return is === 'exactly' ? isDeepStrictEqual(value, points) : value >= points;
    });
  }
}

/** Without a concurrent request, every decision of the domain can be written. */
function mustHold(isWritten: boolean): void {
  if (!isWritten) throw new Error('a condition failed although no other request came between');
}
