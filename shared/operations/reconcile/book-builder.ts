import * as z from 'zod/mini';
import { $ZodError } from 'zod/v4/core';
import { type Partition, partitions } from '../../contracts/table.ts';
import { AwardClaim } from '../../domain/award/claim.ts';
import { ProgramAccount } from '../../domain/connect/program-account.ts';
import { LedgerEntry } from '../../domain/ledger/ledger-entry.ts';
import { ManualAdjustment } from '../../domain/ledger/manual-adjustment.ts';
import type { PayoutInBatch } from '../../domain/ledger/payout.ts';
import { RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import { deletableAt, movedBy } from '../../domain/ledger/sum-movements.ts';
import { Association, type LimitUsage, Membership, MergedUser, SpendTotal } from '../../domain/member/member.ts';
import { Order } from '../../domain/order/order.ts';
import { Payment } from '../../domain/payment/payment.ts';
import {
  type Purchase,
  type Spent,
  spendOfClaim,
  spendOfOrder,
  spendOfPayment,
} from '../../domain/purchase/purchase.ts';
import type { Books, ReportedSpend, UnreadableItem } from '../../domain/reconciliation/invariants.ts';
import { isAdjustmentRecord } from '../../store/ledger/manual-adjustments.ts';
import { parsePayout } from '../../store/ledger/payouts.ts';
import { parseVelocityCounter, type VelocityCounter } from '../../store/ledger/velocity-counters.ts';
import { isUsage, mergedMark, parseUsage } from '../../store/member/members.ts';
import { isCounted, isOfUnknownAmount, parsePurchase, purchaseName } from '../../store/member/spend.ts';
import type { Item, Key } from '../../store/table/table-client.ts';

/** The books contain these fields of an order and of a payment. */
const DecidedOrder = z.pick(Order, {
  ...{ state: true, userId: true, merchantId: true, externalOrderId: true, programId: true },
  ...{ totalCents: true, subtotalCents: true, discountCents: true, createdAt: true, updatedAt: true },
  ...{ refundedCents: true, refundsAppliedCents: true },
});
const SpentPayment = z.pick(Payment, {
  ...{ userId: true, merchantId: true, spent: true, programId: true, countsAt: true, updatedAt: true },
});
const AssociationTotals = z.pick(Association, {
  ...{ userId: true, merchantId: true, totalEarnedPoints: true, totalRedeemedPoints: true },
});

/** Builds the books item by item, so the items of a table are not in memory twice. */
export class BookBuilder implements Books {
  readonly memberships: Membership[] = [];
  readonly associations: z.infer<typeof AssociationTotals>[] = [];
  readonly transactions: RewardTransaction[] = [];
  readonly claims: AwardClaim[] = [];
  readonly entries: LedgerEntry[] = [];
  readonly usage: LimitUsage[] = [];
  readonly velocity: VelocityCounter[] = [];
  readonly programAccounts: ProgramAccount[] = [];
  readonly spending = {
    totals: [] as SpendTotal[],
    purchases: [] as Purchase[],
    unknownPurchases: 0,
    reported: [] as ReportedSpend[],
    counted: new Set<string>(),
  };
  readonly merges = new Map<number, number>();
  readonly adjustments: ManualAdjustment[] = [];
  readonly payouts: PayoutInBatch[] = [];
  readonly unreadable: UnreadableItem[] = [];

  /**
   * Adds an item. An item that does not belong to the books is ignored. An item that does not match its schema is
   * listed as unreadable.
   */
  add(item: Item): void {
    const partition = partitionOf(item);
    if (!partition) return;
    try {
      this.#adders[partition]?.(item);
    } catch (error) {
      this.unreadable.push(unreadableItem(item, error));
    }
  }

  readonly #adders: { readonly [Name in Partition]?: (item: Item) => void } = {
    user: (item) => {
      if (item.sk.startsWith('PROGRAM#')) this.memberships.push(Membership.parse(item));
      if (item.sk.startsWith('MERCHANT#')) this.associations.push(AssociationTotals.parse(item));
      if (item.sk === mergedMark) {
        const { userId, mergedInto } = MergedUser.parse(item);
        this.merges.set(userId, mergedInto);
      }
      if (isUsage(item)) this.usage.push(ending(parseUsage(item)));
      if (item.sk.startsWith('SPEND#')) this.spending.totals.push(SpendTotal.parse(item));
    },
    transaction: (item) => {
      if (item.sk === 'TRANSACTION') this.transactions.push(movable(RewardTransaction.parse(item)));
    },
    claim: (item) => {
      if (item.sk !== 'CLAIM') return;
      const claim = AwardClaim.parse(item);
      this.claims.push(claim);
      this.#report(item, spendOfClaim(claim), { reportedAt: claim.spentAt ?? claim.issuedAt });
    },
    velocity: (item) => {
      this.velocity.push(parseVelocityCounter(item));
    },
    ledger: (item) => {
      this.entries.push(LedgerEntry.parse(item));
    },
    adjustment: (item) => {
      if (isAdjustmentRecord(item)) this.adjustments.push(ManualAdjustment.parse(item));
    },
    payout: (item) => {
      const payout = parsePayout(item);
      if (payout) this.payouts.push(payout);
    },
    programAccount: (item) => {
      if (item.sk === 'PROGRAM_ACCOUNT') this.programAccounts.push(ProgramAccount.parse(item));
    },
    countedSpend: (item) => {
      if (isCounted(item)) this.spending.counted.add(item.pk);
      if (isOfUnknownAmount(item)) this.spending.unknownPurchases += 1;
      const purchase = parsePurchase(item);
      if (purchase) this.spending.purchases.push(purchase);
    },
    order: (item) => {
      if (!item.sk.startsWith('ORDER#')) return;
      const order = DecidedOrder.parse(item);
      const { updatedAt: reportedAt, refundedCents, refundsAppliedCents = 0 } = order;
      this.#report(item, spendOfOrder(order), { reportedAt, hasOpenRefunds: refundedCents > refundsAppliedCents });
    },
    payment: (item) => {
      // A payment may have several ids. The item of a further id has no spend.
      if (item.spent === undefined) return;
      const payment = SpentPayment.parse(item);
      this.#report(item, spendOfPayment(payment), { reportedAt: payment.updatedAt });
    },
  };

  #report(
    { pk, sk }: Key,
    spent: Spent | undefined,
    report: Pick<ReportedSpend, 'reportedAt' | 'hasOpenRefunds'>,
  ): void {
    if (!spent) return;
    this.spending.reported.push({ ...spent, ...report, purchase: purchaseName(spent), item: `${pk} ${sk}` });
  }
}

