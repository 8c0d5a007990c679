import type { InternalEvent } from '../contracts/events.ts';
import { lockMs, maximumCount, timingMs } from '../contracts/limits.ts';
import { type AwardClaim, isAwaited, rewardIdsOf } from '../domain/award/claim.ts';
import { integerIdOf } from '../domain/ids.ts';
import type { RewardTransaction } from '../domain/ledger/reward-transaction.ts';
import type { Order } from '../domain/order/order.ts';
import {
  areRefundsApplied,
  hasTurn,
  isOrder,
  type Refund,
  type Refundable,
  refundableCentsOf,
  refundedUuidOf,
  refundsOfTransaction,
  withRefundsApplied,
} from '../domain/order/refund.ts';
import { paysWithPoints, unconsideredCents, withPaid, withReturned } from '../domain/order/spend.ts';
import {
  applyPaid,
  applyRefunds,
  awaitsAnswer,
  awaitsHeldPoints,
  awaitsOperatorReversal,
  decideOnRefund,
  type PaidWithPoints,
  type RefundOfTransaction,
  type RefundsTogether,
  withWaiting,
} from '../domain/reversal/reversal.ts';
import { AwardClaims } from '../store/award/claims.ts';
import { Campaigns } from '../store/campaign/campaigns.ts';
import { Reversals } from '../store/ledger/reversals.ts';
import { TransactionConflictError, Transactions } from '../store/ledger/transactions.ts';
import { Members } from '../store/member/members.ts';
import { SpendCounter } from '../store/member/spend.ts';
import { Orders } from '../store/order/orders.ts';
import { Refunds, type WithRefunds } from '../store/order/refunds.ts';
import { paymentChangedWrite } from '../store/outbox/outbox.ts';
import { ConditionFailedError } from '../store/table/table-client.ts';
import type { Deps, Sources } from './operation.ts';
import { decideAndWrite } from './operation.ts';

const reverseTransactionStores = {
  campaigns: Campaigns,
  members: Members,
  reversals: Reversals,
  transactions: Transactions,
};

export const processRefundStores = {
  ...reverseTransactionStores,
  claims: AwardClaims,
  orders: Orders,
  refunds: Refunds,
  spend: SpendCounter,
};
type RefundDeps = Deps<typeof processRefundStores>;

/**
 * Applies the pending refunds of an order, or of the transactions of one token, the oldest refund first. Reverses the
 * refunded part of the rewards, and returns the refunded part of the points that were paid. Each transaction is written
 * once for all these refunds.
 *
 * If several runs begin in parallel, one run takes the turn and applies all refunds. The other runs end immediately. If
 * the run with the turn dies, the queue delivers its message again.
 *
 * Safe to repeat from the point where an earlier run ended. A pending order, or a transaction that the program has not
 * answered yet, announces its refunds again when it is finalized.
 *
 * The event that announces a refund also announces a completed redemption. The part of a purchase that was paid with
 * points earns nothing. So rewards that were given for this part are reversed before any refund is applied.
 *
 * @throws Error when the order or the transaction is not found, or a token for the order may still be spent
 * @throws ContentionError when other writers keep changing the same items
 */
export async function processRefund({ entityId }: InternalEvent, deps: RefundDeps): Promise<void> {
  const refundable = await findRefundable(entityId, deps);
  if (!refundable) throw new Error(`there is no order or transaction ${entityId}`);
  if (!isOrder(refundable) && paysWithPoints(refundable)) await applyRedemption(refundable, deps);
  if (hasTurn(refundable, deps.now()) || areRefundsApplied(refundable)) return;
  await new RefundRun(refundable, deps).applyAll();
}

/** Finds the order with a UUID, or the claim that names the transaction with this UUID. */
async function findRefundable(uuid: string, { claims, orders, transactions }: RefundDeps) {
  const order = await orders.find(uuid);
  if (order) return order;
  const id = integerIdOf(uuid);
  const transaction = id === undefined ? undefined : await transactions.find(id);
  if (transaction?.uuid !== uuid || transaction.externalTransactionId === null) return undefined;
  return claims.find({ ...transaction, externalTransactionId: transaction.externalTransactionId });
}

