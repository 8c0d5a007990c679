import { ttlAttribute } from '../../../shared/contracts/table.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { usageWrite } from '../../../shared/store/member/usage.ts';
import type { Write } from '../../../shared/store/table/items.ts';

const dayMs = 86_400_000;

/** DynamoDB deletes what is over its time within some days. */
const deletedWithinMs = 2 * dayMs;

/** A member uses a daily limit on every day of a year; what DynamoDB has deleted by now is not written at all. */
export async function useDailyForAYear({ table, now }: Platform, userId: number): Promise<void> {
  const last = now();
  const days = Array.from({ length: 365 }, (_, before) => new Date(last.getTime() - before * dayMs));
  const writes = days.map((day) => {
    const period = day.toISOString().slice(0, 10);
    return usageWrite({ userId, campaignId: 1, limitId: 1, period, amount: 1, most: 1_000 });
  });
  await table.transact(writes.filter((write) => isThere(write, last)));
}

function isThere(write: Write, now: Date): boolean {
  if (write.kind !== 'update') throw new TypeError('a counter is updated');
  const ttl = Number(write.changes.set?.[ttlAttribute]);
  return now.getTime() < ttl * 1000 + deletedWithinMs;
}
