import { integerIdOf, parseIntegerId } from '../../../shared/domain/ids.ts';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';

/** The reward transaction of an id or a UUID, if there is one. */
export async function findTransaction(
  { transactions }: Pick<Platform, 'transactions'>,
  text: string,
): Promise<RewardTransaction | undefined> {
  const id = parseIntegerId(text) ?? integerIdOf(text.toLowerCase());
  const found = id === undefined ? undefined : await transactions.find(id);
  // Two UUIDs may lead to one integer; only one of them is the transaction's.
  return found && (text === String(found.id) || text.toLowerCase() === found.uuid) ? found : undefined;
}
