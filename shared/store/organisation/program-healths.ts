import { organisationPartition } from '../../contracts/table.ts';
import { ProgramHealth, pauseAfter, trialEndsAt } from '../../domain/program-health.ts';
import { ConditionFailedError, defineEntity, Repository } from '../table/table-client.ts';

const healths = defineEntity(ProgramHealth, (partnerId: number) => ({
  pk: organisationPartition(partnerId),
  sk: 'PROGRAM_HEALTH',
}));

/** The health of partners' own programs: whether they answer. The item is in the partition of the partner. */
export class ProgramHealths extends Repository {
  /** The health of a program; undefined while it has never failed. */
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
   * @param isTrial whether the failed request was the trial of a pause
   */
  async recordFailure(partnerId: number, { isTrial, now }: { readonly isTrial: boolean; readonly now: Date }) {
    const key = healths.key(partnerId);
    const failures = await this.#countFailure(partnerId, isTrial);
    const pausedUntil = failures === undefined ? undefined : pauseAfter(failures, now);
    if (pausedUntil === undefined) return;
    await this.table.write({ kind: 'update', key, changes: { set: { pausedUntil } } });
  }

  /** Returns the failures in a row; undefined when the failure does not count. */
  async #countFailure(partnerId: number, isTrial: boolean): Promise<number | undefined> {
    try {
      const item = await this.table.write({
        kind: 'update',
        key: healths.key(partnerId),
        changes: { set: { partnerId }, add: { failures: 1 } },
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

  /** Sets the count of failures to zero after an answer. */
  async recordAnswer(partnerId: number): Promise<void> {
    const changes = { set: { partnerId, failures: 0 }, remove: ['pausedUntil'] };
    await this.table.write({ kind: 'update', key: healths.key(partnerId), changes });
  }
}
