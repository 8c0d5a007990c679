import type { RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import type { ReversalPolicy } from '../../shared/domain/partnership.ts';
import type { RefundOfTransaction } from '../../shared/domain/reversal/reversal.ts';
import { Reversals } from '../../shared/store/ledger/reversals.ts';
import { TransactionConflictError } from '../../shared/store/ledger/transactions.ts';
import { Members } from '../../shared/store/member/members.ts';
import { aPartnership, noon } from '../domain/fixtures.ts';
import type { TestTable } from '../support/test-table.ts';
import { type Account, nextIds } from './account.ts';

/** A refund of an account's purchase. A cent is a point. */
export const aRefund = (number: number, amountCents: number, capturedCents: number): RefundOfTransaction => ({
  uuid: `refund-${number}`,
  refundedUuid: 'an order',
  receivedAt: noon.toISOString(),
  amountCents,
  capturedCents,
});

/** Refunds purchases of an account, as the consumer does. */
export class Refunding {
  readonly reversals: Reversals;
  readonly #deps: ReversalDeps;

  /** @param onRead runs between a read and the write that depends on it */
  constructor(
    { client }: TestTable,
    account: Account,
    reversalPolicy: ReversalPolicy = 'within_balance',
    onRead: (at: 'transaction' | 'balance') => Promise<void> = async () => {},
  ) {
    const members = new Members(client);
    this.reversals = new Reversals(client);
    const partnership = aPartnership({ reversalPolicy });
    this.#deps = {
      now: () => noon,
      nextUuid: account.context().nextUuid,
      nextIds: () => nextIds(noon),
      campaigns: { findPartnership: async () => partnership },
      members: {
        findMembership: async (...which) => {
          const found = await members.findMembership(...which);
          await onRead('balance');
          return found;
        },
      },
      reversals: this.reversals,
      transactions: {
        withOtherLeg: (transaction) => account.transactions.withOtherLeg(transaction),
        findSnapshot: (id) => account.transactions.findSnapshot(id),
        find: async (id) => {
          const found = await account.transactions.find(id);
          await onRead('transaction');
          return found;
        },
      },
    };
  }

  /** @returns whether the refund is applied; false when it waits */
  async refund({ id }: RewardTransaction, refund: RefundOfTransaction): Promise<boolean> {
    for (let round = 0; round < 50; round += 1) {
      try {
        return await reverseTransaction(id, [refund], this.#deps);
      } catch (error) {
        if (!(error instanceof TransactionConflictError)) throw error;
      }
    }
    throw new Error(`transaction ${id} kept changing`);
  }

  /** Finds the reversal of a refund; undefined when it reversed nothing, or was not applied. */
  async reversalOf({ id }: RewardTransaction, { uuid }: RefundOfTransaction): Promise<RewardTransaction | undefined> {
    const found = await this.reversals.find(id, uuid);
    return found?.reversal ? this.#deps.transactions.find(found.reversal.id) : undefined;
  }
}
