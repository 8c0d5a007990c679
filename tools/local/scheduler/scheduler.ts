import { AwsError } from '../aws-service/aws-error.ts';
import { type Clock, systemClock } from '../aws-service/clock.ts';
import { createDeliveryService } from '../aws-service/delivery.ts';
import type { ScheduleDefinition } from './definition.ts';
import { type Group, ScheduleGroups } from './groups.ts';
import { type RunOptions, runSchedule } from './runner.ts';
import { readSchedule, type Schedule } from './schedule.ts';
import type { InvokeTarget } from './target.ts';

export interface SchedulerOptions {
  readonly accountId: string;
  readonly region: string;
  /** Groups besides the default one. */
  readonly groups?: readonly string[];
  readonly schedules: readonly ScheduleDefinition[];
  readonly invokeTarget: InvokeTarget;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly onLost?: RunOptions['onLost'];
}

/** A schedule in force, or disabled. */
export interface StoredSchedule extends Schedule {
  readonly arn: string;
  readonly createdMs: number;
  readonly modifiedMs: number;
  readonly clientToken?: string | undefined;
  readonly stop: () => void;
}

/** EventBridge Scheduler in memory. */
export interface Scheduler {
  create(definition: ScheduleDefinition, clientToken?: string): StoredSchedule;
  /** Replaces a schedule as a whole: what the definition leaves out takes its default. */
  update(definition: ScheduleDefinition): StoredSchedule;
  delete(groupName: string, name: string): void;
  get(groupName: string, name: string): StoredSchedule;
  /** All schedules, by group and name. */
  list(): StoredSchedule[];
  createGroup(name: string): Group;
  /** Deletes a group and its schedules. */
  deleteGroup(name: string): void;
  getGroup(name: string): Group;
  listGroups(): Group[];
  /** Resolves when every invocation that was due has been delivered or given up. */
  idle(): Promise<void>;
  /** Stops all schedules and abandons waiting retries. */
  close(): void;
}

/**
 * Creates a template's schedules and starts them; a rate without a start date is due at once.
 *
 * @throws AwsError ValidationException when AWS would refuse one of them
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
    this.#run = { accountId, region, invokeTarget, clock, random, deliveries, onLost: options.onLost ?? reportLost };
    this.#groups = new ScheduleGroups((name) => this.#arnOf(`schedule-group/${name}`), clock);
  }

  create(definition: ScheduleDefinition, clientToken?: string): StoredSchedule {
    const schedule = readSchedule(definition);
    this.#groups.get(schedule.groupName);
    const existing = this.#schedules.get(keyOf(schedule.groupName, definition.Name));
    // The same token is the same request sent again by an SDK that missed the answer.
    if (existing && clientToken !== undefined && existing.clientToken === clientToken) return existing;
    if (existing) throw new AwsError('ConflictException', `Schedule ${definition.Name} already exists.`, 409);
    return this.#put(schedule, { createdMs: this.#run.clock.now(), clientToken });
  }

  update(definition: ScheduleDefinition): StoredSchedule {
    const schedule = readSchedule(definition);
    const { createdMs, clientToken, stop } = this.get(schedule.groupName, definition.Name);
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

  createGroup(name: string): Group {
    return this.#groups.create(name);
  }

  deleteGroup(name: string): void {
    this.#groups.delete(name);
    for (const { groupName, definition } of this.list()) {
      if (groupName === name) this.delete(groupName, definition.Name);
    }
  }

  getGroup(name: string): Group {
    return this.#groups.get(name);
  }

  listGroups(): Group[] {
    return this.#groups.list();
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

function reportLost(scheduleArn: string, error: Error): void {
  console.error(`Scheduler could not invoke the target of ${scheduleArn}: ${error.message}`);
}
