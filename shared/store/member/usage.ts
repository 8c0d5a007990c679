import { toSeconds } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import type { UsageMovement } from '../../domain/ledger/movements.ts';
import { deletableAt } from '../../domain/ledger/movements.ts';
import { LimitUsage } from '../../domain/member/member.ts';
import { defineEntity, type Item, type Write } from '../table/table-client.ts';

/**
 * Use of limits: one counter for each limit and period of a member, in the member's own partition, so that one read
 * of the member includes them. A counter changes in the transaction of the reward that uses the limit.
 */

export const usagePrefix = 'USAGE#';
const usages = defineEntity(LimitUsage, ({ userId, campaignId, limitId, period }: Omit<LimitUsage, 'used'>) => ({
  pk: `${partitions.user}${userId}`,
  sk: `${usagePrefix}${campaignId}#${limitId}#${period}`,
}));

export const parseUsage = usages.parse;

/** The write that charges a limit while it has room, or returns a charge. */
export function usageWrite({ amount, most, ...movement }: UsageMovement): Write {
  const { userId, campaignId, limitId, period } = movement;
  const key = { userId, campaignId, limitId, period };
  // DynamoDB may delete the counter some days later. No later reward uses its period.
  const deletable = deletableAt(period);
  const ttl = deletable && { [ttlAttribute]: toSeconds(deletable.getTime()) };
  return {
    kind: 'update',
    key: usages.key(key),
    changes: { set: { ...key, ...ttl }, add: { used: amount } },
    ...(amount > 0 && { when: [{ attribute: 'used', is: 'at-most', value: most - amount }] }),
  };
}

/** Whether an item is a counter of a limit. */
export const isUsage = ({ sk }: Pick<Item, 'sk'>): boolean => sk.startsWith(usagePrefix);
