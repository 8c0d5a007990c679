import { AwsError, validationError } from '../aws-service/aws-error.ts';
import type { Clock } from '../aws-service/clock.ts';
import { defaultGroup } from './schedule.ts';

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
