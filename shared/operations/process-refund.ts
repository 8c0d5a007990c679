import type { InternalEvent } from '../contracts/events.ts';
import { lockMs, maximumCount } from '../contracts/limits.ts';
import { type AwardClaim, isLive, rewardIdsOf } from '../domain/award/claim.ts';
import type { RewardTransaction } from '../domain/ledger/reward-transaction.ts';
import type { Order } from '../domain/order/order.ts';
import { refundOfTransaction, withRefundsApplied } from '../domain/order/order.ts';
import {
  applyRefunds,
  decideOnRefund,
  type RefundOfTransaction,
  type RefundsTogether,
  withWaiting,
} from '../domain/reversal/reversal.ts';
import { AwardClaims } from '../store/award/claims.ts';
import { Campaigns } from '../store/campaign/campaigns.ts';
import { Reversals } from '../store/ledger/reversals.ts';
import { TransactionConflictError, Transactions } from '../store/ledger/transactions.ts';
import { Members } from '../store/member/members.ts';
import { OrderRefunds, Orders, type RefundedOrder } from '../store/order/orders.ts';
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
  refunds: OrderRefunds,
};
type RefundDeps = Deps<typeof processRefundStores>;

/**
 * Applies every pending refund of an order, in the order of their arrival. Reverses the refunded part of what the order
 * earned, and returns the points that paid for it. Refunds that are pending together are applied together: each
 * transaction is written once for many of them.
 *
 * Of parallel runs for the many refunds of one order, one has its turn and applies all. The others end at once. Should
 * the one die, its message is received again.
 *
 * Safe to repeat from the point where an earlier run ended. A pending order, or a transaction that the
 * program has not answered yet, announces its refunds again when it is finalized.
 *
 * @throws Error when the order is not found, or a token for it may still be spent
 * @throws ContentionError when other writers keep changing the same items
 */
export async function processRefund({ entityId }: InternalEvent, deps: RefundDeps): Promise<void> {
  const order = await deps.orders.find(entityId);
  if (!order) throw new Error(`there is no order ${entityId}`);
  if (!hasTurn(order, deps.now())) await new RefundRun(entityId, deps).applyAll();
}

/** Whether a run applies the refunds of an order at the moment. */
const hasTurn = ({ refundTurnUntil = '' }: Order, now: Date) => now.toISOString() < refundTurnUntil;

/** One run over the pending refunds of an order. */
class RefundRun {
  readonly #orderUuid: string;
  readonly #deps: RefundDeps;
  /** When the turn of this run ends, once it has taken it. */
  #turnUntil: string | undefined;

  constructor(orderUuid: string, deps: RefundDeps) {
    this.#orderUuid = orderUuid;
    this.#deps = deps;
  }

  async applyAll(): Promise<void> {
    const applyNext = () =>
      decideAndWrite(
        {
          subject: `the rewards of order ${this.#orderUuid}`,
          load: () => this.#deps.refunds.findWithOrder(this.#orderUuid),
          write: async (found) => found !== undefined && this.#applyTogether(found),
          conflicts: [ConditionFailedError, TransactionConflictError],
        },
        this.#deps,
      );
    while (await applyNext());
  }

