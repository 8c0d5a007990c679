import { partitions } from '../../contracts/table.ts';
import { isLive, type Purchase } from '../../domain/award/claim.ts';
import type { Reservation } from '../../domain/award/reservation.ts';
import type { Decision } from '../../domain/campaign/evaluation/decision.ts';
import type { RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import { purchaseItem, purchaseKey, purchaseOf, spendWrite, tokenIsIssued } from '../award/claims.ts';
import { isUsage } from '../member/usage.ts';
import { TooMuchContention } from '../table/contention.ts';
import { ConditionFailed, type TableClient } from '../table/table-client.ts';
import { isNew, type Write } from '../table/writes.ts';
import { InsufficientPoints, LimitsUsed, PurchaseChanged } from './conflicts.ts';
import { type Confirmed, completionWrites, failureWrites, type Rejected } from './end-writes.ts';
import { settle } from './finalize.ts';
import {
  cancelWrites,
  eventWrite,
  giveBackWrites,
  holdWrites,
  newTransactionWrites,
  type Stamp,
  snapshots,
  transactions,
  transitionWrite,
  useWrites,
} from './transaction-writes.ts';

/**
 * How often what was decided is tried to be written. Whoever meets others that often decides anew: most that
 * wait for a limit find it used up then, and are out of the way.
 */
const attemptsOfToken = 3;
const attemptsOfAward = 6;

/** Reward transactions and everything that changes with them, each change with its event in one transaction. */
export class Transactions {
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table;
  }

  async find(id: number): Promise<RewardTransaction | undefined> {
    const item = await this.#table.get(transactions.key(id));
    return item && transactions.parse(item);
  }

  /**
   * A transaction with what is settled together with it: alone or, of a transfer, followed by the other leg.
   *
   * @throws when the other leg is not there
   */
  async withOtherLeg(transaction: RewardTransaction): Promise<RewardTransaction[]> {
    if (transaction.otherLegId === undefined) return [transaction];
    const other = await this.find(transaction.otherLegId);
    if (!other) throw new Error(`there is no other leg of transaction ${transaction.id}`);
    return [transaction, other];
  }

  /** The decision behind a transaction, by the transaction's `snapshotId`. */
  async findSnapshot(snapshotId: number): Promise<Decision | undefined> {
    const item = await this.#table.get(snapshots.key(snapshotId));
    return item && snapshots.parse(item);
  }

  /**
   * Writes a token with its transactions, and takes the points it reserves out of the available ones.
   *
   * @throws PurchaseChanged when the purchase exists already
   * @throws InsufficientPoints when the balance does not cover it
   * @throws LimitsUsed when a limit has less room than the decision thought, or others are in the way
   */
  async reserve(reservation: Reservation, stamp: Stamp): Promise<void> {
    const { purchase } = reservation;
    const writes: Write[] = [
      { kind: 'put', item: purchaseItem(purchase), when: isNew },
      ...newTransactionWrites(reservation, 'transaction_authenticated', stamp),
      ...holdWrites(purchase.userId, purchase.heldPartnerId, purchase.heldPoints),
      ...useWrites(purchase, undefined, stamp),
    ];
    await this.#reserve(writes, attemptsOfToken);
  }

  /**
   * The same in place of an earlier reservation of the purchase, which is cancelled and released.
   *
   * @throws PurchaseChanged when the earlier one is not as it was read
   * @throws InsufficientPoints when the balance does not cover the new one
   * @throws LimitsUsed when a limit has less room than the decision thought, or others are in the way
   */
  async replace(earlier: Purchase, reservation: Reservation, stamp: Stamp): Promise<void> {
    const { purchase } = reservation;
    const sameAccount = earlier.userId === purchase.userId && earlier.heldPartnerId === purchase.heldPartnerId;
    const writes: Write[] = [
      { kind: 'put', item: purchaseItem(purchase), when: tokenIsIssued(earlier.authenticationId) },
      ...newTransactionWrites(reservation, 'transaction_authenticated', stamp),
      ...cancelWrites(earlier, stamp),
      ...(sameAccount
        ? holdWrites(purchase.userId, purchase.heldPartnerId, purchase.heldPoints - earlier.heldPoints)
        : [
            ...holdWrites(purchase.userId, purchase.heldPartnerId, purchase.heldPoints),
            ...holdWrites(earlier.userId, earlier.heldPartnerId, -earlier.heldPoints),
          ]),
      ...useWrites(purchase, earlier, stamp),
    ];
    await this.#reserve(writes, attemptsOfToken);
  }

  async #reserve(writes: readonly Write[], attempts: number): Promise<void> {
    try {
      await this.#onPurchase(writes, attempts);
    } catch (error) {
      if (error instanceof TooMuchContention) throw new LimitsUsed();
      const met = error instanceof ConditionFailed ? [...error.met.values()].filter((item) => item !== null) : [];
      if (met.some(isUsage)) throw new LimitsUsed();
      if (met.some(({ pk }) => pk.startsWith(partitions.user))) throw new InsufficientPoints();
      throw error;
    }
  }

  /**
   * Spends the token of a purchase: its transactions become pending.
   *
   * @throws PurchaseChanged when the token is spent, replaced or expired by now
   */
  async create(purchase: Purchase, spentBy: string | undefined, stamp: Stamp): Promise<void> {
    await this.#onPurchase([
      spendWrite(purchase, stamp.now, spentBy),
      ...purchase.rewards.flatMap((reward) => [
        transitionWrite(reward.id, 'PENDING', stamp.now),
        eventWrite('transaction_created', { ...purchase, ...reward }, stamp),
      ]),
    ]);
  }

  /**
   * Writes an award that no token stands before, together with what it is given for: its transactions are
   * pending from the start.
   *
   * @throws PurchaseChanged when the occasion was rewarded under the campaign already
   * @throws ConditionFailed when what it is given for is not as it was read
   * @throws LimitsUsed when a limit has less room than the decision thought, or others are in the way
   */
  async award(award: Reservation, along: readonly Write[], stamp: Stamp): Promise<void> {
    const writes: Write[] = [
      { kind: 'put', item: purchaseItem(award.purchase), when: isNew },
      ...newTransactionWrites(award, 'transaction_created', stamp),
      ...useWrites(award.purchase, undefined, stamp),
      ...along,
    ];
    await this.#reserve(writes, attemptsOfAward);
  }

  /**
   * Cancels a purchase whose token expired unused and releases what it reserved; the order may then be tried again.
   *
   * @throws PurchaseChanged when the token was spent or replaced in the meantime
   */
  async expire(purchase: Purchase, stamp: Stamp): Promise<void> {
    if (isLive(purchase, stamp.now)) throw new RangeError('the token of the purchase is still valid');
    await this.#onPurchase([
      { kind: 'delete', key: purchaseKey(purchase), when: tokenIsIssued(purchase.authenticationId) },
      ...cancelWrites(purchase, stamp),
      ...holdWrites(purchase.userId, purchase.heldPartnerId, -purchase.heldPoints),
      ...giveBackWrites(purchase, stamp),
    ]);
  }

  /** The first write is the purchase's own: when it fails, the purchase is not as it was thought to be. */
  async #onPurchase(writes: readonly Write[], attempts?: number): Promise<void> {
    try {
      await this.#table.transact(writes, attempts);
    } catch (error) {
      const met = error instanceof ConditionFailed ? error.met.get(0) : undefined;
      if (met === undefined) throw error;
      throw new PurchaseChanged(met === null ? undefined : purchaseOf(met));
    }
  }

  /**
   * The loyalty program confirmed: the balance, the totals and the ledger follow.
   *
   * @returns whether this call did it; false when the transaction was not pending any more
   */
  complete(transaction: RewardTransaction, programReference: string | undefined, stamp: Stamp): Promise<boolean> {
    return this.completeAll([{ transaction, programReference }], stamp);
  }

  /** The same for transactions of one purchase that are completed together or not at all: the legs of a transfer. */
  completeAll(confirmed: readonly Confirmed[], stamp: Stamp): Promise<boolean> {
    return settle(this.#table, completionWrites(confirmed, stamp), refundsOf(confirmed), stamp);
  }

  /**
   * The loyalty program rejected: what was reserved is given back.
   *
   * @returns whether this call did it; false when the transaction was not pending any more
   */
  fail(transaction: RewardTransaction, failureReason: string, stamp: Stamp): Promise<boolean> {
    return this.failAll([{ transaction, failureReason }], stamp);
  }

  /** The same for transactions of one purchase that fail together: the legs of a transfer. */
  failAll(rejected: readonly Rejected[], stamp: Stamp): Promise<boolean> {
    return settle(this.#table, failureWrites(rejected, stamp), refundsOf(rejected), stamp);
  }
}

const refundsOf = (ended: readonly (Confirmed | Rejected)[]) => ended.map(({ transaction }) => transaction.refunds);
