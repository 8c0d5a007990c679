import { type CallResult, unwrap } from './results.ts';

/** How long a call waits. */
export interface WaitOptions {
  /** By default 30 seconds. */
  readonly timeoutMs?: number;
  /** The pause between two requests; by default 250 milliseconds, doubled each time up to 2 seconds. */
  readonly firstPauseMs?: number;
}

/** The fields that this file reads from the reply of endpoint 7 or 8. */
interface TransactionReply {
  readonly reward_transaction: { readonly transaction_status: number };
}

const longestPauseMs = 2_000;

/** 1 INITIATED and 2 PENDING: the loyalty program has not answered. */
const isPending = ({ reward_transaction }: TransactionReply) => reward_transaction.transaction_status <= 2;

/**
 * Waits until a reward transaction is no longer pending, and returns it: 3 COMPLETED, 4 ERROR, 5 REVERSED, 6 FAILED or 7
 * CANCELLED. For scripts and tests: a server should use webhooks instead (`transaction_status_updated`).
 *
 * @param load reads the transaction with endpoint 7
 * @throws RewardsApiError when the platform refuses
 * @throws Error when the transaction is still pending after the timeout
 * @example
 * const { transaction_status } = await waitForTransaction(() => rewards.base.GET('/transactions/{id}', { params: { path: { id } } }));
 */
export async function waitForTransaction<Reply extends TransactionReply>(
  load: () => Promise<CallResult<{ readonly data: Reply }>>,
  { timeoutMs = 30_000, firstPauseMs = 250 }: WaitOptions = {},
): Promise<Reply['reward_transaction']> {
  const deadline = performance.now() + timeoutMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    const { data } = unwrap(await load());
    if (!isPending(data)) return data.reward_transaction;
    if (performance.now() + pauseMs > deadline) {
      throw new Error(`the transaction is still pending after ${timeoutMs / 1_000} seconds`);
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
