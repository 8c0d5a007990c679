import { minuteMs, timingMs } from '../../../shared/contracts/limits.ts';
import { isLive } from '../../../shared/domain/award/claim.ts';
import { logger } from '../../../shared/runtime/log.ts';
import { once } from '../../../shared/runtime/once.ts';
import { runtime, withStores } from '../../../shared/runtime/runtime.ts';
import { AwardClaims, minuteOf } from '../../../shared/store/award/claims.ts';
import { ClaimConflictError } from '../../../shared/store/ledger/conflicts.ts';
import { Transactions } from '../../../shared/store/ledger/transactions.ts';
import { Sequences } from '../../../shared/store/organisation/sequences.ts';
import type { Key } from '../../../shared/store/table/items.ts';
import { consumer } from './consumer.ts';

const releasing = once(() =>
  withStores(runtime(), { claims: AwardClaims, sequences: Sequences, transactions: Transactions }),
);
type Releasing = ReturnType<typeof releasing>;

/** Every minute: tokens that expired unused are cancelled, and what they reserved is released. */
export async function handler(): Promise<void> {
  await releaseExpired(releasing());
}

/**
 * Sweeps from the minute that was last swept to now.
 *
 * @throws AggregateError after everything else was released, when some could not be; the next run tries them again
 */
export async function releaseExpired(deps: Releasing): Promise<void> {
  const now = deps.now();
  const current = minuteOf(now.toISOString());
  const failures: unknown[] = [];
  let released = 0;

  for (let minute = await startingMinute(deps, now); minute <= current; minute = nextMinute(minute)) {
    for (const key of await deps.claims.dueIn(minute)) {
      try {
        if (await release(deps, key, now)) released += 1;
      } catch (error) {
        failures.push(error);
        // Tried again in the next minute, not by sweeping this one again for as long as it fails.
        await deps.claims.postpone(key, nextMinute(current));
      }
    }
    // The current minute is not over: it is swept again.
    if (minute < current) await deps.sequences.setSweptTo(consumer.name, nextMinute(minute));
  }
  logger().info('expired tokens released', { released, failed: failures.length, to: current });
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} reservations could not be released`);
}

async function startingMinute(deps: Releasing, now: Date): Promise<string> {
  const swept = await deps.sequences.sweptTo(consumer.name);
  return swept ?? minuteOf(new Date(now.getTime() - timingMs.firstSweep).toISOString());
}

async function release(deps: Releasing, key: Key, now: Date): Promise<boolean> {
  const claim = await deps.claims.findDue(key);
  if (claim?.state !== 'ISSUED' || isLive(claim, now)) return false;
  try {
    await deps.transactions.expire(claim, { now, nextUuid: deps.nextUuid });
    return true;
  } catch (error) {
    // Spent or replaced between the look and the write: there is nothing to release any more.
    if (error instanceof ClaimConflictError) return false;
    throw error;
  }
}

function nextMinute(minute: string): string {
  return minuteOf(new Date(Date.parse(`${minute}:00Z`) + minuteMs).toISOString());
}