/**
 * Records what a completed redemption paid for a purchase, and reverses the rewards that were already given for this
 * part. The record is written first, so that a reward that is decided later reads it. If a reward was decided at the
 * same time, the redemption is announced again when the spend of the purchase is counted.
 */
async function applyRedemption(redemption: AwardClaim, deps: RefundDeps): Promise<void> {
  const { merchantId, externalTransactionId, amountCents } = redemption;
  const reward = redemption.rewards.find(({ type }) => type === 'REDEEM');
  const paying = reward && (await deps.transactions.find(reward.id));
  // A rejected payment has paid nothing.
  if (!paying || decideOnRefund(paying.state) !== 'reverse') return;
  const { uuid, completedAt = deps.now().toISOString() } = paying;
  const purchase = await deps.spend.settle({ merchantId, externalTransactionId }, (known) =>
    withPaid(known, uuid, amountCents),
  );
  const approved = await deps.campaigns.approvedOf('byMerchant', merchantId);
  const [found, order] = await Promise.all([
    deps.claims.findUnder(
      approved.map(({ id }) => id),
      { merchantId, externalTransactionId },
    ),
    deps.orders.findByExternalId({ merchantId, externalOrderId: externalTransactionId }),
  ]);
  // Leaves out tokens that are not spent yet: the amount that points paid is checked after the token is spent.
  const rewarded = found.filter((claim) => claim.state === 'SPENT' && !claim.isTransfer && !paysWithPoints(claim));
  for (const claim of rewarded) {
    const { amountCents: capturedCents, paidCents: knownCents = 0 } = claim;
    const paid = { cents: unconsideredCents(claim, purchase, order), ofCents: capturedCents - knownCents };
    if (paid.cents <= 0) continue;
    for (const id of rewardIdsOf(claim)) await applyPaidPart(id, { uuid, paid, capturedCents }, completedAt, deps);
  }
}

/** Reverses the part of one reward that was given for an amount that points paid. Safe to repeat. */
function applyPaidPart(id: number, part: PaidWithPoints, paidAt: string, deps: RefundDeps): Promise<void> {
  const { uuid, paid, capturedCents } = part;
  const write = async (original: RewardTransaction) => {
    const context = { now: deps.now(), nextUuid: deps.nextUuid };
    switch (awaitsOperatorReversal(original) ? 'wait' : decideOnRefund(original.state)) {
      case 'nothing':
        return;
      case 'wait': {
        const refund = { uuid, refundedUuid: uuid, receivedAt: paidAt, amountCents: paid.cents, capturedCents };
        return deps.reversals.wait([{ original, refunds: withWaiting(original, [refund]) }], context);
      }
      case 'reverse': {
        const applied = applyPaid({ ...(await loadTerms(original, deps)), original }, part, context.now, deps.nextIds);
        if (!applied) return;
        await deps.reversals.adjust(applied, context);
        const { paymentUuid } = applied.refunds;
        if (paymentUuid !== undefined) await deps.table.write(paymentChangedWrite(paymentUuid, context));
      }
    }
  };
  return decideAndWrite(
    {
      subject: `reward ${id} of a purchase that points paid`,
      load: async () => {
        const found = await deps.transactions.find(id);
        if (!found) throw new Error(`there is no transaction ${id}`);
        return found;
      },
      write,
      conflicts: [TransactionConflictError],
    },
    deps,
  );
}

/** One run over pending refunds. */
class RefundRun {
  readonly #refundable: Refundable;
  readonly #deps: RefundDeps;
  readonly #begunAt: Date;
  /** The instant at which the turn of this run ends; undefined while this run has no turn. */
  #turnUntil: string | undefined;
  /** Whether this run has ended its turn, because refunds have to wait. */
  #hasGivenUp = false;

  constructor(refundable: Refundable, deps: RefundDeps) {
    this.#refundable = refundable;
    this.#deps = deps;
    this.#begunAt = deps.now();
  }

