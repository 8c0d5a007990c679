import { minuteMs, timingMs } from '../contracts/limits.ts';
import { isLive } from '../domain/award/claim.ts';
import { AwardClaims, minuteOf } from '../store/award/claims.ts';
import { ClaimConflictError, Transactions } from '../store/ledger/transactions.ts';
import { Members } from '../store/member/members.ts';
import { expirySweep, Sequences } from '../store/organisation/sequences.ts';
import type { Key } from '../store/table/table-client.ts';
import { cancelClaim } from './cancel-claim.ts';
import type { Deps } from './operation.ts';

export const releaseExpiredStores = {
  claims: AwardClaims,
  members: Members,
  sequences: Sequences,
  transactions: Transactions,
};
type ReleaseDeps = Deps<typeof releaseExpiredStores>;

/**
 * Cancels tokens that expired unused and releases their reservations, from the minute that was last swept to now.
 *
 * @throws AggregateError when some tokens could not be released. All others were released; the next run tries the
 * failed ones again
 */
export async function releaseExpired(deps: ReleaseDeps): Promise<void> {
  const now = deps.now();
  const current = minuteOf(now.toISOString());
  const failures: unknown[] = [];
  let released = 0;

  for (let minute = await loadStartingMinute(deps, now); minute <= current; minute = nextMinute(minute)) {
    for (const key of await deps.claims.dueIn(minute)) {
      try {
        if (await releaseClaim(deps, key, now)) released += 1;
      } catch (error) {
        failures.push(error);
        // The claim is postponed. Otherwise one failing claim would make every run sweep this minute again.
        await deps.claims.postpone(key, nextMinute(current));
      }
    }
    // The current minute is not over, so the next run sweeps it again.
    if (minute < current) await deps.sequences.setSweptTo(expirySweep, nextMinute(minute));
  }
  deps.log.info('expired tokens released', { released, failed: failures.length, to: current });
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} reservations could not be released`);
}

async function loadStartingMinute(deps: ReleaseDeps, now: Date): Promise<string> {
  const swept = await deps.sequences.sweptTo(expirySweep);
  return swept ?? minuteOf(new Date(now.getTime() - timingMs.firstSweep).toISOString());
}

async function releaseClaim(deps: ReleaseDeps, key: Key, now: Date): Promise<boolean> {
  const claim = await deps.claims.findDue(key);
  if (claim?.state !== 'ISSUED' || isLive(claim, now)) return false;
  try {
    await cancelClaim(claim, now, deps);
    return true;
  } catch (error) {
    // The token was spent or replaced after it was read: there is nothing left to release.
    if (error instanceof ClaimConflictError) return false;
    throw error;
  }
}

function nextMinute(minute: string): string {
  return minuteOf(new Date(Date.parse(`${minute}:00Z`) + minuteMs).toISOString());
}
