import { type Clock, systemClock } from '../aws-service/clock.ts';
import { createDeliveryService } from '../aws-service/delivery.ts';
import { AwsError, validationError } from '../aws-service/service-server.ts';
import { defaultGroup, readSchedule, type Schedule, type ScheduleDefinition } from './schedule.ts';
import { type InvokeTarget, type RunOptions, runSchedule } from './schedule-runner.ts';

/** A group of schedules. */
export interface ScheduleGroup {
  readonly name: string;
  readonly arn: string;
  readonly createdMs: number;
}

/** The schedule groups of an account. The default group always exists. */
export class ScheduleGroups {
  readonly #groups = new Map<string, ScheduleGroup>();
  readonly #arnOf: (name: string) => string;
  readonly #clock: Clock;

  constructor(arnOf: (name: string) => string, clock: Clock) {
    this.#arnOf = arnOf;
    this.#clock = clock;
    this.create(defaultGroup);
  }

  create(name: string): ScheduleGroup {
    if (this.#groups.has(name)) {
      throw new AwsError('ConflictException', `Schedule group ${name} already exists.`, 409);
    }
    const group = { name, arn: this.#arnOf(name), createdMs: this.#clock.now() };
    this.#groups.set(name, group);
    return group;
  }

  get(name: string): ScheduleGroup {
    const group = this.#groups.get(name);
    if (!group) throw new AwsError('ResourceNotFoundException', `Schedule group ${name} does not exist.`, 404);
    return group;
  }

  list(): ScheduleGroup[] {
    return [...this.#groups.values()];
  }

  delete(name: string): void {
    if (name === defaultGroup) throw validationError('The default schedule group cannot be deleted.');
    this.get(name);
    this.#groups.delete(name);
  }
}

export interface SchedulerOptions {
  readonly accountId: string;
  readonly region: string;
  /** Names of the groups besides the default group. */
  readonly groups?: readonly string[];
  /** In the form of {@link ScheduleDefinition}, not checked yet. */
  readonly schedules: readonly object[];
  readonly invokeTarget: InvokeTarget;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly onLost?: RunOptions['onLost'];
}

/** A schedule of the scheduler, enabled or disabled. */
export interface StoredSchedule extends Schedule {
  readonly arn: string;
  readonly createdMs: number;
  readonly modifiedMs: number;
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
  createGroup(name: string): ScheduleGroup;
  /** Deletes a group and its schedules. */
  deleteGroup(name: string): void;
  getGroup(name: string): ScheduleGroup;
  listGroups(): ScheduleGroup[];
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
  for (const name of options.groups ?? []) scheduler.createGroup(name);
  for (const definition of options.schedules) scheduler.create(definition);
  return scheduler;
}

class InMemoryScheduler implements Scheduler {
  readonly #schedules = new Map<string, StoredSchedule>();
  readonly #groups: ScheduleGroups;
  readonly #run: RunOptions;

  constructor(options: SchedulerOptions) {
    const { accountId, region, invokeTarget, clock = systemClock, random = Math.random } = options;
    const deliveries = createDeliveryService(clock);
    this.#run = { accountId, region, invokeTarget, clock, random, deliveries, onLost: options.onLost ?? logLost };
    this.#groups = new ScheduleGroups((name) => this.#arnOf(`schedule-group/${name}`), clock);
  }

  create(definition: object, clientToken?: string): StoredSchedule {
    const schedule = readSchedule(definition);
    this.#groups.get(schedule.groupName);
    const { Name } = schedule.definition;
    const existing = this.#schedules.get(keyOf(schedule.groupName, Name));
    // An SDK that received no reply sends the same request again, with the same token.
    if (existing && clientToken !== undefined && existing.clientToken === clientToken) return existing;
    if (existing) throw new AwsError('ConflictException', `Schedule ${Name} already exists.`, 409);
    return this.#put(schedule, { createdMs: this.#run.clock.now(), clientToken });
  }

  update(definition: object): StoredSchedule {
    const schedule = readSchedule(definition);
    const { createdMs, clientToken, stop } = this.get(schedule.groupName, schedule.definition.Name);
    stop();
    return this.#put(schedule, { createdMs, clientToken });
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

  createGroup(name: string): ScheduleGroup {
    return this.#groups.create(name);
  }

  deleteGroup(name: string): void {
    this.#groups.delete(name);
    for (const { groupName, definition } of this.list()) {
      if (groupName === name) this.delete(groupName, definition.Name);
    }
  }

  getGroup(name: string): ScheduleGroup {
    return this.#groups.get(name);
  }

  listGroups(): ScheduleGroup[] {
    return this.#groups.list();
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

  #put(schedule: Schedule, created: Pick<StoredSchedule, 'createdMs' | 'clientToken'>): StoredSchedule {
    const { groupName, definition, isEnabled } = schedule;
    const key = keyOf(groupName, definition.Name);
    const arn = this.#arnOf(`schedule/${key}`);
    const onCompleted = (): void => {
      const isReplaced = this.#schedules.get(key) !== stored;
      if (definition.ActionAfterCompletion === 'DELETE' && !isReplaced) this.delete(groupName, definition.Name);
    };
    const stop = isEnabled ? runSchedule(schedule, arn, { options: this.#run, onCompleted }) : () => {};
    const stored: StoredSchedule = { ...schedule, ...created, arn, stop, modifiedMs: this.#run.clock.now() };
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
