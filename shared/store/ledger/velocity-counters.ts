import * as z from 'zod/mini';
import { maximumAttempts, retentionMs, toSeconds } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import type { RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import type { NeededRoom } from '../../domain/ledger/velocity.ts';
import { ConditionFailedError, defineEntity, Repository, type Write } from '../table/table-client.ts';
import { transactions } from './transaction-writes.ts';

/** The use of one velocity rule by one account in one window. */
export const VelocityCounter = z.object({
  userId: z.int(),
  partnerId: z.int(),
  rule: z.string(),
  window: z.string(),
  /** In the unit of the rule: rewards, points or cents. */
  used: z.int(),
});
export type VelocityCounter = z.infer<typeof VelocityCounter>;

/** The counters are outside the member's partition, so that a read of the member does not pay for them. */
const counters = defineEntity(
  VelocityCounter,
  ({ userId, partnerId, rule, window }: Omit<VelocityCounter, 'used'>) => ({
    pk: `${partitions.velocity}${userId}#${partnerId}`,
    sk: `${rule}#${window}`,
  }),
);

/** A transaction changed since it was read: it was counted, held or ended. */
export class CountConflictError extends Error {
  override readonly name = 'CountConflictError';
}

/** Counters of velocity rules. A reward counts once, before its program receives it. */
export class VelocityCounters extends Repository {
  /**
   * Counts a reward for all rules and marks it as counted, or does neither if a rule has no room. One write does both,
   * so a reward counts once, and no two rewards take the same room.
   *
   * @returns the counters of the rules without room; empty when the reward was counted
   * @throws CountConflictError when the reward was counted before, or is no longer pending
   * @throws ContentionError when other rewards of the account keep causing conflicts
   */
  async count(
    { id, userId, partnerId }: RewardTransaction,
    needed: readonly NeededRoom[],
    now: Date,
  ): Promise<readonly VelocityCounter[]> {
    const mark: Write = {
      kind: 'update',
      key: transactions.key(id),
      changes: {
        set: { counted: needed.map(({ most: _most, ...count }) => count), updatedAt: now.toISOString() },
      },
      when: [
        { attribute: 'state', is: '=', value: 'PENDING' },
        { attribute: 'counted', is: 'absent' },
      ],
    };
    const ttl = toSeconds(now.getTime() + retentionMs.limitUsage);
    const counts = needed.map(({ rule, window, amount, most }): Write => {
      const key = { userId, partnerId, rule, window };
      return {
        kind: 'update',
        key: counters.key(key),
        changes: { set: { ...key, [ttlAttribute]: ttl }, add: { used: amount } },
        when: [{ attribute: 'used', is: 'at-most', value: most - amount }],
      };
    });
    try {
      await this.table.transact([mark, ...counts], maximumAttempts.backgroundWrite);
      return [];
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
      if (error.found.has(0)) throw new CountConflictError('the reward was counted or changed meanwhile');
      return [...error.found.values()].flatMap((item) => (item ? [counters.parse(item)] : []));
    }
  }
}

/** Parses a counter from an item of the table. */
export const parseVelocityCounter = counters.parse;