  /** Applies as many pending refunds as fit into one write. Returns whether there is more to do. */
  async #applyTogether({ order, refunds }: RefundedOrder): Promise<boolean> {
    const { now, refunds: store } = this.#deps;
    if (this.#turnUntil === undefined && hasTurn(order, now())) return false;
    const pending = refunds.filter(({ state }) => state === 'PENDING');
    if (order.state === 'PENDING' || pending.length === 0) return this.#end(order);
    if (pending.length > 1) await this.#takeTurn(order);

    const together = pending.slice(0, maximumCount.refundsTogether);
    // A token may have been spent after an earlier refund was applied. That refund is applied to its transactions now.
    const due = [...refunds.filter(({ state }) => state === 'APPLIED'), ...together];
    let isDone = true;
    for (const id of await findTransactionIds(order, this.#deps)) {
      const ofTransaction = due.map((refund) => refundOfTransaction(refund, order));
      if (!(await reverseTransaction(id, ofTransaction, this.#deps))) isDone = false;
    }
    if (isDone) await store.apply(withRefundsApplied(order, together, now()), together);
    return isDone && pending.length > together.length ? true : this.#end(order);
  }

  /** @throws ConditionFailedError when another run was faster */
  async #takeTurn(order: Order): Promise<void> {
    if (this.#turnUntil !== undefined) return;
    const now = this.#deps.now();
    const until = new Date(now.getTime() + lockMs.refundTurn).toISOString();
    await this.#deps.refunds.takeTurn(order, until, now);
    this.#turnUntil = until;
  }

  /** Ends the turn of this run, if it has one. Returns whether more refunds have arrived meanwhile. */
  async #end(order: Order): Promise<boolean> {
    if (this.#turnUntil === undefined) return false;
    try {
      await this.#deps.refunds.endTurn(order, this.#turnUntil);
      return false;
    } catch (error) {
      if (error instanceof ConditionFailedError) return true;
      throw error;
    }
  }
}

/**
 * Finds every reward transaction that a refund of an order reverses: the awards of the order, and what tokens
 * of endpoint 1 for the same external id created, before or after the order arrived. Points that paid for the
 * order are among them. Transfers are not, because nothing is bought with them.
 *
 * @returns the ids, those that the order lists first
 * @throws Error while a token for the order may still be spent
 */
async function findTransactionIds(order: Order, deps: RefundDeps): Promise<number[]> {
  const { merchantId, externalOrderId: externalTransactionId, transactionIds } = order;
  const spent = await findSpentClaims({ merchantId, externalTransactionId }, deps);
  return [...new Set([...transactionIds, ...spent.flatMap(rewardIdsOf)])];
}

/**
 * Finds the claims of everything that an external transaction earned or was paid with.
 *
 * @throws Error while a token for it may still be spent
 */
export async function findSpentClaims(
  { merchantId, externalTransactionId }: Pick<AwardClaim, 'merchantId' | 'externalTransactionId'>,
  { campaigns, claims, now }: Pick<RefundDeps, 'campaigns' | 'claims' | 'now'>,
): Promise<AwardClaim[]> {
  // Ended campaigns included: an order may be refunded a year after its campaign ended.
  const approved = await campaigns.approvedOf('byMerchant', merchantId);
  const found = await claims.findUnder(
    approved.map(({ id }) => id),
    { merchantId, externalTransactionId },
  );
  const purchases = found.filter(({ isTransfer }) => !isTransfer);
  if (purchases.some((claim) => isLive(claim, now()))) {
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
 * @returns whether all of them are applied; false while the program has not answered for the transaction yet, whose
 * finalization announces the refunds again
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
    // Each write changes the transaction, so it is read again for the next one.
    const current = first === 0 ? original : await deps.transactions.find(id);
    if (one && current && !(await reverseOnce(current, [one, ...others], deps))) return false;
  }
  return true;
}

async function reverseOnce(original: RewardTransaction, refunds: RefundsTogether, deps: ReversalDeps) {
  const together = await deps.transactions.withOtherLeg(original);
  const context = { now: deps.now(), nextUuid: deps.nextUuid };
  switch (decideOnRefund(original.state)) {
    case 'wait':
      await deps.reversals.wait(
        together.map((one) => ({ original: one, refunds: withWaiting(one, refunds) })),
        context,
      );
      return false;
    case 'nothing':
      await deps.reversals.dismiss(together, refunds, context);
      return true;
    case 'reverse': {
      const reversible = await Promise.all(together.map((one) => loadReversible(one, refunds, deps)));
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
  return { decision, policy, availablePoints: membership.availablePoints };
}
