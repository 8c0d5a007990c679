import { maximumCount, minuteMs, timingMs } from '../../contracts/limits.ts';
import { isLive } from '../../domain/award/claim.ts';
import { AwardClaims, minuteOf } from '../../store/award/claims.ts';
import { ClaimConflictError, Transactions } from '../../store/ledger/transactions.ts';
import { Members } from '../../store/member/members.ts';
import { expirySweep, Sequences } from '../../store/organisation/sequences.ts';
import type { Key } from '../../store/table/table-client.ts';
import type { Deps } from '../operation.ts';
import { cancelClaim } from './cancel-claim.ts';

export const releaseExpiredStores = {
  claims: AwardClaims,
  members: Members,
  sequences: Sequences,
  transactions: Transactions,
};
type ReleaseDeps = Deps<typeof releaseExpiredStores>;

/**
 * Cancels tokens that expired unused and releases their reservations. Begins with the minute at which the last run
 * stopped. Several tokens are released at the same time. After `timingMs.expirySweep` the run ends, and the next run
 * continues: released tokens are no longer in the index.
 *
 * @throws AggregateError when some tokens could not be released. All others were released; the next run tries the
 * failed ones again
 */
export async function releaseExpired(deps: ReleaseDeps): Promise<void> {
  const run = new Sweep(deps);
  await run.sweep();
  run.report();
}

/** One run, from its first minute until everything is released or its time is over. */
class Sweep {
  readonly #deps: ReleaseDeps;
  readonly #begunAt: Date;
  readonly #failures: unknown[] = [];
  #released = 0;

  constructor(deps: ReleaseDeps) {
    this.#deps = deps;
    this.#begunAt = deps.now();
  }

  async sweep(): Promise<void> {
    const current = minuteOf(this.#begunAt.toISOString());
    let minute = await loadStartingMinute(this.#deps, this.#begunAt);
    for (; minute <= current; minute = nextMinute(minute)) {
      if (!(await this.#releaseAll(await this.#deps.claims.dueIn(minute), current))) return;
      // The current minute is not over, so the next run sweeps it again.
      if (minute < current) await this.#deps.sequences.setSweptTo(expirySweep, nextMinute(minute));
    }
  }

  /** @throws AggregateError when some tokens could not be released */
  report(): void {
    const [released, failed] = [this.#released, this.#failures.length];
    this.#deps.log.info('expired tokens released', { released, failed });
    if (failed > 0) throw new AggregateError(this.#failures, `${failed} reservations could not be released`);
  }

  /** @returns false when the time of the run is over before all tokens are tried */
  async #releaseAll(keys: readonly Key[], current: string): Promise<boolean> {
    for (let first = 0; first < keys.length; first += maximumCount.releasedTogether) {
      if (this.#deps.now().getTime() - this.#begunAt.getTime() >= timingMs.expirySweep) return false;
      const together = keys.slice(first, first + maximumCount.releasedTogether);
      await Promise.all(together.map((key) => this.#release(key, current)));
    }
    return true;
  }

  async #release(key: Key, current: string): Promise<void> {
    try {
      if (await releaseClaim(this.#deps, key, this.#begunAt)) this.#released += 1;
    } catch (error) {
      this.#failures.push(error);
      // The claim is postponed. Otherwise one failing claim would make every run sweep this minute again.
      await this.#deps.claims.postpone(key, nextMinute(current));
    }
  }
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
