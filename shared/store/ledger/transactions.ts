import { maximumAttempts } from '../../contracts/limits.ts';
import { partitions } from '../../contracts/table.ts';
import { type AwardClaim, isLive } from '../../domain/award/claim.ts';
import type { Reservation } from '../../domain/award/reservation.ts';
import type { Decision } from '../../domain/campaign/evaluation/decision.ts';
import type { RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import { claimItem, claimKey, parseClaim, spendWrite, tokenIsIssued } from '../award/claims.ts';
import { isUsage } from '../member/usage.ts';
import { ConditionFailedError, ContentionError, isNew, type Write } from '../table/items.ts';
import type { TableClient } from '../table/table-client.ts';
import { ClaimConflictError, InsufficientPointsError, LimitConflictError } from './conflicts.ts';
import { type Confirmed, completionWrites, failureWrites, type Rejected } from './end-writes.ts';
import { settle } from './finalize.ts';
import {
  cancelWrites,
  eventWrite,
  giveBackWrites,
  holdWrites,
  newTransactionWrites,
  snapshots,
  transactions,
  transitionWrite,
  useWrites,
  type WriteContext,
} from './transaction-writes.ts';

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
   * @throws ClaimConflictError when the purchase exists already
   * @throws InsufficientPointsError when the balance does not cover it
   * @throws LimitConflictError when a limit has less room than the decision thought, or others are in the way
   */
  async reserve(reservation: Reservation, context: WriteContext): Promise<void> {
    const { claim } = reservation;
    const writes: Write[] = [
      { kind: 'put', item: claimItem(claim), when: isNew },
      ...newTransactionWrites(reservation, 'transaction_authenticated', context),
      ...holdWrites(claim.userId, claim.heldPartnerId, claim.heldPoints),
      ...useWrites(claim, undefined, context),
    ];
    await this.#reserve(writes, maximumAttempts.tokenReservation);
  }

  /**
   * The same in place of an earlier reservation of the purchase, which is cancelled and released.
   *
   * @throws ClaimConflictError when the earlier one is not as it was read
   * @throws InsufficientPointsError when the balance does not cover the new one
   * @throws LimitConflictError when a limit has less room than the decision thought, or others are in the way
   */
  async replace(earlier: AwardClaim, reservation: Reservation, context: WriteContext): Promise<void> {
    const { claim } = reservation;
    const sameAccount = earlier.userId === claim.userId && earlier.heldPartnerId === claim.heldPartnerId;
    const writes: Write[] = [
      { kind: 'put', item: claimItem(claim), when: tokenIsIssued(earlier.authenticationId) },
      ...newTransactionWrites(reservation, 'transaction_authenticated', context),
      ...cancelWrites(earlier, context),
      ...(sameAccount
        ? holdWrites(claim.userId, claim.heldPartnerId, claim.heldPoints - earlier.heldPoints)
        : [
            ...holdWrites(claim.userId, claim.heldPartnerId, claim.heldPoints),
            ...holdWrites(earlier.userId, earlier.heldPartnerId, -earlier.heldPoints),
          ]),
      ...useWrites(claim, earlier, context),
    ];
    await this.#reserve(writes, maximumAttempts.tokenReservation);
  }

  async #reserve(writes: readonly Write[], attempts: number): Promise<void> {
    try {
      await this.#onPurchase(writes, attempts);
    } catch (error) {
      if (error instanceof ContentionError) throw new LimitConflictError();
      const met = error instanceof ConditionFailedError ? [...error.met.values()].filter((item) => item !== null) : [];
      if (met.some(isUsage)) throw new LimitConflictError();
      if (met.some(({ pk }) => pk.startsWith(partitions.user))) throw new InsufficientPointsError();
      throw error;
    }
  }

  /**
   * Spends the token of a purchase: its transactions become pending.
   *
   * @throws ClaimConflictError when the token is spent, replaced or expired by now
   */
  async create(claim: AwardClaim, spentBy: string | undefined, context: WriteContext): Promise<void> {
    await this.#onPurchase([
      spendWrite(claim, context.now, spentBy),
      ...claim.rewards.flatMap((reward) => [
        transitionWrite(reward.id, 'PENDING', context.now),
        eventWrite('transaction_created', { ...claim, ...reward }, context),
      ]),
    ]);
  }

  /**
   * Writes an award that no token stands before, together with what it is given for: its transactions are
   * pending from the start.
   *
   * @throws ClaimConflictError when the occasion was rewarded under the campaign already
   * @throws ConditionFailedError when what it is given for is not as it was read
   * @throws LimitConflictError when a limit has less room than the decision thought, or others are in the way
   */
  async award(award: Reservation, along: readonly Write[], context: WriteContext): Promise<void> {
    const writes: Write[] = [
      { kind: 'put', item: claimItem(award.claim), when: isNew },
      ...newTransactionWrites(award, 'transaction_created', context),
      ...useWrites(award.claim, undefined, context),
      ...along,
    ];
    await this.#reserve(writes, maximumAttempts.awardReservation);
  }

  /**
   * Cancels a purchase whose token expired unused and releases what it reserved; the order may then be tried again.
   *
   * @throws ClaimConflictError when the token was spent or replaced in the meantime
   */
  async expire(claim: AwardClaim, context: WriteContext): Promise<void> {
    if (isLive(claim, context.now)) throw new RangeError('the token of the purchase is still valid');
    await this.#onPurchase([
      { kind: 'delete', key: claimKey(claim), when: tokenIsIssued(claim.authenticationId) },
      ...cancelWrites(claim, context),
      ...holdWrites(claim.userId, claim.heldPartnerId, -claim.heldPoints),
      ...giveBackWrites(claim, context),
    ]);
  }

  /** The first write is the purchase's own: when it fails, the purchase is not as it was thought to be. */
  async #onPurchase(writes: readonly Write[], attempts?: number): Promise<void> {
    try {
      await this.#table.transact(writes, attempts);
    } catch (error) {
      const met = error instanceof ConditionFailedError ? error.met.get(0) : undefined;
      if (met === undefined) throw error;
      throw new ClaimConflictError(met === null ? undefined : parseClaim(met));
    }
  }

  /**
   * The loyalty program confirmed: the balance, the totals and the ledger follow.
   *
   * @returns whether this call did it; false when the transaction was not pending any more
   */
  complete(
    transaction: RewardTransaction,
    programReference: string | undefined,
    context: WriteContext,
  ): Promise<boolean> {
    return this.completeAll([{ transaction, programReference }], context);
  }

  /** The same for transactions of one purchase that are completed together or not at all: the legs of a transfer. */
  completeAll(confirmed: readonly Confirmed[], context: WriteContext): Promise<boolean> {
    return settle(this.#table, completionWrites(confirmed, context), refundsOf(confirmed), context);
  }

  /**
   * The loyalty program rejected: what was reserved is given back.
   *
   * @returns whether this call did it; false when the transaction was not pending any more
   */
  fail(transaction: RewardTransaction, failureReason: string, context: WriteContext): Promise<boolean> {
    return this.failAll([{ transaction, failureReason }], context);
  }

  /** The same for transactions of one purchase that fail together: the legs of a transfer. */
  failAll(rejected: readonly Rejected[], context: WriteContext): Promise<boolean> {
    return settle(this.#table, failureWrites(rejected, context), refundsOf(rejected), context);
  }
}

const refundsOf = (ended: readonly (Confirmed | Rejected)[]) => ended.map(({ transaction }) => transaction.refunds);
