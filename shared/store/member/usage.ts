import { toSeconds } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import type { AwardClaim } from '../../domain/award/claim.ts';
import type { Charge } from '../../domain/ledger/reward-transaction.ts';
import { forgottenAt, isKept } from '../../domain/ledger/usage-retention.ts';
import { LimitUsage } from '../../domain/member/member.ts';
import { defineEntity, type Item, type Write } from '../table/items.ts';

/**
 * What members used of limits: one counter for each limit and period, in the member's own partition, so
 * that whoever reads the member knows it. It changes in the transaction of the reward that it is used by.
 */

export const usagePrefix = 'USAGE#';
const usages = defineEntity(LimitUsage, ({ userId, campaignId, limitId, period }: Omit<LimitUsage, 'used'>) => ({
  pk: `${partitions.user}${userId}`,
  sk: `${usagePrefix}${campaignId}#${limitId}#${period}`,
}));

export const parseUsage = usages.parse;

/** Whose limits, and of which campaign. */
export type Charged = Pick<AwardClaim, 'userId' | 'campaignId'>;

/**
 * The writes that use limits, each on the condition that the limit still has room. What is given back in
 * the same step is set off first: an item can be written once in a transaction. Nothing is given back to a
 * period whose counter may be gone: it would make one below zero.
 */
export function chargeWrites(owner: Charged, charges: readonly Charge[], given: readonly Charge[], now: Date): Write[] {
  const changes = new Map<string, Charge>();
  const add = (charge: Charge, amount: number) => {
    const name = `${charge.limitId}#${charge.period}`;
    const known = changes.get(name);
    changes.set(name, {
      ...charge,
      ...known,
      most: Math.min(charge.most, known?.most ?? charge.most),
      amount: (known?.amount ?? 0) + amount,
    });
  };
  for (const charge of charges) add(charge, charge.amount);
  // A limit may have been raised or lowered since: what counts is how it stands for what is charged now.
  for (const charge of given.filter(({ period }) => isKept(period, now))) {
    add({ ...charge, most: Number.POSITIVE_INFINITY }, -charge.amount);
  }
  return [...changes.values()].filter(({ amount }) => amount !== 0).map((charge) => changeWrite(owner, charge));
}

function changeWrite({ userId, campaignId }: Charged, { limitId, period, amount, most }: Charge): Write {
  const key = { userId, campaignId, limitId, period };
  // It may be there for some days longer. That does no harm: nothing that happens later looks at its period.
  const forgotten = forgottenAt(period);
  const ttl = forgotten && { [ttlAttribute]: toSeconds(forgotten.getTime()) };
  return {
    kind: 'update',
    key: usages.key(key),
    changes: { set: { ...key, ...ttl }, add: { used: amount } },
    ...(amount > 0 && { when: [{ attribute: 'used', is: 'at-most', value: most - amount }] }),
  };
}

/** Whether an item that a failed condition met, or would have met, is a counter of a limit. */
export const isUsage = ({ sk }: Pick<Item, 'sk'>): boolean => sk.startsWith(usagePrefix);
