import { noRefunds, type RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import type { ReversalPolicy } from '../../shared/domain/partnership.ts';
import { type MovedLeg, moveToTarget, reverseTransfer, withWaiting } from '../../shared/domain/purchase/move.ts';
import { isSettled } from '../../shared/domain/purchase/settle.ts';
import { netRewardOf } from '../../shared/domain/reversal/reversal.ts';
import { Reversals } from '../../shared/store/ledger/reversals.ts';
import { TransactionConflictError } from '../../shared/store/ledger/transactions.ts';
import { Members } from '../../shared/store/member/members.ts';
import { noon } from '../domain/fixtures.ts';
import type { TestTable } from '../support/test-table.ts';
import { type Account, nextIds } from './account.ts';

/** A refund of an account's purchase. */
export interface AccountRefund {
  readonly uuid: string;
  readonly refundedUuid: string;
  /** ISO 8601. */
  readonly receivedAt: string;
  readonly amountCents: number;
  /** The amount of the purchase. */
  readonly capturedCents: number;
}

/** A refund of an account's purchase. A cent is a point. */
export const aRefund = (number: number, amountCents: number, capturedCents: number): AccountRefund => ({
  uuid: `refund-${number}`,
  refundedUuid: 'an order',
  receivedAt: noon.toISOString(),
  amountCents,
  capturedCents,
});

const nothing = { applied: [], further: [], waiting: [] };
const sumOf = (refunds: readonly AccountRefund[]) => refunds.reduce((sum, { amountCents }) => sum + amountCents, 0);

/** Refunds purchases of an account. Settles their transactions as the consumer does. */
export class Refunding {
  readonly reversals: Reversals;
  readonly #account: Account;
  readonly #members: Members;
  readonly #policy: ReversalPolicy;
  readonly #onRead: (at: 'transaction' | 'balance') => Promise<void>;
  /** The refunds of each transaction, by their UUIDs. Both legs of a transfer have the same refunds. */
  readonly #reported = new Map<number, Map<string, AccountRefund>>();
  /** The ids of reversals, by the refund that caused them. */
  readonly #caused = new Map<string, number>();

  /** @param onRead runs between a read and the write that depends on it */
  constructor(
    { client }: TestTable,
    account: Account,
    policy: ReversalPolicy = 'within_balance',
    onRead: (at: 'transaction' | 'balance') => Promise<void> = async () => {},
  ) {
    this.reversals = new Reversals(client);
    this.#account = account;
    this.#members = new Members(client);
    this.#policy = policy;
    this.#onRead = onRead;
  }

  /** @returns whether the refund is applied; false when it waits */
  refund(transaction: RewardTransaction, refund: AccountRefund): Promise<boolean> {
    const refunds = this.#refundsOf(transaction);
    if (!refunds.has(refund.uuid)) refunds.set(refund.uuid, refund);
    return this.settle(transaction);
  }

  /** Settles a transaction, or both legs of a transfer. Returns whether all refunds are applied. */
  async settle({ id }: RewardTransaction): Promise<boolean> {
    for (let round = 0; round < 50; round += 1) {
      try {
        return await this.#settleOnce(id);
      } catch (error) {
        if (!(error instanceof TransactionConflictError)) throw error;
      }
    }
    throw new Error(`transaction ${id} kept changing`);
  }

  /** Finds the reversal that a refund caused; undefined when it caused none. */
  async reversalOf({ id }: RewardTransaction, { uuid }: AccountRefund): Promise<RewardTransaction | undefined> {
    const reversalId = this.#caused.get(`${id} ${uuid}`);
    return reversalId === undefined ? undefined : this.#account.transactions.find(reversalId);
  }

  #refundsOf({ id, otherLegId = id }: RewardTransaction): Map<string, AccountRefund> {
    const key = Math.min(id, otherLegId);
    const refunds = this.#reported.get(key) ?? new Map();
    this.#reported.set(key, refunds);
    return refunds;
  }

  async #settleOnce(id: number): Promise<boolean> {
    const original = await this.#account.transactions.find(id);
    if (!original) throw new Error(`there is no transaction ${id}`);
    await this.#onRead('transaction');
    const together = await this.#account.transactions.withOtherLeg(original);
    const legs = await Promise.all(together.map((one) => this.#legOf(one)));
    if (legs.length > 1) return this.#settleTransfer(legs);
    const [leg] = legs;
    if (!leg || isSettled({ original: leg.original, ...leg.target })) return true;
    const move = moveToTarget(leg, noon, () => nextIds(noon));
    return this.#write(legs, move === 'wait' ? move : move && [move]);
  }

  #settleTransfer(legs: readonly (MovedLeg & { readonly heldPoints: number })[]): Promise<boolean> | boolean {
    const refunds = this.#sorted(legs[0]?.original);
    const isRefunded = legs.every(({ original, target }) => isSettled({ original, ...target }));
    if (isRefunded) return true;
    const reversal = reverseTransfer(
      {
        legs,
        heldPoints: legs.map(({ heldPoints }) => heldPoints),
        isInTime: legs.map(({ inTime }) => inTime.points === 0),
        receivedAt: refunds[0]?.receivedAt ?? '',
      },
      noon,
      () => nextIds(noon),
    );
    return reversal === 'held' ? false : this.#write(legs, reversal);
  }

  async #write(
    legs: readonly MovedLeg[],
    moves: Exclude<ReturnType<typeof reverseTransfer>, 'held'>,
  ): Promise<boolean> {
    if (moves === undefined) return true;
    const context = this.#account.context();
    if (moves === 'wait') {
      const waiting = legs.map(({ original }) => ({
        original,
        refunds: withWaiting(original, this.#marksOf(original)),
      }));
      await this.reversals.settle({ ...nothing, waiting }, [], context);
      return false;
    }
    await this.reversals.settle({ ...nothing, applied: moves }, [], context);
    for (const { original, reversal } of moves) {
      if (reversal?.reverses) this.#caused.set(`${original.id} ${reversal.reverses.refundUuid}`, reversal.id);
    }
    return true;
  }

  /** The refunds of a transaction, the oldest first. */
  #sorted(original: RewardTransaction | undefined): AccountRefund[] {
    if (!original) return [];
    const refunds = [...this.#refundsOf(original).values()];
    return refunds.toSorted((one, other) => (one.receivedAt < other.receivedAt ? -1 : 1));
  }

  #marksOf(original: RewardTransaction) {
    const last = this.#sorted(original).at(-1);
    return last ? [{ refundedUuid: last.refundedUuid, receivedUntil: last.receivedAt }] : [];
  }

  async #legOf(original: RewardTransaction): Promise<MovedLeg & { readonly heldPoints: number }> {
    const { transactions } = this.#account;
    const [decision, membership] = await Promise.all([
      transactions.findSnapshot(original.snapshotId),
      this.#members.findMembership(original.userId, original.partnerId),
    ]);
    await this.#onRead('balance');
    if (!decision || !membership) throw new Error(`transaction ${original.id} has no snapshot or no account`);
    const { completedAt = '', refunds = noRefunds } = original;
    const all = this.#sorted(original);
    const early = all.filter(
      ({ refundedUuid, receivedAt }) =>
        receivedAt < completedAt ||
        refunds.waiting.some((mark) => mark.refundedUuid === refundedUuid && receivedAt <= mark.receivedUntil),
    );
    const net = (counted: readonly AccountRefund[]) => {
      const capturedCents = all[0]?.capturedCents ?? original.amountCents;
      return netRewardOf(original, decision, { capturedCents, refundedCents: sumOf(counted) });
    };
    const { availablePoints, heldPoints } = membership;
    return {
      ...{ original, decision, policy: this.#policy, availablePoints, heldPoints },
      ...{ target: net(all), inTime: net(early) },
      cause: { uuid: all.at(-1)?.uuid ?? original.uuid, returnedCents: sumOf(all) },
    };
  }
}
