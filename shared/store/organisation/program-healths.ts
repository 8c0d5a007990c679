import { organisationPartition } from '../../contracts/table.ts';
import { ProgramHealth, pauseAfter, trialEndsAt } from '../../domain/program-health.ts';
import { ConditionFailedError, defineEntity, Repository } from '../table/table-client.ts';

const healths = defineEntity(ProgramHealth, (partnerId: number) => ({
  pk: organisationPartition(partnerId),
  sk: 'PROGRAM_HEALTH',
}));

/** A request to a program that failed. */
export interface ProgramFailure {
  /** `status 503`, `no reply in time`. */
  readonly cause: string;
  readonly isTrial: boolean;
  readonly now: Date;
}

/** The health of partners' own programs: whether they answer. The item is in the partition of the partner. */
export class ProgramHealths extends Repository {
  /** The health of a program; undefined while no request was sent to it. */
  async find(partnerId: number): Promise<ProgramHealth | undefined> {
    const item = await this.table.get(healths.key(partnerId));
    return item && healths.parse(item);
  }

  /**
   * Claims the trial: the one request after a pause that shows whether the program answers again.
   *
   * @param pausedUntil the end of the pause as it was read
   * @returns false when another request claimed the trial first
   */
  async claimTrial(partnerId: number, pausedUntil: string, now: Date): Promise<boolean> {
    try {
      await this.table.write({
        kind: 'update',
        key: healths.key(partnerId),
        changes: { set: { pausedUntil: trialEndsAt(now) } },
        when: [{ attribute: 'pausedUntil', is: '=', value: pausedUntil }],
      });
      return true;
    } catch (error) {
      if (error instanceof ConditionFailedError) return false;
      throw error;
    }
  }

  /**
   * Counts a failure. After some failures in a row, requests pause. Failures of requests that were sent before the
   * pause do not prolong the pause.
   *
   * @param failure why the request failed, and whether it was the trial of a pause
   */
  async recordFailure(partnerId: number, failure: ProgramFailure) {
    const { now } = failure;
    const key = healths.key(partnerId);
    const failures = await this.#countFailure(partnerId, failure);
    const pausedUntil = failures === undefined ? undefined : pauseAfter(failures, now);
    if (pausedUntil === undefined) return;
    await this.table.write({ kind: 'update', key, changes: { set: { pausedUntil } } });
  }

  /** Returns the failures in a row; undefined when the failure does not count. */
  async #countFailure(partnerId: number, { isTrial, cause, now }: ProgramFailure): Promise<number | undefined> {
    try {
      const item = await this.table.write({
        kind: 'update',
        key: healths.key(partnerId),
        changes: { set: { partnerId, failure: { at: now.toISOString(), cause } }, add: { failures: 1 } },
        // A failure that is counted twice only makes the pause begin earlier.
        repetition: 'harmless',
        ...(!isTrial && { when: [{ attribute: 'pausedUntil', is: 'absent' }] }),
      });
      return item && healths.parse(item).failures;
    } catch (error) {
      if (error instanceof ConditionFailedError) return undefined;
      throw error;
    }
  }

  /** Records an answer. Sets the count of failures to zero. */
  async recordAnswer(partnerId: number, now: Date): Promise<void> {
    const changes = { set: { partnerId, failures: 0, answeredAt: now.toISOString() }, remove: ['pausedUntil'] };
    await this.table.write({ kind: 'update', key: healths.key(partnerId), changes });
  }
}