  async applyAll(): Promise<void> {
    const { refunds, table } = this.#deps;
    const applyNext = () =>
      decideAndWrite(
        {
          subject: `the rewards of ${refundedUuidOf(this.#refundable)}`,
          load: () => refunds.findWith(this.#refundable),
          write: async (found) => (found ? this.#applyTogether(found) : 'done'),
          conflicts: [ConditionFailedError, TransactionConflictError],
        },
        this.#deps,
      );
    for (let round = 1; ; round += 1) {
      const left = await applyNext();
      if (left === 'done') return;
      // More refunds are arriving: after a pause, this run can apply more of them together.
      if (left === 'arriving') await table.pause(round);
    }
  }

  /** Applies as many pending refunds as fit into one write. Returns whether more are pending or arriving. */
  async #applyTogether({ of, refunds }: WithRefunds): Promise<'done' | 'pending' | 'arriving'> {
    const { now, nextUuid, refunds: store } = this.#deps;
    if (this.#turnUntil === undefined && hasTurn(of, now())) return 'done';
    if (this.#turnUntil !== undefined && now().getTime() - this.#begunAt.getTime() > timingMs.refundRun) {
      await store.handOver({ ...of, refundTurnUntil: this.#turnUntil }, { now: now(), nextUuid });
      return 'done';
    }
    const pending = refunds.filter(({ state }) => state === 'PENDING');
    const together = pending.slice(0, maximumCount.refundsTogether);
    if (pending.length > 1 && !this.#hasGivenUp) await this.#takeTurn(of);
    if (!(await this.#reverseAll(of, refunds, together))) return this.#giveUp(of);

    await this.#recordReturned(
      of,
      refunds.filter((refund) => refund.state === 'APPLIED' || together.includes(refund)),
    );
    await store.apply(isOrder(of) ? withRefundsApplied(of, together, now()) : of, together, now());
    return pending.length > together.length ? 'pending' : this.#end(of);
  }

  /**
   * Records the returned part of the purchase: returned money is no spend of the member. The refunds count as applied
   * only after this write, so a run that dies in between is repeated.
   */
  async #recordReturned(of: Refundable, refunds: readonly Refund[]): Promise<void> {
    if (!isOrder(of) && (of.isTransfer || paysWithPoints(of))) return;
    const cents = refunds.reduce((sum, { amountCents }) => sum + amountCents, 0);
    const [source, externalTransactionId] = isOrder(of)
      ? ['order', of.externalOrderId]
      : [`token:${of.campaignId}`, of.externalTransactionId];
    await this.#deps.spend.settle({ merchantId: of.merchantId, externalTransactionId }, (purchase) =>
      withReturned(purchase, source, { cents, ofCents: refundableCentsOf(of) }),
    );
  }

  /**
   * Applies the pending refunds to every transaction. Returns false while the refunds wait for an order or a program.
   */
  async #reverseAll(of: Refundable, refunds: readonly Refund[], pending: readonly Refund[]): Promise<boolean> {
    const found = isOrder(of)
      ? await this.#rewardsOf(of, pending)
      : { ids: rewardIdsOf(of), paymentUuids: ownersOf([of]) };
    if (!found) return false;
    const { ids, paymentUuids } = found;
    // The payment counts these refunds together with the refunds that its platform reports.
    if (paymentUuids.length > 0) {
      const context = { now: this.#deps.now(), nextUuid: this.#deps.nextUuid };
      for (const uuid of paymentUuids) await this.#deps.table.write(paymentChangedWrite(uuid, context));
      return pending.length > 0;
    }
    // A token may have been spent after an earlier refund was applied. That refund is applied to the token's
    // transactions now.
    const earlier = refunds.filter(({ state }) => state === 'APPLIED');
    const own = refundsOfTransaction([...earlier, ...pending], of);
    let isDone = true;
    for (const due of [isOrder(of) ? [] : await this.#refundsOfOrder(of), own]) {
      for (const id of ids) if (!(await reverseTransaction(id, due, this.#deps))) isDone = false;
    }
    return isDone && pending.length > 0;
  }

  /**
   * Finds the transactions that have to be reversed for an order's refunds. Returns undefined while the order is
   * pending, and when no refund is pending.
   */
  async #rewardsOf(order: Order, [oldest]: readonly Refund[]): Promise<RefundedRewards | undefined> {
    return order.state === 'PENDING' || !oldest ? undefined : findRewards(order, oldest, this.#deps);
  }

  /**
   * Loads the refunds of the order that is about the same purchase as the claim. They may have been applied before the
   * token of the claim was spent.
   */
  async #refundsOfOrder({ merchantId, externalTransactionId: externalOrderId, isTransfer }: AwardClaim) {
    const order = isTransfer ? undefined : await this.#deps.orders.findByExternalId({ merchantId, externalOrderId });
    const found = order && order.refundedCents > 0 ? await this.#deps.refunds.findWith(order) : undefined;
    return found ? refundsOfTransaction(found.refunds, found.of) : [];
  }

  /**
   * Ends the turn because the refunds have to wait for an order or a program. If the order was finalized or the program
   * answered during this turn, another run started, and ended immediately because this run had the turn. So this run
   * loads the refunds once more, without a turn.
   */
  async #giveUp(of: Refundable): Promise<'done' | 'pending' | 'arriving'> {
    if (this.#turnUntil === undefined) return 'done';
    const left = await this.#end(of);
    if (left === 'arriving') return left;
    this.#hasGivenUp = true;
    return 'pending';
  }

  /** @throws ConditionFailedError when another run took the turn first */
  async #takeTurn(of: Refundable): Promise<void> {
    if (this.#turnUntil !== undefined) return;
    const now = this.#deps.now();
    const until = new Date(now.getTime() + lockMs.refundTurn).toISOString();
    await this.#deps.refunds.takeTurn(of, until, now);
    this.#turnUntil = until;
  }

  /** Ends the turn of this run, if it has one. */
  async #end(of: Refundable): Promise<'done' | 'arriving'> {
    if (this.#turnUntil === undefined) return 'done';
    try {
      await this.#deps.refunds.endTurn({ ...of, refundTurnUntil: this.#turnUntil });
      this.#turnUntil = undefined;
      return 'done';
    } catch (error) {
      if (error instanceof ConditionFailedError) return 'arriving';
      throw error;
    }
  }
}

/** The transactions that a refund reverses. The transactions that the order lists come first. */
interface RefundedRewards {
  readonly ids: readonly number[];
  /** The payments that count the refunds; none while no payment platform has reported a refund or a dispute. */
  readonly paymentUuids: readonly string[];
}

const ownersOf = (spent: readonly AwardClaim[]) => [...new Set(spent.flatMap(({ paymentUuid }) => paymentUuid ?? []))];

/**
 * Finds every reward transaction that a refund of an order reverses:
 * - the awards of the order;
 * - the transactions of tokens of endpoint 1 for the same external id; the tokens may be older or newer than the order;
 * - the redemptions of points that paid for the order.
 *
 * Leaves out transfers, because a transfer buys nothing. If a token creates transactions later, the program's
 * confirmation announces the refunds again.
 *
 * @param oldest the pending refund that has waited longest
 * @throws Error while a token for the order may still be spent: the refund waits for it
 */
async function findRewards(order: Order, oldest: Refund, deps: RefundDeps): Promise<RefundedRewards> {
  const { merchantId, externalOrderId: externalTransactionId, transactionIds } = order;
  const since = new Date(oldest.createdAt);
  const spent = await findSpentClaims({ merchantId, externalTransactionId, since }, deps);
  return { ids: [...new Set([...transactionIds, ...spent.flatMap(rewardIdsOf)])], paymentUuids: ownersOf(spent) };
}

/**
 * Finds the spent claims of an external transaction: those of its rewards, and those of the points that paid for it.
 *
 * @param since when the refund arrived
 * @throws Error while a token for the external transaction may still be spent: the refund waits for it
 */
export async function findSpentClaims(
  {
    merchantId,
    externalTransactionId,
    since,
  }: Pick<AwardClaim, 'merchantId' | 'externalTransactionId'> & { readonly since: Date },
  { campaigns, claims, now }: Pick<RefundDeps, 'campaigns' | 'claims' | 'now'>,
): Promise<AwardClaim[]> {
  // Includes ended campaigns: an order may be refunded a year after its campaign ended.
  const approved = await campaigns.approvedOf('byMerchant', merchantId);
  const found = await claims.findUnder(
    approved.map(({ id }) => id),
    { merchantId, externalTransactionId },
  );
  const purchases = found.filter(({ isTransfer }) => !isTransfer);
  if (purchases.some((claim) => isAwaited(claim, since, now()))) {
    throw new Error(`a token for ${externalTransactionId} may still be spent`);
  }
  return purchases.filter(({ state }) => state === 'SPENT');
}

export interface ReversalDeps extends Pick<Sources, 'now' | 'nextIds' | 'nextUuid'> {
  readonly campaigns: Pick<Campaigns, 'findPartnership'>;
  readonly members: Pick<Members, 'findMembership'>;
  readonly reversals: Reversals;
  readonly transactions: Pick<Transactions, 'find' | 'findSnapshot' | 'withOtherLeg'>;
}

/**
 * Reverses the part of a transaction that refunds cover, together with the other leg of a transfer.
 * Safe to repeat: a refund counts once for each transaction.
 *
 * @param refunds refunds of one order, the oldest first
 * @returns whether all refunds are applied. False while the program has not answered for the transaction; the program's
 * answer announces the refunds again
 * @throws TransactionConflictError when a transaction or the balance changed meanwhile
 */
export async function reverseTransaction(
  id: number,
  refunds: readonly RefundOfTransaction[],
  deps: ReversalDeps,
): Promise<boolean> {
  const [original, applied] = await Promise.all([deps.transactions.find(id), deps.reversals.appliedTo(id)]);
  if (!original) throw new Error(`there is no transaction ${id}`);
  const due = refunds.filter(({ uuid }) => !applied.has(uuid));
  const atOnce = maximumCount.refundsTogether / (original.otherLegId === undefined ? 1 : 2);
  for (let first = 0; first < due.length; first += atOnce) {
    const [one, ...others] = due.slice(first, first + atOnce);
    // Each write changes the transaction, so the transaction is read again before the next write.
    const current = first === 0 ? original : await deps.transactions.find(id);
    if (one && current && !(await reverseOnce(current, [one, ...others], deps))) return false;
  }
  return true;
}

async function reverseOnce(original: RewardTransaction, refunds: RefundsTogether, deps: ReversalDeps) {
  const together = await deps.transactions.withOtherLeg(original);
  const context = { now: deps.now(), nextUuid: deps.nextUuid };
  const wait = async () => {
    await deps.reversals.wait(
      together.map((one) => ({ original: one, refunds: withWaiting(one, refunds) })),
      context,
    );
    return false;
  };
  switch (decideOnRefund(original.state)) {
    case 'wait':
      return wait();
    case 'nothing':
      await deps.reversals.dismiss(together, refunds, context);
      return true;
    case 'reverse': {
      // A payment has taken over the refunds since the claims were read.
      if (original.refunds?.paymentUuid !== undefined)
        throw new TransactionConflictError({ cause: original.refunds.paymentUuid });
      const reversible = await Promise.all(together.map((one) => loadReversible(one, refunds, deps)));
      if (awaitsAnswer(reversible)) return wait();
      if (awaitsHeldPoints(reversible, context.now)) throw new Error(`points of transfer ${original.id} are held`);
      await deps.reversals.begin(applyRefunds(reversible, context.now, deps.nextIds), refunds, context);
      return true;
    }
  }
}

async function loadReversible(original: RewardTransaction, refunds: RefundsTogether, deps: ReversalDeps) {
  return { ...(await loadTerms(original, deps)), original, refunds };
}

/** Loads everything that the reversed amount depends on, in one round trip. */
export async function loadTerms(original: RewardTransaction, deps: Omit<ReversalDeps, 'reversals'>) {
  const { id, snapshotId, partnershipUuid, userId, partnerId } = original;
  const [decision, partnership, membership] = await Promise.all([
    deps.transactions.findSnapshot(snapshotId),
    deps.campaigns.findPartnership(partnershipUuid),
    deps.members.findMembership(userId, partnerId),
  ]);
  if (!decision) throw new Error(`there is no snapshot of transaction ${id}`);
  if (!partnership) throw new Error(`there is no partnership ${partnershipUuid}`);
  if (!membership) throw new Error(`user ${userId} has no account with partner ${partnerId}`);
  const { reversalPolicy: policy } = partnership;
  const { availablePoints, heldPoints } = membership;
  return { decision, policy, availablePoints, heldPoints };
}
