import { AwsError, validationError } from '../aws-service/aws-error.ts';
import type { Clock } from '../aws-service/clock.ts';
import { DEFAULT_GROUP } from './definition.ts';

/** A group of schedules. */
export interface Group {
  readonly name: string;
  readonly arn: string;
  readonly createdMs: number;
}

/** The groups of an account; the default one is always there. */
export class ScheduleGroups {
  readonly #groups = new Map<string, Group>();
  readonly #arnOf: (name: string) => string;
  readonly #clock: Clock;

  constructor(arnOf: (name: string) => string, clock: Clock) {
    this.#arnOf = arnOf;
    this.#clock = clock;
    this.create(DEFAULT_GROUP);
  }

  create(name: string): Group {
    if (this.#groups.has(name)) {
      throw new AwsError('ConflictException', `Schedule group ${name} already exists.`, 409);
    }
    const group = { name, arn: this.#arnOf(name), createdMs: this.#clock.now() };
    this.#groups.set(name, group);
    return group;
  }

  get(name: string): Group {
    const group = this.#groups.get(name);
    if (!group) throw new AwsError('ResourceNotFoundException', `Schedule group ${name} does not exist.`, 404);
    return group;
  }

  list(): Group[] {
    return [...this.#groups.values()];
  }

  delete(name: string): void {
    if (name === DEFAULT_GROUP) throw validationError('The default schedule group cannot be deleted.');
    this.get(name);
    this.#groups.delete(name);
  }
}
