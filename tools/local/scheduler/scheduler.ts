import { type Clock, systemClock } from '../aws-service/clock.ts';
import { createDeliveryService } from '../aws-service/delivery.ts';
import { AwsError } from '../aws-service/service-server.ts';
import { defaultGroup, readSchedule, type Schedule, type ScheduleDefinition } from './schedule.ts';
import { type InvokeTarget, type RunOptions, runSchedule } from './schedule-runner.ts';

export interface SchedulerOptions {
  readonly accountId: string;
  readonly region: string;
  /** Names of the groups besides the default group. */
  readonly groups?: readonly string[];
  /** In the form of {@link ScheduleDefinition}, not checked yet. */
  readonly schedules: readonly object[];
  readonly invokeTarget: InvokeTarget;
  readonly clock?: Clock;
  readonly onLost?: RunOptions['onLost'];
}

/** A schedule of the scheduler, enabled or disabled. */
export interface StoredSchedule extends Schedule {
  readonly arn: string;
  readonly clientToken?: string | undefined;
  readonly stop: () => void;
}

/** EventBridge Scheduler in memory. */
export interface Scheduler {
  /**
   * @param definition in the form of {@link ScheduleDefinition}, not checked yet
   * @throws AwsError ValidationException when the definition is malformed
   */
  create(definition: object, clientToken?: string): StoredSchedule;
  /** Replaces the whole schedule. Absent fields of the definition get their defaults. */
  update(definition: object): StoredSchedule;
  delete(groupName: string, name: string): void;
  get(groupName: string, name: string): StoredSchedule;
  /** Returns all schedules, sorted by group and name. */
  list(): StoredSchedule[];
  /** Whether an invocation is on its way to a target. Retries that wait for their time do not count. */
  isBusy(): boolean;
  /** Returns when the next one-time schedule is due, in milliseconds since the epoch. */
  findNextOneTimeMs(): number | undefined;
  /** Resolves when every due invocation is delivered or abandoned. */
  idle(): Promise<void>;
  /** Stops all schedules and abandons the waiting retries. */
  close(): void;
}

/**
 * Creates the schedules of the options and starts them. A schedule with a rate but no start date is due immediately.
 *
 * @throws AwsError ValidationException when AWS would refuse a schedule
 */
export function createScheduler(options: SchedulerOptions): Scheduler {
  const scheduler = new InMemoryScheduler(options);
  for (const definition of options.schedules) scheduler.create(definition);
  return scheduler;
}

class InMemoryScheduler implements Scheduler {
  readonly #schedules = new Map<string, StoredSchedule>();
  readonly #groups: ReadonlySet<string>;
  readonly #run: RunOptions;

  constructor(options: SchedulerOptions) {
    const { accountId, region, invokeTarget, clock = systemClock } = options;
    const deliveries = createDeliveryService(clock);
    this.#run = { accountId, region, invokeTarget, clock, deliveries, onLost: options.onLost ?? logLost };
    this.#groups = new Set([defaultGroup, ...(options.groups ?? [])]);
  }

  create(definition: object, clientToken?: string): StoredSchedule {
    const schedule = readSchedule(definition);
    const { groupName } = schedule;
    if (!this.#groups.has(groupName)) {
      throw new AwsError('ResourceNotFoundException', `Schedule group ${groupName} does not exist.`, 404);
    }
    const { Name } = schedule.definition;
    const existing = this.#schedules.get(keyOf(groupName, Name));
    // An SDK that received no reply sends the same request again, with the same token.
    if (existing && clientToken !== undefined && existing.clientToken === clientToken) return existing;
    if (existing) throw new AwsError('ConflictException', `Schedule ${Name} already exists.`, 409);
    return this.#put(schedule, clientToken);
  }

  update(definition: object): StoredSchedule {
    const schedule = readSchedule(definition);
    const { clientToken, stop } = this.get(schedule.groupName, schedule.definition.Name);
    stop();
    return this.#put(schedule, clientToken);
  }

  delete(groupName: string, name: string): void {
    this.get(groupName, name).stop();
    this.#schedules.delete(keyOf(groupName, name));
  }

  get(groupName: string, name: string): StoredSchedule {
    const schedule = this.#schedules.get(keyOf(groupName, name));
    if (!schedule) throw new AwsError('ResourceNotFoundException', `Schedule ${name} does not exist.`, 404);
    return schedule;
  }

  list(): StoredSchedule[] {
    return [...this.#schedules.values()].sort((first, second) => (first.arn < second.arn ? -1 : 1));
  }

  isBusy(): boolean {
    return this.#run.deliveries.isBusy();
  }

  findNextOneTimeMs(): number | undefined {
    const nowMs = this.#run.clock.now();
    const oneTime = this.list().filter(({ isEnabled, timetable }) => isEnabled && timetable.isOneTime);
    const times = oneTime.flatMap(({ timetable }) => timetable.next(nowMs) ?? []);
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  idle(): Promise<void> {
    return this.#run.deliveries.idle();
  }

  close(): void {
    for (const { stop } of this.#schedules.values()) stop();
    this.#run.deliveries.close();
  }

  #put(schedule: Schedule, clientToken: string | undefined): StoredSchedule {
    const { groupName, definition, isEnabled } = schedule;
    const key = keyOf(groupName, definition.Name);
    const arn = this.#arnOf(`schedule/${key}`);
    const onCompleted = (): void => {
      const isReplaced = this.#schedules.get(key) !== stored;
      if (definition.ActionAfterCompletion === 'DELETE' && !isReplaced) this.delete(groupName, definition.Name);
    };
    const stop = isEnabled ? runSchedule(schedule, arn, { options: this.#run, onCompleted }) : () => {};
    const stored: StoredSchedule = { ...schedule, clientToken, arn, stop };
    this.#schedules.set(key, stored);
    return stored;
  }

  #arnOf(resource: string): string {
    return `arn:aws:scheduler:${this.#run.region}:${this.#run.accountId}:${resource}`;
  }
}

function keyOf(groupName: string, name: string): string {
  return `${groupName}/${name}`;
}

function logLost(scheduleArn: string, error: Error): void {
  console.error(`Scheduler could not invoke the target of ${scheduleArn}: ${error.message}`);
}
