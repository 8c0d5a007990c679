import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import type { PostDeps } from '../../../shared/operations/posting/post-to-program.ts';
import type { LoyaltyProgram } from '../../../shared/programs/program.ts';
import type { CampaignName } from '../../store/account.ts';
import { ProgramDesk } from '../../support/program-desk.ts';

/**
 * A worker dies before or after each of its calls: to the table, to the queue, to the program. Wherever it dies,
 * in the end the program has applied the transaction once, and the platform has recorded the result.
 */

let desk: ProgramDesk;
beforeAll(async () => {
  desk = await ProgramDesk.open();
});
afterAll(() => desk.close());
afterEach(async () => {
  await Promise.all([desk.server.clearFaults(), desk.other.clearFaults()]);
  desk.queued.splice(0);
});

class KilledError extends Error {
  override readonly name = 'KilledError';
}

/** Counts the calls of a worker, and ends the worker before or after one of them. */
class Death {
  calls = 0;
  readonly #at: number;
  readonly #isAfter: boolean;

  constructor(at: number, isAfter: boolean) {
    this.#at = at;
    this.#isAfter = isAfter;
  }

  /** The deps of a worker that dies. */
  of(deps: PostDeps): PostDeps {
    const { programs } = deps;
    const find = async (partnerId: number): Promise<LoyaltyProgram> => this.#mortal(await programs.find(partnerId));
    return {
      ...deps,
      transactions: this.#mortal(deps.transactions),
      postings: this.#mortal(deps.postings),
      programHealths: this.#mortal(deps.programHealths),
      members: this.#mortal(deps.members),
      ledger: this.#mortal(deps.ledger),
      queue: this.#mortal(deps.queue),
      programs: { find } as PostDeps['programs'],
    };
  }

  #mortal<Target extends object>(target: Target): Target {
    return new Proxy(target, {
      get: (_, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => this.#call(() => member.apply(target, args));
      },
    });
  }

  async #call(work: () => unknown): Promise<unknown> {
    this.calls += 1;
    const isLast = this.calls === this.#at;
    if (this.calls > this.#at || (isLast && !this.#isAfter)) throw new KilledError();
    const result = await work();
    if (isLast) throw new KilledError();
    return result;
  }
}

const minuteMs = 60_000;

/** Lets healthy workers finish what a dead one left. */
async function recover(transaction: RewardTransaction): Promise<void> {
  // The queue delivers the message of a dead worker again.
  await desk.sync(transaction);
  for (let round = 0; round < 3; round += 1) await desk.later(3 * minuteMs);
}

/** Runs a worker that dies at its call number `at`. @returns false when the worker makes fewer calls */
async function dies(at: number, isAfter: boolean, transaction: RewardTransaction): Promise<boolean> {
  const death = new Death(at, isAfter);
  await desk.sync(transaction);
  await desk.work(death.of(desk.deps)).catch((error) => {
    if (!(error instanceof KilledError)) throw error;
  });
  return death.calls >= at;
}

/** Kills a worker before and after each call that it makes for a transaction. Checks the books after each recovery. */
async function killAtEveryCall(
  campaign: CampaignName,
  expected: readonly (readonly number[])[],
  prepare = async () => {},
) {
  let deaths = 0;
  for (const isAfter of [false, true]) {
    for (let at = 1; ; at += 1) {
      const legs = await desk.pending(await desk.account(1_000), campaign);
      const [first] = legs;
      if (!first) throw new Error('there is no transaction');
      await prepare();
      const isDead = await dies(at, isAfter, first);
      await recover(first);

      const moved = await Promise.all(
        legs.map(({ uuid, partnerId }) => (partnerId === 2 ? desk.server : desk.other).movementsOf(uuid)),
      );
      const states = (await Promise.all(legs.map((leg) => desk.found(leg)))).map(({ state }) => state);
      expect({ at, isAfter, moved }).toEqual({ at, isAfter, moved: expected });
      expect(new Set(states).size).toBe(1);
      expect(['COMPLETED', 'FAILED']).toContain(states[0]);
      if (!isDead) break;
      deaths += 1;
    }
  }
  expect(await desk.mismatches()).toEqual([]);
  return deaths;
}

describe('a worker of post-to-program killed at each of its calls', () => {
  it('posts an award once when the program also fails', async () => {
    const failing = () => desk.server.order({ fault: 'fail_after', call: 'transactions', times: 1 }).then(() => {});
    expect(await killAtEveryCall('earn', [[100]], failing)).toBeGreaterThan(10);
  });

  it('posts both legs of a transfer once', async () => {
    expect(await killAtEveryCall('transfer', [[-100], [50]])).toBeGreaterThan(14);
  });

  it('undoes a transfer once when one leg is rejected', async () => {
    await desk.other.order({ fault: 'reject', call: 'transactions' });
    expect(await killAtEveryCall('transfer', [[-100, 100], []])).toBeGreaterThan(14);
  });
});