/**
 * Returns the transaction if its movements can be computed.
 *
 * @throws RangeError for a state that this kind of transaction cannot have, although the schema allows it
 */
function movable(transaction: RewardTransaction): RewardTransaction {
  movedBy(transaction, new Date(0));
  transaction.charges.forEach(ending);
  return transaction;
}

/** @throws RangeError for a period that no limit has */
function ending<Value extends { readonly period: string }>(value: Value): Value {
  deletableAt(value.period);
  return value;
}

/** Describes an item that could not be parsed, without its values. */
export const unreadableItem = (item: Item, error: unknown): UnreadableItem => ({
  name: `${item.pk} ${item.sk}`,
  userId: memberOf(item),
  fault: faultOf(error),
});

/** What is wrong with an item, without its values. */
export const faultOf = (error: unknown): string =>
  error instanceof $ZodError
    ? error.issues.map(({ path, code }) => `${path.join('.')}: ${code}`).join(', ')
    : String(error);

/** The partitions whose keys begin with the id of a member. */
const ofMembers: readonly Partition[] = ['user', 'ledger', 'velocity', 'counted'];

/** The id of the member who owns an item, from its key or its attributes; null if they name no member. */
export function memberOf(item: Item): number | null {
  const partition = partitionOf(item);
  if (partition && ofMembers.includes(partition)) return idIn(Number(item.pk.split('#')[1]));
  const { spent, userId } = item;
  const spender = typeof spent === 'object' && spent !== null && 'userId' in spent ? spent.userId : undefined;
  return idIn(userId ?? spender);
}

/** A damaged item may have any value in place of an id. */
const idIn = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;

/** The kind of partition that an item is in. */
export function partitionOf({ pk }: Key): Partition | undefined {
  const prefix = pk.slice(0, pk.indexOf('#') + 1);
  return (Object.keys(partitions) as Partition[]).find((partition) => partitions[partition] === prefix);
}
